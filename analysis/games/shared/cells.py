"""Boards of marks: their size, their symmetries, their text row by row, their squares, such as ``b2``, and what games
on them have in common.

The cells of a ``rows`` x ``cols`` board are numbered row by row from the top left, and a set of marks is an integer
with one bit per cell. Squares are named as in chess: columns are letters from the left, rows numbers from the bottom.
"""

from __future__ import annotations

import abc
import itertools
import math
import re
from collections.abc import Iterable
from typing import ClassVar

from analysis.errors import PositionError, SpecError
from analysis.rules.automorphisms import Line, Permutation, preserves
from analysis.rules.game import Game
from analysis.rules.picture import column_name, row_name

EMPTY_MARKS = "?._-"
"""How an empty cell may be typed; the first is how it is written."""


def check_least(**sizes: int) -> None:
    """Raise `SpecError` for the first size below 1."""
    for name, size in sizes.items():
        if size < 1:
            raise SpecError(f"{name}={size} is too small; {name} is at least 1")


def check_size(rows: int, cols: int, most_cells: int) -> None:
    """Raise `SpecError` unless the board has a cell, and no more than ``most_cells``."""
    check_least(rows=rows, cols=cols)
    if rows * cols > most_cells:
        raise SpecError(f"a {rows} x {cols} board has {rows * cols} cells; at most {most_cells} fit a state")


def geometric_symmetries(rows: int, cols: int, lines: Iterable[Line]) -> tuple[Permutation, ...]:
    """The rotations and reflections of a ``rows`` x ``cols`` board that map its lines onto its lines.

    >>> len(geometric_symmetries(3, 3, [(0, 4, 8)]))  # one diagonal: identity, half turn, two reflections
    4
    >>> len(geometric_symmetries(1, 3, [(0, 1)]))
    1
    """
    line_set = {frozenset(line) for line in lines}
    found = []
    for transposed, down, across in itertools.product((False, True), repeat=3):
        if transposed and rows != cols:
            continue
        permutation = []
        for r, c in itertools.product(range(rows), range(cols)):
            r, c = (rows - 1 - r if down else r), (cols - 1 - c if across else c)
            permutation.append(c * cols + r if transposed else r * cols + c)
        if preserves(permutation, line_set):
            found.append(tuple(permutation))
    return tuple(dict.fromkeys(found))  # on a 1 x n board two reflections are the same permutation


# From text ------------------------------------------------------------------------------------------------------------


def parse_marks(text: str, rows: int, cols: int, marks: str = "XO") -> str:
    """The marks of a board cell by cell, ``?`` where it is empty. Spaces and ``/`` may part the rows. Raises
    `PositionError`.

    >>> parse_marks("xo. / .x. / ...", 3, 3)
    'XO??X????'
    """
    cells = typed_marks(text, marks)
    if len(cells) != rows * cols:
        raise PositionError(
            f"position {text!r} has {len(cells)} cells; this board has {rows} rows of {cols}, so {rows * cols}"
        )
    return cells


def typed_marks(text: str, marks: str = "XO") -> str:
    """All marks of a text, ``?`` for empty cells. Raises `PositionError` for a mark that there is not."""
    cells = "".join(text.split()).replace("/", "").upper()
    wrong = next((mark for mark in cells if mark not in marks + EMPTY_MARKS), None)
    if wrong is not None:
        raise PositionError(
            f"position {text!r}: {wrong!r} is no mark; write {', '.join(marks)}, and ? for an empty cell"
        )
    return "".join("?" if mark in EMPTY_MARKS else mark for mark in cells)


def cells_with(mark: str, marks: str) -> int:
    """The cells that hold ``mark``, as bits.

    >>> bin(cells_with("X", "XO?X"))
    '0b1001'
    """
    return sum(1 << cell for cell, found in enumerate(marks) if found == mark)


def parse_board(text: str, rows: int, cols: int) -> tuple[int, int, int]:
    """X's cells and O's cells as bits, and the side to move (+1 X, -1 O) of a text such as ``OOO/???/XXX X``: marks row
    by row (``?``, ``.``, ``_`` or ``-`` is empty), spaces and ``/`` as you like, and last who is to move.

    >>> parse_board("oo / .. / xx  x", 3, 2)
    (48, 3, 1)
    """
    marks = typed_marks(text)
    cells = rows * cols
    if len(marks) != cells + 1 or marks[-1] == "?":
        last = "".join(text.replace("/", " ").split())[-1:].upper()
        raise PositionError(
            f"position {text!r}: write {rows} rows of {cols} marks and then X or O, who is to move; "
            f"that is {cells} + 1, not {len(marks)} ending in {last!r}"
        )
    return cells_with("X", marks[:-1]), cells_with("O", marks[:-1]), 1 if marks[-1] == "X" else -1


