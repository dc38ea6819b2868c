"""Files of compressed blocks: what is read is what was written, or an error."""

import numpy as np
import pytest

from analysis.errors import StoreError
from analysis.solving.sharded.block_file import BLOCK, BlockFile, BlockWriter, write_blocks

RNG = np.random.default_rng(0)


@pytest.fixture
def columns():
    """Two and a half blocks: states far and near, and counts of two plies and two limbs."""
    n = 5 * BLOCK // 2
    steps = RNG.choice([1, 3, 300, 70_000, 1 << 40], n, p=[0.4, 0.3, 0.2, 0.09, 0.01])
    steps[BLOCK // 2] = (1 << 61) + 3  # sums that a double does not hold
    counts = RNG.integers(0, 1 << 62, (n, 2, 2)).astype(np.uint64)
    return {"states": np.cumsum(steps), "value": RNG.integers(-1, 2, n).astype(np.int16), "counts": counts}


@pytest.mark.parametrize(
    ("begin", "end"), [(0, 0), (0, 1), (5, 5), (BLOCK - 1, BLOCK + 1), (BLOCK, 2 * BLOCK), (17, None), (0, None)]
)
def test_rows(columns, begin, end, tmp_path):
    write_blocks(tmp_path / "file", columns)
    with BlockFile(tmp_path / "file") as file:
        found = file.rows(begin, end)
        assert len(file) == 5 * BLOCK // 2
    for name, array in columns.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array[begin:end])
        assert found[name].flags.writeable


@pytest.mark.parametrize(
    ("low", "high"),
    [(None, None), (0, 1), (None, 100), (BLOCK, None), (BLOCK - 1, BLOCK), (BLOCK, 2 * BLOCK), (3, 3), (-1, None)],
)
def test_states_between(columns, low, high, tmp_path):
    """Bounds are states of these rows, and one beside them."""
    write_blocks(tmp_path / "file", columns)
    states = columns["states"]
    for shift in (-1, 0, 1):
        least, most = (None if row is None else int(states[row]) + shift for row in (low, high))
        wanted = (states >= (-1 if least is None else least)) & (states < (1 << 62 if most is None else most))
        with BlockFile(tmp_path / "file") as file:
            found = file.between(least, most)
        assert all(np.array_equal(found[name], columns[name][wanted]) for name in columns)


def test_sections(tmp_path):
    parts = [np.arange(5), np.arange(0), np.arange(40_000)]
    with BlockWriter(tmp_path / "file") as writer:
        for part in parts:
            writer.add({"value": part})
    with BlockFile(tmp_path / "file") as file:
        assert all(np.array_equal(file.section(number)["value"], part) for number, part in enumerate(parts))
        assert file.sections == [0, 5, 5, 40_005]


def test_every_flipped_bit_and_every_length(tmp_path):
    path = tmp_path / "file"
    states = np.cumsum(RNG.integers(1, 9, 60))
    write_blocks(path, {"states": states, "value": states % 3})
    written = path.read_bytes()

    def is_refused() -> bool:
        try:
            with BlockFile(path) as file:
                file.rows()
        except StoreError as error:
            return str(path) in str(error)
        return False

    for place in range(8 * len(written)):
        damaged = bytearray(written)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        assert is_refused(), place
    for length in range(len(written)):
        path.write_bytes(written[:length])
        assert is_refused(), length
    path.unlink()
    assert is_refused()


def test_a_file_is_complete_or_absent(tmp_path):
    writer = BlockWriter(tmp_path / "file")
    writer.__enter__().add({"value": np.arange(5)})
    with pytest.raises(ValueError, match="other columns"):
        writer.add({"states": np.arange(5)})
    writer.__exit__(ValueError, ValueError(), None)
    assert not list(tmp_path.iterdir())
