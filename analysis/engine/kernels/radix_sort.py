"""Sort int64 keys, least significant digit first (Knuth, "The Art of Computer Programming", volume 3, 5.2.5).

NumPy's sort compresses lanes into memory where there is AVX-512, which takes 68 ns a key instead of 12 on AMD's Zen 4
(numpy #32690). This one takes 4 to 8 ns a key on every processor.
"""

from __future__ import annotations

import threading

import numpy as np

from . import types as t
from .types import kernel

DIGIT = 10
"""The most bits of a digit. With 11, large arrays take up to twice as long: keys then go to more pages at once than the
processor keeps in its translation cache.
"""
FEW = 1 << 12
"""Fewer keys than this are sorted by NumPy: counting takes longer."""
KEPT = 1 << 20
"""The most keys of the spare array that a thread keeps: those of a chunk of states."""
at = np.uint64
"""Casts to unsigned, so that differences and shifts lose no bit, and Numba omits the check for negative indices."""

_thread = threading.local()


@kernel(t.int64(t.int64s, t.int64s, t.int64, t.int64, t.int64))
def sort_digits(keys, spare, least, low, high):
    """Sort keys stably by the bits from ``low`` to below ``high`` of their difference to the ``least`` key. Returns 0
    if they are in ``keys`` in the end, 1 if they are in ``spare``.
    """
    digits = max(1, -(-(high - low) // DIGIT))
    bits = -(-(high - low) // digits)
    mask = at((1 << bits) - 1)
    begins = np.zeros((digits + 1, 1 << bits), np.int64)
    for digit in range(0, digits, 2):  # two at a time: a loop over all of them inside takes longer
        first, second, shift = begins[digit], begins[digit + 1], at(low + digit * bits)
        for i in range(len(keys)):
            key = (at(keys[i]) - at(least)) >> shift
            first[key & mask] += 1
            second[key >> at(bits) & mask] += 1
    moved = 0
    for digit in range(digits):
        digit_begins, total, shift = begins[digit], 0, at(low + digit * bits)
        if len(keys) and digit_begins[(at(keys[0]) - at(least)) >> shift & mask] == len(keys):
            continue  # all are alike
        for value in range(len(digit_begins)):
            total, digit_begins[value] = total + digit_begins[value], total
        source, target = (spare, keys) if moved else (keys, spare)
        for i in range(len(source)):
            key = source[i]
            value = (at(key) - at(least)) >> shift & mask
            place = digit_begins[value]
            target[at(place)] = key
            digit_begins[value] = place + 1
        moved = 1 - moved
    return moved


def sorted_keys(keys: np.ndarray) -> np.ndarray:
    """Return int64 keys sorted, in their own array or in one that is the calling thread's until its next call; what
    ``keys`` then holds is not defined.
    """
    if len(keys) < FEW:
        keys.sort()
        return keys
    least, greatest = int(keys.min()), int(keys.max())
    return sorted_by_bits(keys, 0, (greatest - least).bit_length(), least)


def sorted_by_bits(keys: np.ndarray, low: int, high: int, least: int = 0) -> np.ndarray:
    """Do the same by the bits from ``low`` to below ``high`` of the difference to the ``least`` key, stably: lower bits
    ascend already, and no higher one is set.
    """
    if len(keys) < FEW:
        keys.sort()
        return keys
    spare = _spare(len(keys))
    return spare if sort_digits(keys, spare, least, low, high) else keys


def _spare(n: int) -> np.ndarray:
    """Return room for ``n`` keys: to page it in for every chunk would take an eighth of the time."""
    spare: np.ndarray | None = getattr(_thread, "spare", None)
    if spare is None or len(spare) < n:
        spare = np.empty(n, np.int64)
        if n <= KEPT:
            _thread.spare = spare
    return spare[:n]
