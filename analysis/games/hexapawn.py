"""Hexapawn: chess pawns only, on any board of up to 31 cells (Martin Gardner, Scientific American, March 1962).

X has a row of pawns at the bottom and moves first, upwards; O has one at the top and moves downwards. A pawn goes one
step straight on to an empty cell, or captures one step diagonally. The player who reaches the last row wins, and the
player who is to move and cannot loses.

A state holds two planes of bits and who is to move, see `rules.boards`: the start, ``OOO/???/XXX X``, is
``0b0_000000111_111000000``. A move is ``6 * cell + way``: ways 0, 1, 2 are up to the left, straight and to the right,
ways 3, 4, 5 the same downwards, as seen on the board.

Pawns never go back, so the total of steps still ahead of all pawns falls with every move, by more if a pawn is
captured: the tier is how far it has fallen.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from ..rules.boards import NamedMoves, PieceGame, check_size, steps_made, turn_at, write_steps
from ..rules.game import ONGOING, Rules

MOST_CELLS = 31  # two planes of 31 bits and the side to move fill the 63 bits of a non-negative int64


@dataclasses.dataclass(frozen=True)
class Hexapawn(PieceGame, NamedMoves):
    """Hexapawn on ``rows`` x ``cols`` cells."""

    family = "hexapawn"
    title = "Hexapawn, {rows} x {cols}"
    goal = "Pawns step straight and capture aslant; reach the last row or leave the other no move."
    look = "pawns"
    notation = "a1-a2 steps, b1xc2 captures."
    description = "pawns that step straight and capture diagonally; reach the last row or block to win"
    example = "hexapawn"
    sizes = "up to 31 cells, 3 rows or more; 4x5 (359,894 positions) in a second"
    known = "3x3: the second player wins (Gardner 1962); 4x4: the first player wins"

    rows_from_bottom = True
    move_form = "a step like a1-a2 or a capture like a1xb2"

    rows: int = 3
    cols: int = 3

    def __post_init__(self) -> None:
        check_size(self.rows, self.cols, MOST_CELLS, least_rows=3)

    def rules(self) -> Rules:
        """Return the rules as plain functions; all moves of one direction are found by shifting whole planes."""
        rows, cols = self.rows, self.cols
        cells = rows * cols
        row, turn = (1 << cols) - 1, 1 << 2 * cells
        top, bottom = row, row << (cells - cols)
        start = bottom | top << cells
        x_still = [(r, row << r * cols) for r in range(rows)]
        o_still = [(rows - 1 - r, row << r * cols << cells) for r in range(rows)]
        mirror = tuple(r * cols + cols - 1 - c for r in range(rows) for c in range(cols))
        steps = self._steps()
        movers, to_move = self._movers(), turn_at(2 * cells)

        def outcome(state: int) -> int:
            if state & top:
                return 1
            if state >> cells & bottom:
                return -1
            left, straight, right = movers(state)
            return ONGOING if left | straight | right else -to_move(state)

        def legal_moves(state: int, out: Any) -> int:
            return write_steps(movers(state), 6, 3 if state & turn else 0, out)

        def play(state: int, move: int) -> int:
            cell, way = move // 6, move % 6
            source, target = 1 << cell, 1 << (cell + steps[way])
            if way < 3:
                return state ^ (state & target << cells) ^ (source | target) ^ turn
            return state ^ (state & target) ^ (source | target) << cells ^ turn

        return Rules(
            start=start,
            max_moves=3 * cols,
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=6 * (cells - 1) + 1,
            tier=steps_made(start, x_still + o_still),
            cells=cells,
            symmetries=tuple(dict.fromkeys((tuple(range(cells)), mirror))),
            max_plies=2 * cols * (rows - 2) + 1,  # all steps that do not end the game, plus one that does
        )

    def _movers(self) -> Callable[[int], tuple[int, int, int]]:
        rows, cols = self.rows, self.cols
        cells = rows * cols
        board, turn = (1 << cells) - 1, 1 << 2 * cells
        left_column = sum(1 << r * cols for r in range(rows))
        not_left, not_right = board ^ left_column, board ^ left_column << (cols - 1)

        def movers(state: int) -> tuple[int, int, int]:
            """Return the mover's pawns that can capture to the left, step straight, and capture to the right."""
            x, o = state & board, state >> cells & board
            empty = board ^ (x | o)
            if state & turn:
                return o & x >> (cols - 1) & not_left, o & empty >> cols, o & x >> (cols + 1) & not_right
            return x & o << (cols + 1) & not_left, x & empty << cols, x & o << (cols - 1) & not_right

        return movers

    def _steps(self) -> tuple[int, ...]:
        """Return the change in the number of the cell for each way."""
        return (-self.cols - 1, -self.cols, -self.cols + 1, self.cols - 1, self.cols, self.cols + 1)

    def most_pieces(self) -> int:
        """Return how many pawns each side has."""
        return self.cols

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield the squares that a pawn leaves and reaches."""
        for cell, (way, step) in itertools.product(range(self.cells), enumerate(self._steps())):
            target = cell + step
            if 0 <= target < self.cells and target % self.cols - cell % self.cols == way % 3 - 1:
                squares = (self.square(place) for place in (cell, target))
                yield 6 * cell + way, ("-" if way % 3 == 1 else "x").join(squares)
