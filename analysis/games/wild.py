"""Wild tic-tac-toe: either player may place either mark.

Two players in turn mark an empty cell of a ``rows`` x ``cols`` board with X or with O, as they like; whoever completes
``k`` equal marks in an unbroken row, column or diagonal wins (``misere``: loses), and a full board without such a line
is a tie.

A state holds two planes of ``rows * cols`` bits, the X marks below the O marks. On the 3x3 board::

    cells  0 1 2      X bits  0  1  2      O bits   9 10 11
           3 4 5              3  4  5              12 13 14
           6 7 8              6  7  8              15 16 17

so ``XO? / ?X? / ???`` is ``0b000000010_000010001``. A move is 2 x cell, + 1 if the mark is an O; it is written ``X4``,
``O4``. Who is to move follows from the number of marks.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from analysis.errors import PositionError
from analysis.games.shared.either_side import expected_boards, for_both_sides, unnamed_end
from analysis.games.shared.lines import (
    cells_with,
    check_board,
    complete_lines,
    find_lines,
    format_rows,
    line_test,
    parse_marks,
    rows_of,
    shared_cells,
)
from analysis.rules.game import ONGOING, Game, Rules, popcount
from analysis.rules.symmetry import geometric_symmetries

MOST_CELLS = 31  # two planes


@dataclasses.dataclass(frozen=True)
class Wild(Game):
    """Wild tic-tac-toe with ``rows`` x ``cols`` cells and ``k`` in a row.

    >>> Wild(misere=True).spec, Wild(misere=True).slug
    ('wild:rows=3,cols=3,k=3,misere=true', 'wild-misere')
    """

    family: ClassVar[str] = "wild"
    notation: ClassVar[str] = "A move is the mark and the cell that gets it; both players may place either mark."
    description: ClassVar[str] = "wild tic-tac-toe: either player places X or O, whoever completes k in a row wins"
    example: ClassVar[str] = "wild"
    sizes: ClassVar[str] = "up to 31 cells; 3 x 3 has 18,753 positions, 3 x 4 453,831"
    known: ClassVar[str] = (
        "3 x 3: the first player wins, from the centre; misere: a tie, by answering opposite with the other mark"
    )
    players: ClassVar[tuple[str, str]] = ("first", "second")
    typed_moves: ClassVar[str] = "marks"

    rows: int = 3
    cols: int = 3
    k: int = 3
    misere: bool = False

    def __post_init__(self) -> None:
        check_board(self.rows, self.cols, self.k, MOST_CELLS)

    def rules(self) -> Rules:
        """The rules as plain functions."""
        cells = self.rows * self.cols
        board = (1 << cells) - 1
        payoff = -1 if self.misere else 1
        has_line = line_test(self.rows, self.cols, self.k)

        def to_move(state: int) -> int:
            return 1 - 2 * (popcount(state) & 1)

        def outcome(state: int) -> int:
            x, o = state & board, state >> cells
            if has_line(x) or has_line(o):
                return payoff * (2 * (popcount(state) & 1) - 1)
            return 0 if x | o == board else ONGOING

        def legal_moves(state: int, out: Any) -> int:
            free = ~(state | state >> cells) & board
            count = 0
            while free:
                cell = popcount((free & -free) - 1)
                out[count] = 2 * cell
                out[count + 1] = 2 * cell + 1
                free &= free - 1
                count += 2
            return count

        def play(state: int, move: int) -> int:
            return state | 1 << ((move >> 1) + cells * (move & 1))

        return Rules(
            start=0,
            max_moves=2 * cells,
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=2 * cells - 1,
            cells=cells,
            planes=2,
            symmetries=geometric_symmetries(self.rows, self.cols, self._lines()),
            lines=self._lines(),
            max_plies=cells,
        )

    def _lines(self) -> tuple[tuple[int, ...], ...]:
        return find_lines(self.rows, self.cols, self.k)

    # Either side may move ---------------------------------------------------------------------------------------------

    def either_side(self) -> Rules:
        """The rules where either side may be given the move. The outcome depends on who completed the line, so a state
        with a line has one more bit, above the planes, set if the second player did.
        """
        cells = self.rows * self.cols
        board = (1 << cells) - 1
        payoff = -1 if self.misere else 1
        has_line = line_test(self.rows, self.cols, self.k)

        def outcome(state: int) -> int:
            x, o = state & board, state >> cells & board
            if has_line(x) or has_line(o):
                return payoff * (1 - 2 * (state >> (2 * cells)))
            return 0 if x | o == board else ONGOING

        def play(state: int, move: int) -> int:
            mark = move >> 1
            state |= 1 << ((mark >> 1) + cells * (mark & 1))
            if move & 1 and (has_line(state & board) or has_line(state >> cells)):
                state |= 1 << (2 * cells)
            return state

        return for_both_sides(self.rules(), outcome, play)

    def expected_either_side(self) -> list[float]:
        """States of `either_side` by ply, estimated from random fillings of the board."""
        return expected_boards(self.rows * self.cols, self._lines(), marks=2, ends=2)

    # Text -------------------------------------------------------------------------------------------------------------

    def parse_position(self, text: str) -> int:
        """The state written row by row as ``X``, ``O`` and ``?`` (also ``.``, ``_``, ``-``), rows apart by spaces or
        ``/`` if you like. Raises `PositionError` where no line of play reaches it.

        >>> Wild().parse_position("XO? / ?X? / ???") == 0b000000010_000010001
        True
        """
        x, o, complete = self._parse_marks(text)
        if not shared_cells(complete):  # one mark must have completed all lines at once
            raise PositionError(
                f"position {text!r} has moves after the end: no single mark completes all its lines of {self.k}"
            )
        return x | o << (self.rows * self.cols)

    def parse_either_side(self, text: str) -> int:
        """The same while the game goes on. Raises `PositionError` also where it is over, since the text does not say
        which side completed the line.
        """
        state = self.parse_position(text)
        if self._parse_marks(text)[2]:
            raise unnamed_end(text, self.k)
        return state

    def _parse_marks(self, text: str) -> tuple[int, int, list[int]]:
        """The X marks, the O marks, and the complete lines of either, as bits."""
        marks = parse_marks(text, self.rows, self.cols)
        x, o = cells_with("X", marks), cells_with("O", marks)
        return x, o, complete_lines(x, self._lines()) + complete_lines(o, self._lines())

    def format_position(self, state: int) -> str:
        """The board row by row.

        >>> Wild().format_position(0b000000010_000010001)
        'XO??X????'
        """
        return format_rows(self.grid(state), between="")

    def grid(self, state: int) -> list[list[str]]:
        """The board as rows of ``X``, ``O`` and blanks."""
        cells = self.rows * self.cols
        marks = ["X" if state >> c & 1 else "O" if state >> (c + cells) & 1 else " " for c in range(cells)]
        return rows_of(marks, self.cols)

    def parse_move(self, text: str) -> int:
        """The code of a move: the mark and the number of the cell. Raises `PositionError`.

        >>> Wild().parse_move("X4"), Wild().parse_move("o4")
        (8, 9)
        """
        mark, cell = text.strip()[:1].upper(), text.strip()[1:]
        cells = self.rows * self.cols
        if mark not in ("X", "O") or not (cell.isascii() and cell.isdecimal()) or int(cell) >= cells:
            raise PositionError(
                f"move {text!r} is none of {self.family}; write X or O and a cell from 0 to {cells - 1}: X0"
            )
        return 2 * int(cell) + (mark == "O")

    def format_move(self, move: int) -> str:
        """The mark and the number of the cell.

        >>> Wild().format_move(9)
        'O4'
        """
        return f"{'XO'[move & 1]}{move >> 1}"
