"""Read and write moves: coordinates, numbers, and the game's own notation.

A text is interpreted in this order:

1. the game's own name of a move, unless it is a bare code: ``b1xc2``, ``pass``. The name of an illegal move is refused;
   it never means another one. Where own names look like coordinates of other cells (``a1`` at the bottom of a board
   drawn from the top) there are no other coordinates; where they are those of the cells anyway, 2 applies;
2. the coordinate of the cell that stands for a move (`Game.cell_of`): ``b2``; where stones fall, the column: ``d``;
3. a number: the move's code, as in tables and backtrackers, which in most games counts cells, row by row from 0. Where
   the game's own names are numbers other than the codes, numbers are only names. A notation that is ``numbered`` counts
   cells and columns from 1;
4. where the game's own names are a mark and a cell (wild tic-tac-toe: ``X4``), the mark with a coordinate or with the
   number of the cell: ``Xb2``, ``X 4``;
5. whatever else the game's own `Game.parse_move` reads, as typed or in upper or lower case: ``right``, ``a2-a1``.

Moves are written so that they can be typed again: as a coordinate where the game has only a code, else by own name.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from ..errors import GametreeError, PositionError, RulesError
from ..wording import listed
from .game import Game, kept
from .picture import column_name, row_name

COORDINATE = re.compile(r"([a-z]{1,2})\s*([0-9]{1,3})", re.ASCII)
NUMBER = re.compile(r"[0-9]+", re.ASCII)

REMEMBERED = 1 << 12
"""Positions whose moves are kept."""

LONGEST_MOVE = 60
"""Limit on the characters of a move."""

ANY_CODE = 254
"""The largest code of rules that do not set one."""

SHOWN = 12
"""Legal moves listed in an error message; if there are more, none is."""

Shape = tuple[int, int]
"""Rows and columns; 0 and 0 without a board."""


def read_cell(text: str, shape: Shape, from_bottom: bool) -> int | None:
    """Return the cell of a coordinate, row by row from 0; None if the text is not one. Raises `PositionError` if it is
    off the board.

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


def _is_coordinate(text: str, shape: Shape) -> bool:
    with contextlib.suppress(PositionError):
        return shape[0] > 0 and read_cell(text, shape, False) is not None
    return False


def _plain(text: str) -> str:
    """Normalise a coordinate or number; put any other text in lower case."""
    found = COORDINATE.fullmatch(text.lower())
    if found:
        return found[1] + str(int(found[2]))
    return str(int(text)) if text.isdecimal() else text.lower()


def _range(what: str, names: list[str]) -> str:
    """Describe the columns or rows."""
    if len(names) == 1:
        return f"the only {what} is {names[0]}"
    first, *_, last = sorted(names, key=lambda name: (len(name), name))
    return f"{what}s are {first} to {last}"


class Named(NamedTuple):
    """A legal move: its code, the cell that stands for it, its name in the game's notation, and the state after it."""

    code: int
    cell: int | None
    own: str
    child: int


