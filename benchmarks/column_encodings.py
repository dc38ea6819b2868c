"""Bits a class of other ways to store the columns of a solution, and what they cost to write and to read.

``python benchmarks/column_encodings.py DIRECTORY``, a stored solution such as that of ``gametree solve
connect:rows=5,cols=5 --no-counts``. Each way is a Parquet file of one column for each tier, in row groups of 16,384
rows; reading is that of one row group. ``now`` is how solutions are stored.
"""

from __future__ import annotations

import io
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import median

DICTIONARY = {"use_dictionary": True}
DELTA = {"use_dictionary": False, "column_encoding": {"column": "DELTA_BINARY_PACKED"}}
SPLIT = {"use_dictionary": False, "column_encoding": {"column": "BYTE_STREAM_SPLIT"}}


def ways(table: pa.Table) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Yield the name of each way for the rows of a tier, what is stored and how."""
    state = table["state"].to_numpy()
    value, remoteness, ply = (table[name].to_numpy() for name in ("value", "remoteness_plies", "ply"))
    differences = np.diff(state, prepend=state[:1])
    pairs = (3 * remoteness + value + 1).astype(np.int32)
    last_mover = np.where((ply + remoteness) % 2 == 1, 1, -1)
    yield "state: now", state, DELTA
    yield "state, zstd 9", state, {**DELTA, "compression_level": 9}
    yield "state, bytes apart, zstd 3", state, {**SPLIT, "compression_level": 3}
    yield "state, bytes apart, zstd 9", state, {**SPLIT, "compression_level": 9}
    yield "differences of states, dictionary", differences, DICTIONARY
    yield "differences of states, bytes apart, zstd 3", differences, {**SPLIT, "compression_level": 3}
    yield "differences of states, bytes apart, zstd 9", differences, {**SPLIT, "compression_level": 9}
    yield "value: now", value, DICTIONARY
    yield "value, bytes apart, zstd 9", value, {**SPLIT, "compression_level": 9}
    yield "whether value is that of the last mover", value == last_mover, {"use_dictionary": False}
    yield "remoteness: now", remoteness, SPLIT
    yield "remoteness, dictionary", remoteness, DICTIONARY
    yield "remoteness, bytes apart, zstd 3", remoteness, {**SPLIT, "compression_level": 3}
    yield "remoteness, bytes apart, zstd 9", remoteness, {**SPLIT, "compression_level": 9}
    yield "value and remoteness in one: dictionary", pairs, DICTIONARY
    yield "value and remoteness in one: bytes apart, zstd 3", pairs, {**SPLIT, "compression_level": 3}
    yield "value and remoteness in one: bytes apart, zstd 9", pairs, {**SPLIT, "compression_level": 9}
    yield "terminal: now", table["terminal"].to_numpy(), {"use_dictionary": False}


def main(directory: str) -> None:
    """Print a row for each way."""
    size: Counter[str] = Counter()
    write: Counter[str] = Counter()
    read: defaultdict[str, list[float]] = defaultdict(list)
    rows = 0
    for path in sorted(Path(directory, "positions").rglob("*.parquet")):
        tier = pq.read_table(path, columns=["state", "ply", "value", "remoteness_plies", "terminal"])
        rows += len(tier)
        for name, column, how in ways(tier):
            file = io.BytesIO()
            began = time.process_time()
            options = {"row_group_size": 16_384, "compression": "zstd", "compression_level": 1} | how
            pq.write_table(pa.table({"column": column}), file, **options)
            write[name] += time.process_time() - began
            size[name] += file.tell()
            stored = pq.ParquetFile(io.BytesIO(file.getvalue()))
            began = time.process_time()
            stored.read_row_group(stored.num_row_groups // 2, use_threads=False)
            read[name].append(time.process_time() - began)
    print(f"{rows:,} classes\n{'':50}{'bits a class':>12}{'write, ns':>11}{'read, ms':>10}")
    for name, number in size.items():
        print(f"{name:50}{8 * number / rows:12.2f}{1e9 * write[name] / rows:11.1f}{1e3 * median(read[name]):10.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
