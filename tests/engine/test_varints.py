"""Numbers in bytes of seven bits come back."""

import numpy as np
import pytest

from analysis.engine.kernels import varints


@pytest.mark.parametrize(
    "rises", [[], [0], [0, 127, 128, 0], [1 << 7 * k for k in range(9)], [(1 << 62) - 1, 1 << 62], [(1 << 63) - 1]]
)
def test_ascending_numbers(rises):
    ascending = np.cumsum([0, *rises], dtype=np.int64)
    out, found = np.full(varints.MOST_BYTES * len(ascending), 99, np.uint8), np.zeros_like(ascending)
    size = varints.write_rises(ascending, out)
    assert size == sum(varints.bytes_of(rise) for rise in rises) == sum(max(1, -(-r.bit_length() // 7)) for r in rises)
    assert (out[size:] == 99).all()
    assert varints.read_rises(out[:size].copy(), found) == size
    assert np.array_equal(found, ascending)


def test_rows_of_children():
    """Few moves and many, rows near and as far apart as they can be."""
    numbers = np.random.default_rng(0)
    branching = numbers.choice(np.array([0, 1, 3, 255], np.uint8), 200)
    moves = int(branching.sum(dtype=np.int64))
    for greatest in (2, 1 << 32):
        rows, found = numbers.integers(0, greatest, moves).astype(np.uint32), np.empty(moves, np.uint32)
        rows[:2] = 0, greatest - 1
        out = np.empty(5 * moves, np.uint8)
        size = varints.write_rows(branching, rows, out)
        assert varints.read_rows(branching, out[:size].copy(), found) == size
        assert np.array_equal(found, rows)
