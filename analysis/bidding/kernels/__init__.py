"""Loops over the states of bidding games. What they share with their callers is here; it loads no compiler."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NO_BID = -1
"""The bid where there is no saddle point."""
PASSES, CHOOSES = 0, 1
"""Tie rules: the holder wins and passes the advantage on; or may decline."""


class BidRules(NamedTuple):
    """A bidding game for kernels: the purses and the rules. A bid ``i`` of X leads from purse ``p`` to ``p - i``, one
    of O to ``p + i``.
    """

    x_chips: np.ndarray  # int16[purses]
    o_chips: np.ndarray  # int16[purses]
    least: int
    ties: int
    """One of the tie rules above."""
