"""A solved tier on the disk, read as far as it is asked for."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from analysis.engine import columns
from analysis.engine.tiers import NOT_TOGETHER, K, ValueRecord
from analysis.errors import StoreError
from analysis.machine.arguments import NATURAL, fits
from analysis.machine.files import AGAIN, read_json
from analysis.storage.directory import PART_FORM, TIERS, part_path, tier_name
from analysis.storage.parquet import ROW_GROUP
from analysis.storage.stored_part import StoredPart

_FORM = {"tier": NATURAL, "rows": NATURAL, "rules_hash": str, "positions": [PART_FORM]}
FORMS = (_FORM | {"moves": [PART_FORM]}, _FORM)
"""What is recorded of a tier, in the second place of a bidding game's."""


WORTH = ("state", "value", "remoteness_plies")


class StoredTier:
    """A tier on the disk, of which no more is read than is asked for."""

    def __init__(self, directory: Path, recorded: dict[str, Any]) -> None:
        self.number, self._rows = recorded["tier"], recorded["rows"]
        self._directory, self._recorded = directory, recorded
        self.parts = [
            StoredPart(part_path(directory / "positions", part), part) for part in recorded["positions"] if part["rows"]
        ]
        self._known: dict[type[ValueRecord], list[str]] = {}

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

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._directory.absolute(), self._recorded)

    def __len__(self) -> int:
        return self._rows

    def table(self, columns: list[str] | None = None) -> pa.Table:
        """Some columns, or all."""
        pieces = [part.file.read(columns) for part in self.parts]
        if sum(map(len, pieces)) != self._rows:
            raise StoreError(NOT_TOGETHER)
        return pa.concat_tables(pieces)

    def pieces(
        self, rows: int, columns: Sequence[str] | None = None, among: np.ndarray | None = None
    ) -> Iterator[pa.Table]:
        """Some columns, or all, in pieces of at most so many rows that are read one after the other; of sorted states
        ``among`` which all are that matter, only the row groups that may hold some.
        """
        for part in self.parts:
            groups = range(part.file.metadata.num_row_groups) if among is None else part.groups_among(among)
            if len(groups):
                yield from part.file.batches(rows, columns, groups)

    def worths(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values int16[n] and remotenesses uint16[n] of canonical states, sorted and each once. Raises `StoreError`
        where the tier does not hold one.
        """
        values, remoteness, done = np.empty(len(states), np.int16), np.empty(len(states), np.uint16), 0
        for table in self.pieces(ROW_GROUP, WORTH, states):
            stored = columns.array(table["state"])
            rows = slice(done, done := int(np.searchsorted(states, stored[-1], side="right")))
            places = np.searchsorted(stored, states[rows])
            if (stored[places] != states[rows]).any():
                raise StoreError(NOT_TOGETHER)
            values[rows] = columns.array(table["value"])[places]
            remoteness[rows] = columns.remoteness_numbers(table["remoteness_plies"])[places]
        if done < len(states):
            raise StoreError(NOT_TOGETHER)
        return values, remoteness

    @property
    def states(self) -> np.ndarray:
        """Sorted canonical states, int64[n], read whole each time."""
        return self._whole("state", np.int64)

    @property
    def value(self) -> np.ndarray:
        """int16[n], read whole each time."""
        return self._whole("value", np.int16)

    @property
    def remoteness(self) -> np.ndarray:
        """uint16[n], `NEVER` where there is none, read whole each time."""
        return self._whole("remoteness_plies", np.uint16)

    @property
    def first_state(self) -> int | None:
        """See `SolvedTier`."""
        return self.parts[0].recorded_first if self.parts else None

    def lookup(self, state: int, kind: type[K]) -> K | None:
        """See `SolvedTier`."""
        for part, group in self._groups(state):
            names = self._columns(part, kind)
            states, *arrays = part.arrays(group, names)
            row = int(states.searchsorted(state))
            if states[row] == state:
                return kind(**{name: _field(name, array[row]) for name, array in zip(names[1:], arrays, strict=True)})
        return None

    def state_at(self, row: int) -> int:
        """See `SolvedTier`."""
        for part in self.parts:
            if row < len(part):
                group, row = part.group_of(row)
                return int(part.arrays(group, ["state"])[0][row])
            row -= len(part)
        raise IndexError(f"tier {self.number} has {self._rows} rows")

    def _groups(self, state: int) -> Iterator[tuple[StoredPart, int]]:
        """The row groups between whose first and last states a state lies: one at most where no state has two rows."""
        place = bisect.bisect_left(self.parts, state, key=lambda part: part.last_state)
        for part in self.parts[place : place + 1]:
            for group in part.groups(state, state):
                yield part, group

    def _columns(self, part: StoredPart, kind: type[ValueRecord]) -> list[str]:
        """The columns that a kind of record is made of, after the states, as far as one of the parts has them."""
        if kind not in self._known:
            names = set(part.file.schema.names)
            self._known[kind] = ["state", *(name for name in kind.names if name in names)]
        return self._known[kind]

    def _whole(self, name: str, kind: type) -> np.ndarray:
        """A column in one piece, `NEVER` for null."""
        found, done = np.empty(self._rows, kind), 0
        for table in self.pieces(ROW_GROUP, [name]):
            convert = columns.remoteness_numbers if name == "remoteness_plies" else columns.array
            found[done : done + len(table)] = convert(table[name])
            done += len(table)
        return found


def _field(name: str, found: Any) -> Any:
    """A field of a record by what `columns.plain` has of it."""
    if name == "terminal":
        return bool(found)
    if isinstance(found, np.ndarray):
        return columns.to_int(found)
    number = int(found)
    return None if name == "remoteness_plies" and number == columns.NEVER else number
