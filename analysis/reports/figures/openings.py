"""First moves: on the board where each is a cell of its own, else a row for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from analysis.reports.figures import opening_rows, panels
from analysis.reports.figures.boards import DrawnBoard, Grid, boards_sheet, draw_board, regular, shape_of
from analysis.reports.figures.style import HEAT, INK, MOST_TINT, MUTED, TINT, Picture, outcome_of, styled
from analysis.reports.findings import Findings, Opening
from analysis.reports.report_words import WHOLE, briefly, clean, compact, result
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEAST_CELL, _CELL = 0.52, 0.66  # inches: three numbers in a cell, and no more than looks good
_GAP = 0.16
_LARGEST_MARK = 15.0  # points
_ROOM = 0.94
"""The width of text in a cell, in cells."""

Tints = dict[tuple[int, int], tuple[str, float]]


@styled
def draw(findings: Findings) -> Picture | None:
    """None where the game is over at its start. Moves that are no single cells of their own are rows."""
    if not findings.openings:
        return None
    grid = findings.game.grid(findings.solution.engine.start)
    if grid is None or not on_board(findings, grid):
        figure, caption = opening_rows.rows(findings), opening_rows.caption(findings)
    else:
        figure, caption = _boards(findings, grid), _caption(findings)
    return Picture("openings", "First moves", caption, _alternative(findings), figure)


def on_board(findings: Findings, grid: Grid) -> bool:
    """Whether every first move has a cell of its own on a board that is large enough when it is drawn."""
    cells = [opening.cell for opening in findings.openings]
    if not regular(grid) or None in cells or len(set(cells)) < len(cells):
        return False
    shape = shape_of(findings.game, grid)
    return not shape.dotted and shape.width * _least_cell(findings) <= panels.WIDTH - 0.1 and shape.rows <= 12


def _least_cell(findings: Findings) -> float:
    """Inches that a cell needs for its numbers and its words for a draw or a tie; names are cut off."""
    openings = findings.openings
    texts = [compact(opening.games.total) for opening in openings if opening.games is not None]
    texts += [compact(opening.optimal_paths or 0) for opening in openings]
    texts += [f"in {opening.plies_to_end}" for opening in openings if opening.plies_to_end is not None]
    return max(_LEAST_CELL, max(map(panels.width_of, texts)) / _ROOM)


def _layout(shape: DrawnBoard, boards: int, least: float) -> tuple[int, float]:
    """How many boards go side by side, and how wide a cell is: as many as leave cells wide enough for their numbers."""
    for across in range(boards, 0, -1):
        cell = ((panels.WIDTH - 0.1) - _GAP * (across - 1)) / across / shape.width
        if cell >= least or across == 1:
            return across, min(cell, max(_CELL, least))
    raise AssertionError("one board always fits")


def _boards(findings: Findings, grid: Grid) -> Figure:
    """A board for each thing there is to say of the moves, and a key."""
    shape = shape_of(findings.game, grid)
    openings = {divmod(opening.cell or 0, shape.cols): opening for opening in findings.openings}
    rest = [[" " if (r, c) in openings else mark for c, mark in enumerate(row)] for r, row in enumerate(grid)]
    wanted: list[tuple[str, Tints, Callable[..., None]]] = [("value, plies to end", _value_tints(openings), _value)]
    if findings.openings[0].games is not None:
        wanted.append(("games", {}, _games))
    if findings.openings[0].optimal_paths is not None:
        wanted.append(("optimal paths", _path_tints(openings), _paths))
    across, cell = _layout(shape, len(wanted), _least_cell(findings))
    figure, boards = boards_sheet(shape, cell, len(wanted), across, (0.3, _GAP), foot=0.3)
    for axes, (title, tints, write) in zip(boards, wanted, strict=True):
        axes.set_title(panels.fit(title, panels.WIDTH / across), loc="center", pad=5)
        draw_board(axes, cell, shape, rest, findings.game.players, tints, largest=_LARGEST_MARK)
        for place, opening in openings.items():
            write(axes, cell, shape.middle(*place), findings, opening)
    panels.outcome_key(figure, opening_rows.outcomes(findings), "lower center")
    return figure


def _value_tints(openings: dict[tuple[int, int], Opening]) -> Tints:
    moves = {place: opening.move for place, opening in openings.items()}
    return {place: (outcome_of(move.value, move.remoteness_plies).colour, TINT) for place, move in moves.items()}


def _path_tints(openings: dict[tuple[int, int], Opening]) -> Tints:
    numbers = {place: opening.optimal_paths or 0 for place, opening in openings.items()}
    greatest = max(1, *numbers.values())
    return {place: (HEAT, round(MOST_TINT * number / greatest, 3)) for place, number in numbers.items()}


def _value(axes: Axes, cell: float, middle: tuple[float, float], findings: Findings, opening: Opening) -> None:
    """Who wins, or by how much, and the plies to the end; above it, muted, the move. The best are bold."""
    (x, y), move, plies = middle, opening.move, opening.plies_to_end
    lines = [(clean(move.name, 8), 0.31, MUTED, "normal")]
    weight, room = ("bold", _ROOM / 1.1) if move.optimal else ("normal", _ROOM)
    lines.append((panels.fit(briefly(findings, move.value, plies), room * cell), 0.01, INK, weight))
    if plies is not None:
        lines.append((f"in {plies}", -0.29, INK, "normal"))
    for text, lift, colour, weight in lines:
        shown = panels.fit(text, _ROOM * cell)
        axes.text(x, y - lift, shown, color=colour, fontweight=weight, ha="center", va="center", zorder=5)


def _games(axes: Axes, cell: float, middle: tuple[float, float], findings: Findings, opening: Opening) -> None:
    """Their number above a bar of who wins them."""
    (x, y), games = middle, opening.games
    if games is None or not games.total:
        return
    axes.text(x, y - 0.14, compact(games.total), ha="center", va="center", zorder=5)
    left = x - 0.4
    for outcome in opening_rows.PLAYED:
        part = 0.8 * getattr(games, outcome.key) / games.total
        axes.barh(y + 0.22, part, 0.2, left, linewidth=0.4, **outcome.look)
        left += part


def _paths(axes: Axes, cell: float, middle: tuple[float, float], findings: Findings, opening: Opening) -> None:
    paths = opening.optimal_paths or 0
    axes.text(*middle, compact(paths), color=INK if paths else MUTED, ha="center", va="center", zorder=5)


# Words ----------------------------------------------------------------------------------------------------------------


def _caption(findings: Findings) -> str:
    """How to read the boards."""
    said = (
        "Each first move on the cell that stands for it. Its value, bold where the move is optimal, and the plies to "
        "the end, this move included"
    )
    if findings.openings[0].games is not None:
        said += "; the games that begin with it and, as a bar, who wins them"
    if findings.openings[0].optimal_paths is not None:
        said += "; and the optimal paths that begin with it, the deeper the green the more"
    return said + ". Numbers are rounded where they would not fit; the table has them in full."


def _alternative(findings: Findings) -> str:
    """The best moves, and what they and all first moves lead to."""
    openings = findings.openings
    kept = [opening for opening in openings if opening.move.optimal]
    names = [clean(opening.move.name) for opening in kept[:12]] + (["and so on"] if len(kept) > 12 else [])
    if len(openings) == 1:
        return f"The only first move, {_described(findings, kept[0])}."
    said = f"{some(len(openings), 'first move')}, {len(kept)} of them optimal ({', '.join(names)}). "
    said += f"The best, {_described(findings, kept[0])}."
    if len(kept) < len(openings):
        said += f" The worst, {_described(findings, openings[-1])}."
    return said


def _described(findings: Findings, opening: Opening) -> str:
    """A move with its value and counts."""
    move = opening.move
    said = f"{clean(move.name)}, {result(findings, move.value, opening.plies_to_end, WHOLE)}"
    if opening.games is not None:
        said += f", begins {some(opening.games.total, 'game')}"
    if opening.optimal_paths is not None:
        said += f" and {some(opening.optimal_paths, 'optimal path')}"
    return said
