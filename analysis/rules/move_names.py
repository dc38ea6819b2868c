"""How moves are said: by coordinates, by numbers, or in the game's own notation."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from analysis.errors import OptionError, PositionError
from analysis.rules.counting import first_number
from analysis.rules.game import Game
from analysis.rules.picture import column_name, row_name
from analysis.wording import listed

COORDINATE = re.compile(r"([a-z]{1,2})\s*([0-9]{1,3})", re.ASCII)
NUMBER = re.compile(r"[0-9]+", re.ASCII)

REMEMBERED = 1 << 12
"""Positions whose moves are kept."""

Shape = tuple[int, int]
"""Rows and columns; 0 and 0 where there is no board."""


def read_cell(text: str, shape: Shape, from_bottom: bool) -> int | None:
    """The cell of a coordinate, row by row from 0; None where the text is none. Raises `PositionError` where it is off
    the board.

    >>> read_cell("B 1", (3, 2), False), read_cell("b1", (3, 2), True), read_cell("left", (3, 2), True)
    (1, 5, None)
    """
    found = COORDINATE.fullmatch(text.lower())
    if found is None:
        return None
    columns = [column_name(column) for column in range(shape[1])]
    rows = [row_name(row, shape[0], from_bottom) for row in range(shape[0])]
    row_typed = found[2].lstrip("0")
    for name, names, what in ((found[1], columns, "column"), (row_typed, rows, "row")):
        if name not in names:
            raise PositionError(f"there is no {what} {name or 0}; {_range(what, names)}")
    return rows.index(row_typed) * shape[1] + columns.index(found[1])


def is_coordinate(text: str, shape: Shape) -> bool:
    """Whether a text is the coordinate of a cell.

    >>> is_coordinate("b3", (3, 2)), is_coordinate("c3", (3, 2)), is_coordinate("5", (3, 2))
    (True, False, False)
    """
    rows, cols = shape
    found = COORDINATE.fullmatch(text.lower())
    return found is not None and found[1] in map(column_name, range(cols)) and 1 <= int(found[2]) <= rows


def plain(text: str) -> str:
    """A coordinate or a number as it is said, any other text in small letters.

    >>> plain("B 02"), plain("07"), plain("Up")
    ('b2', '7', 'up')
    """
    found = COORDINATE.fullmatch(text.lower())
    if found:
        return found[1] + str(int(found[2]))
    return str(int(text)) if text.isdecimal() else text.lower()


def _range(what: str, names: list[str]) -> str:
    """Which columns or rows there are.

    >>> _range("row", ["3", "2", "1"]), _range("column", ["a"])
    ('rows are 1 to 3', 'the only column is a')
    """
    if len(names) == 1:
        return f"the only {what} is {names[0]}"
    first, *_, last = sorted(names, key=lambda name: (len(name), name))
    return f"{what}s are {first} to {last}"


class Named(NamedTuple):
    """A legal move: its code, the cell that stands for it, its name in the game's own notation, and where it leads."""

    code: int
    cell: int | None
    own: str
    child: int


