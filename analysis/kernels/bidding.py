"""Bidding games: best placements, and pure saddle points of the matrix game of bids, in arrays of ranks.

Values are given by their rank in an ascending table, so that every comparison is exact whatever the values are. A row
of an array is a board, its columns are the chips and the advantage: entry ``h * purses + p`` for holder ``h`` and purse
``p``. With X's bid ``i`` and O's bid ``j`` the matrix has three kinds of entries only::

    i > j: A[i], X pays i and places       i < j: B[j], O pays j and places       i == j: D[i], as the tie rule says

so what a bid guarantees needs no matrix, just the least B of the bids above it (and the greatest A above, for O).
"""

from __future__ import annotations

import numba
import numpy as np

from analysis.kernels.types import (
    int16_table,
    int16s,
    int32_table,
    int32s,
    int64,
    int64s,
    kernel,
    uint8_table,
    uint8s,
    uint32s,
)

PASSES, CHOOSES, COIN = 0, 1, 2
"""Tie rules: the holder wins and passes the advantage on; wins so or keeps it and loses; a fair coin."""
NO_BID = -1
"""A bid where there is no saddle point."""
ABOVE_ALL, BELOW_ALL = np.int64(2**31 - 1), np.int64(-(2**31))


@kernel(numba.void(int32_table, int64s, uint32s, uint8s, int64, int32_table, uint8_table))
def best_placements(below, offsets, rows, moves, side, best, which):
    """For each board and purse the best value that a side can place for, and the move: the first of the best.

    ``below`` [boards of the next tier, columns] holds their ranks; placements of board ``b`` are the entries
    ``offsets[b] .. offsets[b + 1]`` of ``rows`` and ``moves``; ``side`` is +1 to maximise and -1 to minimise.
    """
    columns = below.shape[1]
    for b in range(len(offsets) - 1):
        begin = offsets[b]
        for s in range(columns):
            best[b, s] = below[rows[begin], s]
            which[b, s] = moves[begin]
        for k in range(begin + 1, offsets[b + 1]):
            row, move = rows[k], moves[k]
            for s in range(columns):
                value = below[row, s]
                if (value > best[b, s]) if side > 0 else (value < best[b, s]):
                    best[b, s] = value
                    which[b, s] = move


@numba.njit(inline="always")
def fill_ties(tie, x_best, o_best, own, other, p, x_pays, o_pays, first, last, ties, x_holds, pairs, ranks, values):
    """Write the ranks of the tied bids ``first .. last`` into ``tie``; for the rest see `saddles`."""
    for i in range(first, last + 1):
        x_after, o_after = p - i * x_pays, p + i * o_pays
        if ties == COIN:
            pair = np.int64(x_best[own + x_after]) * values + o_best[own + o_after]
            tie[i] = ranks[np.searchsorted(pairs, pair)]
        elif x_holds:
            tie[i] = x_best[other + x_after]
            if ties == CHOOSES:
                tie[i] = max(tie[i], o_best[own + o_after])
        else:
            tie[i] = o_best[other + o_after]
            if ties == CHOOSES:
                tie[i] = min(tie[i], x_best[own + x_after])


@numba.njit(inline="always")
def pure_bid(wins, step, least, most, loses, their_step, their_least, their_most, tie, at, sign):
    """The least of a player's best pure bids, and ``sign`` times what it guarantees: ``sign`` is +1 for X, -1 for O.

    ``wins[at + bid * step]`` is what the own bid is worth where it is higher, ``loses[at + bid * their_step]`` what the
    opponent's bid is worth, ``tie[bid]`` what an equal one is.
    """
    best, which, above, j = BELOW_ALL, least, ABOVE_ALL, their_most
    for i in range(most, least - 1, -1):
        while j > i and j >= their_least:
            above = min(above, sign * loses[at + j * their_step])
            j -= 1
        surely = above
        if their_least <= i <= their_most:
            surely = min(surely, sign * tie[i])
        if i > their_least:
            surely = min(surely, sign * wins[at + i * step])
        if surely >= best:
            best, which = surely, i
    return best, which


@kernel(
    numba.void(
        int32_table, int32_table, int16s, int16s, int64, int64, int64, int64, int64, int64s, int32s, int64,
        int32_table, int16_table, int16_table,
    )
)  # fmt: skip
def saddles(x_best, o_best, x_chips, o_chips, x_pays, o_pays, least, ties, holders, pairs, ranks, values,
            value, x_bid, o_bid):  # fmt: skip
    """The saddle point of every state, or `NO_BID` twice where there is none; ``value`` is then what X's best pure bid
    guarantees.

    ``x_best`` and ``o_best`` [boards, holders * purses] are ranks: what X or O places for, once the chips and the
    advantage are as the column says. A bid ``i`` of X leads from purse ``p`` to ``p - i * x_pays``, a bid ``j`` of O to
    ``p + j * o_pays``. Under `COIN` the mean of the ranks ``a`` of X's and ``b`` of O's winning has the rank that
    ``ranks`` holds where ``pairs``, sorted, holds ``a * values + b``. Of several optimal bids the least is written.
    """
    purses = len(x_chips)
    tie = np.empty(np.int64(max(x_chips.max(), o_chips.max())) + 1, np.int32)
    for b in range(len(x_best)):
        x_row, o_row = x_best[b], o_best[b]
        for h in range(holders):
            own, other = h * purses, (holders - 1 - h) * purses
            for p in range(purses):
                x, o, column = np.int64(x_chips[p]), np.int64(o_chips[p]), own + p
                x_least, o_least = min(least, x), min(least, o)
                first, last = max(x_least, o_least), min(x, o)
                fill_ties(tie, x_row, o_row, own, other, p, x_pays, o_pays, first, last, ties, h == 0,
                          pairs, ranks, values)  # fmt: skip
                low, i = pure_bid(x_row, -x_pays, x_least, x, o_row, o_pays, o_least, o, tie, column, 1)
                high, j = pure_bid(o_row, o_pays, o_least, o, x_row, -x_pays, x_least, x, tie, column, -1)
                found = low == -high
                value[b, column] = low
                x_bid[b, column] = i if found else NO_BID
                o_bid[b, column] = j if found else NO_BID