def last_mover(text: str, x: int, o: int) -> str:
    """Who has just moved where X begins and both put one mark on the board at a time: X or O. Raises `PositionError`
    for numbers of marks that turns do not lead to.
    """
    extra = x.bit_count() - o.bit_count()
    if extra not in (0, 1):
        raise PositionError(
            f"position {text!r} has {x.bit_count()} X and {o.bit_count()} O; X begins, so X has as many or one more"
        )
    return "X" if extra else "O"


# To text --------------------------------------------------------------------------------------------------------------


def rows_of(marks: list[str], cols: int) -> list[list[str]]:
    """The marks of a board, cell by cell, as its rows."""
    return [marks[first : first + cols] for first in range(0, len(marks), cols)]


def format_rows(grid: list[list[str]], between: str = "/") -> str:
    """The rows of a board on one line, ``?`` for a blank.

    >>> format_rows([["X", " "], ["O", "X"]])
    'X?/OX'
    """
    return between.join("".join("?" if mark == " " else mark for mark in row) for row in grid)


def square_name(cell: int, rows: int, cols: int) -> str:
    """A cell as a square.

    >>> square_name(0, 3, 3), square_name(7, 3, 3)
    ('a3', 'b1')
    """
    return column_name(cell % cols) + row_name(cell // cols, rows, from_bottom=True)


def parse_square(text: str, rows: int, cols: int) -> int:
    """The cell of a square, or -1 where it is no square of the board.

    >>> parse_square("B1", 3, 3), parse_square("d1", 3, 3)
    (7, -1)
    """
    match = re.fullmatch(r"([a-z])([0-9]{1,2})", text.strip().lower())
    if match is None:
        return -1
    col, row = ord(match[1]) - ord("a"), rows - int(match[2])
    return row * cols + col if col < cols and 0 <= row < rows else -1


# Games ----------------------------------------------------------------------------------------------------------------


class BoardGame(Game):
    """A family of games on a board of X and O. A state holds two planes of bits, X's cells below O's."""

    between: ClassVar[str] = "/"
    """What parts the rows in the text of a position."""

    @property
    @abc.abstractmethod
    def shape(self) -> tuple[int, int]:
        """How many rows and how many columns the board has."""

    @property
    def cells(self) -> int:
        """How many cells the board has."""
        return math.prod(self.shape)

    def planes(self, state: int) -> tuple[int, int]:
        """X's cells and O's cells of a state, as bits; those above the board do not count."""
        return state, state >> self.cells

    def format_position(self, state: int) -> str:
        """The board row by row."""
        return format_rows(self.grid(state), self.between)

    def grid(self, state: int) -> list[list[str]]:
        """The board as rows of ``X``, ``O`` and blanks."""
        x, o = self.planes(state)
        marks = ["X" if x >> c & 1 else "O" if o >> c & 1 else " " for c in range(self.cells)]
        return rows_of(marks, self.shape[1])


class PlacingGame(BoardGame):
    """A family of games in which X and O in turn, X first, put a mark on the board, and no mark ever leaves it."""

    def parse_position(self, text: str) -> int:
        """The state written row by row as ``X``, ``O`` and ``?`` (also ``.``, ``_``, ``-``), rows apart by spaces or
        ``/`` if you like. Raises `PositionError` where no line of play reaches it, as far as is easy to tell.
        """
        x, o = self.read(text)
        self.refuse_moves_after_end(text, x, o, last_mover(text, x, o))
        return self.pack(x, o)

    def parse_either_side(self, text: str) -> int:
        """The state written as `parse_position` reads it, but with any number of marks of either side. Raises
        `PositionError` where no sequence of moves by either side reaches it.
        """
        x, o = self.read(text)
        self.refuse_moves_after_end(text, x, o, "XO")
        return self.pack(x, o)

    def read(self, text: str) -> tuple[int, int]:
        """X's cells and O's cells of the text of a board, as bits. Raises `PositionError` where it is none."""
        marks = parse_marks(text, *self.shape)
        return cells_with("X", marks), cells_with("O", marks)

    def pack(self, x: int, o: int) -> int:
        """The state with these cells of X and O."""
        return x | o << self.cells

    @abc.abstractmethod
    def refuse_moves_after_end(self, text: str, x: int, o: int, lasts: str) -> None:
        """Raise `PositionError` if play was over before the last move; ``lasts`` are the sides, of X and O, that can
        have made that one.
        """
