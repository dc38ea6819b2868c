"""The best pure bid of each side at one purse, for many boards at once.

With X's bid ``i`` and O's bid ``j`` the matrix of bids has three kinds of entries only::

    i > j: A[i], X pays i and places       i < j: B[j], O pays j and places       i == j: D[i], as the tie rule says

so what a bid of X guarantees is the least of A[i], D[i] and the B of all bids above it, a running minimum: no matrix is
written out. All boards of a tier have the same purses and bids, so a board is a lane: arrays are [columns, lanes], a
column being a holder of the advantage and a purse, and the inner loops, over lanes, have no branches.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import types

from analysis.bidding.kernels.bid_rules import CHOOSES, COIN, UNLUCKY
from analysis.engine.kernels.types import int16s, int64

RULES = types.Tuple((int16s, int16s, int64, int64, int64, int64, int64))
"""`BidRules` in signatures, which name no class: kernels cached with one that is gone could not be loaded."""


class Means(NamedTuple):
    """The rank that the mean of two ranks has, for `COIN`: ``ranks[n]`` for the mean of ``a`` of X's winning and ``b``
    of O's where ``pairs[n]`` is ``a * values + b``.
    """

    pairs: np.ndarray  # int64[n], sorted
    ranks: np.ndarray  # [n]
    values: int


class Side(NamedTuple):
    """One side at one purse."""

    wins: np.ndarray  # [columns, lanes], what it places for
    step: int
    """Its bid ``b`` leads from a column to ``column + b * step``."""
    least: int
    most: int


@numba.njit
def to_lanes(boards, first, lanes):
    """Write rows of ``boards`` from ``first`` on as columns; the last board fills what is left."""
    for lane in range(lanes.shape[1]):
        row = boards[min(first + lane, len(boards) - 1)]
        for column in range(len(row)):
            lanes[column, lane] = row[column]


@numba.njit
def both_sides(rules, x_wins, o_wins, purse):
    """X and O with their legal bids at a purse."""
    x, o = np.int64(rules.x_chips[purse]), np.int64(rules.o_chips[purse])
    return Side(x_wins, -rules.x_pays, min(rules.least, x), x), Side(o_wins, rules.o_pays, min(rules.least, o), o)


@numba.njit
def fill_ties(tie, x, o, column, rules, means):
    """Write what equal bids are worth in a column into ``tie`` [bids, lanes]."""
    purses, ties, (pairs, ranks, values) = len(rules.x_chips), rules.ties, means
    x_holds, x_wins, o_wins = column < purses, x.wins, o.wins
    passed = column + (rules.copies - 1 if x_holds else -1) * purses  # where the other one holds the advantage
    for bid in range(max(x.least, o.least), min(x.most, o.most) + 1):
        x_own, o_own, row = x_wins[column + bid * x.step], o_wins[column + bid * o.step], tie[bid]
        if ties == COIN:
            for lane in range(tie.shape[1]):
                row[lane] = ranks[np.searchsorted(pairs, np.int64(x_own[lane]) * values + o_own[lane])]
        elif ties == UNLUCKY:
            for lane in range(tie.shape[1]):
                row[lane] = min(x_own[lane], o_own[lane])
        elif x_holds:
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
    """`best_of_x` for ``sign`` 1; `best_of_o`, who wants little, for -1."""
    worse, better = (min, max) if sign > 0 else (max, min)

    @numba.njit
    def best_of(sure, which, above, mine, theirs, tie, column, unbeaten):
        """The least bid of ``mine`` of those that guarantee most into ``which``, and what it guarantees into ``sure``,
        per lane; ``above`` is room for the bids of ``theirs``.

        ``unbeaten`` is better for the side than all values, and what the last row of ``tie`` (of X; the last but one of
        O) holds.
        """
        nothing, j, my_wins, their_wins = tie[-1 if sign > 0 else -2], theirs.most, mine.wins, theirs.wins
        sure[:], above[:] = -unbeaten, unbeaten
        for bid in range(mine.most, max(theirs.most, mine.least - 1), -1):  # the other one cannot bid so much
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
