"""First moves on the board: what each is worth, the games that begin with it, and the optimal paths."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from analysis.reports.figures import colour_keys, frame, opening_bars
from analysis.reports.figures.captioned import Picture
from analysis.reports.figures.drawn_board import DrawnBoard, Grid, Spot, draw_board, regular, shape_of
from analysis.reports.figures.numbers import clean, compact
from analysis.reports.figures.opening_words import alternative, caption, plies_to_end
from analysis.reports.figures.outcomes import briefly
from analysis.reports.figures.palette import HEAT, INK, MOST_TINT, MUTED, PAPER, outcome_of
from analysis.reports.figures.style import styled
from analysis.reports.findings import Findings, Opening

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST_CELL, _CELL = 0.52, 0.66  # inches: three numbers in a cell, and no more than looks good
_GAP, _HEAD = 0.16, 0.3
TINT = 0.3
_LARGEST_MARK = 15.0  # points
_BOLD = 1.1
"""Wider than plain text, by this factor."""
_ROOM = 0.94
"""The width of text in a cell, in cells."""
TITLE = "First moves"


@dataclasses.dataclass(frozen=True)
class _Panel:
    title: str
    tint: Callable[[Opening], tuple[str, float]]
    write: Callable[[_Place, Opening], None]


@dataclasses.dataclass(frozen=True)
class _Place:
    """A cell of a panel on the sheet: its middle and its width, in inches."""

    axes: Axes
    x: float
    y: float
    cell: float
    findings: Findings

    def text(self, text: str, lift: float, colour: str = INK, weight: str = "normal") -> None:
        """A line of text, ``lift`` cells above the middle, cut off if it is too wide."""
        shown = frame.fit(text, _ROOM * self.cell / (_BOLD if weight == "bold" else 1))
        self.axes.text(
            self.x, self.y - lift * self.cell, shown, fontsize=frame.TEXT, color=colour, ha="center", va="center",
            fontweight=weight, zorder=5,
        )  # fmt: skip


@styled
def draw(findings: Findings) -> Picture | None:
    """None where the game is over at its start. Moves that are no single cells of their own are bars."""
    if not findings.openings:
        return None
    game = findings.game
    grid = game.grid(findings.solution.engine.start)
    if grid is None or not on_board(findings, grid):
        figure = opening_bars.bars(findings)
        return Picture("openings", TITLE, opening_bars.caption(findings), alternative(findings), figure)
    shape = shape_of(game, grid)
    panels = _panels(findings)
    across, cell = _layout(shape, len(panels), _least_cell(findings))
    figure = _sheet(findings, grid, shape, panels, (across, cell))
    return Picture("openings", TITLE, caption(findings), alternative(findings), figure)


def on_board(findings: Findings, grid: Grid) -> bool:
    """Whether every first move has a cell of its own on a board that is large enough when it is drawn."""
    cells = [opening.cell for opening in findings.openings]
    if not regular(grid) or None in cells or len(set(cells)) < len(cells):
        return False
    shape = shape_of(findings.game, grid)
    return not shape.dotted and shape.width * _least_cell(findings) <= frame.WIDTH - 0.1 and shape.rows <= 12


def _least_cell(findings: Findings) -> float:
    """Inches that a cell needs for its numbers and its words for a draw or a tie; names are cut off."""
    openings = findings.openings
    texts = [compact(opening.games.total) for opening in openings if opening.games is not None]
    texts += [compact(opening.optimal_paths or 0) for opening in openings]
    texts += [f"in {plies}" for plies in map(plies_to_end, openings) if plies is not None]
    return max(_LEAST_CELL, max(map(frame.width_of, texts)) / _ROOM)


def _layout(shape: DrawnBoard, panels: int, least: float) -> tuple[int, float]:
    """How many panels go side by side, and how wide a cell is: as many as leave cells wide enough for their numbers."""
    for across in range(panels, 0, -1):
        cell = ((frame.WIDTH - 0.1) - _GAP * (across - 1)) / across / shape.width
        if cell >= least or across == 1:
            return across, min(cell, max(_CELL, least))
    raise AssertionError("one panel always fits")


def _sheet(
    findings: Findings, grid: Grid, shape: DrawnBoard, panels: Sequence[_Panel], layout: tuple[int, float]
) -> Any:
    """The panels, and the key where a place is left, else below them."""
    across, cell = layout
    down = -(-len(panels) // across)
    free = len(panels) % across
    high, wide = _HEAD + shape.height * cell + _GAP, frame.WIDTH / across
    figure, axes = frame.sheet(frame.WIDTH, down * high + (0 if free else colour_keys.height(findings)))
    if free:
        middle = (free + 0.5) * wide, (down - 1) * high + _HEAD + shape.height * cell / 2
        colour_keys.column(axes, findings, middle, wide - _GAP)
    else:
        colour_keys.below(axes, findings, down * high + 0.02)
    for number, panel in enumerate(panels):
        row, column = divmod(number, across)
        spot = Spot((column + 0.5) * wide - shape.width * cell / 2, row * high + _HEAD, cell)
        axes.text(
            (column + 0.5) * wide, row * high + 0.16, frame.fit(panel.title, wide), fontsize=frame.TEXT, color=INK,
            ha="center", va="center",
        )  # fmt: skip
        _board(axes, findings, grid, shape, panel, spot)
    return figure


def _board(axes: Axes, findings: Findings, grid: Grid, shape: DrawnBoard, panel: _Panel, spot: Spot) -> None:
    cols = shape.cols
    cells = {divmod(opening.cell or 0, cols): opening for opening in findings.openings}
    rest = [[" " if (r, c) in cells else mark for c, mark in enumerate(row)] for r, row in enumerate(grid)]
    tints = {place: panel.tint(opening) for place, opening in cells.items()}
    draw_board(axes, spot, shape, rest, findings.game.players, tints, largest=_LARGEST_MARK)
    for (r, c), opening in cells.items():
        x, y = spot.at(shape.middle(r, c))
        panel.write(_Place(axes, x, y, spot.cell, findings), opening)


# Panels ---------------------------------------------------------------------------------------------------------------


def _panels(findings: Findings) -> list[_Panel]:
    openings = findings.openings
    found = [_Panel("value, plies to end", _value_tint, _write_value)]
    if all(opening.games is not None for opening in openings):
        found.append(_Panel("games", lambda _: (PAPER, 0.0), _write_games))
    if all(opening.optimal_paths is not None for opening in openings):
        greatest = max(opening.optimal_paths or 0 for opening in openings)

        def tint(opening: Opening) -> tuple[str, float]:
            return HEAT, round(MOST_TINT * (opening.optimal_paths or 0) / max(greatest, 1), 3)

        found.append(_Panel("optimal paths", tint, _write_paths))
    return found


def _value_tint(opening: Opening) -> tuple[str, float]:
    return outcome_of(opening.move.value, opening.move.remoteness_plies).colour, TINT


def _write_value(place: _Place, opening: Opening) -> None:
    """Who wins, or by how much, and the plies to the end; above it, muted, the move. The best are bold."""
    move, plies = opening.move, plies_to_end(opening)
    place.text(clean(move.name, 8), 0.31, MUTED)
    place.text(briefly(place.findings, move.value, plies), 0.01, INK, "bold" if move.optimal else "normal")
    if plies is not None:
        place.text(f"in {plies}", -0.29)


def _write_games(place: _Place, opening: Opening) -> None:
    """Their number above a bar of who wins them."""
    games = opening.games
    if games is None or not games.total:
        return
    place.text(compact(games.total), 0.14)
    corner = (place.x - 0.4 * place.cell, place.y + 0.12 * place.cell)
    colour_keys.games_bar(place.axes, games, corner, (0.8 * place.cell, 0.2 * place.cell))


def _write_paths(place: _Place, opening: Opening) -> None:
    paths = opening.optimal_paths or 0
    place.text(compact(paths), 0.0, INK if paths else MUTED)
