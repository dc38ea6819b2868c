"""The principal variation as boards, one after each move."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from analysis.pictures.boards import (
    DrawnBoard,
    Grid,
    changed,
    draw_board,
    least_cell,
    regular,
    shape_of,
)
from analysis.pictures.style import FIRST, INK, SECOND, TINT, Picture, clean, outcome_of, width_of
from analysis.reports.figures.panels import WIDTH, boards_sheet
from analysis.reports.findings import Findings, VariationStep
from analysis.reports.report_words import SHORT, WHOLE, result
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST, MOST_LINES = 60, 15
"""Boards that are drawn, and lines of them, at most."""

_CELL, _GAP = 0.24, 0.22  # inches

Cells = list[tuple[int, int]]


def draw(findings: Findings) -> Picture | None:
    """None for a game without a board or with one too wide or too high to be drawn, and where nothing is played."""
    grids = _grids(findings)
    if len(findings.principal) < 2 or not grids:
        return None
    shape = shape_of(findings.game, grids[0])
    cell = min(max(_CELL, least_cell(grids)), (WIDTH - 0.1) / shape.width)
    if cell < least_cell(grids) or shape.rows > 40:
        return None
    tints = _tints(findings, grids, shape)
    steps = findings.principal[: len(grids)]
    lines = [(_move(findings, step), result(findings, step.value, step.remoteness_plies)) for step in steps]
    slot = min(max(shape.width * cell, *(width_of(said) for pair in lines for said in pair)) + _GAP, WIDTH)
    columns = max(1, min(len(steps), int(WIDTH / slot + 1e-9)))
    drawn = min(len(steps), columns * MOST_LINES)
    figure, panels = boards_sheet(shape, cell, drawn, columns, (0.08, 0.56))
    for axes, step, grid, cells, words in zip(panels, steps, grids, tints, lines, strict=False):
        tinted = dict.fromkeys(cells, (FIRST if step.mover == "X" else SECOND, TINT))
        draw_board(axes, cell, shape, grid, findings.game.players, tinted)
        _write_below(axes, words, outcome_of(step.value, step.remoteness_plies).text)
    caption = _caption(_tinted(shape, tints[:drawn]), len(findings.principal) - drawn)
    alternative = _alternative(findings, drawn)
    return Picture("principal", "Principal variation", caption, alternative, figure)


def _grids(findings: Findings) -> list[Grid]:
    """The first boards of the line; none where a position has no board, or not one of the same shape."""
    grids: list[Grid] = []
    for step in findings.principal[:MOST]:
        grid = findings.game.grid(step.state)
        if grid is None or not regular(grid) or (grids and [*map(len, grid)] != [*map(len, grids[0])]):
            return []
        grids.append(grid)
    return grids


def _tints(findings: Findings, grids: list[Grid], shape: DrawnBoard) -> list[Cells]:
    """The cells of each board that stand for its move: the one cell that does or, where there is none, those that were
    filled, or emptied. Where marks move about, as in a row of heaps that closes up, a board does not say what was
    played, and cells that happen to be blank now are none of the move's.
    """
    steps = findings.principal[: len(grids)]
    changes = [changed(before, after) for before, after in itertools.pairwise(grids)]
    if shape.dotted:
        return [[], *([(r, c) for r, c in places if (r + c) % 2] for places in changes)]
    cells = [[] if step.cell is None else [divmod(step.cell, shape.cols)] for step in steps]
    pairs = itertools.pairwise(grids)
    plain = [
        _blank(before, places) or _blank(after, places) for (before, after), places in zip(pairs, changes, strict=True)
    ]
    if not all(known or own for known, own in zip(plain, cells[1:], strict=True)):
        return cells
    return [[], *(own or places for own, places in zip(cells[1:], changes, strict=True))]


def _blank(grid: Grid, places: Cells) -> bool:
    return not any(grid[r][c].strip() for r, c in places)


def _write_below(axes: Axes, words: tuple[str, str], tone: str) -> None:
    """The move and, in the tone of its outcome, what the position is worth."""
    for lower, said, colour in zip((11, 24), words, (INK, tone), strict=True):
        axes.annotate(
            said, (0.5, 0), xycoords="axes fraction", xytext=(0, -lower), textcoords="offset points", color=colour,
            ha="center", va="center",
        )  # fmt: skip


def _move(findings: Findings, step: VariationStep) -> str:
    if step.move is None or step.mover is None:
        return "start"
    return f"{step.ply}. {clean(findings.named(step.mover), SHORT)} {clean(step.move.name, 10)}"


def _tinted(shape: DrawnBoard, tints: list[Cells]) -> str:
    """What the caption says of the tints that there are."""
    most = max(map(len, tints))
    if not most:
        return ""
    if shape.dotted:
        return " The last line is thicker, in the colour of its player."
    return " The cell of the last move is tinted." if most == 1 else " The cells of the last move are tinted."


def _caption(tinted: str, left: int) -> str:
    said = (
        "One line of optimal play, from left to right and from top to bottom. Below each board, the move that led to "
        "it, then the value of the position and the plies that are left to the end."
    )
    return said + tinted + (f" The line has {some(left, 'more position')}." if left else "")


def _alternative(findings: Findings, drawn: int) -> str:
    """The moves of the line, and what is at its end: of a draw, that it has none."""
    last = findings.principal[-1]
    played = [
        f"{clean(findings.named(step.mover))} {clean(step.move.name)}"
        for step in findings.principal
        if step.move and step.mover
    ]
    shown = ", ".join(played[:MOST]) + (" and so on" if len(played) > MOST else "")
    said = f"{some(drawn, 'board')} of a line of {some(len(played), 'ply', 'plies')}: {shown}."
    if last.remoteness_plies is None:
        return f"{said} It is a draw, so that it has no end."
    reached = "At its end" if last.remoteness_plies == 0 else "After them"
    return f"{said} {reached}: {result(findings, last.value, last.remoteness_plies, WHOLE)}."
