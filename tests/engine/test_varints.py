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
