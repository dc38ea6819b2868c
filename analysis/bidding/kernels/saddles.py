"""Find best placements and pure saddle points of the matrix game of bids, on ranks.

Values are ranks in an ascending table, so every comparison is exact. With X's bid ``i`` and O's bid ``j`` the matrix of
bids has only three kinds of entries::

    i > j: A[i], X pays i and places       i < j: B[j], O pays j and places       i == j: D[i], by the tie rule

so a bid of X guarantees the least of A[i], D[i] and the B of all bids above it, a running minimum: no matrix is
written out. All boards of a tier have the same purses and bids, so a board is a lane: arrays are [columns, lanes],
where a column is a holder ``h`` of the advantage and a purse ``p``, ``h * purses + p``. The inner loops, over lanes,
have no branches.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from ...engine.kernels.types import (
    int16_table,
    int16s,
    int32_table,
    int64,
    int64s,
    kernel,
    uint8_table,
    uint8s,
    uint32s,
)
from . import CHOOSES, NO_BID, BidRules

RULES = numba.types.Tuple((int16s, int16s, int64, int64))
"""`BidRules` in signatures, which must not name a class: cached kernels could not be loaded after it is renamed."""


class Side(NamedTuple):
    """One side at one purse."""

    wins: np.ndarray  # [columns, lanes], what it places for
    step: int
    """Its bid ``b`` leads from a column to ``column + b * step``."""
    least: int
    most: int


@numba.njit
def to_lanes(boards, first, lanes):
    """Write rows of ``boards`` from ``first`` on as columns; repeat the last board to fill the rest."""
    for lane in range(lanes.shape[1]):
        row = boards[min(first + lane, len(boards) - 1)]
        for column in range(len(row)):
            lanes[column, lane] = row[column]


@numba.njit
def both_sides(rules, x_wins, o_wins, purse):
    """Return X and O with their legal bids at a purse."""
    x, o = np.int64(rules.x_chips[purse]), np.int64(rules.o_chips[purse])
    return Side(x_wins, -1, min(rules.least, x), x), Side(o_wins, 1, min(rules.least, o), o)


@numba.njit
def fill_ties(tie, x, o, column, rules):
    """Write the values of equal bids in a column into ``tie`` [bids, lanes]."""
    purses, ties, x_wins, o_wins = len(rules.x_chips), rules.ties, x.wins, o.wins
    x_holds = column < purses
    passed = column + (purses if x_holds else -purses)  # where the other side holds the advantage
    for bid in range(max(x.least, o.least), min(x.most, o.most) + 1):
        x_own, o_own, row = x_wins[column + bid * x.step], o_wins[column + bid * o.step], tie[bid]
        if x_holds:
            row[:] = x_wins[passed + bid * x.step]
            if ties == CHOOSES:
                for lane in range(tie.shape[1]):
                    row[lane] = max(row[lane], o_own[lane])
        else:
            row[:] = o_wins[passed + bid * o.step]
            if ties == CHOOSES:
                for lane in range(tie.shape[1]):
                    row[lane] = min(row[lane], x_own[lane])


def _finder(sign):
    """Make `best_of_x` (``sign`` 1) or `best_of_o`, which minimises (-1)."""
    worse, better = (min, max) if sign > 0 else (max, min)

    @numba.njit
    def best_of(sure, which, above, mine, theirs, tie, column, unbeaten):
        """Write per lane the most that a bid of ``mine`` guarantees into ``sure`` and the least such bid into
        ``which``; ``above`` is scratch space for the bids of ``theirs``.

        ``unbeaten`` is better for the side than all values; the last row of ``tie`` holds it for X, the last but one
        for O.
        """
        nothing, j, my_wins, their_wins = tie[-1 if sign > 0 else -2], theirs.most, mine.wins, theirs.wins
        sure[:], above[:] = -unbeaten, unbeaten
        for bid in range(mine.most, max(theirs.most, mine.least - 1), -1):  # the other side cannot bid so much
            wins = my_wins[column + bid * mine.step]
            for lane in range(len(sure)):
                sure[lane] = better(wins[lane], sure[lane])
                which[lane] = bid if wins[lane] == sure[lane] else which[lane]
        for bid in range(min(mine.most, theirs.most), mine.least - 1, -1):
            while j > bid and j >= theirs.least:
                dearer = their_wins[column + j * theirs.step]
                for lane in range(len(sure)):
                    above[lane] = worse(above[lane], dearer[lane])
                j -= 1
            wins = my_wins[column + bid * mine.step] if bid > theirs.least else nothing
            equal = tie[bid] if theirs.least <= bid <= theirs.most else nothing
            for lane in range(len(sure)):
                surely = worse(worse(above[lane], wins[lane]), equal[lane])
                sure[lane] = better(surely, sure[lane])
                which[lane] = bid if surely == sure[lane] else which[lane]

    return best_of


best_of_x, best_of_o = _finder(1), _finder(-1)


ABOVE_ALL = np.int32(2**31 - 1)
"""Above all ranks."""
LANES = 64
"""Boards at once: four cache lines of ranks."""


@kernel(numba.void(int32_table, int64s, uint32s, uint8s, int64, int32_table, uint8_table))
def best_placements(below, offsets, rows, moves, side, best, which):
    """Find for each board and purse a side's best value by placing, and the first move that reaches it.

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


@kernel(numba.void(int32_table, int32_table, RULES, int32_table, int16_table, int16_table))
def saddles(x_best, o_best, bid_rules, value, x_bid, o_bid):
    """Find the saddle point of every state, or `NO_BID` twice where there is none; ``value`` is then the guarantee of
    X's best pure bid.

    ``x_best`` and ``o_best`` [boards, holders * purses] are the ranks of X's and O's best placements with the chips and
    the advantage of the column; ``bid_rules`` are `BidRules` as a plain tuple. Among optimal bids the least is written.
    """
    rules = BidRules(*bid_rules)
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
            fill_ties(tie, x, o, column, rules)
            best_of_x(low, x_which, above, x, o, tie, column, ABOVE_ALL)
            best_of_o(high, o_which, above, o, x, tie, column, -ABOVE_ALL)
            for lane in range(min(LANES, len(x_best) - begin)):
                found = low[lane] == high[lane]
                value[begin + lane, column] = low[lane]
                x_bid[begin + lane, column] = x_which[lane] if found else NO_BID
                o_bid[begin + lane, column] = o_which[lane] if found else NO_BID
