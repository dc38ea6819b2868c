"""Moves as they are typed and as they are said: coordinates, numbers from 1, and the game's own notation.

What a text means is found in this order:

1. the game's own name of a legal move, unless it is a bare number: ``b1xc2``, ``pass``;
2. the coordinate of the cell that stands for a move (`Game.cell_of`): ``b2``; where stones fall, the column: ``d``;
3. a number. Where moves stand for cells it counts from 1: it is the code plus 1 in games that write moves as bare
   codes, and the number of the cell, row by row, in others. Where no cells stand for moves it is the code;
4. where the game's own names are a mark and a cell (wild tic-tac-toe: ``X4``), the mark with a coordinate or with the
   number of the cell from 1: ``Xb2``, ``X 5``;
5. whatever else the game's own `Game.parse_move` reads: ``right``, ``a2-a1``.

Moves are said so that what is said can be typed: the coordinate where the game has only a code, otherwise its own name.
"""

from __future__ import annotations

import re

from analysis.errors import GametreeError, PositionError
from analysis.play.names import Named, Names
from analysis.play.picture import column_name, row_name

LONGEST = 60
"""Characters that are looked at; no move is that long."""

SHOWN = 12
"""Legal moves that are listed where a move is refused; more are not."""

_COORDINATE = re.compile(r"([a-z]{1,2})\s*([0-9]{1,3})", re.ASCII)