class Names:
    """What the moves of one game are called. Whatever is said can also be typed, see `notation.Notation`.

    What a text means may not depend on the position. It is told by `Game.typed_moves`, by the names of all codes, and
    by the moves of the start or, where no cells stand for these, of the first position after it where they do. How many
    rows and columns there are is seen in each position.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, game.rules()
        self.legal = functools.lru_cache(REMEMBERED)(self._find_legal)
        """The legal moves in a state, ascending by code."""
        self.shape = functools.lru_cache(REMEMBERED)(self._find_shape)
        """Rows and columns of the board in a state; 0 and 0 where there is none."""
        self.first = self._find_first()
        self.first_shape, self.first_moves = self.shape(self.first), self.legal(self.first)
        self.pointing = any(move.cell is not None for move in self.first_moves)
        """Whether cells stand for moves."""
        self.own_names = self._find_names()
        """The game's own names by code."""
        numbers = [(code, name) for code, name in self.own_names.items() if NUMBER.fullmatch(name)]
        self.bare = (
            bool(numbers)
            and all(name == str(code) for code, name in numbers)
            and all(move.own == str(move.code) for move in self.first_moves if move.cell is not None)
        )
        """Whether the game's own notation is the bare code."""
        self.named: dict[str, list[int]] = {}
        """The codes by their names in small letters, bare codes left out."""
        for code, name in self.own_names.items():
            if not (self.bare and name == str(code)):
                self.named.setdefault(name.lower(), []).append(code)
        self.falling = game.typed_moves == "columns" and self.first_shape[0] > 1
        """Whether a move is a column."""
        self.marks = frozenset(name[:1].upper() for name in self.own_names.values() if game.typed_moves == "marks")
        """What the names of moves begin with where each is a mark and the number of a cell."""
        self.codes_are_cells = self.pointing and all(move.cell in (None, move.code) for move in self.first_moves)
        """Whether a code is the cell that stands for it."""
        self.own_coordinates = not self.marks and any(map(self._misleads, self.first_moves * self.pointing))
        """Whether the game's own names look like coordinates and are those of other cells: then no coordinate is typed
        but these.
        """
        self.own_numbers = any(int(name) != code for code, name in numbers)
        """Whether they are numbers, and not the codes: likewise."""

    # Saying -----------------------------------------------------------------------------------------------------------

    def say(self, state: int, code: int) -> str:
        """A legal move as people are told of it; no two of a position are called the same. Who counts from 1 is told
        numbers.
        """
        legal = self.legal(state)
        move = next(move for move in legal if move.code == code)
        if first_number() and (self.marks or self._is_number(move)):
            return self.called(code)
        if move.cell is not None and self.marks:
            return f"{self._mark(move)} {self.coordinate(move.cell, state)}"
        if not self._is_number(move):
            return move.own
        if move.cell is not None and self._alone(move, state) and not self.own_coordinates:
            return self.coordinate(move.cell, state)
        return self.called(code)

    def called(self, code: int) -> str:
        """A move in the game's own notation; what is a code, or a mark and the number of a cell, as it is counted here.

        >>> from analysis.games.families import load_game
        >>> from analysis.rules.counting import counting_from
        >>> with counting_from(1):
        ...     Names(load_game("tictactoe")).called(4), Names(load_game("wild")).called(9)
        ('5', 'O5')
        """
        own, first = self._name(code), first_number()
        if self.bare and own == str(code):
            return str(code + first)
        return own[:1] + str(int(own[1:]) + first) if self.marks and own[1:].isdecimal() else own

    def refuse_counting(self) -> None:
        """Raise `OptionError` where numbers are the game's own names of moves, which nothing counts otherwise."""
        if self.own_numbers:
            raise OptionError(f"numbers are the own names of moves in {self.game.spec}; they cannot be counted from 1")

    def say_all(self, state: int, codes: Iterable[int]) -> str:
        """Several moves, as a list.

        >>> from analysis.games.families import load_game
        >>> Names(load_game("tictactoe")).say_all(0, [0, 4, 8])
        'a1, b2 or c3'
        """
        return listed([self.say(state, code) for code in codes])

    def coordinate(self, cell: int, state: int) -> str:
        """A cell as its column and row on the board of a state."""
        rows, cols = self.shape(state)
        row, column = divmod(cell, cols)
        return column_name(column) + row_name(row, rows, self.game.rows_from_bottom)

    def number(self, move: Named) -> str | None:
        """The number to type for a move, or None where it has none."""
        if self.own_numbers:
            return move.own if NUMBER.fullmatch(move.own) else None
        return str((move.cell if self.marks and move.cell is not None else move.code) + first_number())

    def numbers(self, state: int) -> dict[int, str]:
        """What to show in the cells that a move points to and that are free, or will be, so that nothing is hidden."""
        before, shown = self._cells(state), {}
        for move in self.legal(state):
            number = self.number(move)
            if move.cell is not None and number is not None and (self.marks or self._alone(move, state)):
                after = self._cells(move.child)
                if not before[move.cell].strip() or len(after) != len(before) or not after[move.cell].strip():
                    shown[move.cell] = number
        return shown

    # What the moves are like ------------------------------------------------------------------------------------------

    def _find_first(self) -> int:
        """The start or, where no cells stand for moves, the first position after it where they do."""
        start = self.rules.start
        for state in (start, *(move.child for move in self.legal(start))):
            with contextlib.suppress(Exception):  # what an author's function raises is said to who plays on from there
                if any(move.cell is not None for move in self.legal(state)):
                    return state
        return start

    def _find_names(self) -> dict[int, str]:
        names = {}
        for code in range(self.rules.largest_code + 1):
            # an author's function may raise anything for a code that no move has
            with contextlib.suppress(Exception):
                names[code] = self._name(code)
        return names

    def _misleads(self, move: Named) -> bool:
        """Whether the name of a first move is the coordinate of a cell that does not stand for it."""
        if not is_coordinate(move.own, self.first_shape):
            return False
        return move.cell is None or self.coordinate(move.cell, self.first) != move.own.lower()

    # Parts ------------------------------------------------------------------------------------------------------------

    def _find_legal(self, state: int) -> list[Named]:
        return [
            Named(code, self.game.cell_of(state, code), self._name(code), child)
            for code, child in self.rules.moves(state)
        ]

    def _name(self, code: int) -> str:
        return " ".join(self.game.format_move(code).split())

    def _find_shape(self, state: int) -> Shape:
        grid = self.game.grid(state)
        return (len(grid), len(grid[0])) if grid else (0, 0)

    def _alone(self, move: Named, state: int) -> bool:
        """Whether its cell stands for no other legal move."""
        return sum(other.cell == move.cell for other in self.legal(state)) == 1

    def _mark(self, move: Named) -> str:
        return move.own[:1].upper()

    def _is_number(self, move: Named) -> bool:
        return self.bare and move.own == str(move.code)

    def _cells(self, state: int) -> list[str]:
        return [mark for row in self.game.grid(state) or [] for mark in row]
