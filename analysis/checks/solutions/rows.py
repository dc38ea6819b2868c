"""Stored tiers, read by row groups, and what is kept of them while other rows are checked against it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from analysis.checks.solutions.kernels.certifying import FIELDS, fill_begins, find_rows
from analysis.checks.solutions.replay import writable
from analysis.engine.columns import COUNT_COLUMNS, MOVE_SCHEMA, array, column, count_numbers, plain
from analysis.errors import StoreError, VerificationError
from analysis.machine.files import AGAIN
from analysis.machine.workers import Workers
from analysis.rules.game import Game
from analysis.solution.storage.directory import part_path
from analysis.solution.storage.parquet import PartFile
from analysis.solution.storage.stored_tier import StoredPart, StoredTier

MAY_BE_NULL = ("remoteness_plies", "orbit_size")
"""Of draws, and of residual classes."""

MOVES = 1 << 18
"""Rows of ``moves/`` that are read at a time, at most."""


def different(states: np.ndarray) -> np.ndarray:
    """The different ones, ascending. (``np.unique`` hashes them, which takes four times as long.)"""
    ordered = np.sort(states)
    return ordered[np.concatenate((np.ones(len(ordered[:1]), dtype=bool), ordered[1:] != ordered[:-1]))]


class StoredRows:
    """Some rows of the tier with this ``number``, from row ``begin`` on, which come ``after`` a state."""

    def __init__(self, number: int, begin: int, table: pa.Table, after: int = -1) -> None:
        self.number, self.begin, self.table, self.after = number, begin, table, after
        self.states = writable(array(table["state"]))
        self._columns: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, name: str) -> np.ndarray:
        """A stored column: counts as limbs, remoteness with `NEVER`, orbit sizes of 1 where there are none."""
        if name not in self._columns:
            self._columns[name] = self._column(name, self.table[name])
        return self._columns[name]

    def _column(self, name: str, stored: pa.ChunkedArray) -> np.ndarray:
        if name in COUNT_COLUMNS:
            return writable(count_numbers(stored))
        if name == "position":
            return np.array(stored.to_pylist(), object)  # as texts NumPy would drop NULs at their ends
        return np.ones(len(self), np.uint16) if name == "orbit_size" and stored.null_count else plain(stored)

    @property
    def falls(self) -> np.ndarray:
        """Whether each state is not above the one before, bool[n]."""
        return self.states <= np.append(self.after, self.states[:-1])

    def before(self, row: int) -> StoredRows:
        """Those before one of them."""
        return StoredRows(self.number, self.begin, self.table.slice(0, row), self.after)


class RowGroup(NamedTuple):
    """A row group of a tier."""

    part: StoredPart
    number: int  # in its part
    begin: int  # its first row in the tier
    rows: int
    first: int  # its first state, and the last one, as the file says
    last: int


class TierRows(StoredTier):
    """A stored tier whose row groups have the states that their files say."""

    def __init__(self, directory: Path, recorded: dict[str, Any]) -> None:
        """Raises `VerificationError` for one without rows, or with a file without any."""
        super().__init__(directory, recorded)
        self.recorded = recorded
        if len(self.parts) < max(1, len(recorded["positions"])):
            raise VerificationError(f"tier {self.number}: positions/ has no rows, or a file without any")

    @functools.cached_property
    def groups(self) -> list[RowGroup]:
        """The row groups. Raises `VerificationError` where another first or last state is recorded of a part, and where
        they are not in the order of their states.
        """
        found, begin = list[RowGroup](), 0
        for part in self.parts:
            bounds = list(zip(*(each.tolist() for each in part.bounds), strict=True))
            if part.first_state != bounds[0][0] or part.last_state != bounds[-1][1]:
                raise VerificationError(f"tier {self.number}: what is recorded of the states in its files is wrong")
            for number, (first, last) in enumerate(bounds):
                rows = part.file.metadata.row_group(number).num_rows
                if found and first <= found[-1].last:
                    raise VerificationError(f"tier {self.number}: states are not in ascending order, each once")
                found.append(RowGroup(part, number, begin, rows, first, last))
                begin += rows
        return found

    def batches(
        self, most: int, columns: Sequence[str] | None = None, chosen: Callable[[int, int], np.ndarray] | None = None
    ) -> Iterator[StoredRows]:
        """All rows, at most so many at a time, or those that are ``chosen`` between two rows."""
        for groups in _together(self.groups, most if chosen is None else 1):
            begin, end = groups[0].begin, groups[-1].begin + groups[-1].rows
            own = None if chosen is None else chosen(begin, end)
            if own is not None and not len(own):
                continue
            table = groups[0].part.file.read_groups([group.number for group in groups], columns)
            if any(table[name].null_count for name in table.column_names if name not in MAY_BE_NULL):
                raise VerificationError(f"tier {self.number}: positions/ has nulls where gametree writes none")
            states = array(table["state"])
            ends = np.array([(group.begin - begin, group.begin - begin + group.rows - 1) for group in groups])
            if (states[ends] != [(group.first, group.last) for group in groups]).any():
                raise VerificationError(f"tier {self.number}: what files say of the states in them is wrong")
            table = table if own is None else table.take(column(own - begin))
            for low in range(0, len(table), most):
                after = -1 if low == 0 or own is not None else int(states[low - 1])
                yield StoredRows(self.number, begin + low, table.slice(low, most), after)

    def states_between(self, low: int, high: int | None) -> Iterator[np.ndarray]:
        """The states from ``low`` to below ``high``, if that is given."""
        for group in self.groups:
            if group.last >= low and (high is None or group.first < high):
                states = array(group.part.file.read_group(group.number, ["state"])["state"])
                yield states[np.searchsorted(states, low) : None if high is None else np.searchsorted(states, high)]

    def holding(self, states: np.ndarray, columns: Sequence[str], workers: Workers) -> tuple[pa.Table, np.ndarray]:
        """Those of some states, each once and ascending, that are stored, and the numbers of their rows."""

        def among(group: RowGroup) -> np.ndarray:
            return states[slice(*np.searchsorted(states, (group.first, group.last + 1)))]

        def read(group: RowGroup) -> tuple[pa.Table, np.ndarray]:
            own, table = among(group), group.part.file.read_group(group.number, columns)
            stored = array(table["state"])
            rows = np.searchsorted(stored, own)
            rows = rows[stored[np.minimum(rows, len(stored) - 1)] == own]
            return table.take(column(rows)), rows + group.begin

        wanted = [group for group in self.groups if len(among(group))] or self.groups[:1]
        tables, numbers = zip(*workers.map(read, wanted), strict=True)
        return pa.concat_tables(tables), np.concatenate(numbers)


def _together(groups: Sequence[RowGroup], most: int) -> Iterator[list[RowGroup]]:
    """Row groups of one part that follow each other, with at most so many rows, or one of them."""
    together: list[RowGroup] = []
    for group in groups:
        rows = sum(each.rows for each in together) + group.rows
        if together and (rows > most or group.part is not together[0].part):
            yield together
            together = []
        together.append(group)
    yield together


class HeldRows:
    """What rows are checked against: all rows of a tier, or some of several, in order."""

    def __init__(self, limbs: int, impartial: bool, rows: int, numbers: np.ndarray | None = None) -> None:
        """Room for so many ``rows``, with counts of so many ``limbs``; their ``numbers`` in the tier, where these are
        not all.
        """
        self.states, self.labels = np.empty(rows, np.int64), np.empty(rows, np.int32)
        self.nimbers = np.empty(rows if impartial else 0, np.uint8)
        self.tallies = np.zeros((rows if limbs else 0, FIELDS, max(1, limbs)), np.uint64)
        self.numbers = numbers

    def fill(self, begin: int, rows: StoredRows) -> None:
        """Keep what is stored of some rows; quotient paths are not."""
        own = slice(begin, begin + len(rows))
        self.states[own] = rows.states
        self.labels[own] = rows["value"].astype(np.int32) << 16 | rows["remoteness_plies"]
        if len(self.nimbers):
            self.nimbers[own] = rows["nimber"]
        for field, name in enumerate(COUNT_COLUMNS[1:] if len(self.tallies) else ()):
            self.tallies[own, field] = rows[name]

    def take(self, which: np.ndarray, other: HeldRows, places: np.ndarray) -> None:
        """Fill in ``which`` rows by those of another at some places."""
        for mine, its in ((self.labels, other.labels), (self.nimbers, other.nimbers), (self.tallies, other.tallies)):
            if len(mine):
                mine[which] = its[places]

    def find(self, states: np.ndarray) -> np.ndarray:
        """Where each state is, int64[n]; -1 for those that are not there."""
        places = np.full(len(states), -1, np.int64)
        if len(self.states):
            find_rows(self.states, *self.index, states, places)
        return places

    @functools.cached_property
    def index(self) -> tuple[np.ndarray, int]:
        """Where states begin by their leading bits, with about as many slots as there are states, and how many bits are
        left. To be asked for once all states are here.
        """
        span, bits = int(self.states[-1]) - int(self.states[0]), max(1, int(len(self.states) - 1).bit_length())
        shift = max(0, span.bit_length() - bits)
        begins = np.empty((span >> shift) + 2, np.uint32)
        fill_begins(self.states, shift, begins)
        return begins, shift


class InOrder:
    """Rows of files that are read one after the other, at most so many at a time."""

    def __init__(self, files: Iterable[PartFile], most: int, schema: pa.Schema, what: str) -> None:
        """Where one has not this ``schema``, reading raises `VerificationError`, which says ``what`` they are."""
        self._tables, self._waiting = self._read(files, most, schema, what), schema.empty_table()

    @staticmethod
    def _read(files: Iterable[PartFile], most: int, schema: pa.Schema, what: str) -> Iterator[pa.Table]:
        for file in files:
            if not file.schema.equals(schema):
                raise VerificationError(f"{what} has other columns or types than gametree writes")
            yield from file.batches(most)

    def take(self, rows: int) -> pa.Table:
        """The next rows, so many or what is left."""
        pieces, found = [self._waiting], len(self._waiting)
        while found < rows and (more := next(self._tables, None)) is not None:
            pieces.append(more)
            found += len(more)
        table = pa.concat_tables(pieces)
        self._waiting = table.slice(rows)
        return table.slice(0, rows)


class MoveTable:
    """The rows of ``moves/`` for a tier, read one after the other."""

    def __init__(self, directory: Path, recorded: dict[str, Any]) -> None:
        """Raises `StoreError` where nothing is recorded of them."""
        self._number, folder = recorded["tier"], directory / "moves"
        if not recorded.get("moves"):
            raise StoreError(f"{folder} is damaged: nothing is recorded of tier {self._number}; {AGAIN}")
        files = (PartFile(part_path(folder, part), part) for part in recorded["moves"])
        self._rows = InOrder(files, MOVES, MOVE_SCHEMA, f"tier {self._number}: moves/")

    def compare(self, wanted: tuple[np.ndarray, ...], game: Game) -> None:
        """Raise `VerificationError` where the next rows have not these columns."""
        stored = self._rows.take(len(wanted[0]))
        for name, right in zip(MOVE_SCHEMA.names, wanted, strict=True):
            found = plain(stored[name])
            differs = np.append(found != right[: len(found)], len(found) < len(right))
            if stored[name].null_count or differs.any():
                text = game.format_position(int(wanted[0][min(int(np.argmax(differs)), len(right) - 1)]))
                what = f"moves/ has another {name} than the rules"
                raise VerificationError(f"tier {self._number}, position {text}: {what}")

    def end(self) -> None:
        """Raise `VerificationError` where there are more."""
        if len(self._rows.take(1)):
            raise VerificationError(f"tier {self._number}: moves/ has more rows than there are moves")