class Notation(Names):
    """How the moves of one game are typed.

    >>> from analysis.games import load_game
    >>> game = load_game("tictactoe")
    >>> notation, start = Notation(game), game.rules().start
    >>> notation.read("B2", start), notation.read("5", start), notation.say(start, 4)
    (4, 4, 'b2')
    """

    # Reading ----------------------------------------------------------------------------------------------------------

    def read(self, text: str, state: int) -> int:
        """The code of the legal move that a text means. Raises `PositionError` with the reason where it means none."""
        text = " ".join(text.split())
        if len(text) > LONGEST:
            raise PositionError(f"that has {len(text)} characters; no move is that long")
        if not text:
            raise PositionError("nothing was typed")
        legal = self.legal(state)
        if self.marks and text[0].upper() in self.marks:
            return self._marked(text, legal, state)
        names = [(move.own, move.code) for move in legal if not self._is_number(move)]
        for found in ([c for own, c in names if own == text], [c for own, c in names if own.lower() == text.lower()]):
            if len(found) == 1:
                return found[0]
        return self._read(text, legal, state)

    def knows(self, text: str) -> bool:
        """Whether a text is a move in some position of the game, so that it can be no word of command."""
        text = " ".join(text.split())
        if self.pointing and text.isdecimal():
            return 0 < int(text[:9]) <= self._most()
        try:
            return self._column(text) is not None or self._cell(text) is not None or self._is_own(text)
        except PositionError:  # off the board
            return False

    def _is_own(self, text: str) -> bool:
        try:
            return self.game.parse_move(text) <= self.rules.largest_code
        except GametreeError:
            return False

    def _read(self, text: str, legal: list[Named], state: int) -> int:
        """The same for what is not simply a name."""
        column = self._column(text)
        if column is not None:
            return self._only([move for move in legal if move.code == column], f"column {text.lower()} is full", legal)
        try:
            cell = self._cell(text)
        except PositionError:
            if self._is_own(text):
                return self._own(text, legal)
            raise
        if cell is not None:
            return self._at(cell, [move for move in legal if move.cell == cell], state)
        if text.isdecimal() and (self.pointing or self.bare):
            return self._numbered(int(text), legal, state)
        return self._own(text, legal)

    def _at(self, cell: int, found: list[Named], state: int) -> int:
        """The only move that a cell stands for."""
        if len(found) > 1:
            raise PositionError(
                f"{self.coordinate(cell)} could be {self.say_all(state, [move.code for move in found])}; "
                "write which of them"
            )
        return self._only(found, self._reason(cell, state), self.legal(state))

    def _reason(self, cell: int, state: int) -> str:
        """Why no move points to a cell."""
        name, mark = self.coordinate(cell), self._cells(state)[cell].strip()
        if self.falling and not mark:
            column = cell % self.cols
            lands = next(move.cell for move in self.legal(state) if move.code == column)
            return f"a stone in column {column_name(column)} falls to {self.coordinate(lands or 0)}"
        if mark in (*self.game.players, "X", "O"):
            return f"{name} is taken by {mark}"
        return f"no move leads to {name}" + (f", where there is {mark}" if mark else "")

    def _numbered(self, number: int, legal: list[Named], state: int) -> int:
        if not self.pointing:
            return self._only([move for move in legal if move.code == number], f"{number} is not legal here", legal)
        if not 1 <= number <= self._most():
            what = "column" if self.falling else "cell"
            raise PositionError(f"there is no {what} {number}; they are numbered from 1 to {self._most()}")
        if self.bare and self._codes_are_cells:
            return self._at(number - 1, [move for move in legal if move.code == number - 1], state)
        if self.bare:
            reason = f"column {number} is full" if self.falling else f"{number} is not legal here"
            return self._only([move for move in legal if move.code == number - 1], reason, legal)
        return self._at(number - 1, [move for move in legal if move.cell == number - 1], state)

    def _marked(self, text: str, legal: list[Named], state: int) -> int:
        """A mark, and a cell as a coordinate or as a number from 1."""
        mark, place = text[:1].upper(), text[1:].strip()
        number = int(place) if place.isdecimal() else 0
        cell = number - 1 if 1 <= number <= self.rows * self.cols else self._cell(place)
        if mark not in self.marks or cell is None:
            marks = " or ".join(sorted(self.marks))
            raise PositionError(f"{text!r} is no move; write {marks} and a cell, {self.example(state)}")
        found = [move for move in legal if move.cell == cell and self._mark(move) == mark]
        return self._at(cell, found, state)

    def _own(self, text: str, legal: list[Named]) -> int:
        """What the game's own notation says."""
        try:
            code = self.game.parse_move(text)
        except PositionError as error:
            if not self.bare:
                raise
            middle = self.coordinate(self.rows * self.cols // 2) if self.pointing else ""
            what = f"a coordinate such as {middle} or a number from 1 to {self._most()}" if middle else "its number"
            raise PositionError(f"{text!r} is no move; write {what}") from error
        return self._only(
            [move for move in legal if move.code == code], f"{self.game.format_move(code)} is not legal here", legal
        )

    def _only(self, found: list[Named], reason: str, legal: list[Named]) -> int:
        if found:
            return found[0].code
        names = [str(self.number(move)) if self._is_number(move) else move.own for move in legal]
        if self.pointing or len(names) > SHOWN:
            raise PositionError(reason)
        raise PositionError(f"{reason}; legal {'is' if len(names) == 1 else 'are'} {', '.join(names)}")

    # Parts ------------------------------------------------------------------------------------------------------------

    def _column(self, text: str) -> int | None:
        names = [column_name(column) for column in range(self.cols)] if self.falling else []
        return names.index(text.lower()) if text.lower() in names else None

    def _cell(self, text: str) -> int | None:
        """The cell of a coordinate, None where the text is none. Raises `PositionError` where it is off the board."""
        found = _COORDINATE.fullmatch(text.lower()) if self.pointing else None
        if found is None:
            return None
        columns = [column_name(column) for column in range(self.cols)]
        rows = [row_name(row, self.rows, self.game.rows_from_bottom) for row in range(self.rows)]
        for name, names, what in ((found[1], columns, "column"), (found[2].lstrip("0"), rows, "row")):
            if name not in names:
                raise PositionError(f"there is no {what} {name or 0}; {_range(what, names)}")
        return rows.index(found[2].lstrip("0")) * self.cols + columns.index(found[1])


def _range(what: str, names: list[str]) -> str:
    """Which columns or rows there are.

    >>> _range("row", ["3", "2", "1"]), _range("column", ["a"])
    ('rows are 1 to 3', 'the only column is a')
    """
    if len(names) == 1:
        return f"the only {what} is {names[0]}"
    first, *_, last = sorted(names, key=lambda name: (len(name), name))
    return f"{what}s are {first} to {last}"
