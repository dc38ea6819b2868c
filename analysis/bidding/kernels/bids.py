"""The best pure bid of each side at one purse, for many boards at once.

With X's bid ``i`` and O's bid ``j`` the matrix of bids has three kinds of entries only::

    i > j: A[i], X pays i and places       i < j: B[j], O pays j and places       i == j: D[i], as the tie rule says

so what a bid of X guarantees is the least of A[i], D[i] and the B of all bids above it, a running minimum: no matrix is
written out. All boards of a tier have the same purses and bids, so a board is a lane: arrays are [columns, lanes], a
column being a holder of the advantage and a purse, and the inner loops, over lanes, have no branches.
"""

from __future__ import annotations

import numba
import numpy as np

PASSES, CHOOSES, COIN, UNLUCKY = 0, 1, 2, 3
"""Tie rules: the holder wins and passes the advantage on; wins so, or keeps it and loses; a fair coin; a coin that
always falls against X."""


@numba.njit
def to_lanes(boards, first, lanes):
    """Write rows of ``boards`` from ``first`` on as columns; the last board fills what is left."""
    for lane in range(lanes.shape[1]):
        row = boards[min(first + lane, len(boards) - 1)]
        for column in range(len(row)):
            lanes[column, lane] = row[column]


@numba.njit
def fill_ties(tie, x_wins, o_wins, own, other, p, x_pays, o_pays, first, last, ties, x_holds, pairs, ranks, values):
    """Write what the equal bids ``first .. last`` at purse ``p`` are worth into ``tie`` [bids, lanes].

    Columns ``own`` on are for the holder of the advantage as it is, ``other`` on for the other one. Under `COIN` the
    mean of ranks ``a`` of X's and ``b`` of O's winning is found where the sorted ``pairs`` hold ``a * values + b``.
    """
    for bid in range(first, last + 1):
        x_after, o_after, row = p - bid * x_pays, p + bid * o_pays, tie[bid]
        x_own, o_own = x_wins[own + x_after], o_wins[own + o_after]
        if ties == COIN:
            for lane in range(tie.shape[1]):
                pair = np.int64(x_own[lane]) * values + o_own[lane]
                row[lane] = ranks[np.searchsorted(pairs, pair)]
        elif ties == UNLUCKY:
            for lane in range(tie.shape[1]):
                row[lane] = min(x_own[lane], o_own[lane])
        elif x_holds:
            row[:] = x_wins[other + x_after]
            if ties == CHOOSES:
                for lane in range(tie.shape[1]):
                    row[lane] = max(row[lane], o_own[lane])
        else:
            row[:] = o_wins[other + o_after]
            if ties == CHOOSES:
                for lane in range(tie.shape[1]):
                    row[lane] = min(row[lane], x_own[lane])


@numba.njit
def best_of_x(low, which, above, x_wins, o_wins, tie, at, x_pays, o_pays, x_least, x, o_least, o, most):
    """X's least bid of those that guarantee most, and what it guarantees, per lane.

    ``at`` is the column, from which X's bid ``i`` leads to ``at - i * x_pays`` and O's ``j`` to ``at + j * o_pays``;
    ``most`` is above all values, and the last row of ``tie`` holds nothing else.
    """
    nothing, j = tie[-1], o
    low[:], above[:] = -most, most
    for bid in range(x, max(o, x_least - 1), -1):  # O cannot bid so much
        wins = x_wins[at - bid * x_pays]
        for lane in range(len(low)):
            better = wins[lane] >= low[lane]
            low[lane] = wins[lane] if better else low[lane]
            which[lane] = bid if better else which[lane]
    for bid in range(min(x, o), x_least - 1, -1):
        while j > bid and j >= o_least:
            higher = o_wins[at + j * o_pays]
            for lane in range(len(low)):
                above[lane] = min(above[lane], higher[lane])
            j -= 1
        wins = x_wins[at - bid * x_pays] if bid > o_least else nothing
        equal = tie[bid] if o_least <= bid <= o else nothing
        for lane in range(len(low)):
            surely = min(min(above[lane], wins[lane]), equal[lane])
            better = surely >= low[lane]
            low[lane] = surely if better else low[lane]
            which[lane] = bid if better else which[lane]


@numba.njit
def best_of_o(high, which, above, x_wins, o_wins, tie, at, x_pays, o_pays, x_least, x, o_least, o, most):
    """The same for O, who wants little; the last row but one of ``tie`` holds ``-most``."""
    nothing, i = tie[-2], x
    high[:], above[:] = most, -most
    for bid in range(o, max(x, o_least - 1), -1):  # X cannot bid so much
        wins = o_wins[at + bid * o_pays]
        for lane in range(len(high)):
            better = wins[lane] <= high[lane]
            high[lane] = wins[lane] if better else high[lane]
            which[lane] = bid if better else which[lane]
    for bid in range(min(x, o), o_least - 1, -1):
        while i > bid and i >= x_least:
            higher = x_wins[at - i * x_pays]
            for lane in range(len(high)):
                above[lane] = max(above[lane], higher[lane])
            i -= 1
        wins = o_wins[at + bid * o_pays] if bid > x_least else nothing
        equal = tie[bid] if x_least <= bid <= x else nothing
        for lane in range(len(high)):
            surely = max(max(above[lane], wins[lane]), equal[lane])
            better = surely <= high[lane]
            high[lane] = surely if better else high[lane]
            which[lane] = bid if better else which[lane]
