"""Wild tic-tac-toe: either player may place either mark.

Two players in turn mark an empty cell of a ``rows`` x ``cols`` board with X or with O, as they like; the player who
completes ``k`` equal marks in an unbroken row, column or diagonal wins (``misere``: loses), and a full board without
such a line is a tie.

A state holds two planes of bits, see `rules.boards`. A move is 2 x cell, + 1 if the mark is an O; it is written
``X4``, ``O4``. Who is to move follows from the number of marks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from ..rules.boards import NamedMoves, each_twice, play_for_side
from ..rules.either_side import EitherEnds
from ..rules.game import ONGOING, Residual, Rules, popcount
from ..rules.lines import line_test
from ..rules.residuals import board_residual, check_bits


@dataclasses.dataclass(frozen=True)
class Wild(EitherEnds, NamedMoves):
    """Wild tic-tac-toe with ``rows`` x ``cols`` cells and ``k`` in a row."""

    family = "wild"
    title = "Wild tic-tac-toe, {rows} x {cols}"
    goal = "Each move puts down an X or an O, as one likes; whoever completes {k} equal ones in a row {wins}."
    notation = "A move is the mark and the cell that gets it; both players may place either mark."
    description = "wild tic-tac-toe: either player places X or O, k in a row wins"
    example = "wild"
    sizes = "up to 31 cells; 3 x 3 has 18,753 positions, 3 x 4 453,831"
    known = "3 x 3: the first player wins, from the centre; misere: a tie, by answering opposite with the other mark"
    typed_moves = "marks"
    move_form = "X or O and a cell, such as X0"

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        cells = self.cells
        board, payoff = (1 << cells) - 1, self.payoff
        has_line = line_test(self.rows, self.cols, self.k)

        def outcome(state: int) -> int:
            x, o = state & board, state >> cells
            if has_line(x) or has_line(o):
                return payoff * (2 * (popcount(state) & 1) - 1)
            return 0 if x | o == board else ONGOING

        rules = self.marking(outcome)
        return dataclasses.replace(
            rules,
            max_moves=2 * cells,
            legal_moves=each_twice(rules.legal_moves),
            play=play_for_side(cells),
            largest_code=2 * cells - 1,
        )

    def residual(self) -> Residual:
        """Return what is left to play: live lines and their marks. Raises `SymmetryError` for 30 cells or more."""
        check_bits(self.spec, self.cells, planes=2)
        return board_residual(self.rules(), self.shape, self.k, self.payoff, either_mark=True)

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield each move with its mark and the number of its cell."""
        return ((move, f"{'XO'[move & 1]}{move >> 1}") for move in range(2 * self.cells))
