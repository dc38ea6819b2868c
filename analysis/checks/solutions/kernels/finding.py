"""States found among ascending ones: by their leading bits, then by halving what is left."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from analysis.engine.kernels import types as t
from analysis.engine.kernels.types import kernel, tuple_of

TOGETHER = 64
"""States that are looked for together, so that waits for memory overlap."""


class Places(NamedTuple):
    """Where ascending states lie by their leading bits."""

    states: np.ndarray  # int64[n], ascending
    begins: np.ndarray
    """uint32[slots + 1], the row of the first state whose difference from the first of all, shifted, is as great."""
    shift: int


places_type = tuple_of(Places, t.int64s, t.uint32s, t.int64)


@kernel(numba.void(t.int64s, t.int64, t.uint32s))
def fill_places(states, shift, begins):
    """Fill in where the states of each slot begin."""
    slot = 0
    for row in range(len(states)):
        own = np.int64(np.uint64(states[row] - states[0]) >> np.uint64(shift))
        while slot <= own:
            begins[slot] = row
            slot += 1
    while slot < len(begins):
        begins[slot] = len(states)
        slot += 1


@kernel(t.int64(places_type, t.int64s, t.int64s))
def find_rows(places, wanted, rows):
    """The row of each state, -1 for those that are not there; return how many are not."""
    states, begins, shift = places
    first, last, missing = states[0], states[len(states) - 1], 0
    lows, highs = np.empty(TOGETHER, np.int64), np.empty(TOGETHER, np.int64)
    for begin in range(0, len(wanted), TOGETHER):
        end = min(begin + TOGETHER, len(wanted))
        for k in range(begin, end):
            lows[k - begin] = highs[k - begin] = 0
            if first <= wanted[k] <= last:
                slot = np.int64(np.uint64(wanted[k] - first) >> np.uint64(shift))
                lows[k - begin], highs[k - begin] = begins[slot], begins[slot + 1]
        for k in range(begin, end):
            state, low, size = wanted[k], lows[k - begin], highs[k - begin] - lows[k - begin]
            while size > 1:
                half = size >> 1
                low = low + half if states[low + half] <= state else low
                size -= half
            if size == 1 and states[low] == state:
                rows[k] = low
            else:
                rows[k] = -1
                missing += 1
    return missing


def places_of(states: np.ndarray) -> Places:
    """An index of ascending states, with about as many slots as there are states."""
    bits = max(1, int(len(states) - 1).bit_length())
    span = int(states[-1]) - int(states[0])
    shift = max(0, span.bit_length() - bits)
    begins = np.empty((span >> shift) + 2, dtype=np.uint32)
    fill_places(states, shift, begins)
    return Places(states, begins, shift)
