"""Loops over the states of bidding games. What they share with their callers is here; it loads no compiler."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NO_BID = -1
"""The bid where there is no saddle point."""
PASSES, CHOOSES, COIN, UNLUCKY = 0, 1, 2, 3
"""Tie rules: the holder wins and passes the advantage on; or may decline; a fair coin; a coin always against X."""


class BidRules(NamedTuple):
    """A bidding game for kernels: the purses, how bids change them, and the rules."""

    x_chips: np.ndarray  # int16[purses]
    o_chips: np.ndarray  # int16[purses]
    x_pays: int
    """A bid ``i`` of X leads from purse ``p`` to ``p - i * x_pays``,"""
    o_pays: int
    """a bid ``j`` of O to ``p + j * o_pays``."""
    least: int
    ties: int
    """One of the tie rules above."""
    copies: int
    """Columns of a purse: 2, one for each holder of the advantage, or 1 if there is none."""


class TieMeans(NamedTuple):
    """The rank of the mean of two ranks, for `COIN`: ``ranks[n]`` for the mean of ``a`` if X wins and ``b`` if O does,
    where ``pairs[n]`` is ``a * values + b``.
    """

    pairs: np.ndarray  # int64[n], sorted
    ranks: np.ndarray  # [n]
    values: int
