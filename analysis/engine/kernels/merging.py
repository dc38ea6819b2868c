"""Kernels over two sorted arrays of states, walked through side by side."""

from __future__ import annotations

from analysis.engine.kernels import types as t
from analysis.engine.kernels.types import kernel

MISSING = -1
"""An answer: a state that is looked for is not there."""
OVERFLOW = -2
"""An answer: a number needs more limbs."""


@kernel(t.int64(t.int64s, t.int64s, t.int64s))
def merge_rows(states, wanted, rows):
    """Write the row in ``states`` of each of the ``wanted``; both ascend. Returns 0 or `MISSING`."""
    i = 0
    for j in range(len(wanted)):
        while i < len(states) and states[i] < wanted[j]:
            i += 1
        if i == len(states) or states[i] != wanted[j]:
            return MISSING
        rows[j] = i
    return 0


@kernel(t.int64(t.int64s, t.int64s, t.uint64_cube, t.uint64_cube))
def merge_sums(states, wanted, amounts, totals):
    """Add ``amounts`` [m, plies, limbs] of the ``wanted`` states to the ``totals`` [n, plies, limbs] of all, of which
    there may be more plies and limbs; both ascend. Returns 0, `MISSING` or `OVERFLOW`.
    """
    two, wide = amounts.shape[2] == 2, totals.shape[2] == 2
    i = 0
    for j in range(len(wanted)):
        while i < len(states) and states[i] < wanted[j]:
            i += 1
        if i == len(states) or states[i] != wanted[j]:
            return MISSING
        for ply in range(amounts.shape[1]):
            low = amounts[j, ply, 0]
            after = totals[i, ply, 0] + low
            totals[i, ply, 0] = after
            carry = 1 if after < low else 0
            high = amounts[j, ply, 1] if two else 0
            if wide:
                totals[i, ply, 1] += high + carry
            elif carry or high:
                return OVERFLOW
    return 0
