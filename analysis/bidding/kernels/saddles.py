"""Find best placements and pure saddle points of the matrix game of bids, on ranks in an ascending table of values.

With ``p`` chips of X, its bid ``i`` against O's bid ``j`` leads to one of three values::

    i > j: x[p - i], X pays i and places       i < j: o[p + j], O pays j and places       i == j: by the tie rule

so the worst reply above a bid ``i`` is the least of ``o[p + i + 1:]``, which is the same for all purses: no matrix is
written out.
"""

from __future__ import annotations

import numba
import numpy as np

from ...engine.kernels.types import int16_table, int32_table, int64, int64s, kernel, uint8_table, uint8s, uint32s
from . import NO_BID

ABOVE_ALL = np.int32(2**31 - 1)
"""Above all ranks."""


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
    purses = x_best.shape[1] // 2
    above, below = np.empty(2 * purses + 1, np.int32), np.empty(purses + 1, np.int32)
    above[purses:], below[0] = ABOVE_ALL, -ABOVE_ALL
    tie = np.empty(purses, np.int32)
    for b in range(len(x_best)):
        for first in (0, purses):
            x_wins, o_wins = x_best[b, first : first + purses], o_best[b, first : first + purses]
            x_passed, o_passed = x_best[b, purses:], o_best[b, :purses]
            for k in range(purses):
                below[k + 1] = max(below[k], x_wins[k])
                above[purses - 1 - k] = min(above[purses - k], o_wins[purses - 1 - k])
            for p in range(purses):
                o = purses - 1 - p
                x_least, o_least = min(least, p), min(least, o)
                for bid in range(max(x_least, o_least), min(p, o) + 1):
                    if first == 0:
                        tie[bid] = max(x_passed[p - bid], o_wins[p + bid] if chooses else -ABOVE_ALL)
                    else:
                        tie[bid] = min(o_passed[p + bid], x_wins[p - bid] if chooses else ABOVE_ALL)
                low, x_which, high, o_which = -ABOVE_ALL, NO_BID, ABOVE_ALL, NO_BID
                for bid in range(x_least, p + 1):
                    sure = min(above[p + bid + 1], x_wins[p - bid] if bid > o_least else ABOVE_ALL)
                    sure = min(sure, tie[bid] if o_least <= bid <= o else ABOVE_ALL)
                    if sure > low:
                        low, x_which = sure, bid
                for bid in range(o_least, o + 1):
                    sure = max(below[max(p - bid, 0)], o_wins[p + bid] if bid > x_least else -ABOVE_ALL)
                    sure = max(sure, tie[bid] if x_least <= bid <= p else -ABOVE_ALL)
                    if sure < high:
                        high, o_which = sure, bid
                value[b, first + p] = low
                x_bid[b, first + p] = x_which if low == high else NO_BID
                o_bid[b, first + p] = o_which if low == high else NO_BID
