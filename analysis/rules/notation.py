"""Read and write moves: coordinates, numbers, and the game's own notation.

A move may be typed, in any case, as one of these:

1. the game's own name of it, unless that is a bare code: ``b1xc2``, ``pass``. The name of an illegal move never means
another one, so if names look like coordinates of other cells (``a1`` at the bottom of a board drawn from the top) or
like numbers other than the codes, no other coordinates or numbers are read;
2. the coordinate of the cell that stands for it (`Game.cell_of`): ``b2``; if stones fall, the column: ``d``;
3. a number: its code, as in tables and backtrackers, which in most games counts cells, row by row from 0. A notation
   that is ``numbered`` counts cells and columns from 1;
4. if names are a mark and a cell (wild tic-tac-toe: ``X4``), the mark with a coordinate or number: ``Xb2``, ``X 4``;
5. anything else that `Game.parse_move` reads: ``right``, ``a2-a1``.

A text that fits several legal moves is refused. Moves are written as a coordinate if the game has only a code, else by
the game's own name.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from ..common.wording import in_words
from ..errors import GametreeError, PositionError, RulesError
from .game import Game
from .keeping import kept
from .picture import column_name, row_name

COORDINATE = re.compile(r"([a-z]{1,2})\s*([0-9]{1,3})", re.ASCII)
NUMBER = re.compile(r"[0-9]+", re.ASCII)

REMEMBERED = 1 << 12  # positions whose moves are kept

LONGEST_MOVE = 60  # limit on the characters of a move

SHOWN = 12  # legal moves listed in an error message

Shape = tuple[int, int]  # rows and columns; 0 and 0 without a board


def read_cell(text: str, shape: Shape, from_bottom: bool) -> int | None:
    """Return the cell of a coordinate, row by row from 0; None if the text is not one of the board's.

    >>> read_cell("B 1", (3, 2), False), read_cell("b1", (3, 2), True), read_cell("left", (3, 2), True)
    (1, 5, None)
    """
    match = COORDINATE.fullmatch(text.lower())
    columns = [column_name(column) for column in range(shape[1])]
    rows = [row_name(row, shape[0], from_bottom) for row in range(shape[0])]
    if match is None or match[1] not in columns or match[2].lstrip("0") not in rows:
        return None
    return rows.index(match[2].lstrip("0")) * shape[1] + columns.index(match[1])


def _plain(text: str) -> str:
    """Return a text in lower case, without blanks after letters and without leading zeros of a number.

    >>> _plain("B 02"), _plain("Give up"), _plain("007")
    ('b2', 'giveup', '7')
    """
    return re.sub("^([a-z]*)0+(?=[0-9])", r"\1", re.sub(r"(?<=[a-z])\s+", "", text.lower()))


class LegalMove(NamedTuple):
    """A legal move: its code, the cell that stands for it, its name in the game's notation, and the state after it."""

    code: int
    cell: int | None
    own: str
    child: int


