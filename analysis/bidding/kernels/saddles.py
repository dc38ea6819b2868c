"""Best placements and pure saddle points of the matrix game of bids, in arrays of ranks; what X can force by pure bids.

Values are given by their rank in an ascending table, so that every comparison is exact whatever the values are. A row
of an array is a board, its columns are the chips and the advantage: entry ``h * purses + p`` for holder ``h`` and purse
``p``. What a bid guarantees is found in `bids`. What X can force is told in payoffs, -1, 0 and 1, for every purse.
"""

from __future__ import annotations

import numba
import numpy as np

from analysis.bidding.kernels.bid_rules import NO_BID, BidRules
from analysis.bidding.kernels.bids import RULES, Means, best_of_o, best_of_x, both_sides, fill_ties, to_lanes
from analysis.engine.kernels.types import (
    int8_table,
    int16_table,
    int32_table,
    int32s,
    int64,
    int64s,
    kernel,
    uint8_table,
    uint8s,
    uint32s,
)

ABOVE_ALL = np.int32(2**31 - 1)
"""Above all ranks."""
ABOVE_PAYOFFS = np.int8(127)
LANES = 64
"""Boards at once: four cache lines of ranks."""
MEANS = numba.types.Tuple((int64s, int32s, int64))


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


@kernel(numba.void(int32_table, int32_table, RULES, MEANS, int32_table, int16_table, int16_table))
def saddles(x_best, o_best, bid_rules, tied, value, x_bid, o_bid):
    """The saddle point of every state, or `NO_BID` twice where there is none; ``value`` is then what X's best pure bid
    guarantees.

    ``x_best`` and ``o_best`` [boards, holders * purses] are ranks: what X or O places for, once the chips and the
    advantage are as the column says; ``bid_rules`` are `BidRules` and ``tied`` `Means` as plain tuples. Of several
    optimal bids the least is written.
    """
    rules, means = BidRules(*bid_rules), Means(*tied)
    columns, greatest = x_best.shape[1], np.int64(max(rules.x_chips.max(), rules.o_chips.max()))
    x_wins, o_wins = np.empty((columns, LANES), np.int32), np.empty((columns, LANES), np.int32)
    tie = np.empty((greatest + 3, LANES), np.int32)
    tie[-1], tie[-2] = ABOVE_ALL, -ABOVE_ALL
    low, high, above = np.empty(LANES, np.int32), np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    x_which, o_which = np.empty(LANES, np.int32), np.empty(LANES, np.int32)
    for begin in range(0, len(x_best), LANES):
        to_lanes(x_best, begin, x_wins)
        to_lanes(o_best, begin, o_wins)
        for column in range(columns):
            x, o = both_sides(rules, x_wins, o_wins, column % len(rules.x_chips))
            fill_ties(tie, x, o, column, rules, means)
            best_of_x(low, x_which, above, x, o, tie, column, ABOVE_ALL)
            best_of_o(high, o_which, above, o, x, tie, column, -ABOVE_ALL)
            for lane in range(min(LANES, len(x_best) - begin)):
                found = low[lane] == high[lane]
                value[begin + lane, column] = low[lane]
                x_bid[begin + lane, column] = x_which[lane] if found else NO_BID
                o_bid[begin + lane, column] = o_which[lane] if found else NO_BID


@kernel(numba.void(int8_table, int64s, uint32s, int64, int8_table))
def best_payoffs(below, offsets, rows, side, best):
    """`best_placements` for these payoffs, without the moves."""
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
    `saddles`, and ``lanes`` says how many boards are done at once.
    """
    rules = BidRules(*bid_rules)
    columns = x_best.shape[1]
    x_wins, o_wins = np.empty((columns, lanes), np.int8), np.empty((columns, lanes), np.int8)
    tie = np.empty((np.int64(max(rules.x_chips.max(), rules.o_chips.max())) + 2, lanes), np.int8)
    tie[-1] = ABOVE_PAYOFFS
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
            best_of_x(low, which, above, x, o, tie, column, ABOVE_PAYOFFS)
            for lane in range(min(lanes, len(x_best) - begin)):
                out[begin + lane, column] = low[lane]
