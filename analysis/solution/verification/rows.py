"""Read stored tiers by row groups, and hold what other rows are checked against."""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ...common.files import AGAIN
from ...common.workers import Workers
from ...engine.columns import COUNT_COLUMNS, array, column, count_numbers, move_schema, plain
from ...engine.kernels.radix_sort import sorted_keys
from ...errors import StoreError, VerificationError
from ...rules.game import Game
from ..storage.directory import part_path
from ..storage.parquet import PartFile
from ..storage.stored_tier import StoredPart, StoredTier
from .kernels import FIELDS, fill_begins, find_rows
from .replay import writable

MOVES = 1 << 18
"""Rows of ``moves/`` read at a time, at most."""


def distinct(states: np.ndarray) -> np.ndarray:
    """Return the distinct states, ascending. (``np.unique`` hashes, which takes four times as long.)"""
    ordered = sorted_keys(states.copy())
    return ordered[np.concatenate((np.ones(len(ordered[:1]), dtype=bool), ordered[1:] != ordered[:-1]))]


class StoredRows:
    """Some rows of the tier ``number``, starting at row ``begin``, which follow the state ``after``."""

    def __init__(self, number: int, begin: int, table: pa.Table, after: int = -1) -> None:
        self.number, self.begin, self.table, self.after = number, begin, table, after
        self.states = writable(array(table["state"]))
        self._columns: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a stored column: counts as limbs, remoteness with `NEVER`, missing orbit sizes as 1."""
        if name not in self._columns:
            self._columns[name] = writable(self._column(name, self.table[name]))
        return self._columns[name]

    def _column(self, name: str, stored: pa.ChunkedArray) -> np.ndarray:
        if name in COUNT_COLUMNS:
            return count_numbers(stored)
        if name == "position":
            return np.array(stored.to_pylist(), object)  # NumPy's own texts would lose trailing NULs
        return np.ones(len(self), np.uint16) if name == "orbit_size" and stored.null_count else plain(stored)

    @property
    def falls(self) -> np.ndarray:
        """Whether each state is not above the one before, bool[n]."""
        return self.states <= np.append(self.after, self.states[:-1])

    def before(self, row: int) -> StoredRows:
        """Return the rows before one of them."""
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
    """A stored tier whose files have the expected columns and hold the states that they claim.

    A file is checked when it is first needed.
    """

    def __init__(self, directory: Path, recorded: dict[str, Any], schema: pa.Schema) -> None:
        """Raise `VerificationError` for a tier without rows, or a file without any."""
        super().__init__(directory, recorded)
        self.recorded, self._schema = recorded, schema
        self._begins = np.cumsum([0, *map(len, self.parts)]).tolist()
        self._checked: dict[int, list[RowGroup]] = {}
        self.ends: list[np.ndarray] = []
        """Its states without moves, if they are held."""
        if len(self.parts) < max(1, len(recorded["positions"])):
            raise VerificationError(f"tier {self.number}: positions/ is empty, or has an empty file")

    def groups(self, place: int) -> list[RowGroup]:
        """Return the row groups of a file. Raises `VerificationError` if its columns or its recorded bounds are wrong,
        or if states do not ascend.
        """
        if place not in self._checked:
            part, begin = self.parts[place], self._begins[place]
            if not part.file.schema.equals(self._schema):
                raise VerificationError(f"tier {self.number}: positions/ has unexpected columns or types")
            bounds = list(zip(*(each.tolist() for each in part.bounds), strict=True))
            if part.first_state != bounds[0][0] or part.last_state != bounds[-1][1]:
                raise VerificationError(f"tier {self.number}: the recorded first or last states of its files are wrong")
            found, last = list[RowGroup](), self.parts[place - 1].last_state if place else -1
            for number, bound in enumerate(bounds):
                if bound[0] <= last:
                    raise VerificationError(f"tier {self.number}: states are not in ascending order, each once")
                rows, last = part.file.metadata.row_group(number).num_rows, bound[1]
                found.append(RowGroup(part, number, begin, rows, *bound))
                begin += rows
            self._checked[place] = found
        return self._checked[place]

    def batches(
        self, most: int, columns: Sequence[str] | None = None, chosen: Callable[[int, int], np.ndarray] | None = None
    ) -> Iterator[StoredRows]:
        """Yield all rows in batches of at most ``most``, or only those ``chosen`` between two rows."""
        for groups in self._together(most if chosen is None else 1, chosen):
            begin, end = groups[0].begin, groups[-1].begin + groups[-1].rows
            own = None if chosen is None else chosen(begin, end)
            if own is not None and not len(own):
                continue
            table = groups[0].part.file.read_groups([group.number for group in groups], columns)
            states = array(table["state"])
            ends = np.array([(group.begin - begin, group.begin - begin + group.rows - 1) for group in groups])
            if (states[ends] != [(group.first, group.last) for group in groups]).any():
                raise VerificationError(f"tier {self.number}: the statistics of its files do not match their states")
            table = table if own is None else table.take(column(own - begin))
            for low in range(0, len(table), most):
                after = -1 if low == 0 or own is not None else int(states[low - 1])
                yield StoredRows(self.number, begin + low, table.slice(low, most), after)

    def _together(self, most: int, chosen: Callable[[int, int], np.ndarray] | None) -> Iterator[list[RowGroup]]:
        """Yield consecutive row groups of a file with at most ``most`` rows, or single ones; only of files with rows
        that are ``chosen``.
        """
        for place, bounds in enumerate(itertools.pairwise(self._begins)):
            if chosen is not None and not len(chosen(*bounds)):
                continue
            together: list[RowGroup] = []
            for group in self.groups(place):
                if together and sum(each.rows for each in together) + group.rows > most:
                    yield together
                    together = []
                together.append(group)
            yield together

    def ends_between(self, low: int, high: int | None) -> Iterator[np.ndarray]:
        """Yield the states without moves from ``low`` to below ``high`` (None: to the end)."""
        for ends in self.ends or self._read_ends(low, high):
            yield ends[np.searchsorted(ends, low) : None if high is None else np.searchsorted(ends, high)]

    def _read_ends(self, low: int, high: int | None) -> Iterator[np.ndarray]:
        for group in itertools.chain.from_iterable(map(self.groups, range(len(self.parts)))):
            if group.last >= low and (high is None or group.first < high):
                table = group.part.file.read_group(group.number, ["state", "terminal"])
                yield array(table["state"]).compress(plain(table["terminal"]))

    def holding(self, states: np.ndarray, columns: Sequence[str], workers: Workers) -> tuple[pa.Table, np.ndarray]:
        """Return those of some states (distinct, ascending) that are stored, and the numbers of their rows."""

        def among(first: int, last: int) -> np.ndarray:
            return states[slice(*np.searchsorted(states, (first, last + 1)))]

        def read(group: RowGroup) -> tuple[pa.Table, np.ndarray]:
            own, table = among(group.first, group.last), group.part.file.read_group(group.number, columns)
            stored = array(table["state"])
            rows = np.searchsorted(stored, own)
            rows = rows[stored[np.minimum(rows, len(stored) - 1)] == own]
            return table.take(column(rows)), rows + group.begin

        files = [place for place, part in enumerate(self.parts) if len(among(part.first_state, part.last_state))]
        groups = itertools.chain.from_iterable(map(self.groups, files))
        wanted = [group for group in groups if len(among(group.first, group.last))] or self.groups(0)[:1]
        tables, numbers = zip(*workers.map(read, wanted), strict=True)
        return pa.concat_tables(tables), np.concatenate(numbers)


class HeldRows:
    """What rows are checked against: all rows of a tier, or some of several, in order."""

    def __init__(self, limbs: int, impartial: bool, rows: int, numbers: np.ndarray | None = None) -> None:
        """Make room for ``rows`` with counts of ``limbs``; ``numbers`` are their rows in the tier, if not all."""
        self.states, self.labels = np.empty(rows, np.int64), np.empty(rows, np.int32)
        self.nimbers = np.empty(rows if impartial else 0, np.uint8)
        self.tallies = np.zeros((rows if limbs else 0, FIELDS, max(1, limbs)), np.uint64)
        self.numbers, self._begins = numbers, np.empty(2 * rows + 2, np.uint32)

    def first(self, rows: int) -> HeldRows:
        """Return room for so many rows in the same memory."""
        own = copy.copy(self)
        own.states, own.labels, own.nimbers = self.states[:rows], self.labels[:rows], self.nimbers[:rows]
        own.tallies = self.tallies[:rows]
        return own

    def fill(self, begin: int, rows: StoredRows) -> None:
        """Keep what is stored of some rows, except quotient paths."""
        own = slice(begin, begin + len(rows))
        self.states[own] = rows.states
        np.left_shift(rows["value"], 16, out=self.labels[own], dtype=np.int32)
        self.labels[own] |= rows["remoteness_plies"]
        if len(self.nimbers):
            self.nimbers[own] = rows["nimber"]
        for field, name in enumerate(COUNT_COLUMNS[1:] if len(self.tallies) else ()):
            self.tallies[own, field] = rows[name]

    def take(self, which: np.ndarray | slice, other: HeldRows, places: np.ndarray) -> None:
        """Fill the nimbers and tallies of the rows ``which`` from places in another."""
        for mine, its in ((self.nimbers, other.nimbers), (self.tallies, other.tallies)):
            if len(mine):
                mine[which] = its[places]

    def find(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """Return the place of each state, int64[n], -1 if absent, its label, int32[n], and how many are absent."""
        if not len(self.states):
            return np.full(len(states), -1), np.zeros(len(states), np.int32), len(states)
        places, labels = np.empty(len(states), np.int64), np.empty(len(states), np.int32)
        return places, labels, find_rows(self.states, self.labels, *self.index, states, places, labels)

    @functools.cached_property
    def index(self) -> tuple[np.ndarray, int]:
        """Where states begin by their leading bits, in about as many slots as states, and the number of bits left.

        Use only once all states are here.
        """
        span, bits = int(self.states[-1]) - int(self.states[0]), max(1, int(len(self.states) - 1).bit_length())
        shift = max(0, span.bit_length() - bits)
        begins = self._begins[: (span >> shift) + 2]
        fill_begins(self.states, shift, begins)
        return begins, shift


class InOrder:
    """Rows of files read one after the other, in limited batches."""

    def __init__(self, files: Iterable[PartFile], most: int, schema: pa.Schema, what: str) -> None:
        """Read ``files``; one without this ``schema`` raises `VerificationError`, which calls them ``what``."""
        self._tables, self._waiting = self._read(files, most, schema, what), schema.empty_table()

    @staticmethod
    def _read(files: Iterable[PartFile], most: int, schema: pa.Schema, what: str) -> Iterator[pa.Table]:
        for file in files:
            if not file.schema.equals(schema):
                raise VerificationError(f"{what} has unexpected columns or types")
            yield from file.batches(most)

    def take(self, rows: int) -> pa.Table:
        """Return the next ``rows``, or what is left."""
        pieces, found = [self._waiting], len(self._waiting)
        while found < rows and (more := next(self._tables, None)) is not None:
            pieces.append(more)
            found += len(more)
        table = pa.concat_tables(pieces)
        self._waiting = table.slice(rows)
        return table.slice(0, rows)


class MoveTable:
    """The rows of ``moves/`` for a tier, read in order."""

    def __init__(self, directory: Path, recorded: dict[str, Any], kind: type) -> None:
        """Expect codes of this ``kind``. Raise `StoreError` if nothing is recorded of them."""
        self._number, folder = recorded["tier"], directory / "moves"
        if not recorded.get("moves"):
            raise StoreError(f"{folder} is damaged: there is no record of tier {self._number}; {AGAIN}")
        files = (PartFile(part_path(folder, part), part) for part in recorded["moves"])
        self._schema = move_schema(kind)
        self._rows = InOrder(files, MOVES, self._schema, f"tier {self._number}: moves/")

    def compare(self, wanted: tuple[np.ndarray, ...], game: Game) -> None:
        """Raise `VerificationError` unless the next rows have these columns."""
        stored = self._rows.take(len(wanted[0]))
        for name, right in zip(self._schema.names, wanted, strict=True):
            found = plain(stored[name])
            differs = np.append(found != right[: len(found)], len(found) < len(right))
            if differs.any():
                text = game.format_position(int(wanted[0][min(int(np.argmax(differs)), len(right) - 1)]))
                what = f"column {name} of moves/ differs from the rules"
                raise VerificationError(f"tier {self._number}, position {text}: {what}")

    def end(self) -> None:
        """Raise `VerificationError` if any rows are left."""
        if len(self._rows.take(1)):
            raise VerificationError(f"tier {self._number}: moves/ has too many rows")
