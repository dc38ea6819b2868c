"""Dodgem: cars that leave the board, on n x n cells (Colin Vout, 1972; Winning Ways, chapter 22).

X has n - 1 cars on the left edge, all but the bottom corner, and drives right; O has n - 1 cars on the bottom edge, all
but the left corner, and drives up. A move takes one car one cell forwards or sideways, never backwards, to an empty
cell; a car may leave the board for good by a forward move over the far edge. X moves first. The player who first has no
car left wins, and so does a player who is to move and cannot, so blocking the other side completely loses. (Winning
Ways has one rule for both, "whoever first cannot move wins", which gives the same winner.)

A state holds two planes of bits and who is to move, see `rules.boards`: the start, ``X??/X??/?OO X``, is
``0b0_110000000_000001001``. A move is ``5 * cell + way``, the ways being 0 up, 1 down, 2 left, 3 right and 4 off the
board.

Steps sideways can be taken back, so the game is loopy; steps forwards cannot, and the tier counts them.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from ..rules.boards import NamedMoves, PieceGame, check_range, steps_made, turn_at, write_steps
from ..rules.game import ONGOING, Rules

MOST_N = 5  # two planes of 25 bits and the side to move; 36 cells would need 73 bits


@dataclasses.dataclass(frozen=True)
class Dodgem(PieceGame, NamedMoves):
    """Dodgem on ``n`` x ``n`` cells."""

    family = "dodgem"
    title = "Dodgem, {n} x {n}"
    goal = "X drives right and O up; whoever first has all cars off the board wins."
    look = "cars"
    notation = "a2-b2 moves a car, c2-off takes it off the board; X leaves to the right, O over the top."
    description = "n - 1 cars each, driving right and up; first to leave an n x n board wins (loopy)"
    example = "dodgem"
    sizes = "n up to 5; 3x3 has 1,963 positions, 4x4 393,900, 5x5 164,308,067"
    known = "3x3: the first player wins (Winning Ways); 4x4 and 5x5: a draw (des Jardins 1996)"

    rows_from_bottom = True
    move_form = "a move like a1-b1, or off for the second square to leave the board, such as a1-off"

    n: int = 3

    def __post_init__(self) -> None:
        check_range(2, MOST_N, n=self.n)

    def rules(self) -> Rules:
        """Return the rules as plain functions; all moves of one direction are found by shifting whole planes."""
        n = self.n
        cells = n * n
        board, turn = (1 << cells) - 1, 1 << 2 * cells
        row, column, corner = (1 << n) - 1, sum(1 << r * n for r in range(n)), 1 << (cells - n)
        start = column ^ corner | (row << (cells - n) ^ corner) << cells
        x_still = [(n - c, column << c) for c in range(n)]
        o_still = [(r + 1, row << r * n << cells) for r in range(n)]
        steps = (-n, n, -1, 1)
        movers, to_move = self._movers(), turn_at(2 * cells)

        def outcome(state: int) -> int:
            if not state & board:
                return 1
            if not state >> cells & board:
                return -1
            up, down, left, right, off = movers(state)
            return ONGOING if up | down | left | right | off else to_move(state)

        def legal_moves(state: int, out: Any) -> int:
            return write_steps(movers(state), 5, 0, out)

        def play(state: int, move: int) -> int:
            cell, way = move // 5, move % 5
            change = 1 << cell
            if way < 4:
                change |= 1 << (cell + steps[way])
            return state ^ (change << cells if state & turn else change) ^ turn

        return Rules(
            start=start,
            max_moves=3 * (n - 1),
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=5 * (cells - 1) + 4,
            tier=steps_made(start, x_still + o_still),
            loopy=True,
        )

    def _movers(self) -> Callable[[int], tuple[int, int, int, int, int]]:
        n, cells = self.n, self.n**2
        board, top, turn = (1 << cells) - 1, (1 << n) - 1, 1 << 2 * cells
        left_column = sum(1 << r * n for r in range(n))
        right_column = left_column << (n - 1)
        not_left, not_right = board ^ left_column, board ^ right_column

        def movers(state: int) -> tuple[int, int, int, int, int]:
            """Return the mover's cars that can go up, down, left, right and off the board."""
            x, o = state & board, state >> cells & board
            empty = board ^ (x | o)
            if state & turn:
                return o & empty << n, 0, o & (empty & not_right) << 1, o & (empty & not_left) >> 1, o & top
            return x & empty << n, x & empty >> n, 0, x & (empty & not_left) >> 1, x & right_column

        return movers

    def most_pieces(self) -> int:
        """Return how many cars each side has."""
        return self.n - 1

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield the square that a car leaves and the one that it reaches, or ``off`` the board."""
        n = self.n
        for row, col in itertools.product(range(n), repeat=2):
            cell = row * n + col
            steps = ((row > 0, -n), (row < n - 1, n), (col > 0, -1), (col < n - 1, 1), (row == 0 or col == n - 1, 0))
            for way, (possible, step) in enumerate(steps):
                target = self.square(cell + step) if step else "off"
                if possible:
                    yield 5 * cell + way, f"{self.square(cell)}-{target}"
