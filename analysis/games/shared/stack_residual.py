"""What is left to play where stones fall down columns: the heights of the columns, and the stones on live lines.

A line is dead if both sides have stones on it, or if nobody can fill it in the moves that are left to him. Which side a
stone on no live line is of does not matter.

A state holds two planes of bits, the cells of X below those of O; column c has the bits ``rows * c`` and those after
it, the lowest for the bottom cell. A stone that no line needs is in both planes, which says that its lines are dead. Of
the board and its mirror image the lesser is taken. Where the game is over by a line the bit above the planes is set,
and the rest is the ply, which says who has won. Moves are columns, as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from analysis.errors import SymmetryError
from analysis.rules.game import ONGOING, Residual, Rules, popcount

MOST_CELLS = 31
"""Two planes of them, and one bit more."""


def check_stacks(name: str, rows: int, cols: int) -> None:
    """Raise `SymmetryError` where the residual states of a board do not fit."""
    if rows * cols > MOST_CELLS:
        raise SymmetryError(
            f"what is left to play in {name} takes {2 * rows * cols + 1} bits, 2 for each of {rows * cols} cells and 1 "
            "where it is over; at most 63 fit a state"
        )


def stack_residual(
    rows: int, cols: int, k: int, lines: Sequence[Sequence[int]], payoff: int, planes: Callable[[int], tuple[int, int]]
) -> Residual:
    """What is left to play on ``rows`` x ``cols`` cells where the first player gets this ``payoff`` for a line of ``k``
    stones of his own, and gives it for one of the second player's. ``lines`` are of bits, and ``planes(state)``, to be
    compiled, gives X's stones and O's of an ordinary state so.
    """
    masks = np.array([sum(1 << cell for cell in line) for line in lines], np.int64)
    cells, column = rows * cols, (1 << rows) - 1
    board, over = (1 << cells) - 1, 1 << 2 * cells
    left = _left(masks, _live(masks, cells, k), _mirrored(rows, cols), cells)

    def of(state: int) -> int:
        x, o = planes(state)
        return left(x, o)

    def legal_moves(state: int, out: Any) -> int:
        stones, found = (state | state >> cells) & board, 0
        for c in range(cols):
            if stones >> rows * c & column != column:
                out[found] = c
                found += 1
        return found

    def play(state: int, move: int) -> int:
        x, o = state & board, state >> cells
        stones = x | o
        cell = (stones >> rows * move & column) + 1 << rows * move
        return left(x, o | cell) if popcount(stones) & 1 else left(x | cell, o)

    def outcome(state: int) -> int:
        if state & over:
            return payoff * (2 * (state & 1) - 1)
        return 0 if (state | state >> cells) & board == board else ONGOING

    def to_move(state: int) -> int:
        ply = state if state & over else popcount((state | state >> cells) & board)
        return 1 - 2 * (ply & 1)

    def text(state: int) -> str:
        """Stones row by row from the top, # for one that no line needs."""
        if state & over:
            return f"a line after {state - over}"
        marks = ["?XO#"[(state >> cell & 1) + 2 * (state >> cell + cells & 1)] for cell in range(cells)]
        return "/".join("".join(marks[c * rows + r] for c in range(cols)) for r in range(rows - 1, -1, -1))

    own = Rules(
        start=0,
        max_moves=cols,
        legal_moves=legal_moves,
        play=play,
        outcome=outcome,
        to_move=to_move,
        largest_code=cols - 1,
        max_plies=cells,
    )
    return Residual(of, own, text)


def _left(
    masks: np.ndarray, live: Callable[[int, int, int, int], bool], mirrored: Callable[[int], int], cells: int
) -> Callable[[int, int], int]:
    """``left(x, o)``: the state with these stones; those of no importance are of both."""
    count, over = len(masks), 1 << 2 * cells

    def left(x: int, o: int) -> int:
        needed, ply = 0, popcount(x | o)
        for line in range(count):
            mask = int(masks[line])
            if (x & mask == mask and not o & mask) or (o & mask == mask and not x & mask):
                return over | ply
            if live(x, o, ply, line):
                needed |= mask
        both = (x | o) & ~needed
        x, o = x | both, o | both
        return min(x | o << cells, mirrored(x) | mirrored(o) << cells)

    return left


def _live(masks: np.ndarray, cells: int, k: int) -> Callable[[int, int, int, int], bool]:
    """``live(x, o, ply, line)``: whether somebody can still fill a line."""

    def live(x: int, o: int, ply: int, line: int) -> bool:
        mask, left = int(masks[line]), cells - ply
        if x & mask and o & mask:
            return False
        x_left = left + 1 - (ply & 1) >> 1
        most = x_left if x & mask else left - x_left if o & mask else max(x_left, left - x_left)
        return k - popcount((x | o) & mask) <= most

    return live


def _mirrored(rows: int, cols: int) -> Callable[[int], int]:
    """``mirrored(cells)``: the columns from right to left."""
    column = (1 << rows) - 1

    def mirrored(cells: int) -> int:
        image = 0
        for c in range(cols):
            image |= (cells >> rows * c & column) << rows * (cols - 1 - c)
        return image

    return mirrored
