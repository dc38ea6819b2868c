"""Every game of a match in a file: Parquet, CSV or JSON lines, written as the games are played."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.machine.files import as_store_error, atomic_file, check_target
from analysis.playing.matches.simulation import Batch

SUFFIXES = (".parquet", ".csv", ".jsonl")
OUTCOMES = ("X", "O", "tie", "unfinished")
"""By `Batch.ends`."""

SCHEMA = pa.schema(
    [
        ("game", pa.int64()),
        ("x", pa.string()),
        ("o", pa.string()),
        ("path", pa.string()),
        ("outcome", pa.string()),
        ("payoff", pa.int16()),
        ("plies", pa.int32()),
    ]
)

ROWS = 1 << 16
"""Rows of a group of a Parquet file, about."""


class Records(Protocol):
    """A file that takes games."""

    def add(self, batch: Batch) -> None:
        """Write the games of a batch."""


def check_records(path: Path) -> None:
    """Raise `OptionError` for a file of no known kind, and `StoreError` where there is no directory for it."""
    check_target(path, SUFFIXES, "games")


@contextlib.contextmanager
def open_records(path: Path, levels: tuple[str, str], *, swap: bool) -> Iterator[Records]:
    """A file for the games of two levels, complete or absent; it holds the columns of `SCHEMA`. Raises `StoreError`."""
    check_records(path)
    with atomic_file(path) as file:
        if path.suffix.lower() != ".parquet":
            yield _Lines(file, levels, swap, json_lines=path.suffix.lower() == ".jsonl")
            return
        with as_store_error(path), pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
            table = _Table(writer, levels, swap)
            yield table
            table.flush()


class _Table:
    def __init__(self, writer: pq.ParquetWriter, levels: tuple[str, str], swap: bool) -> None:
        self._writer, self._levels, self._swap = writer, levels, swap
        self._waiting: list[pa.Table] = []

    def add(self, batch: Batch) -> None:
        numbers = batch.first + np.arange(len(batch.plies))
        sides = numbers & 1 if self._swap else np.zeros(len(numbers), np.int64)
        columns = [
            numbers,
            pa.array(self._levels).take(pa.array(sides)),
            pa.array(self._levels).take(pa.array(1 - sides)),
            batch.paths,
            pa.array(OUTCOMES).take(pa.array(batch.ends)),
            batch.payoffs,
            batch.plies,
        ]
        self._waiting.append(pa.table(columns, schema=SCHEMA))
        if sum(table.num_rows for table in self._waiting) >= ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting))
            self._waiting = []


class _Lines:
    def __init__(self, file: IO[bytes], levels: tuple[str, str], swap: bool, *, json_lines: bool) -> None:
        self._file, self._levels, self._swap = file, levels, swap
        self._write = self._json if json_lines else self._csv
        if not json_lines:
            file.write((",".join(SCHEMA.names) + "\n").encode())

    def add(self, batch: Batch) -> None:
        assert batch.paths is not None
        columns = zip(batch.paths, batch.ends.tolist(), batch.payoffs.tolist(), batch.plies.tolist(), strict=True)
        lines = (
            self._write(number, *(self._levels[:: -1 if self._swap and number & 1 else 1]), path, OUTCOMES[end], *rest)
            for number, (path, end, *rest) in enumerate(columns, batch.first)
        )
        self._file.write("".join(lines).encode())

    @staticmethod
    def _csv(*row: object) -> str:
        return ",".join(map(str, row)) + "\n"  # no level, path or outcome has a comma or a quote

    @staticmethod
    def _json(*row: object) -> str:
        return json.dumps(dict(zip(SCHEMA.names, row, strict=True))) + "\n"
