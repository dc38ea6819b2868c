"""What X can force by pure bids, for every purse: the least chips that do. Payoffs are -1, 0 and 1."""

from __future__ import annotations

import numba
import numpy as np

from analysis.bidding.kernels.bids import COIN, UNLUCKY, best_of_x, fill_ties, to_lanes
from analysis.engine.kernels.types import int8_table, int16s, int64, int64s, kernel, uint32s

ABOVE_ALL = np.int8(127)


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


@kernel(numba.void(int8_table, int8_table, int16s, int16s, int64, int64, int64, int64, int64, int64, int64, int8_table))
def forced(x_best, o_best, x_chips, o_chips, x_pays, o_pays, total, least, ties, holders, lanes, out):
    """What X can force in every state of at most ``total`` chips, whatever O bids and however coins fall; the arguments
    are those of `bidding.saddles`, and how many boards are done at once.
    """
    purses, columns = len(x_chips), x_best.shape[1]
    x_wins, o_wins = np.empty((columns, lanes), np.int8), np.empty((columns, lanes), np.int8)
    tie = np.empty((np.int64(max(x_chips.max(), o_chips.max())) + 2, lanes), np.int8)
    tie[-1] = ABOVE_ALL
    low, which, above = np.empty(lanes, np.int8), np.empty(lanes, np.int16), np.empty(lanes, np.int8)
    pairs, ranks = np.empty(0, np.int64), np.empty(0, np.int8)
    ties = UNLUCKY if ties == COIN else ties
    for begin in range(0, len(x_best), lanes):
        to_lanes(x_best, begin, x_wins)
        to_lanes(o_best, begin, o_wins)
        for column in range(columns):
            h, p = column // purses, column % purses
            x, o = np.int64(x_chips[p]), np.int64(o_chips[p])
            if x + o > total:
                continue
            x_least, o_least, own = min(least, x), min(least, o), h * purses
            fill_ties(tie, x_wins, o_wins, own, (holders - 1 - h) * purses, p, x_pays, o_pays, max(x_least, o_least),
                      min(x, o), ties, h == 0, pairs, ranks, 0)  # fmt: skip
            best_of_x(low, which, above, x_wins, o_wins, tie, column, x_pays, o_pays, x_least, x, o_least, o,
                      ABOVE_ALL)  # fmt: skip
            for lane in range(min(lanes, len(x_best) - begin)):
                out[begin + lane, column] = low[lane]
