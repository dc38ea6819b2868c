"""The principal variation as boards, one after each move."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from analysis.charts import styled
from analysis.reports import words
from analysis.reports.figures import frame
from analysis.reports.figures.board import Board, Grid, Spot, draw_board, filled, regular, shape_of
from analysis.reports.figures.numbers import clean
from analysis.reports.figures.palette import FIRST, INK, MUTED, SECOND, outcome_of
from analysis.reports.figures.picture import Picture
from analysis.reports.findings import Findings
from analysis.reports.principal import Step

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST, MOST_LINES = 60, 15
"""Boards that are drawn, and lines of them, at most."""

_CELL, _LEAST_CELL, _GAP = 0.24, 0.1, 0.22  # inches
_SIZE = 9.0
TINT = 0.3
"""Opacity of the cells of the last move."""


@dataclasses.dataclass(frozen=True)
class _Tile:
    """A board with the words below it."""

    grid: Grid
    tinted: list[tuple[int, int]]
    step: Step
    lines: tuple[str, str]


@styled
def draw(findings: Findings) -> Picture | None:
    """None for a game without a board or with one too wide or too high to be drawn, and where nothing is played."""
    tiles = _tiles(findings)
    if len(findings.principal) < 2 or not tiles:
        return None
    shape = shape_of(findings.game, tiles[0].grid)
    cell = min(_CELL, (frame.WIDTH - 0.1) / shape.width)
    if cell < _LEAST_CELL or shape.rows > 40:
        return None
    text = max(frame.width_of(line, _SIZE) for tile in tiles for line in tile.lines)
    slot = min(max(shape.width * cell, text) + _GAP, frame.WIDTH)
    columns = max(1, min(len(tiles), int(frame.WIDTH / slot + 1e-9)))
    tiles = tiles[: columns * MOST_LINES]
    high = shape.height * cell + 2 * frame.height_of(_SIZE) + 0.22
    lines = -(-len(tiles) // columns)
    left = len(findings.principal) - len(tiles)
    figure, axes = frame.sheet(frame.WIDTH, 0.08 + lines * high + (0.2 if left else 0))
    step = frame.WIDTH / columns
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        _draw_tile(axes, findings, shape, tile, ((column + 0.5) * step, 0.08 + row * high, cell))
    if left:
        more = f"and {words.some(left, 'more position')}"
        axes.text(frame.WIDTH / 2, 0.12 + lines * high, more, fontsize=_SIZE, color=MUTED, ha="center", va="center")
    return Picture("principal", "Principal variation", _caption(left), _alternative(findings, len(tiles)), figure)


def _tiles(findings: Findings) -> list[_Tile]:
    """The first boards of the line; none where a position has no board, or not one of the same shape."""
    game, before, tiles = findings.game, None, []
    for step in findings.principal[:MOST]:
        grid = game.grid(step.state)
        if grid is None or not regular(grid) or (before is not None and [*map(len, grid)] != [*map(len, before)]):
            return []
        cells = filled(before, grid) if step.cell is None else [divmod(step.cell, len(grid[0]))]
        tiles.append(_Tile(grid, cells, step, (_move(findings, step), clean(_value(findings, step), 18))))
        before = grid
    return tiles


def _draw_tile(axes: Axes, findings: Findings, shape: Board, tile: _Tile, place: tuple[float, float, float]) -> None:
    x, y, cell = place
    colour = FIRST if tile.step.mover == "X" else SECOND
    spot = Spot(x - shape.width * cell / 2, y, cell)
    draw_board(axes, spot, shape, tile.grid, findings.game.players, dict.fromkeys(tile.tinted, (colour, TINT)))
    below, line = y + shape.height * cell + 0.1, frame.height_of(_SIZE)
    text = outcome_of(tile.step.value, tile.step.remoteness_plies).text
    for number, (words_, tone) in enumerate(zip(tile.lines, (INK, text), strict=True)):
        axes.text(x, below + (number + 0.35) * line, words_, fontsize=_SIZE, color=tone, ha="center", va="center")


def _move(findings: Findings, step: Step) -> str:
    if step.move is None or step.mover is None:
        return "start"
    return f"{step.ply}. {clean(words.named(findings, step.mover), 8)} {clean(step.move.name, 10)}"


def _value(findings: Findings, step: Step) -> str:
    """What the position is worth, and in how many plies."""
    plies = step.remoteness_plies
    if plies is None:
        return "draw"
    if step.value == 0:
        return f"tie in {plies}" if plies else "tie"
    name = clean(words.named(findings, "X" if step.value > 0 else "O"), 8)
    if words.scored(findings):
        return f"{name} by {abs(step.value):,} in {plies}" if plies else f"{name} by {abs(step.value):,}"
    return f"{name} wins in {plies}" if plies else f"{name} has won"


def _caption(left: int) -> str:
    said = (
        "One line of optimal play, from left to right and from top to bottom. The cell of the last move is "
        "tinted; below each board, the move, then the value of the position and the plies to the end."
    )
    return said + (f" The line has {left:,} more positions." if left else "")


def _alternative(findings: Findings, drawn: int) -> str:
    steps = findings.principal
    played = [f"{clean(words.named(findings, s.mover))} {clean(s.move.name)}" for s in steps if s.move and s.mover]
    shown = ", ".join(played[:MOST]) + (" and so on" if len(played) > MOST else "")
    last = _value(findings, steps[-1])
    return f"{words.some(drawn, 'board')} of a line of {len(played)} plies: {shown}. At its end: {last}."
