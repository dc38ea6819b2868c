"""Draw boards: squares, hexagons where rows slant, and dots with lines between them."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..rules.game import Game
from ..rules.notation import Notation
from ..rules.picture import column_name, row_name
from .style import FIRST, INK, MUTED, SECOND_TEXT, TEXT, clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Grid = list[list[str]]
Tints = Mapping[tuple[int, int], tuple[str, float]]
"""Colour and opacity of cells, by row and column."""

SLOPE = 0.75**0.5
"""Height from one row of hexagons to the next, relative to their width."""

_DOT, _ACROSS, _UP = "+", "-─", "|│"
SHORT = 3
"""The longest name of a move, in characters, that fits its cell."""

THIN = 0.22
"""On a board of dots: the width of a column of dots, in cells."""

SIDE = 0.25
"""Room for the names of rows and columns, in inches."""

_COORDINATE = re.compile(r"[a-z]{1,2}[0-9]")

_HIGH, _LONG = 0.66, 1.5
"""Size of a mark relative to its cell: for a short one, and for a long one, divided by its characters."""


class BoardShape(NamedTuple):
    """The shape of a board; its upper left corner is (0, 0), cells are one wide, and y points down."""

    rows: int
    cols: int
    slant: bool
    dotted: bool
    """Whether it has dots and lines between them; every other row and column is then thin."""
    players: tuple[str, str]
    """Players whose marks are coloured."""

    @property
    def width(self) -> float:
        """In cells."""
        return self._edge(self.cols) + (self.rows - 1) / 2 * self.slant

    @property
    def height(self) -> float:
        """In cells."""
        return SLOPE * (self.rows - 1) + 2 / 3**0.5 if self.slant else self._edge(self.rows)

    def box(self, row: int, col: int) -> tuple[float, float, float, float]:
        """Return left, top, width and height of a cell; for a hexagon, those of the part between its slanted sides."""
        if self.slant:
            return col + row / 2, SLOPE * row + 1 / 3**0.5 - 0.5, 1.0, 1.0
        left, top = self._edge(col), self._edge(row)
        return left, top, self._edge(col + 1) - left, self._edge(row + 1) - top

    def middle(self, row: int, col: int) -> tuple[float, float]:
        """Return the middle of a cell."""
        left, top, width, height = self.box(row, col)
        return left + width / 2, top + height / 2

    def outline(self, row: int, col: int) -> list[tuple[float, float]]:
        """Return the corners of a cell."""
        left, top, width, height = self.box(row, col)
        if not self.slant:
            return [(left, top), (left + width, top), (left + width, top + height), (left, top + height)]
        (x, y), tip = self.middle(row, col), 1 / 3**0.5
        ends = ((0, -tip), (0.5, -tip / 2), (0.5, tip / 2), (0, tip), (-0.5, tip / 2), (-0.5, -tip / 2))
        return [(x + dx, y + dy) for dx, dy in ends]

    def _edge(self, n: int) -> float:
        """Return where cell number n begins."""
        return THIN * ((n + 1) // 2) + n // 2 if self.dotted else float(n)


def shape_of(game: Game, grid: Grid) -> BoardShape:
    """Return the shape of a board."""
    return BoardShape(len(grid), len(grid[0]), game.rows_slant, game.look == "dots", game.players)


def with_names(game: Game, state: int, grid: Grid) -> Grid:
    """Return a board with the name of a move in each cell that has a single one, if the name is short."""
    grid, names = [list(row) for row in grid], defaultdict[int, list[str]](list)
    for code, _ in game.rules().moves(state) if game.picture(state) is None else ():
        if (cell := game.cell_of(state, code)) is not None:
            names[cell].append(game.format_move(code))
    for cell, in_cell in names.items():
        if len(in_cell) == 1 and len(in_cell[0]) <= SHORT:
            grid[cell // len(grid[0])][cell % len(grid[0])] = in_cell[0]
    return grid


def changed(before: Grid, after: Grid) -> list[tuple[int, int]]:
    """Return the cells, as row and column, whose mark has changed."""
    places = itertools.product(range(len(after)), range(len(after[0])))
    return [(r, c) for r, c in places if before[r][c] != after[r][c]]


def least_cell(grids: Iterable[Grid]) -> float:
    """Return the least width of a cell, in inches, in which every mark of these boards has `TEXT` points."""
    longest = max((len(clean(mark, 4)) for grid in grids for row in grid for mark in row), default=1)
    return TEXT / 72 / min(_HIGH, _LONG / (longest + 0.5))


def sheet(width: float, height: float) -> tuple[Figure, Axes]:
    """Make a figure with one drawing area, measured in inches from its upper left corner."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, width), ylim=(height, 0))
    return figure, axes


