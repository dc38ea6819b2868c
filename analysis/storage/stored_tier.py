"""A solved tier on the disk, read as far as it is asked for."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from analysis.engine import columns
from analysis.engine.tiers import NOT_TOGETHER, Record
from analysis.errors import StoreError
from analysis.machine.files import AGAIN, as_store_error, read_json
from analysis.storage.directory import TIERS, part_path, tier_name
from analysis.storage.parquet import open_part


class StoredTier:
    """A tier on the disk. Columns are read whole when first asked for; one state is looked up by its row group."""

    def __init__(self, directory: Path, recorded: dict[str, Any]) -> None:
        self.number, self._rows = recorded["tier"], recorded["rows"]
        self._directory, self._recorded = directory, recorded
        self._paths = [part_path(directory / "positions", part) for part in recorded["positions"]]
        self._row_group = functools.lru_cache(maxsize=4)(self._read_row_group)

    @classmethod
    def open(cls, directory: Path, number: int, sha256: str) -> Self:
        """The tier by its JSON file, which has this checksum. Raises `StoreError` where it has another."""
        path = directory / TIERS / tier_name(number)
        recorded = read_json(path, sha256)
        if recorded["tier"] != number or recorded["rows"] != sum(part["rows"] for part in recorded["positions"]):
            raise StoreError(f"{path} is damaged: it is of another tier, or its rows do not add up; {AGAIN}")
        return cls(directory, recorded)

    def fresh(self) -> Self:
        """The tier with nothing read of it."""
        return type(self)(self._directory, self._recorded)

    def __len__(self) -> int:
        return self._rows

    def table(self, columns: list[str] | None = None) -> pa.Table:
        """Some columns, or all."""
        pieces = []
        for number, file in enumerate(self._files):
            with as_store_error(self._paths[number]):
                pieces.append(file.read(columns))
        if sum(map(len, pieces)) != self._rows:
            raise StoreError(NOT_TOGETHER)
        return pa.concat_tables(pieces)

    def pieces(self, rows: int) -> Iterator[pa.Table]:
        """All columns, in pieces of at most so many rows that are read one after the other."""
        for number, file in enumerate(self._files):
            with as_store_error(self._paths[number]):
                for batch in file.iter_batches(rows):
                    yield pa.Table.from_batches([batch])

    def release(self) -> None:
        """Let go of the columns that were read; they are read again when they are asked for."""
        for name in ("states", "value", "remoteness"):
            self.__dict__.pop(name, None)

    def read_moves(self) -> pa.Table:
        """The tier's rows of ``moves/``."""
        folder = self._directory / "moves"
        with as_store_error(folder):
            return pa.concat_tables(open_part(part_path(folder, part), part).read() for part in self._recorded["moves"])

    @functools.cached_property
    def states(self) -> np.ndarray:
        """Sorted canonical states, int64[n]."""
        return _writable(columns.array(self._column("state")))

    @functools.cached_property
    def value(self) -> np.ndarray:
        """int16[n]."""
        return _writable(columns.array(self._column("value")))

    @functools.cached_property
    def remoteness(self) -> np.ndarray:
        """uint16[n], `NEVER` where there is none."""
        return _writable(columns.remoteness_numbers(self._column("remoteness_plies")))

    def lookup(self, state: int) -> Record | None:
        """What is known of one canonical state, or None where the tier does not hold it."""
        for number, file in enumerate(self._files):
            for group in range(file.num_row_groups):
                bounds = file.metadata.row_group(group).column(0).statistics
                if bounds.min <= state <= bounds.max:
                    return _record(self._row_group(number, group), state)
        return None

    @functools.cached_property
    def _files(self) -> list[pq.ParquetFile]:
        return [open_part(*each) for each in zip(self._paths, self._recorded["positions"], strict=True)]

    def _read_row_group(self, number: int, group: int) -> pa.Table:
        with as_store_error(self._paths[number]):
            return self._files[number].read_row_group(group, self._columns)

    @functools.cached_property
    def _columns(self) -> list[str]:
        """The columns that a look-up needs."""
        names = set(self._files[0].schema_arrow.names)
        return ["state", *(f.name for f in dataclasses.fields(Record) if f.name in names)]

    def _column(self, name: str) -> pa.ChunkedArray:
        return self.table([name])[name]


def _writable(array: np.ndarray) -> np.ndarray:
    """The array, copied if it lies in a file's buffer: the kernels take none that is read-only."""
    return np.require(array, requirements="W")


def _record(table: pa.Table, state: int) -> Record | None:
    row = int(np.searchsorted(columns.array(table["state"]), state))
    if table["state"][row].as_py() != state:
        return None
    found: dict[str, Any] = {name: table[name][row].as_py() for name in table.column_names if name != "state"}
    found |= {name: int(value) for name, value in found.items() if isinstance(value, Decimal)}
    return Record(**found)
