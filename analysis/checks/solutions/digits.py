"""Exact numbers as 32-bit digits in uint64, so that a sum of up to 2**32 of them has no carry."""

from __future__ import annotations

import numpy as np

WIDTH = 4
"""Digits of a number: 128 bits."""

LOW = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(32)


def from_limbs(numbers: np.ndarray) -> np.ndarray:
    """uint64[n, limbs] as digits, uint64[n, WIDTH], the lowest first."""
    digits = np.zeros((len(numbers), WIDTH), dtype=np.uint64)
    for limb in range(numbers.shape[1]):
        digits[:, 2 * limb] = numbers[:, limb] & LOW
        digits[:, 2 * limb + 1] = numbers[:, limb] >> SHIFT
    return digits


def carried(digits: np.ndarray) -> np.ndarray:
    """The numbers with every digit below 2**32."""
    digits = digits.copy()
    for place in range(WIDTH - 1):
        digits[:, place + 1] += digits[:, place] >> SHIFT
        digits[:, place] &= LOW
    return digits


def sums(digits: np.ndarray, starts: np.ndarray, counted: np.ndarray | None = None) -> np.ndarray:
    """The sums of the runs that begin at ``starts``, of the ``counted`` numbers only."""
    if counted is not None:
        digits = np.where(counted[:, None], digits, np.uint64(0))
    return carried(np.add.reduceat(digits, starts, axis=0))


def exact_total(digits: np.ndarray) -> int:
    """The sum of all numbers as a Python integer.

    >>> exact_total(from_limbs(np.array([[2**64 - 1, 1], [1, 0]], dtype=np.uint64))) == 2**65
    True
    """
    return sum(int(place) << (32 * i) for i, place in enumerate(digits.sum(axis=0)))
