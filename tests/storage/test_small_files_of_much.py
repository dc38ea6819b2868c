"""Small Parquet files that stand for much: some bytes hold any number of equal values. They are refused at once, in a
line, and take no memory.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from analysis.errors import NoRoomError, StoreError
from analysis.machine.memory import within_memory
from analysis.storage.parquet import LARGEST_GROUP, PartFile, describe, open_parquet, rows_of
from tests.support.program import ROOT

MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "cli.py", *sys.argv[1:]], stdout=subprocess.DEVNULL, check=False)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def write(path, columns, rows, groups=1):
    """So many row groups of so many rows, which are all equal."""
    nothing = pa.array(np.zeros(rows, np.int8))
    table = pa.table({name: pa.DictionaryArray.from_arrays(nothing, pa.array([one])) for name, one in columns.items()})
    with pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False) as writer:
        for _ in range(groups):
            writer.write_table(table, row_group_size=rows)
    assert path.stat().st_size < 1 << 22


@pytest.fixture(scope="module")
def much(tmp_path_factory):
    """A file with the columns of a sweep and of games, which stands for 300 million rows."""
    path = tmp_path_factory.mktemp("much") / "much.parquet"
    columns = {"game": "tictactoe", "symmetry": "geometric", "status": "solved", "path": "0124"}
    write(path, columns, 100_000_000, 3)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("command", ["audit tictactoe FILE", "sweep mnk:1,1,1 --out FILE"])
def test_much_is_refused_at_once(command, much):
    words = [str(much) if word == "FILE" else word for word in command.split()]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *words], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    code, kilobytes = map(int, done.stdout.split())
    assert code == 1
    assert done.stderr.startswith("gametree: ")
    assert done.stderr.count("\n") == 1
    assert "much.parquet" in done.stderr
    assert kilobytes < 500_000
    assert time.monotonic() - began < 30


def test_columns_are_looked_at_first(gametree, tmp_path):
    write(tmp_path / "other.parquet", {"a": 1, "b": 2}, 50_000_000)
    found = gametree("sweep", "mnk:1,1,1", "--out", "other.parquet")
    assert (found.code, found.out, found.err.count("\n")) == (1, "", 1)
    assert "no column game, symmetry or status" in found.err


def test_equal_texts_are_in_memory_once(tmp_path):
    write(tmp_path / "long.parquet", {"path": "0" * 1_000_000}, 100_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with (tmp_path / "long.parquet").open("rb") as file:
        rows = sum(sum(map(len, paths)) for (paths,) in rows_of(open_parquet(file), "long.parquet"))
    assert rows == 10**11
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def test_one_row_of_a_long_list(tmp_path):
    """What its footer says does not fit in what is given."""
    values = pa.array(np.zeros(60_000_000, np.int8))
    table = pa.table({"path": pa.ListArray.from_arrays(pa.array([0, 60_000_000], pa.int32()), values)})
    pq.write_table(table, tmp_path / "list.parquet")
    assert (tmp_path / "list.parquet").stat().st_size < 1 << 20
    raises = pytest.raises(NoRoomError, match=r"list\.parquet")
    with within_memory("300MB"), (tmp_path / "list.parquet").open("rb") as file, raises:
        next(rows_of(open_parquet(file), "list.parquet"))


def test_a_forged_table_of_a_solution(tmp_path):
    """Its checksums fit."""
    path = tmp_path / "tier-0000-part-0000.parquet"
    pq.write_table(pa.table({"state": pa.array(np.zeros(LARGEST_GROUP + 1, np.int64))}), path, row_group_size=1 << 21)
    with pytest.raises(StoreError, match="a row group has"):
        PartFile(path, describe(path))
