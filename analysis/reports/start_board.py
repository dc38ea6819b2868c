"""The start position as the top of a page draws it."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from analysis.exports.node_labels import names_in_cells
from analysis.reports.findings import Findings
from analysis.rules.picture import board_text, column_name, row_name
from analysis.wording import some


class Cell(NamedTuple):
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
        text = board_text(game, state)
        return PageBoard(text, "", "" if caption == text else caption)
    names = names_in_cells(game, state, {opening.move.move: opening.move.name for opening in findings.openings})
    rows, cols = len(grid), max(map(len, grid))
    marks = [(r, c, mark.strip()) for r, row in enumerate(grid) for c, mark in enumerate(row)]
    cells = tuple(Cell(r, c, mark, "" if mark else names.get(n, "")) for n, (r, c, mark) in enumerate(marks))
    board = PageBoard("", _label(grid), caption, cells, rows, cols, game.rows_slant)
    if all(opening.move.name.isdecimal() for opening in findings.openings):
        return board
    numbers = tuple(row_name(r, rows, game.rows_from_bottom) for r in range(rows))
    return dataclasses.replace(board, letters=tuple(map(column_name, range(cols))), numbers=numbers)


def _label(grid: list[list[str]]) -> str:
    """What a board shows, row by row.

    >>> _label([["X", " "], [" ", " "]])
    'The start position, 2 rows of 2 cells. Row 1: X, blank. Row 2: all blank.'
    """
    size = f"{some(len(grid), 'row')} of {some(len(grid[0]), 'cell')}"
    if not any(mark.strip() for row in grid for mark in row):
        return f"The start position, {size}, all blank"
    rows = [[mark.strip() or "blank" for mark in row] for row in grid]
    said = ("all blank" if {*row} == {"blank"} else ", ".join(row) for row in rows)
    return f"The start position, {size}. {' '.join(f'Row {number}: {row}.' for number, row in enumerate(said, 1))}"
