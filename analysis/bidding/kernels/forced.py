"""What X can force by pure bids, for every purse: the least chips that do. Payoffs are -1, 0 and 1."""

from __future__ import annotations

import numba
import numpy as np

from analysis.bidding.kernels.bids import RULES, BidRules, Means, best_of_x, both_sides, fill_ties, to_lanes
from analysis.engine.kernels.types import int8_table, int64, int64s, kernel, uint32s

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


@kernel(numba.void(int8_table, int8_table, RULES, int64, int64, int8_table))
def forced(x_best, o_best, bid_rules, total, lanes, out):
    """What X can force in every state of at most ``total`` chips, whatever O bids: the first arguments are those of
    `saddles.saddles`, and ``lanes`` says how many boards are done at once.
    """
    rules = BidRules(*bid_rules)
    columns = x_best.shape[1]
    x_wins, o_wins = np.empty((columns, lanes), np.int8), np.empty((columns, lanes), np.int8)
    tie = np.empty((np.int64(max(rules.x_chips.max(), rules.o_chips.max())) + 2, lanes), np.int8)
    tie[-1] = ABOVE_ALL
    low, which, above = np.empty(lanes, np.int8), np.empty(lanes, np.int16), np.empty(lanes, np.int8)
    means = Means(np.empty(0, np.int64), np.empty(0, np.int8), 0)
    for begin in range(0, len(x_best), lanes):
        to_lanes(x_best, begin, x_wins)
        to_lanes(o_best, begin, o_wins)
        for column in range(columns):
            x, o = both_sides(rules, x_wins, o_wins, column % len(rules.x_chips))
            if x.most + o.most > total:
                continue
            fill_ties(tie, x, o, column, rules, means)
            best_of_x(low, which, above, x, o, tie, column, ABOVE_ALL)
            for lane in range(min(lanes, len(x_best) - begin)):
                out[begin + lane, column] = low[lane]
