"""A checksum is of what a solution holds, not of how it was solved and stored."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.engine.columns import COUNT_COLUMNS
from analysis.solution.conversions import VALUES, checksum


def slowly(directory):
    """From the files, number by number."""
    tables = [pq.read_table(path) for path in sorted((directory / "positions").glob("*.parquet"))]
    names = [*VALUES, *(name for name in COUNT_COLUMNS if name in tables[0].column_names)]
    lines = ""
    for name in names:
        found = [number for table in tables for number in table[name].to_pylist()]
        if name in VALUES:
            width = np.dtype(VALUES[name]).itemsize
            data = b"".join(
                (65535 if number is None else int(number)).to_bytes(width, "little", signed=VALUES[name][1] == "i")
                for number in found
            )
        else:
            data = b"".join(int(number).to_bytes(16, "little") for number in found)
        lines += f"{name} {hashlib.sha256(data).hexdigest()}\n"
    return hashlib.sha256(lines.encode()).hexdigest()


@pytest.mark.parametrize(
    "spec",
    [
        "tictactoe",
        "dodgem",
        "nim:2-2-2",
        "kayles:22",
        "connect:3,4,3",
        pytest.param("kayles:28", marks=pytest.mark.slow),
    ],
)
def test_however_it_is_stored(tmp_path, spec):
    wanted = checksum(analysis.solve(spec))
    for name, options in {
        "plain": {}, "threads": {"workers": 2}, "sharded": {"sharded": True}, "text": {"tables": ("text", "moves")},
    }.items():  # fmt: skip
        stored = analysis.solve(spec, directory=tmp_path / name, **options)
        assert checksum(stored) == wanted
        assert slowly(tmp_path / name) == wanted


def test_what_it_depends_on(tmp_path):
    found = {
        checksum(analysis.solve("tictactoe", symmetry="none")),
        checksum(analysis.solve("tictactoe")),
        checksum(analysis.solve("tictactoe", counts=False)),
        checksum(analysis.solve("mnk:3,3,3,misere")),
        checksum(analysis.solve("tictactoe", position="X????????")),
    }
    assert len(found) == 5
    assert checksum(analysis.solve("mnk:3,3,3")) in found  # the same positions, another name


def test_progress():
    told = []
    solution = analysis.solve("tictactoe")
    checksum(solution, lambda *what: told.append(what))
    assert told[-1][1:] == (765, 765)