class Notation:
    """Reads and writes the moves of one game.

    The meaning of a text must not depend on the position. It follows from `Game.typed_moves`, the names of all codes,
    and the moves of the start. The numbers of rows and columns are taken from each position.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> notation, start = Notation(game), game.rules().start
    >>> notation.read("B2", start), notation.read("4", start), notation.say(start, 4)
    (4, 4, 'b2')
    """

    def __init__(self, game: Game, *, numbered: bool = False) -> None:
        self.game, self.rules = game, game.rules()
        self.legal = functools.lru_cache(REMEMBERED)(self._find_legal)  # the legal moves in a state, ascending by code
        self.shape = functools.lru_cache(REMEMBERED)(self._find_shape)
        """Rows and columns of the board in a state; 0 and 0 without a board."""
        self.first = self.rules.start
        self.first_shape, self.first_moves = self.shape(self.first), self.legal(self.first)
        self.pointing = any(move.cell is not None for move in self.first_moves)  # whether cells stand for moves
        self.own_names: dict[int, str] = {}  # the game's own names by code
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
        amounts = self.bare and not self.pointing and min((move.code for move in self.first_moves), default=0) > 0
        self.named: dict[str, list[int]] = {}  # codes by name as `_plain` spells it, without bare codes but for amounts
        for code, name in self.own_names.items():
            if amounts or not (self.bare and name == str(code)):
                self.named.setdefault(_plain(name), []).append(code)
        self.falling = game.typed_moves == "columns" and self.first_shape[0] > 1  # whether a move is a column
        self.marks = frozenset(name[:1].upper() for name in self.own_names.values() if game.typed_moves == "marks")
        """First letters of names that are a mark and the number of a cell."""
        self.codes_are_cells = self.pointing and all(move.cell in (None, move.code) for move in self.first_moves)
        """Whether a code is the cell that stands for it."""
        self.own_coordinates = not self.marks and any(map(self._misleads, self.first_moves * self.pointing))
        """Whether the game's own names look like coordinates but of other cells; then no other coordinates are read."""
        self.own_numbers = amounts or any(int(name) != code for code, name in numbers)
        """Whether its own names are numbers but not codes, or amounts of tokens; then no other numbers are read."""
        counted = self.marks or (self.bare and not self.own_numbers and (self.falling or self.codes_are_cells))
        self.lowest = int(numbered and bool(counted))
        """What numbers count from: 0, for codes, or 1, for cells and columns as drawn."""

    # Writing ----------------------------------------------------------------------------------------------------------

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
        return in_words([self.say(state, code) for code in codes])

    def coordinate(self, cell: int, state: int) -> str:
        """Return a cell's column and row on the board of a state."""
        rows, cols = self.shape(state)
        row, column = divmod(cell, cols)
        return column_name(column) + row_name(row, rows, self.game.rows_from_bottom)

    def number(self, move: LegalMove) -> str | None:
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

    # Properties of the moves ------------------------------------------------------------------------------------------

    def _misleads(self, move: LegalMove) -> bool:
        """Return whether the name of a first move is the coordinate of a cell that does not stand for it."""
        if read_cell(move.own, self.first_shape, False) is None:
            return False
        return move.cell is None or self.coordinate(move.cell, self.first) != move.own.lower()

    def _find_legal(self, state: int) -> list[LegalMove]:
        cell_of, moves = self.game.cell_of, self.rules.moves(state)
        return [LegalMove(code, cell_of(state, code), self._name(code), child) for code, child in moves]

    def _name(self, code: int) -> str:
        return " ".join(self.game.format_move(code).split())

    def _find_shape(self, state: int) -> Shape:
        grid = self.game.grid(state)
        return (len(grid), len(grid[0])) if grid else (0, 0)

    def _alone(self, move: LegalMove, state: int) -> bool:
        """Return whether the move's cell stands for no other legal move."""
        return sum(other.cell == move.cell for other in self.legal(state)) == 1

    def _is_number(self, move: LegalMove) -> bool:
        return self.bare and move.own == str(move.code)

    def _cells(self, state: int) -> list[str]:
        return [mark for row in self.game.grid(state) or [] for mark in row]

    # Reading ----------------------------------------------------------------------------------------------------------

    def read(self, text: str, state: int) -> int:
        """Return the code of the legal move that a text means. Raises `PositionError` if there is none, or several."""
        text = " ".join(text.split())[: LONGEST_MOVE + 1]
        typed, legal = _plain(text), self.legal(state)
        codes = [] if self.marks else self.named.get(typed, [])
        codes = [code for code in codes if self.own_names[code] == text] or codes
        if codes and (self.own_coordinates or not COORDINATE.fullmatch(typed)):
            moves = [move for move in legal if move.code in codes]
        else:
            moves = [move for move in legal if typed in self._spellings(move, state)]
        if not moves and not codes and (code := self._parsed(text)) is not None:
            codes = [code]
            moves = [move for move in legal if move.code == code]
        if len(moves) == 1:
            return moves[0].code
        if moves:
            ways = [move.own for move in moves] if codes else [self.say(state, move.code) for move in moves]
            raise PositionError(f"{text} could be {in_words(ways)}; write one of these")
        raise self._refusal(text, state)

    def read_anywhere(self, text: str) -> int:
        """Return the code of the move that a text names in any position: a name, a number, or a coordinate or column if
        these are codes. Raises `PositionError` with the reason if there is none.
        """
        text = " ".join(text.split())[:LONGEST_MOVE]
        typed = _plain(text)
        codes = self.named.get(typed, [])
        if len(codes) > 1:
            raise PositionError(f"{len(codes)} moves are called {text}; write the number of one of them")
        code = codes[0] if codes else self._column(typed)
        if code is None and self.codes_are_cells:
            code = self._cell(typed, self.first_shape)
        if code is None and typed.isdecimal() and not self.own_numbers:
            code = int(typed) - self.lowest
        code = self._parsed(text) if code is None else code
        if code is None or not 0 <= code <= self.rules.largest_code:
            raise self._refusal(text, self.first)
        return code

    def legal_code(self, code: int, state: int) -> int:
        """Return ``code`` if it is the code of a legal move. Raises `PositionError` with the reason otherwise."""
        if code in dict(self.rules.moves(state)):
            return code
        raise self._refusal(str(code), state)

    def knows(self, text: str) -> bool:
        """Return whether a text is a move in some position, so that it cannot be a command word."""
        text = " ".join(text.split())
        typed, shape = _plain(text), self.first_shape
        if typed in self.named and not self.marks:
            return True
        if typed.isdecimal() and not self.own_numbers:
            return self.lowest <= int(typed[:9]) <= self.rules.largest_code + self.lowest
        if typed[:1].upper() in self.marks and self._marked_cell(typed, shape) is not None:
            return True
        if self._column(typed) is not None or self._cell(typed, shape) is not None:
            return True
        code = self._parsed(text)
        return code is not None and code <= self.rules.largest_code

    def example(self, state: int) -> str:
        """Return examples of what may be typed for one of the legal moves."""
        legal = self.legal(state)
        move = legal[len(legal) // 2]
        name = self.say(state, move.code)
        ways = [name, move.own[:1].upper() * bool(self.marks) + (self.number(move) or name)]
        if move.cell is not None:
            ways.insert(0, self.coordinate(move.cell, state))
            ways += [column_name(move.cell % self.shape(state)[1])] * self.falling
        *others, last = dict.fromkeys(way for way in ways if way == name or self._means(way, move.code, state))
        return f"such as {', '.join(others)} or {last} (the same move)" if others else f"such as {last}"

    def _means(self, text: str, code: int, state: int) -> bool:
        with contextlib.suppress(GametreeError):
            return self.read(text, state) == code
        return False

    def _spellings(self, move: LegalMove, state: int) -> set[str]:
        """Return the texts, besides its name, that may be typed for a legal move, in the form of `_plain`."""
        texts = set[str]()
        if self.marks and move.cell is not None:
            mark, place = move.own[:1], self.coordinate(move.cell, state)
            texts = {place, mark + place, mark + str(move.cell + self.lowest)}
            texts.add(str(move.cell + 1 if self.lowest else move.code))
        else:
            texts |= {column_name(move.code)} if self.falling else set()
            texts |= {str(move.code + self.lowest)} if not self.own_numbers else set()
            texts |= (
                {self.coordinate(move.cell, state)} if move.cell is not None and not self.own_coordinates else set()
            )
        return {text.lower() for text in texts}

    def _parsed(self, text: str) -> int | None:
        """Return the code that the game's own notation reads, as typed or in another case; None if it reads none, for
        numbers, which are names or codes, and for a mark and a cell.
        """
        if text.isdecimal() or self.marks:
            return None
        for typed in dict.fromkeys((text, text.upper(), text.lower(), text.title())):
            with contextlib.suppress(PositionError, RulesError):  # typed text must not end the game
                return self.game.parse_move(typed)
        return None

    def _refusal(self, text: str, state: int) -> PositionError:
        """Return the error for a text that is no legal move, with some that are."""
        legal = [self.say(state, move.code) for move in self.legal(state)[: SHOWN + 1]]
        shown = f"; legal moves are {', '.join(legal[:SHOWN])}{', ...' * (len(legal) > SHOWN)}" if legal else ""
        return PositionError(f"{text[:LONGEST_MOVE]!r} is not a legal move{shown}")

    # Cells and numbers ------------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The singular noun for what the numbers of moves count: column, cell or move."""
        return "column" if self.falling else "cell" if self.codes_are_cells else "move"

    def _column(self, typed: str) -> int | None:
        names = [column_name(column) for column in range(self.first_shape[1])] if self.falling else []
        return names.index(typed) if typed in names else None

    def _cell(self, typed: str, shape: Shape) -> int | None:
        """Return the cell of a coordinate, or None."""
        if not self.pointing or not shape[0] or self.own_coordinates:
            return None
        return read_cell(typed, shape, self.game.rows_from_bottom)

    def _marked_cell(self, typed: str, shape: Shape) -> int | None:
        """Return the cell after a mark, or None."""
        if typed[1:].isdecimal():
            cell = int(typed[1:]) - self.lowest
            return cell if 0 <= cell < shape[0] * shape[1] else None
        return self._cell(typed[1:], shape)


@kept
def kept_notation(game: Game) -> Notation:
    """Return the `Notation` of a game, made once."""
    return Notation(game)
