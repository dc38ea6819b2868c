"""States found among ascending ones: by their leading bits, then by halving what is left."""

from __future__ import annotations

import numba
import numpy as np

from analysis.engine.kernels import types as t
from analysis.engine.kernels.types import kernel

TOGETHER = 64
"""States that are looked for together, so that waits for memory overlap."""


@kernel(numba.void(t.int64s, t.int64, t.uint32s))
def fill_begins(states, shift, begins):
    """Fill in where each slot begins: the row of the first state whose difference from the first of all, shifted, is as
    great as its number.
    """
    slot = 0
    for row in range(len(states)):
        own = np.int64(np.uint64(states[row] - states[0]) >> np.uint64(shift))
        while slot <= own:
            begins[slot] = row
            slot += 1
    begins[slot:] = len(states)


@kernel(t.int64(t.int64s, t.uint32s, t.int64, t.int64s, t.int64s))
def find_rows(states, begins, shift, wanted, rows):
    """The row of each state, -1 for those that are not there; return how many are not."""
    first, last, missing = states[0], states[len(states) - 1], 0
    lows, sizes = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, np.int64)
    for begin in range(0, len(wanted), TOGETHER):
        end = min(begin + TOGETHER, len(wanted))
        for k in range(begin, end):
            lows[k - begin] = sizes[k - begin] = 0
            if first <= wanted[k] <= last:
                slot = np.int64(np.uint64(wanted[k] - first) >> np.uint64(shift))
                lows[k - begin], sizes[k - begin] = begins[slot], np.int64(begins[slot + 1]) - np.int64(begins[slot])
        for k in range(begin, end):
            state, low, size = wanted[k], lows[k - begin], sizes[k - begin]
            while size > 1:
                half = size >> 1
                low = low + half if states[low + half] <= state else low
                size -= half
            found = size == 1 and states[low] == state
            rows[k] = low if found else -1
            missing += not found
    return missing
