"""Find best placements and pure saddle points of the matrix game of bids, on ranks in an ascending table of values.

With ``p`` chips of X, its bid ``i`` against O's bid ``j`` leads to one of three values::

    i > j: x[p - i], X pays i and places       i < j: o[p + j], O pays j and places       i == j: by the tie rule

so the worst reply above a bid ``i`` is the least of ``o[p + i + 1:]``, which is the same for all purses: no matrix is
written out.
"""

from __future__ import annotations

import numba
import numpy as np

from ...engine.kernels.types import (
    helper,
    int16_table,
    int32_table,
    int64,
    int64s,
    kernel,
    uint8_table,
    uint8s,
    uint32s,
)
from . import NO_BID

ABOVE_ALL = np.int32(2**31 - 1)
"""Above all ranks."""
LANES = 64
"""Boards at once: four cache lines of ranks, which take vector instructions."""


@helper
def lesser(first, second, least, sign):
    """Write the lesser of two ranks of each board, or the greater if ``sign`` is -1."""
    for lane in range(LANES):
        least[lane] = sign * min(sign * first[lane], sign * second[lane])


@kernel(numba.void(int32_table, int64s, uint32s, uint8s, int64, int32_table, uint8_table))
def best_placements(below, offsets, rows, moves, side, best, which):
    """Find for each board and column a side's best value by placing, and the first move that reaches it.

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


@kernel(numba.void(int32_table, int32_table, int64, int64, int32_table, int16_table, int16_table))
def saddles(x_best, o_best, least, chooses, value, x_bid, o_bid):
    """Find the saddle point of every state, or `NO_BID` twice where there is none; ``value`` is then what X's best pure
    bid guarantees.

    ``x_best`` and ``o_best`` [boards, columns] are the ranks of X's and O's best placements with the chips and the
    advantage of a column: X holds it in the first half; in both, X has 0, 1, ... chips. ``least`` is the least bid, and
    ``chooses`` says whether the holder may leave a tie. Among optimal bids the least is written.
    """
    columns = x_best.shape[1]
    purses = columns // 2
    x_wins, o_wins = np.empty((columns, LANES), np.int32), np.empty((columns, LANES), np.int32)
    above, below = np.empty((2 * purses + 1, LANES), np.int32), np.empty((purses + 1, LANES), np.int32)
    tie = np.empty((purses + 2, LANES), np.int32)
    above[purses:], below[0], tie[-1], tie[-2] = ABOVE_ALL, -ABOVE_ALL, ABOVE_ALL, -ABOVE_ALL
    low, high = np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    x_which, o_which = np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    for begin in range(0, len(x_best), LANES):
        end = min(begin + LANES, len(x_best))
        x_wins[:, : end - begin], o_wins[:, : end - begin] = x_best[begin:end].T, o_best[begin:end].T
        for first in (0, purses):
            for k in range(purses):
                lesser(below[k], x_wins[first + k], below[k + 1], -1)
                lesser(above[purses - k], o_wins[first + purses - 1 - k], above[purses - 1 - k], 1)
            for p in range(purses):
                o, at = purses - 1 - p, first + p
                x_least, o_least = min(least, p), min(least, o)
                for bid in range(max(x_least, o_least), min(p, o) + 1):
                    if first == 0:
                        lesser(x_wins[at - bid + purses], o_wins[at + bid] if chooses else tie[-2], tie[bid], -1)
                    else:
                        lesser(o_wins[at + bid - purses], x_wins[at - bid] if chooses else tie[-1], tie[bid], 1)
                low[:], high[:] = -ABOVE_ALL, ABOVE_ALL
                for bid in range(x_least, p + 1):
                    wins = x_wins[at - bid] if bid > o_least else tie[-1]
                    equal = tie[bid] if o_least <= bid <= o else tie[-1]
                    dearer = above[p + bid + 1]
                    for lane in range(LANES):
                        sure = min(min(dearer[lane], wins[lane]), equal[lane])
                        x_which[lane] = bid if sure > low[lane] else x_which[lane]
                        low[lane] = max(sure, low[lane])
                for bid in range(o_least, o + 1):
                    wins = o_wins[at + bid] if bid > x_least else tie[-2]
                    equal = tie[bid] if x_least <= bid <= p else tie[-2]
                    dearer = below[max(p - bid, 0)]
                    for lane in range(LANES):
                        sure = max(max(dearer[lane], wins[lane]), equal[lane])
                        o_which[lane] = bid if sure < high[lane] else o_which[lane]
                        high[lane] = min(sure, high[lane])
                for lane in range(end - begin):
                    pure = low[lane] == high[lane]
                    value[begin + lane, at] = low[lane]
                    x_bid[begin + lane, at] = x_which[lane] if pure else NO_BID
                    o_bid[begin + lane, at] = o_which[lane] if pure else NO_BID
