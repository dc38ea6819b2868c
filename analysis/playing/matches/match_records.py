"""Every game of a match in a file: Parquet, CSV or JSON lines, written as the games are played."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from analysis.machine.files import check_target
from analysis.playing.matches.simulation import Batch
from analysis.storage.row_files import Write, row_file, text_column

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


class Records:
    """A file that takes games."""

    def __init__(self, write: Write, levels: tuple[str, str], swap: bool) -> None:
        self._write, self._levels, self._swap = write, text_column(levels), swap

    def add(self, batch: Batch) -> None:
        """Write the games of a batch."""
        numbers = batch.first + np.arange(len(batch.plies))
        sides = numbers & 1 if self._swap else np.zeros(len(numbers), np.int64)
        columns = [
            numbers,
            self._levels.take(pa.array(sides)),
            self._levels.take(pa.array(1 - sides)),
            batch.paths,
            pa.array(OUTCOMES).take(pa.array(batch.ends)),
            batch.payoffs,
            batch.plies,
        ]
        self._write(pa.table(columns, schema=SCHEMA))


def check_records(path: Path) -> None:
    """Raise `OptionError` for a file of no known kind, and `StoreError` where there is no directory for it."""
    check_target(path, SUFFIXES, "games")


@contextlib.contextmanager
def open_records(path: Path, levels: tuple[str, str], *, swap: bool) -> Iterator[Records]:
    """A file for the games of two levels, complete or absent; it holds the columns of `SCHEMA`. With ``swap`` the
    levels change sides after every game. Raises `OptionError` for a file of no known kind, and `StoreError`.
    """
    check_records(path)
    with row_file(path, SCHEMA) as write:
        yield Records(write, levels, swap)