class Notation:
    """Reads and writes the moves of one game.

    The meaning of a text must not depend on the position. It follows from `Game.typed_moves`, the names of all codes,
    and the moves of the start or, if no cells stand for these, of the first position after it where they do. The
    numbers of rows and columns are taken from each position.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> notation, start = Notation(game), game.rules().start
    >>> notation.read("B2", start), notation.read("4", start), notation.say(start, 4)
    (4, 4, 'b2')
    """

    def __init__(self, game: Game, *, numbered: bool = False) -> None:
        self.game, self.rules = game, game.rules()
        self.legal = functools.lru_cache(REMEMBERED)(self._find_legal)
        """The legal moves in a state, ascending by code."""
        self.shape = functools.lru_cache(REMEMBERED)(self._find_shape)
        """Rows and columns of the board in a state; 0 and 0 without a board."""
        self.first = self._find_first()
        self.first_shape, self.first_moves = self.shape(self.first), self.legal(self.first)
        self.pointing = any(move.cell is not None for move in self.first_moves)
        """Whether cells stand for moves."""
        self.own_names: dict[int, str] = {}
        """The game's own names by code."""
        for code in range(self.rules.largest_code + 1):
            with contextlib.suppress(Exception):  # an author's function may raise anything for an unused code
                self.own_names[code] = self._name(code)
        numbers = [(code, name) for code, name in self.own_names.items() if NUMBER.fullmatch(name)]
        self.bare = (
            bool(numbers)
            and all(name == str(code) for code, name in numbers)
            and all(move.own == str(move.code) for move in self.first_moves if move.cell is not None)
        )
        """Whether the game's own notation is the bare code."""
        self.named: dict[str, list[int]] = {}
        """Codes by name in lower case, without bare codes."""
        for code, name in self.own_names.items():
            if not (self.bare and name == str(code)):
                self.named.setdefault(name.lower(), []).append(code)
        self.falling = game.typed_moves == "columns" and self.first_shape[0] > 1
        """Whether a move is a column."""
        self.marks = frozenset(name[:1].upper() for name in self.own_names.values() if game.typed_moves == "marks")
        """First letters of names that are a mark and the number of a cell."""
        self.codes_are_cells = self.pointing and all(move.cell in (None, move.code) for move in self.first_moves)
        """Whether a code is the cell that stands for it."""
        self.own_coordinates = not self.marks and any(map(self._misleads, self.first_moves * self.pointing))
        """Whether the game's own names look like coordinates but of other cells; then no other coordinates are read."""
        amounts = self.bare and not self.pointing and min((move.code for move in self.first_moves), default=0) > 0
        self.own_numbers = amounts or any(int(name) != code for code, name in numbers)
        """Whether its own names are numbers other than the codes, or amounts, such as 1, 2 or 3 tokens; likewise."""
        counted = self.marks or (self.bare and not self.own_numbers and (self.falling or self.codes_are_cells))
        self.lowest = int(numbered and bool(counted))
        """What numbers count from: 0, for codes, or 1, for cells and columns as drawn."""

    # Saying -----------------------------------------------------------------------------------------------------------

    def say(self, state: int, code: int) -> str:
        """Return the name of a legal move, unique in its position."""
        legal = self.legal(state)
        move = next(move for move in legal if move.code == code)
        if move.cell is not None and self.marks:
            return f"{move.own[:1].upper()} {self.coordinate(move.cell, state)}"
        if not self._is_number(move):
            return move.own
        if move.cell is not None and self._alone(move, state) and not self.own_coordinates:
            return self.coordinate(move.cell, state)
        return str(code + self.lowest)

    def say_all(self, state: int, codes: Iterable[int]) -> str:
        """Return several moves as a list in words."""
        return listed([self.say(state, code) for code in codes])

    def coordinate(self, cell: int, state: int) -> str:
        """Return a cell's column and row on the board of a state."""
        rows, cols = self.shape(state)
        row, column = divmod(cell, cols)
        return column_name(column) + row_name(row, rows, self.game.rows_from_bottom)

    def number(self, move: Named) -> str | None:
        """Return the number to type for a move, or None."""
        if self.own_numbers:
            return move.own if NUMBER.fullmatch(move.own) else None
        return str((move.cell if self.marks and move.cell is not None else move.code) + self.lowest)

    def numbers(self, state: int) -> dict[int, str]:
        """Return the numbers to show in the cells that moves point to, if they are free or become free."""
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
        """Return the start or, if no cells stand for its moves, the first position after it where they do."""
        start = self.rules.start
        for state in (start, *(move.child for move in self.legal(start))):
            with contextlib.suppress(Exception):  # errors of an author's function are reported when play comes there
                if any(move.cell is not None for move in self.legal(state)):
                    return state
        return start

    def _misleads(self, move: Named) -> bool:
        """Return whether the name of a first move is the coordinate of a cell that does not stand for it."""
        if not _is_coordinate(move.own, self.first_shape):
            return False
        return move.cell is None or self.coordinate(move.cell, self.first) != move.own.lower()

    def _find_legal(self, state: int) -> list[Named]:
        cell_of, moves = self.game.cell_of, self.rules.moves(state)
        return [Named(code, cell_of(state, code), self._name(code), child) for code, child in moves]

    def _name(self, code: int) -> str:
        return " ".join(self.game.format_move(code).split())

    def _find_shape(self, state: int) -> Shape:
        grid = self.game.grid(state)
        return (len(grid), len(grid[0])) if grid else (0, 0)

    def _alone(self, move: Named, state: int) -> bool:
        """Return whether the move's cell stands for no other legal move."""
        return sum(other.cell == move.cell for other in self.legal(state)) == 1

    def _is_number(self, move: Named) -> bool:
        return self.bare and move.own == str(move.code)

    def _cells(self, state: int) -> list[str]:
        return [mark for row in self.game.grid(state) or [] for mark in row]

    # Reading ----------------------------------------------------------------------------------------------------------

    def read(self, text: str, state: int) -> int:
        """Return the code of the legal move that a text means. Raises `PositionError` if there is none."""
        text = " ".join(text.split())
        if len(text) > LONGEST_MOVE:
            raise PositionError(f"a move of {len(text)} characters is too long")
        if not text:
            raise PositionError("nothing was typed")
        legal = self.legal(state)
        if self.marks and text[0].upper() in self.marks:
            return self._marked(text, legal, state)
        code = self._called(text, legal, state)
        return self._read(text, legal, state) if code is None else code

    def read_anywhere(self, text: str) -> int:
        """Return the code of the move that a text names in any position: a name, a number, or a coordinate or column if
        these are codes. Raises `PositionError` with the reason if there is none.
        """
        text = " ".join(text.split())[:LONGEST_MOVE]
        codes = self.named.get(text.lower(), [])
        if len(codes) > 1:
            raise PositionError(f"{len(codes)} moves are called {text}; write the number of one of them")
        if codes:
            return codes[0]
        column = self._column(text, self.first_shape)
        cell = self._cell(text, self.first_shape) if column is None and self.codes_are_cells else column
        if cell is not None:
            return cell
        try:
            numbered = text.isdecimal() and not self.own_numbers
            code = int(text) - self.lowest if numbered else self._own_code(text)
        except PositionError as error:
            if error.excerpt or self.bare:
                raise PositionError(f"{text!r} is not a move; write {self._ways(self.first)}") from error
            raise
        if not 0 <= code <= self.rules.largest_code:
            least, most = self.lowest, self.rules.largest_code + self.lowest
            raise PositionError(f"there is no move {text}; moves are numbered from {least} to {most}")
        return code

    def legal_code(self, code: int, state: int) -> int:
        """Return a code if it is that of a legal move. Raises `PositionError` with the reason otherwise."""
        if code in dict(self.rules.moves(state)):
            return code
        return self._numbered(code, self.legal(state), state)

    def knows(self, text: str) -> bool:
        """Return whether a text is a move in some position, so that it cannot be a command word."""
        text = " ".join(text.split())
        if text.lower() in self.named:
            return True
        if text.isdecimal() and not self.own_numbers:
            return self.lowest <= int(text[:9]) <= self.rules.largest_code + self.lowest
        shape = self.first_shape
        with contextlib.suppress(PositionError):  # off the board
            if self.marks and text[:1].upper() in self.marks and self._marked_cell(text, shape) is not None:
                return True
            return self._column(text, shape) is not None or self._cell(text, shape) is not None or self._is_own(text)
        return False

    def example(self, state: int) -> str:
        """Return examples of what may be typed for one of the legal moves."""
        legal = self.legal(state)
        move = legal[len(legal) // 2]
        said = self.say(state, move.code)
        ways = [said, move.own[:1].upper() * bool(self.marks) + (self.number(move) or said)]
        if move.cell is not None:
            ways.insert(0, self.coordinate(move.cell, state))
            ways += [column_name(move.cell % self.shape(state)[1])] * self.falling
        *others, last = dict.fromkeys(way for way in ways if way == said or self._means(way, move.code, state))
        return f"such as {', '.join(others)} or {last} (the same move)" if others else f"such as {last}"

    def _means(self, text: str, code: int, state: int) -> bool:
        with contextlib.suppress(GametreeError):
            return self.read(text, state) == code
        return False

    # Names ------------------------------------------------------------------------------------------------------------

    def _called(self, text: str, legal: list[Named], state: int) -> int | None:
        """Return the legal move of that name; None if the text is not a name, or could mean something else."""
        own = [move for move in legal if not self._is_number(move)]
        exact = [move for move in own if move.own == text]
        elsewhere = [code for code in self.named.get(text.lower(), []) if self.own_names[code] == text]
        found = exact or [move for move in own if move.own.lower() == text.lower() and not elsewhere]
        if len(found) == 1:
            return found[0].code
        if exact:
            raise PositionError(f"{len(exact)} moves are called {text}; the game must name them differently")
        if found:
            raise PositionError(f"{text} could be {listed([move.own for move in found])}; write one of these")
        typed = _plain(text)
        codes = elsewhere or self.named.get(text.lower()) or self.named.get(typed)
        is_cell = _is_coordinate(typed, self.shape(state))
        if codes is None or (is_cell and not self.own_coordinates) or (typed.isdecimal() and not self.own_numbers):
            return None
        name = self.own_names[codes[0]]
        mark = self._taken(codes[0], state) if is_cell or typed.isdecimal() else None
        reason = f"{name} is taken by {mark}" if mark else f"{name} is not legal here"
        return self._only([move for move in own if move.code in codes], reason, legal)

    def _taken(self, code: int, state: int) -> str | None:
        """Return whose mark is where a move went in the first position, or None."""
        cell = next((move.cell for move in self.first_moves if move.code == code), None)
        cells = self._cells(state)
        mark = cells[cell].strip() if cell is not None and cell < len(cells) else ""
        return mark if self._is_player(mark) else None

    def _own(self, text: str, legal: list[Named], state: int) -> int:
        """Return the code that the game's own notation gives."""
        try:
            code = self._own_code(text)
        except PositionError as refused:
            if refused.excerpt or not self.bare:  # an excerpt: the author's code failed, without a reason
                self._only([], f"{text!r} is not a move" if refused.excerpt else str(refused), legal)
            raise PositionError(f"{text!r} is not a move; write {self._ways(state)}") from refused
        found = [move for move in legal if move.code == code]
        return self._only(found, f"{self.own_names.get(code, text)} is not legal here", legal)

    def _is_own(self, text: str) -> bool:
        with contextlib.suppress(GametreeError):
            return self._own_code(text) <= self.rules.largest_code
        return False

    def _own_code(self, text: str) -> int:
        """Parse by the game's own notation, as typed or in another case."""
        for typed in dict.fromkeys((text, text.upper(), text.lower(), text.title())):
            with contextlib.suppress(PositionError):
                return self._parse(typed)
        return self._parse(text)  # raises the reason

    def _parse(self, text: str) -> int:
        """Parse by the game's own notation, but refuse numbers that are another move's name, or none."""
        try:
            code = self.game.parse_move(text)
        except RulesError as error:  # typed text must not end the game
            raise PositionError(str(error)) from error
        numbers = [name for name in self.named if NUMBER.fullmatch(name)] if text.isdecimal() else []
        if numbers and not any(int(name) == int(text) and code in self.named[name] for name in numbers):
            raise PositionError(f"there is no move {text}")
        return code

    def _ways(self, state: int) -> str:
        """Describe how moves are written if the game has only codes."""
        rows, cols = self.shape(state)
        if not self.pointing:
            return "its number"
        numbers = f"a number from {self._range(self.shape(state))}"
        if not rows or self.own_coordinates:
            return numbers
        return f"a coordinate such as {self.coordinate(rows * cols // 2, state)} or {numbers}"

    # Cells and numbers ------------------------------------------------------------------------------------------------

    def _read(self, text: str, legal: list[Named], state: int) -> int:
        """Return the code of a move given by its column, cell or number, or by the game's own notation."""
        shape = self.shape(state)
        column = self._column(text, shape)
        if column is not None:
            return self._only([move for move in legal if move.code == column], f"column {text.lower()} is full", legal)
        try:
            cell = self._cell(text, shape)
        except PositionError:
            if self._is_own(text):
                return self._own(text, legal, state)
            raise
        if cell is not None:
            return self._at(cell, [move for move in legal if move.cell == cell], state)
        if text.isdecimal() and not self.own_numbers:
            return self._numbered(int(text) - self.lowest, legal, state)
        return self._own(text, legal, state)

    def _at(self, cell: int, found: list[Named], state: int) -> int:
        """Return the code of the only move that a cell stands for."""
        if len(found) > 1:
            several = self.say_all(state, [move.code for move in found])
            raise PositionError(f"{self._place(cell, state)} could be {several}; write one of these")
        return self._only(found, self._reason(cell, state), self.legal(state))

    def _reason(self, cell: int, state: int) -> str:
        """Return why no move points to a cell."""
        name, mark = self._place(cell, state), self._cells(state)[cell].strip()
        column = cell % self.shape(state)[1]
        lands = [move.cell for move in self.legal(state) if move.code == column and move.cell is not None]
        if self.falling and not mark and lands:
            return f"a stone in column {column_name(column)} falls to {self._place(lands[0], state)}"
        if self._is_player(mark):
            return f"{name} is taken by {mark}"
        return f"no move leads to {name}" + (f", which holds {mark}" if mark else "")

    def _numbered(self, code: int, legal: list[Named], state: int) -> int:
        """Return the code if it is that of a legal move."""
        found, number = [move for move in legal if move.code == code], code + self.lowest
        if not found and self.pointing and not 0 <= code < self._most(self.shape(state)):
            there = self._range(self.shape(state))
            raise PositionError(f"there is no {self.kind} {number}; {self.kind}s are numbered from {there}")
        if not found and self.codes_are_cells and code < len(self._cells(state)):
            return self._at(code, found, state)
        return self._only(found, f"column {number} is full" if self.falling else f"{number} is not legal here", legal)

    @property
    def kind(self) -> str:
        """The singular noun for what the numbers of moves count: column, cell or move."""
        return "column" if self.falling else "cell" if self.codes_are_cells else "move"

    def _marked(self, text: str, legal: list[Named], state: int) -> int:
        """Return the code of a mark with a cell, as a coordinate or number."""
        shape, mark, place = self.shape(state), text[:1].upper(), text[1:].strip()
        cell = self._marked_cell(text, shape)
        if mark not in self.marks or cell is None:
            marks = " or ".join(sorted(self.marks))
            raise PositionError(f"{text!r} is not a move; write {marks} and a cell, {self.example(state)}")
        if place.isdecimal() and _is_coordinate(text, shape):
            there = [f"{other} {text.lower()}" for other in sorted(self.marks)]
            raise PositionError(
                f"{text} could be {listed([f'{mark} {self.coordinate(cell, state)}', *there])}; write one of these"
            )
        found = [move for move in legal if move.cell == cell and move.own[:1].upper() == mark]
        return self._at(cell, found, state)

    def _marked_cell(self, text: str, shape: Shape) -> int | None:
        """Return the cell after a mark, or None. Raises `PositionError` if it is off the board."""
        place = text[1:].strip()
        if place.isdecimal():
            cell = int(place) - self.lowest
            return cell if 0 <= cell < shape[0] * shape[1] else None
        return self._cell(place, shape)

    def _only(self, found: list[Named], reason: str, legal: list[Named]) -> int:
        """Return the code found; the error names the legal moves if they are few and not visible on the board."""
        if found:
            return found[0].code
        names = [self.number(move) or move.own if self._is_number(move) else move.own for move in legal]
        if not names or len(names) > SHOWN or self.marks or any(map(self._on_board, legal)):
            raise PositionError(reason)
        raise PositionError(f"{reason}; legal {'move is' if len(names) == 1 else 'moves are'} {', '.join(names)}")

    def _on_board(self, move: Named) -> bool:
        """Return whether a move is written as the cell that stands for it."""
        return move.cell is not None and (self._is_number(move) or _is_coordinate(move.own, self.first_shape))

    def _place(self, cell: int, state: int) -> str:
        """Return a cell for use in a sentence."""
        return f"cell {cell + self.lowest}" if self.own_coordinates else self.coordinate(cell, state)

    def _is_player(self, mark: str) -> bool:
        return mark in (*self.game.players, "X", "O")

    def _most(self, shape: Shape) -> int:
        """Return how many numbers there are, from 0, on a board of this shape."""
        rows, cols = shape if shape[0] else self.first_shape
        if self.falling:
            return cols
        bounded = self.rules.largest_code < ANY_CODE
        return rows * cols if self.codes_are_cells and rows and not bounded else self.rules.largest_code + 1

    def _range(self, shape: Shape) -> str:
        """Return the range of the numbers."""
        return f"{self.lowest} to {self._most(shape) - 1 + self.lowest}"

    def _column(self, text: str, shape: Shape) -> int | None:
        names = [column_name(column) for column in range(shape[1])] if self.falling else []
        return names.index(text.lower()) if text.lower() in names else None

    def _cell(self, text: str, shape: Shape) -> int | None:
        """Return the cell of a coordinate, or None. Raises `PositionError` if it is off the board."""
        if not self.pointing or not shape[0] or self.own_coordinates:
            return None
        return read_cell(text, shape, self.game.rows_from_bottom)


@kept
def kept_notation(game: Game) -> Notation:
    """Return the `Notation` of a game, made once."""
    return Notation(game)
