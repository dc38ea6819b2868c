"""Notakto: tic-tac-toe in which both players place X.

Two players in turn put an X on an empty cell of a ``rows`` x ``cols`` board; the player who completes ``k`` in an
unbroken row, column or diagonal loses (``misere``: wins).

There are no ties: a full board is full of X, and since ``k`` is at most the longer side it holds a line, so the game
ends with the last cell at the latest.

With ``misere=true`` every end is a loss for the player to move, who cannot move: that is the normal play convention of
impartial games, and positions have nimbers. Otherwise the player to move at the end has won, and there are none. (What
is called notakto is itself the misere form of completing lines; the flag is named as in the other games of lines, where
it reverses the payoffs.)

A state holds one bit per cell, bit ``i`` for cell ``i``, cells numbered row by row; on the 3x3 board
``X?? / ?X? / ???`` is ``0b000010001``. A move is the number of the cell. Who is to move follows from the number of
marks.
"""

from __future__ import annotations

import dataclasses

from ..errors import SpecError
from ..rules.either_side import EitherEnds
from ..rules.game import ONGOING, Residual, Rules, popcount
from ..rules.lines import line_test
from ..rules.residuals import check_bits, one_mark_residual
from ..rules.symmetry import automorphisms


@dataclasses.dataclass(frozen=True)
class Notakto(EitherEnds):
    """Notakto on one board of ``rows`` x ``cols`` cells with ``k`` in a row."""

    family = "notakto"
    title = "Notakto, {rows} x {cols}"
    goal = "Both players put down X; whoever completes {k} in a row loses."
    description = "both players place X, the player who completes k in a row loses; misere: wins"
    example = "notakto"
    sizes = "up to 62 cells; 3 x 3 has 450 positions, 4 x 4 with k=4 61,950, 5 x 5 with k=5 32,809,978"
    known = "3 x 3: the first player wins, only from the centre (Plambeck and Whitehead, arXiv 1301.1672)"
    most_cells = 62
    marks = "X"
    kinds = 1
    completing_wins = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k > max(self.shape):
            most = max(self.shape)
            reason = f"k={self.k} is longer than a {self.rows} x {self.cols} board, where at most {most} fit"
            raise SpecError(f"{reason}; only a line ends the game")

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        payoff = self.payoff
        has_line = line_test(self.rows, self.cols, self.k)

        def outcome(state: int) -> int:
            return payoff * (2 * (popcount(state) & 1) - 1) if has_line(state) else ONGOING

        return self.marking(outcome, planes=1, impartial=self.misere)

    def residual(self) -> Residual:
        """Return what is left to play: lines that can be completed first. Raises `SymmetryError` above 57 cells."""
        check_bits(self.spec, self.cells, planes=1)
        rules = self.rules()
        symmetries = rules.symmetries
        if self.rows == self.cols == self.k:  # otherwise those of the board, or too many to try
            symmetries = tuple(automorphisms(self.cells, rules.lines).elements())
        return one_mark_residual(rules, symmetries, self.payoff)
