"""How a game writes its boards."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..common.wording import described, with_count
from ..errors import GametreeError, PositionError
from .keeping import kept

if TYPE_CHECKING:
    from .game import Game

FREE = ("", "?", ".", "_", "-", "*", "·", "b", "None", "null", "0")  # how a free cell may be written, besides blanks

PLIES = 6  # plies of the two lines of play that show a game's marks


@dataclasses.dataclass(frozen=True)
class BoardForm:
    """How a game writes its boards."""

    rows: int
    cols: int
    blank: str  # a free cell in the game's own text
    between: str  # what separates rows there
    marks: Mapping[str, str]  # the mark for each text that may be typed for it; a blank for a free cell
    sides: tuple[str, ...]  # what may follow a board to say who is to move; empty if the board tells

    def written(self, marks: Sequence[str]) -> str:
        """Return a board of these marks, cell by cell, as the game writes it."""
        return self.between.join(
            "".join(marks[first : first + self.cols]).replace(" ", self.blank)
            for first in range(0, len(marks), self.cols)
        )

    def read(self, board: str | Sequence[Any]) -> str:
        """Return a board as the game writes it. Raises `PositionError` for a wrong shape or an unknown mark.

        >>> from analysis.games.families import load_game
        >>> form = find_board_form(load_game("tictactoe"))
        >>> [form.read(board) for board in ("x,b,o,b,x,b,b,b,b", [[1, 0, 0], [0, -1, 0], [0, 0, 0]])]
        ['X?O?X????', 'X???O????']
        """
        side = ""
        if isinstance(board, str) and board.split()[-1:] and board.split()[-1].lower() in self.sides:
            board, _, side = board.rstrip().rpartition(" ")
        cells = self._split(board) if isinstance(board, str) else [*board]
        lengths = [len(row) for row in cells if isinstance(row, (list, tuple))]
        if len(lengths) == len(cells):
            cells = [*itertools.chain.from_iterable(cells)]
        if len(cells) != self.rows * self.cols or lengths not in ([], [self.cols] * self.rows):
            shape = f"rows of {', '.join(map(str, lengths))}" if lengths else with_count(len(cells), "cell")
            raise PositionError(f"as a board it has {shape}, not {self.rows} rows of {self.cols}")
        return self.written([self._mark(cell) for cell in cells]) + f" {side}" * bool(side)

    def _split(self, text: str) -> list[Any]:
        """Return the cells, or the rows of cells, of a text."""
        if text.lstrip()[:1] in ("[", "("):
            with contextlib.suppress(ValueError, RecursionError):
                cells = json.loads(text.translate(_AS_JSON).replace("None", "null"))
                return cells if isinstance(cells, list) else [cells]
        if "," in text:
            return re.split("[,\n]", text.strip("\n"))
        if "|" in text:
            return [cell for line in re.split("[/;\n]", text) if "|" in line for cell in line.split("|")]
        text = re.sub("[/;\r\n]", "", text)
        if {*text} & {"0", "1"} - {*self.marks.values()}:
            return [text]  # numbers without commas are moves
        return [*(text if len(text) == self.rows * self.cols else text.replace(" ", ""))]

    def _mark(self, cell: Any) -> str:
        text = "" if cell is None else cell.strip() if isinstance(cell, str) else described(cell)
        if isinstance(cell, (int, float)) and not isinstance(cell, bool):
            text = f"{cell:g}"
        if text not in self.marks:
            raise PositionError(f"{described(cell)} is not a mark")
        return self.marks[text]


_AS_JSON = str.maketrans("()'", '[]"')


@kept
def find_board_form(game: Game) -> BoardForm | None:
    """Return how a game writes its boards; None if its text is not its board, row by row."""
    with contextlib.suppress(GametreeError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        rules, boards = game.rules(), {}  # of play that always takes the first or the last move
        for choice in (0, -1):
            moves = [(0, rules.start)]
            for _ in range(PLIES):
                if not moves:
                    break
                state = moves[choice][1]
                boards[game.format_position(state)] = game.grid(state) or []
                moves = rules.moves(state)
        first = next(iter(boards.values()))
        cells = {text: [*itertools.chain.from_iterable(rows)] for text, rows in boards.items()}
        marks = {*itertools.chain.from_iterable(cells.values())} - {" "}
        numbers = {number: player for number, player in zip(("1", "-1"), game.players, strict=True) if player in marks}
        spelled = dict.fromkeys((*FREE, "B", "NONE", "NULL"), " ") | numbers
        for change in (str.upper, str.lower, str):
            spelled |= {change(mark): mark for mark in marks}
        for blank, between in itertools.product("?._-* ", ("", "/", " ", "|")):
            form = BoardForm(len(first), len(first[0]), blank, between, spelled, ())
            written = {text: form.written(cells[text]) for text in boards}
            if all(map(str.startswith, written, written.values())):
                complete = all(text == board for text, board in written.items())
                return dataclasses.replace(form, sides=() if complete else ("x", "o", *map(str.lower, game.players)))
    return None
