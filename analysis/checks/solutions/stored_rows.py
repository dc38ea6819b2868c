"""The rows of stored tiers as arrays, read by row groups in the order in which they lie."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from analysis.checks.solutions.replay import writable
from analysis.engine.columns import MOVE_SCHEMA, array, column, count_numbers, remoteness_numbers
from analysis.errors import StoreError, VerificationError
from analysis.machine.files import AGAIN
from analysis.machine.workers import Workers
from analysis.storage.directory import part_path
from analysis.storage.parquet import PartFile, state_bounds

MOVES = 1 << 18
"""Rows of ``moves/`` that are read at a time."""

OPEN = 16
"""Files that are open at a time."""


class StoredRows:
    """Some rows of a tier, ascending by state."""

    def __init__(self, number: int, table: pa.Table, begin: int = 0, states: np.ndarray | None = None) -> None:
        self.number, self.table, self.begin = number, table, begin
        self.states = writable(array(table["state"])) if states is None else states
        self._limbs: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, name: str) -> np.ndarray:
        """A stored column: remoteness with `NEVER`, texts as they are, orbit sizes of 1 where there are none."""
        if name == "remoteness_plies":
            return self.remoteness
        if name == "position":
            return np.array(self.table[name].to_pylist())
        if name == "orbit_size" and self.table[name].null_count == len(self):
            return np.ones(len(self), np.uint16)
        return np.asarray(self.table[name].to_numpy())

    def slice(self, begin: int, rows: int) -> StoredRows:
        """So many of the rows, or what there is."""
        return StoredRows(
            self.number, self.table.slice(begin, rows), self.begin + begin, self.states[begin : begin + rows]
        )

    @functools.cached_property
    def value(self) -> np.ndarray:
        """int16[n]."""
        return array(self.table["value"])

    @functools.cached_property
    def remoteness(self) -> np.ndarray:
        """uint16[n], `NEVER` in a draw."""
        return remoteness_numbers(self.table["remoteness_plies"])

    @functools.cached_property
    def nimber(self) -> np.ndarray:
        """uint8[n]."""
        return writable(array(self.table["nimber"]))

    def limbs(self, name: str) -> np.ndarray:
        """A column of counts, uint64[n, limbs]."""
        if name not in self._limbs:
            self._limbs[name] = count_numbers(self.table[name])
        return self._limbs[name]


class PartFiles(threading.local):
    """Files of a solution, of which the last few that were used stay open, in each thread others."""

    def __init__(self) -> None:
        self._open: dict[Path, PartFile] = {}

    def __call__(self, folder: Path, part: dict[str, Any]) -> PartFile:
        """The file of a part in a folder. Raises `VerificationError` where it has not the rows that are recorded."""
        path = part_path(folder, part)
        file = self._open.pop(path, None) or PartFile(path, part)
        if file.metadata.num_rows != part["rows"]:
            raise VerificationError(f"{path}: has {file.metadata.num_rows} rows, not the recorded {part['rows']}")
        self._open[path] = file
        if len(self._open) > OPEN:
            del self._open[next(iter(self._open))]
        return file


class Groups(NamedTuple):
    """The row groups of a tier, by what the files say of them."""

    firsts: np.ndarray  # int64[groups], the first state of each
    lasts: np.ndarray  # int64[groups], the last one
    begins: np.ndarray  # int64[groups + 1], the number of the first row of each, and of all rows
    parts: np.ndarray  # int64[groups], the part that each is in
    places: np.ndarray  # int64[groups], its number there


class TierRows:
    """A stored tier. Its rows are read when they are asked for, unless the tier is held."""

    def __init__(self, directory: Path, recorded: dict[str, Any], files: PartFiles) -> None:
        self._files = files
        self.number, self._rows, self._parts = recorded["tier"], recorded["rows"], recorded["positions"]
        if not self._rows:
            raise VerificationError(f"tier {self.number}: positions/ has no rows")
        self._folder = directory / "positions"
        self._held: StoredRows | None = None

    def __len__(self) -> int:
        return self._rows

    @property
    def held(self) -> bool:
        """Whether all rows are in memory."""
        return self._held is not None

    def schemas(self) -> Iterator[pa.Schema]:
        """Columns and types of each part."""
        for part in self._parts:
            yield self._files(self._folder, part).metadata.schema.to_arrow_schema()

    def hold(self, workers: Workers) -> StoredRows:
        """Read all rows, which then stay in memory as long as the tier does."""
        tables = list(workers.map(lambda part: self._files(self._folder, part).read(), self._parts))
        self._held = StoredRows(self.number, pa.concat_tables(tables))
        return self._held

    @functools.cached_property
    def groups(self) -> Groups:
        """Its row groups. Raises `VerificationError` where what is recorded of a part is not what its file says."""
        found: list[tuple[np.ndarray, ...]] = []
        for number, part in enumerate(self._parts):
            metadata = self._files(self._folder, part).metadata
            firsts, lasts = state_bounds(metadata)
            own = {"first_state": int(firsts[0]), "last_state": int(lasts[-1])}
            if any(part.get(name, state) != state for name, state in own.items()):
                raise VerificationError(f"tier {self.number}: what is recorded of the states in its files is wrong")
            sizes = np.array([metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)], dtype=np.int64)
            places = np.arange(len(sizes))
            found.append((firsts, lasts, sizes, np.full(len(sizes), number), places))
        firsts, lasts, sizes, parts, places = map(np.concatenate, zip(*found, strict=True))
        return Groups(firsts, lasts, np.concatenate(([0], np.cumsum(sizes))), parts, places)

    def span(self, begin: int, rows: int, columns: Sequence[str] | None = None) -> StoredRows:
        """So many rows from one on, or what there is, with some columns at least."""
        if self._held is not None:
            return self._held.slice(begin, rows)
        begins, end = self.groups.begins, min(begin + rows, self._rows)
        first, last = (int(np.searchsorted(begins, at, side="right")) - 1 for at in (begin, end - 1))
        table = pa.concat_tables([self._read(group, columns) for group in range(first, last + 1)])
        return StoredRows(self.number, table.slice(begin - int(begins[first]), end - begin), begin)

    def pick(self, rows: np.ndarray, workers: Workers, columns: Sequence[str] | None = None) -> StoredRows:
        """The rows with these numbers, which ascend, with some columns or all; they begin anew at 0."""
        if self._held is not None:
            return StoredRows(self.number, self._held.table.take(column(rows)))

        def read(run: tuple[int, slice]) -> pa.Table:
            group, wanted = run
            return self._read(group, columns).take(column(rows[wanted] - self.groups.begins[group]))

        return StoredRows(self.number, pa.concat_tables(workers.map(read, _runs(self.groups.begins[:-1], rows))))

    def holding(
        self, states: np.ndarray, columns: Sequence[str], workers: Workers
    ) -> tuple[StoredRows, np.ndarray] | None:
        """Those of some states, which ascend, that are stored, with some columns, and the numbers of their rows; None
        where none is.
        """
        if self._held is not None:
            rows = np.searchsorted(self._held.states, states)
            rows = rows[self._held.states[np.minimum(rows, len(self) - 1)] == states]
            return (StoredRows(self.number, self._held.table.take(column(rows))), rows) if len(rows) else None

        def read(run: tuple[int, slice]) -> tuple[pa.Table, np.ndarray]:
            group, wanted = run
            table = self._read(group, columns)
            own, found = array(table["state"]), states[wanted]
            rows = np.searchsorted(own, found)
            rows = rows[own[np.minimum(rows, len(own) - 1)] == found]
            return table.take(column(rows)), rows + self.groups.begins[group]

        pieces = [piece for piece in workers.map(read, _runs(self.groups.firsts, states)) if len(piece[1])]
        if not pieces:
            return None
        table = pa.concat_tables([own for own, _ in pieces])
        return StoredRows(self.number, table), np.concatenate([rows for _, rows in pieces])

    def between(self, low: int, high: int | None) -> Iterator[np.ndarray]:
        """The states from ``low`` to below ``high``, if that is given."""
        firsts = self.groups.firsts
        first = max(0, int(np.searchsorted(firsts, low, side="right")) - 1)
        last = len(firsts) if high is None else int(np.searchsorted(firsts, high))
        for group in range(first, last):
            states = array(self._read(group, ["state"])["state"])
            yield states[np.searchsorted(states, low) : None if high is None else np.searchsorted(states, high)]

    def _read(self, group: int, columns: Sequence[str] | None) -> pa.Table:
        part = self._parts[int(self.groups.parts[group])]
        return self._files(self._folder, part).read_group(int(self.groups.places[group]), columns)


class Tables:
    """Rows of tables that are read one after the other."""

    def __init__(self, tables: Iterator[pa.Table]) -> None:
        self._tables, self._waiting = tables, next(tables)

    def take(self, rows: int) -> pa.Table:
        """The next rows, so many or what is left."""
        pieces, found = [self._waiting], len(self._waiting)
        while found < rows and (more := next(self._tables, None)) is not None:
            pieces.append(more)
            found += len(more)
        table = pa.concat_tables(pieces)
        self._waiting = table.slice(rows)
        return table.slice(0, rows)


def move_tables(directory: Path, recorded: dict[str, Any]) -> Tables:
    """The rows of ``moves/`` for a tier. Raises `StoreError` and `VerificationError` where there are none."""
    folder = directory / "moves"
    if not recorded.get("moves"):
        raise StoreError(f"{folder} is damaged: nothing is recorded of tier {recorded['tier']}; {AGAIN}")

    def tables() -> Iterator[pa.Table]:
        for part in recorded["moves"]:
            for rows in PartFile(part_path(folder, part), part).batches(MOVES):
                if not rows.schema.equals(MOVE_SCHEMA):
                    raise VerificationError(
                        f"tier {recorded['tier']}: moves/ has other columns or types than gametree writes"
                    )
                yield rows
        yield MOVE_SCHEMA.empty_table()

    return Tables(tables())


def _runs(firsts: np.ndarray, ascending: np.ndarray) -> Iterator[tuple[int, slice]]:
    """Which of the ascending numbers belong to the intervals that begin at ``firsts``; what is less than all of them
    goes to the first.
    """
    cuts = np.searchsorted(ascending, firsts[1:])
    bounds = np.concatenate(([0], cuts, [len(ascending)]))
    for place in np.flatnonzero(np.diff(bounds)).tolist():
        yield place, slice(int(bounds[place]), int(bounds[place + 1]))
