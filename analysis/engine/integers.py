"""Exact integers in arrays: one or two 64-bit limbs each, the low limb first, so counts up to 38 digits."""

from __future__ import annotations

import numpy as np

ONE_LIMB = 1 << 64
"""Counts below this fit one limb."""
TWO_LIMBS = 1 << 128
"""Counts below this fit two."""
GREATEST = 10**38 - 1
"""The greatest count that the tables hold: a decimal128(38, 0)."""


def exact_sum(numbers: np.ndarray) -> int:
    """The sum of uint64[n, limbs] as a Python integer.

    >>> exact_sum(np.full((3, 1), 2**64 - 1, dtype=np.uint64)) == 3 * (2**64 - 1)
    True
    """
    total = 0
    for limb in range(numbers.shape[1]):
        halves = (numbers[:, limb] & np.uint64(0xFFFFFFFF), numbers[:, limb] >> np.uint64(32))
        total += (int(halves[0].sum()) + (int(halves[1].sum()) << 32)) << (64 * limb)
    return total


def to_int(limbs: np.ndarray) -> int:
    """One number uint64[limbs] as a Python integer."""
    return sum(int(limb) << (64 * i) for i, limb in enumerate(limbs))


def widen(numbers: np.ndarray, limbs: int) -> np.ndarray:
    """The numbers with this many limbs; the ones cut off must be zero."""
    if numbers.shape[1] >= limbs:
        return np.ascontiguousarray(numbers[:, :limbs])
    return np.concatenate([numbers, np.zeros((len(numbers), limbs - numbers.shape[1]), dtype=np.uint64)], axis=1)
