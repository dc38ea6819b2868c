"""The rows of stored tiers as arrays, read by row groups in the order in which they lie."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.checks.solutions.digits import from_limbs
from analysis.engine.columns import COUNT_COLUMNS, MOVE_SCHEMA, array, column, count_numbers, remoteness_numbers
from analysis.errors import StoreError, VerificationError
from analysis.machine.files import AGAIN
from analysis.storage.directory import part_path
from analysis.storage.parquet import PartFile

MOVES = 1 << 18
"""Rows of ``moves/`` that are read at a time."""

OPEN = 16
"""Files that are open at a time."""


class StoredRows:
    """Some rows of a tier, ascending by state."""

    def __init__(self, number: int, table: pa.Table, begin: int = 0) -> None:
        self.number, self.table, self.begin = number, table, begin
        self.states = np.require(array(table["state"]), requirements="W")  # the kernels take none else
        self._limbs: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, name: str) -> np.ndarray:
        """A stored column: remoteness with `NEVER`, counts as digits, texts as they are."""
        if name == "remoteness_plies":
            return self.remoteness
        if name == "position":
            return np.array(self.table[name].to_pylist())
        return from_limbs(self.limbs(name)) if name in COUNT_COLUMNS else np.asarray(self.table[name].to_numpy())

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
        return array(self.table["nimber"])

    def limbs(self, name: str) -> np.ndarray:
        """A column of counts, uint64[n, limbs]."""
        if name not in self._limbs:
            self._limbs[name] = count_numbers(self.table[name])
        return self._limbs[name]

    def find(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which of the rows these canonical states should be, and which of them are not there."""
        rows = np.minimum(np.searchsorted(self.states, states), len(self.states) - 1)
        return rows, self.states[rows] != states


class PartFiles:
    """Files of a solution, of which the last few that were used stay open."""

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


class TierRows:
    """A stored tier. Its rows are read when they are asked for, unless the tier is held."""

    def __init__(self, directory: Path, recorded: dict[str, Any], files: PartFiles) -> None:
        self._files = files
        self.number, self._rows, self._parts = recorded["tier"], recorded["rows"], recorded["positions"]
        if not self._rows:
            raise VerificationError(f"tier {self.number}: positions/ has no rows")
        self._folder = directory / "positions"
        self._begins = np.cumsum([0, *(part["rows"] for part in self._parts)])
        self._of_parts: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._held: StoredRows | None = None

    def __len__(self) -> int:
        return self._rows

    def hold(self) -> None:
        """Read all rows, which then stay in memory as long as the tier does."""
        tables = [self._file(part).read() for part in range(len(self._parts))]
        self._held = StoredRows(self.number, pa.concat_tables(tables))

    @property
    def held(self) -> bool:
        """Whether all rows are in memory."""
        return self._held is not None

    def pieces(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[StoredRows]:
        """All rows, at most so many at a time, with some columns at least."""
        if self._held is None:
            tables = Tables(self._file(part).read_group(group, columns) for part, group in self._all_groups())
        for begin in range(0, len(self), rows):
            table = self._held.table.slice(begin, rows) if self._held is not None else tables.take(rows)
            yield StoredRows(self.number, table, begin)

    def between(self, low: int, high: int | None) -> Iterator[np.ndarray]:
        """The states from ``low`` to below ``high``, if that is given."""

        def within(states: np.ndarray) -> np.ndarray:
            return states[np.searchsorted(states, low) : None if high is None else np.searchsorted(states, high)]

        starts, _ = self.bounds()
        first = max(0, int(np.searchsorted(starts, low, side="right")) - 1)
        last = None if high is None else int(np.searchsorted(starts, high))
        for part, group in itertools.islice(self._all_groups(), first, last):
            yield within(array(self._file(part).read_group(group, ["state"])["state"]))

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The first state of each row group as its file says, and its row."""
        firsts, begins = zip(*map(self._groups, range(len(self._parts))), strict=True)
        rows = [own + begin for own, begin in zip(begins, self._begins[:-1], strict=True)]
        return np.concatenate(firsts), np.concatenate(rows)

    def at(self, rows: np.ndarray, columns: Sequence[str] | None = None) -> StoredRows:
        """The rows with these numbers, which ascend, with some columns or all."""
        if self._held is not None:
            return StoredRows(
                self.number, self._held.table.select(columns or self._held.table.column_names).take(column(rows))
            )
        pieces = []
        for part, of_part in _runs(self._begins, rows):
            for group, wanted in _runs(self._groups(part)[1], rows[of_part] - self._begins[part]):
                begin = self._begins[part] + self._groups(part)[1][group]
                pieces.append(self._file(part).read_group(group, columns).take(column(rows[of_part][wanted] - begin)))
        return StoredRows(self.number, pa.concat_tables(pieces))

    def holding(self, states: np.ndarray, columns: Sequence[str]) -> Iterator[tuple[np.ndarray, StoredRows]]:
        """The rows among which canonical states should be, with some columns at least, and the places of those states
        that should be among them: each row group once.
        """
        if self._held is not None:
            yield np.arange(len(states)), self._held
            return
        order = np.argsort(states)
        ascending = states[order]
        for part, of_part in _runs(self._firsts, ascending):
            firsts, begins = self._groups(part)
            for group, wanted in _runs(firsts, ascending[of_part]):
                table = self._file(part).read_group(group, columns)
                yield order[of_part][wanted], StoredRows(self.number, table, int(self._begins[part] + begins[group]))

    @functools.cached_property
    def _firsts(self) -> np.ndarray:
        """The first state of each part."""
        return np.array([self._groups(part)[0][0] for part in range(len(self._parts))])

    def _groups(self, part: int) -> tuple[np.ndarray, np.ndarray]:
        """The first state of each row group of a part, and the number of its first row in the part."""
        if part not in self._of_parts:
            described = self._file(part).metadata
            groups = [described.row_group(i) for i in range(described.num_row_groups)]
            firsts = np.array([group.column(0).statistics.min for group in groups], dtype=np.int64)
            self._of_parts[part] = firsts, np.cumsum([0, *(group.num_rows for group in groups)])[:-1]
        return self._of_parts[part]

    def _all_groups(self) -> Iterator[tuple[int, int]]:
        """Part and number of each row group."""
        for part in range(len(self._parts)):
            for group in range(len(self._groups(part)[0])):
                yield part, group

    def _file(self, part: int) -> PartFile:
        return self._files(self._folder, self._parts[part])


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
