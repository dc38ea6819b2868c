"""The start position as the top of a page draws it."""

from __future__ import annotations

import dataclasses

from analysis.exports.drawings.node_labels import names_in_cells
from analysis.reports.findings import Findings
from analysis.rules.game import Game
from analysis.rules.picture import board as draw
from analysis.rules.picture import column_name, row_name
from analysis.wording import some


@dataclasses.dataclass(frozen=True)
class Cell:
    """A cell of a board that is drawn."""

    row: int
    col: int
    mark: str
    name: str
    """The first move that it stands for, or nothing."""


@dataclasses.dataclass(frozen=True)
class PageBoard:
    """A position to look at: cells or, where it is no board or a very wide one, lines of text."""

    text: str
    label: str
    """What cells show, for readers who cannot see them."""
    caption: str
    cells: tuple[Cell, ...] = ()
    rows: int = 0
    cols: int = 0
    slant: bool = False
    letters: tuple[str, ...] = ()
    """The names of the columns, where moves are named by them."""
    numbers: tuple[str, ...] = ()
    """The names of the rows, likewise."""

    @property
    def named(self) -> bool:
        """Whether cells carry the names of moves."""
        return any(cell.name for cell in self.cells)


WIDEST = 20
"""Rows and columns of a board that is drawn; a larger one is written as lines of text."""


def start_board(findings: Findings) -> PageBoard:
    """The start: cells where the game is one of cells; the blank ones carry the names of the moves there.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> board = start_board(gather(analysis.solve("mnk:rows=2,cols=2,k=2")))
    >>> [(cell.mark, cell.name) for cell in board.cells]
    [('', '0'), ('', '1'), ('', '2'), ('', '3')]
    """
    game, state = findings.game, findings.solution.engine.start
    grid, caption = game.grid(state), game.caption(state)
    if not grid or game.picture(state) is not None or max(len(grid), *map(len, grid)) > WIDEST:
        text = _text(game, state, grid)
        return PageBoard(text, "", "" if caption == text else caption)
    names = names_in_cells(game, state, {opening.move.move: opening.move.name for opening in findings.openings})
    rows, cols = len(grid), max(map(len, grid))
    cells, number = [], 0
    for r, row in enumerate(grid):
        for c, mark in enumerate(row):
            cells.append(Cell(r, c, mark.strip(), "" if mark.strip() else names.get(number, "")))
            number += 1
    coordinates = not all(opening.move.name.isdecimal() for opening in findings.openings)
    return PageBoard(
        "",
        _label(grid),
        caption,
        tuple(cells),
        rows,
        cols,
        game.rows_slant,
        tuple(map(column_name, range(cols))) if coordinates else (),
        tuple(row_name(r, rows, game.rows_from_bottom) for r in range(rows)) if coordinates else (),
    )


def _text(game: Game, state: int, grid: list[list[str]] | None) -> str:
    """The position on lines of text."""
    if not grid:
        return game.picture(state) or game.format_position(state)
    return game.picture(state) or draw(grid, from_bottom=game.rows_from_bottom, slant=game.rows_slant)


def _label(grid: list[list[str]]) -> str:
    """What a board shows, row by row.

    >>> _label([["X", " "], [" ", " "]])
    'The start position, 2 rows of 2 cells. Row 1: X, blank. Row 2: all blank.'
    """
    size = f"{some(len(grid), 'row')} of {some(len(grid[0]), 'cell')}"
    if not any(mark.strip() for row in grid for mark in row):
        return f"The start position, {size}, all blank"
    rows = (f"Row {number}: {_row_label(row)}." for number, row in enumerate(grid, 1))
    return f"The start position, {size}. {' '.join(rows)}"


def _row_label(row: list[str]) -> str:
    return ", ".join(mark.strip() or "blank" for mark in row) if any(mark.strip() for mark in row) else "all blank"
