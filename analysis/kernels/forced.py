"""What X can force by pure bids, for all purses at once: the least chips that do, for every total.

A board's row holds -1, 0 or 1 for every holder of the advantage and every purse. A bid ``i`` guarantees the least of
what X places for after paying, of the tie, and of O's higher bids; the last depends on ``x + i`` alone if the loser is
paid (on ``x`` and ``o - i`` if the bank is), so it is a running minimum, and each bid is one loop over purses that the
compiler turns into vector instructions.
"""

from __future__ import annotations

import numba
import numpy as np

from analysis.kernels.bidding import CHOOSES, COIN
from analysis.kernels.types import int8_table, int64, int64s, kernel, uint32s

NONE = np.int8(2)
"""Above all payoffs: the minimum of nothing."""
NOTHING = np.int8(-2)
"""Below them: the maximum of nothing."""


@kernel(numba.void(int8_table, int64s, uint32s, int64, int8_table))
def best_of(below, offsets, rows, side, best):
    """`bidding.best_placements` for these payoffs, without the moves."""
    columns = below.shape[1]
    for b in range(len(offsets) - 1):
        mine = best[b]
        mine[:] = below[rows[offsets[b]]]
        for k in range(offsets[b] + 1, offsets[b + 1]):
            after = below[rows[k]]
            if side > 0:
                for s in range(columns):
                    mine[s] = max(mine[s], after[s])
            else:
                for s in range(columns):
                    mine[s] = min(mine[s], after[s])


@numba.njit(inline="always")
def tie_of(x_wins, x_wins_passing, o_wins, o_wins_passing, ties, x_holds):
    """What X is sure of if the bids are equal; a coin is taken to fall against X."""
    if ties == COIN:
        return min(x_wins, o_wins)
    if x_holds:
        return max(x_wins_passing, o_wins) if ties == CHOOSES else x_wins_passing
    return min(o_wins_passing, x_wins) if ties == CHOOSES else o_wins_passing


@numba.njit(inline="always")
def sure(outright, tie, above, bid, least, o):
    """What a bid guarantees, given what its three kinds of answers are worth; ``o`` chips of O allow what they do."""
    o_least = min(least, o)
    value = above
    if o_least <= bid <= o:
        value = min(value, tie)
    if bid > o_least:
        value = min(value, outright)
    return value


@kernel(numba.void(int8_table, int8_table, int64, int64, int64, int64, int8_table))
def loser_is_paid(x_best, o_best, total, least, ties, holders, out):
    """``out`` [boards, holders * (total + 1)], by X's chips, from what X and O place for."""
    purses = total + 1
    after = np.empty(purses + 1, np.int8)  # the least of o_best from here on
    for b in range(len(out)):
        for h in range(holders):
            own, other = h * purses, (holders - 1 - h) * purses
            after[purses] = NONE
            for x in range(total, -1, -1):
                after[x] = min(after[x + 1], o_best[b, own + x])
            unopposed, upto = NOTHING, 0  # the best of x_best before upto
            for x in range(purses):
                o = total - x
                best = NOTHING
                for bid in range(min(least, x), min(x, 1) + 1):
                    low, high = x - bid, x + bid
                    tie = NONE
                    if bid <= o:
                        tie = tie_of(x_best[b, own + low], x_best[b, other + low], o_best[b, own + high],
                                     o_best[b, other + high], ties, h == 0)  # fmt: skip
                    above = after[min(high + 1, purses)]
                    best = max(best, sure(x_best[b, own + low], tie, above, bid, least, o))
                while upto < min(2 * x - total, x - 1):  # bids above all that O has, and above 1
                    unopposed = max(unopposed, x_best[b, own + upto])
                    upto += 1
                out[b, own + x] = max(best, unopposed)
            for bid in range(2, total // 2 + 1):
                count, up = total - 2 * bid + 1, 2 * bid
                x_row, x_passing = x_best[b, own : own + count], x_best[b, other : other + count]
                o_row, o_passing = o_best[b, own + up : own + purses], o_best[b, other + up : other + purses]
                result, above = out[b, own + bid : own + bid + count], after[up + 1 :]
                for k in range(count):  # x = bid + k; slices, since only their indices are known not to be negative
                    tie = tie_of(x_row[k], x_passing[k], o_row[k], o_passing[k], ties, h == 0)
                    result[k] = max(result[k], min(min(x_row[k], tie), above[k]))


@kernel(numba.void(int8_table, int8_table, int64, int64, int64, int64, int8_table))
def bank_is_paid(x_best, o_best, total, least, ties, holders, out):
    """``out`` [boards, holders * (total + 1) ** 2], by X's chips and O's, which are at most ``total`` together."""
    width = total + 1
    purses = width * width
    before = np.empty(width + 1, np.int8)  # [o + 1]: the least of o_best up to o chips
    before[0] = NONE
    for b in range(len(out)):
        for h in range(holders):
            own, other = h * purses, (holders - 1 - h) * purses
            unopposed = np.full(width, NOTHING)  # by O's chips: the best of x_best before upto
            upto = np.zeros(width, np.int64)
            for x in range(width):
                here, there = own + x * width, other + x * width
                for o in range(width - x):
                    before[o + 1] = min(before[o], o_best[b, here + o])
                for o in range(width - x):
                    best = NOTHING
                    for bid in range(min(least, x), min(x, 1) + 1):
                        tie, paid, left = NONE, o - bid * width, o - bid
                        if bid <= o:
                            tie = tie_of(x_best[b, here + paid], x_best[b, there + paid],
                                         o_best[b, here + left], o_best[b, there + left], ties, h == 0)  # fmt: skip
                        best = max(best, sure(x_best[b, here + paid], tie, before[max(left, 0)], bid, least, o))
                    while upto[o] < min(x - o, x - 1):
                        unopposed[o] = max(unopposed[o], x_best[b, own + upto[o] * width + o])
                        upto[o] += 1
                    out[b, here + o] = max(best, unopposed[o])
                for bid in range(2, x + 1):
                    count, paid = width - x - bid, bid * width
                    x_row = x_best[b, here - paid + bid : here - paid + bid + count]
                    x_passing = x_best[b, there - paid + bid : there - paid + bid + count]
                    o_row, o_passing = o_best[b, here : here + count], o_best[b, there : there + count]
                    result = out[b, here + bid : here + bid + count]
                    for k in range(count):  # o = bid + k
                        tie = tie_of(x_row[k], x_passing[k], o_row[k], o_passing[k], ties, h == 0)
                        result[k] = max(result[k], min(min(x_row[k], tie), before[k]))
