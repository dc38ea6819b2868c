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

from analysis.engine import columns
from analysis.engine.tiers import NOT_TOGETHER, Record
from analysis.errors import StoreError
from analysis.machine.files import AGAIN, read_json
from analysis.machine.json_forms import NATURAL, fits
from analysis.storage.directory import PART_FORM, TIERS, part_path, tier_name
from analysis.storage.parquet import PartFile

_FORM = {"tier": NATURAL, "rows": NATURAL, "rules_hash": str, "positions": [PART_FORM]}
FORMS = (_FORM | {"moves": [PART_FORM]}, _FORM)
"""What is recorded of a tier, in the second place of a bidding game's."""


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
        if not any(fits(recorded, form) for form in FORMS):
            raise StoreError(f"{path} is damaged: it has not the form of what is recorded of a tier; {AGAIN}")
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
        pieces = [file.read(columns) for file in self._files]
        if sum(map(len, pieces)) != self._rows:
            raise StoreError(NOT_TOGETHER)
        return pa.concat_tables(pieces)

    def pieces(self, rows: int) -> Iterator[pa.Table]:
        """All columns, in pieces of at most so many rows that are read one after the other."""
        for file in self._files:
            yield from file.batches(rows)

    def release(self) -> None:
        """Let go of the columns that were read; they are read again when they are asked for."""
        for name in ("states", "value", "remoteness"):
            self.__dict__.pop(name, None)

    def read_moves(self) -> pa.Table:
        """The tier's rows of ``moves/``."""
        folder = self._directory / "moves"
        if not self._recorded.get("moves"):
            raise StoreError(f"{folder} is damaged: nothing is recorded of tier {self.number}; {AGAIN}")
        return pa.concat_tables(PartFile(part_path(folder, part), part).read() for part in self._recorded["moves"])

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
            for group in range(file.metadata.num_row_groups):
                bounds = file.metadata.row_group(group).column(0).statistics
                if bounds.min <= state <= bounds.max:
                    return _record(self._row_group(number, group), state)
        return None

    @functools.cached_property
    def _files(self) -> list[PartFile]:
        return [PartFile(*each) for each in zip(self._paths, self._recorded["positions"], strict=True)]

    def _read_row_group(self, number: int, group: int) -> pa.Table:
        return self._files[number].read_group(group, self._columns)

    @functools.cached_property
    def _columns(self) -> list[str]:
        """The columns that a look-up needs."""
        names = set(self._files[0].names)
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