def board_sheet(game: Game, grid: Grid, cell: float, tints: Tints) -> tuple[Figure, Axes]:
    """Draw a board alone, its upper left corner at `SIDE`, with the names of its rows and columns if moves use them."""
    shape = shape_of(game, grid)
    figure, axes = sheet(shape.width * cell + SIDE + 0.05, shape.height * cell + SIDE + 0.05)
    draw_board(axes, cell, shape, grid, tints, (SIDE, SIDE))
    notation = Notation(game)
    moves = [notation.say(notation.first, move.code) for move in notation.first_moves]
    if notation.own_coordinates or not any(map(_COORDINATE.search, moves)):
        return figure, axes
    step = 2 if shape.dotted else 1  # between dots are lines
    rows, cols = -(-shape.rows // step), -(-shape.cols // step)
    look: dict[str, Any] = {"color": MUTED, "ha": "center", "va": "center"}
    for number in range(cols):
        axes.text(SIDE + cell * shape.middle(0, number * step)[0], SIDE - 0.12, column_name(number), **look)
    for number in range(rows):
        x, y = shape.box(number * step, 0)[0], shape.middle(number * step, 0)[1]
        axes.text(SIDE + cell * x - 0.12, SIDE + cell * y, row_name(number, rows, game.rows_from_bottom), **look)
    return figure, axes


def draw_board(
    axes: Axes, cell: float, board: BoardShape, grid: Grid, tints: Tints, at: tuple[float, float] = (0.0, 0.0)
) -> None:
    """Draw cells with borders, filled with a colour and opacity if in ``tints``, and the marks; on a board of dots,
    tinted lines are thick.

    Axes are in inches: ``cell`` is the width of a cell, ``at`` the upper left corner.
    """
    from matplotlib.collections import PolyCollection

    (left, top), thick = at, 72 * cell * THIN
    places = list(itertools.product(range(board.rows), range(board.cols)))
    if not board.dotted:
        axes.add_collection(
            PolyCollection(
                [[(left + x * cell, top + y * cell) for x, y in board.outline(*place)] for place in places],
                facecolors=[tints.get(place, "none") for place in places],
                edgecolors=MUTED, linewidths=0.7 if cell > 0.2 else 0.4, clip_on=False, zorder=1.6,
            ),
            autolim=False,
        )  # fmt: skip
    for place in places:
        mark, (dx, dy, width, height) = grid[place[0]][place[1]], board.box(*place)
        x, y = left + cell * (dx + width / 2), top + cell * (dy + height / 2)
        if not mark.strip():
            continue
        if board.dotted and mark == _DOT:
            axes.plot(x, y, marker="o", markersize=thick, color=INK, markeredgewidth=0, zorder=4, clip_on=False)
        elif board.dotted and mark in _ACROSS + _UP:
            across, up = (0, cell * height / 2) if mark in _UP else (cell * width / 2, 0)
            colour, bold = (tints[place][0], 1.0) if place in tints else (INK, 0.6)
            ends = [x - across, x + across], [y - up, y + up]
            axes.plot(*ends, color=colour, linewidth=thick * bold, solid_capstyle="butt", zorder=3)
        else:
            text, look = clean(mark, 4), mark_style(mark, board.players)
            size = 72 * cell * min(_HIGH, _LONG / (len(text) + 0.5))
            axes.text(x, y, text, fontsize=size, ha="center", va="center_baseline", **look)


def mark_style(mark: str, players: tuple[str, str]) -> dict[str, Any]:
    """Return the style of a mark: in the player's colour, or ink if it is not a player's.

    >>> mark_style("O", ("first", "second"))["color"] == INK
    True
    """
    colour = {players[0]: FIRST, players[1]: SECOND_TEXT}.get(mark)
    return {"color": INK} if colour is None else {"color": colour, "fontweight": "bold"}
