"""What the rules of several families have in common, as plain functions to be compiled with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analysis.rules.game import Rules, popcount


def write_cells(cells: int, out: Any) -> int:
    """Write the numbers of the bits that are set, ascending; how many there are.

    >>> out = [0, 0]
    >>> write_cells(0b1010, out), out
    (2, [1, 3])
    """
    count = 0
    while cells:
        out[count] = popcount((cells & -cells) - 1)
        cells &= cells - 1
        count += 1
    return count


def turn_at(bit: int) -> Callable[[int], int]:
    """``to_move(state)`` for states with a bit that is set where the second player moves, and none above it."""

    def to_move(state: int) -> int:
        return 1 - 2 * (state >> bit)

    return to_move


def turn_by_marks(state: int) -> int:
    """``to_move(state)`` for states with one more bit set after every move, and none at the start."""
    return 1 - 2 * (popcount(state) & 1)


def play_for_side(cells: int) -> Callable[[int, int], int]:
    """``play(state, move)`` for moves of 2 x cell, + 1 where the mark goes to the second plane of ``cells`` bits."""

    def play(state: int, move: int) -> int:
        return state | 1 << ((move >> 1) + cells * (move & 1))

    return play


def each_twice(moves_of_one: Callable[[int, Any], int]) -> Callable[[int, Any], int]:
    """``legal_moves(state, out)`` that gives every move m of another such function as 2 m and 2 m + 1."""

    def legal_moves(state: int, out: Any) -> int:
        count = moves_of_one(state, out)
        for i in range(count - 1, -1, -1):  # from the last, so that none is overwritten before it is read
            out[2 * i + 1] = 2 * out[i] + 1
            out[2 * i] = 2 * out[i]
        return 2 * count

    return legal_moves


def placing_rules(cells: int, outcome: Callable[[int], int], *, planes: int = 2, **others: Any) -> Rules:
    """The rules of a game in which players in turn put a mark on an empty cell of a board: each on a plane of bits, or
    both on the only one. ``others`` are further fields of `Rules`.
    """
    board, second = (1 << cells) - 1, cells * (planes - 1)

    def legal_moves(state: int, out: Any) -> int:
        return write_cells(~(state | state >> cells) & board, out)

    def play(state: int, move: int) -> int:
        return state | 1 << (move + second * (popcount(state) & 1))

    return Rules(
        start=0,
        max_moves=cells,
        legal_moves=legal_moves,
        play=play,
        outcome=outcome,
        to_move=turn_by_marks,
        largest_code=cells - 1,
        cells=cells,
        planes=planes,
        max_plies=cells,
        **others,
    )
