"""m,n,k games: tic-tac-toe and its relatives on any board of up to 31 cells.

Two players in turn mark an empty cell of a ``rows`` x ``cols`` board, X first; the player who first has ``k`` marks in
an unbroken row, column or diagonal wins (``misere``: loses), and a full board without one is a tie.

A state holds two planes of bits, see `rules.boards`. A move is the number of the cell. Who is to move follows from
the number of marks.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence

import numpy as np

from ..rules.boards import play_for_side
from ..rules.either_side import expected_boards, for_both_sides
from ..rules.game import ONGOING, Residual, Rules, popcount
from ..rules.lines import LineGame, line_test
from ..rules.residuals import board_residual, check_bits
from ..rules.square_residual import SIZES, square_residual


@dataclasses.dataclass(frozen=True)
class Mnk(LineGame):
    """The m,n,k game with ``rows`` x ``cols`` cells and ``k`` in a row."""

    family = "mnk"
    title = "{k} in a row, {rows} x {cols}"
    goal = "X and O in turn mark a cell; whoever first has {k} in a row {wins}."
    description = "k in a row on a rows x cols board, up to 31 cells; misere: k in a row loses"
    example = "mnk:rows=4,cols=4,k=4"
    sizes = (
        "up to 31 cells; 4 x 4 with k=4 has 9,722,011 positions (a second), 4 x 5 7e8 (--symmetry residual: minutes)"
    )
    known = "3,3,3, 4,4,4, 4,5,4 and 5,5,5: tie; 3,4,3: X wins; X never loses, by strategy stealing"

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        cells = self.cells

        def sides(state: int) -> tuple[int, int]:
            return state, state >> cells

        return self.marking(self._outcome(either=False), evaluations=self.line_evaluations(self.lines(), sides))

    def _outcome(self, *, either: bool) -> Callable[[int], int]:
        """Make ``outcome``, to be compiled, for alternate play or for moves by either side."""
        cells, board = self.cells, (1 << self.cells) - 1
        has_line = line_test(self.rows, self.cols, self.k)
        payoff = self.payoff

        def outcome(state: int) -> int:
            x, o = state & board, state >> cells
            odd = popcount(state) & 1  # in alternate play only the last mover can have completed a line
            if (either or odd) and has_line(x):
                return payoff
            if (either or not odd) and has_line(o):
                return -payoff
            return 0 if x | o == board else ONGOING

        return outcome

    def residual(self) -> Residual | None:
        """Return what is left to play: live lines and their marks. Raises `SymmetryError` for 30 cells or more."""
        if self.rows == self.cols == self.k and self.k in SIZES:
            return square_residual(self.k, self.payoff)
        check_bits(self.spec, self.cells, planes=2)
        return board_residual(self.rules(), self.shape, self.k, self.payoff)

    def either_side(self) -> Rules:
        """Return the rules with moves by either side: any number of marks of each, until one has a line."""
        return for_both_sides(self.rules(), self._outcome(either=True), play_for_side(self.cells))

    def expected_either_side(self) -> list[float]:
        """Estimate the states of `either_side` by ply from random fillings of the board."""
        return expected_boards(self.cells, self.lines(), marks=2)

    def format_positions(self, states: np.ndarray) -> Sequence[str]:
        """Return all boards at once, cell by cell."""
        cells = self.cells
        marks = np.frombuffer(b"?XO", dtype=np.uint8)
        text = np.empty((len(states), cells), dtype=np.uint8)
        for cell in range(cells):
            text[:, cell] = marks[(states >> cell & 1) + 2 * (states >> (cell + cells) & 1)]
        return text.view(f"S{cells}").ravel().astype(str).tolist()

    def expected_positions(self, samples: int = 2000) -> list[float]:
        """Estimate the positions by ply from random fillings of the board: the reachable share times the number of
        fillings, C(n, x) C(n - x, o). Exact if no filling is cut off by a line.
        """
        cells = self.cells
        order = np.random.default_rng(0).random((samples, cells)).argsort(axis=1)
        bits = np.int64(1) << order.astype(np.int64)
        masks = np.array([sum(1 << cell for cell in line) for line in self.lines()], dtype=np.int64)
        expected = []
        for ply in range(cells + 1):
            x = bits[:, : (ply + 1) // 2].sum(axis=1, dtype=np.int64)
            o = bits[:, (ply + 1) // 2 : ply].sum(axis=1, dtype=np.int64)
            last, other = (x, o) if ply % 2 else (o, x)
            complete = (last[:, None] & masks) == masks
            shared = np.bitwise_and.reduce(np.where(complete, masks, -1), axis=1)
            other_has_none = ~((other[:, None] & masks) == masks).any(axis=1)
            reachable = other_has_none & (~complete.any(axis=1) | (shared != 0))
            fillings = math.comb(cells, ply) * math.comb(ply, ply // 2)
            expected.append(float(reachable.mean()) * fillings)
        return expected


@dataclasses.dataclass(frozen=True)
class TicTacToe(Mnk):
    """Three in a row on the 3x3 board: ``mnk`` with fixed sizes."""

    family = "tictactoe"
    title = "Tic-tac-toe"
    goal = "X and O in turn mark a cell; whoever first has three in a row {wins}."
    description = "three in a row on the 3x3 board: mnk with 3,3,3"
    example = "tictactoe"
    sizes = "5,478 positions in 765 classes"
    known = "a tie; 255,168 games (OEIS A061526 and following)"

    rows: int = dataclasses.field(default=3, init=False)
    cols: int = dataclasses.field(default=3, init=False)
    k: int = dataclasses.field(default=3, init=False)
