"""How moves are said: by coordinates, by numbers from 1, or in the game's own notation."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import NamedTuple

from analysis.play.picture import column_name, row_name
from analysis.rules import Game

_MARKED = re.compile(r"([A-Za-z]+)([0-9]+)", re.ASCII)


class Named(NamedTuple):
    """A legal move: its code, the cell that stands for it, and its name in the game's own notation."""

    code: int
    cell: int | None
    own: str


class Names:
    """What the moves of one game are called. Whatever is said can also be typed, see `notation.Notation`."""

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, game.rules()
        start = self.rules.start
        grid = game.grid(start)
        self.rows, self.cols = (len(grid), len(grid[0])) if grid else (0, 0)
        self._legal = functools.lru_cache(256)(self._find_legal)
        first = self._legal(start)
        self.pointing = any(move.cell is not None for move in first)
        """Whether cells stand for moves."""
        self.bare = all(move.own == str(move.code) for move in first)
        """Whether the game's own notation is the bare code."""
        self.falling = self.bare and self.rows > 1 and self._stones_fall(first)
        """Whether a move is a column."""
        self.marks = self._find_marks(first)
        """What the names of moves begin with where each is a mark and the number of a cell."""

    def legal(self, state: int) -> list[Named]:
        """The legal moves, ascending by code."""
        return self._legal(state)

    # Saying -----------------------------------------------------------------------------------------------------------

    def say(self, state: int, code: int) -> str:
        """A legal move as people are told of it; no two of a position are called the same."""
        legal = self.legal(state)
        move = next(move for move in legal if move.code == code)
        if move.cell is not None and self.marks:
            return f"{self._mark(move)} {self.coordinate(move.cell)}"
        if move.own != str(code):
            return move.own
        if move.cell is not None and self._alone(move, state):
            return self.coordinate(move.cell)
        return str(code + 1 if self.pointing else code)

    def say_all(self, state: int, codes: Iterable[int]) -> str:
        """Several moves, as a list.

        >>> from analysis.games import load_game
        >>> Names(load_game("tictactoe")).say_all(0, [0, 4, 8])
        'a1, b2 or c3'
        """
        *others, last = [self.say(state, code) for code in codes]
        return f"{', '.join(others)} or {last}" if others else last

    def coordinate(self, cell: int) -> str:
        """A cell as its column and row."""
        row, column = divmod(cell, self.cols)
        return column_name(column) + row_name(row, self.rows, self.game.rows_from_bottom)

    def number(self, move: Named) -> int | None:
        """The number to type for a move, or None where it has none."""
        if not self.pointing:
            return move.code if self.bare else None
        if self.bare:
            return move.code + 1 if move.own == str(move.code) else None
        return None if move.cell is None else move.cell + 1

    def numbers(self, state: int) -> dict[int, str]:
        """What to show in the cells that a move points to and that are free, or will be, so that nothing is hidden."""
        before, shown = self._cells(state), {}
        children = dict(self.rules.moves(state))
        for move in self.legal(state):
            number = self.number(move)
            if move.cell is not None and number is not None and (not self.bare or self._alone(move, state)):
                after = self._cells(children[move.code])
                if not before[move.cell].strip() or not after[move.cell].strip():
                    shown[move.cell] = str(number)
        return shown

    # Helping ----------------------------------------------------------------------------------------------------------

    def example(self, state: int) -> str:
        """What may be typed for one of the legal moves, for people who ask."""
        legal = self.legal(state)
        move = legal[len(legal) // 2]
        ways = [self.say(state, move.code)]
        number = self.number(move)
        if self.marks and move.cell is not None:
            ways.append(f"{self._mark(move)}{move.cell + 1}")
        elif number is not None and sum(self.number(other) == number for other in legal) == 1:
            ways.append(str(number))
        if move.cell is not None and self._alone(move, state):
            ways.insert(0, self.coordinate(move.cell))
        if self.falling and move.cell is not None:
            ways.append(column_name(move.cell % self.cols))
        *others, last = dict.fromkeys(ways)
        return f"such as {', '.join(others)} or {last} (the same move)" if others else f"such as {last}"

    # Parts ------------------------------------------------------------------------------------------------------------

    def _find_legal(self, state: int) -> list[Named]:
        codes = [code for code, _ in self.rules.moves(state)]
        return [Named(code, self.game.cell_of(state, code), self.game.format_move(code)) for code in codes]

    def _stones_fall(self, first: list[Named]) -> bool:
        """Whether every code is the column of the cell in the bottom row that stands for it."""
        bottom = (self.rows - 1) * self.cols
        return len(first) == self.cols and all(move.cell == bottom + move.code for move in first)

    @functools.cached_property
    def _codes_are_cells(self) -> bool:
        """Whether a bare code is the cell that stands for it."""
        return all(move.cell in (None, move.code) for move in self.legal(self.rules.start))

    def _find_marks(self, first: list[Named]) -> frozenset[str]:
        """Where each name is a mark and a cell from 0, and each cell can have more than one mark: the marks."""
        marked = [_MARKED.fullmatch(move.own) for move in first]
        cells = [move.cell for move in first]
        fits = all(m is not None and int(m[2]) == cell for m, cell in zip(marked, cells, strict=True))
        found = frozenset(m[1] for m in marked if m is not None)
        if not fits or any(cells.count(cell) == 1 for cell in cells) or any(len(mark) > 1 for mark in found):
            return frozenset()
        return found

    def _alone(self, move: Named, state: int) -> bool:
        """Whether its cell stands for no other legal move."""
        return sum(other.cell == move.cell for other in self.legal(state)) == 1

    def _mark(self, move: Named) -> str:
        return move.own[:1]

    def _is_number(self, move: Named) -> bool:
        return move.own == str(move.code)

    def _most(self) -> int:
        """The greatest number that may be typed where they count from 1."""
        return self.rows * self.cols if not self.bare or self._codes_are_cells else self.rules.largest_code + 1

    def _cells(self, state: int) -> list[str]:
        return [mark for row in self.game.grid(state) or [] for mark in row]
