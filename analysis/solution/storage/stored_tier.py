"""A solved tier on disk, read on demand.

Files are opened when first read, and reopened if need be. All stored solutions of the process share bounded caches.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from ...common.arguments import NATURAL, fits
from ...common.files import AGAIN, read_json
from ...engine import columns
from ...engine.tiers import NOT_TOGETHER
from ...errors import StoreError
from .directory import PART_FORM, TIERS, part_path, tier_name
from .parquet import ROW_GROUP, PartFile, state_bounds

_FORM = {"tier": NATURAL, "rows": NATURAL, "rules_hash": str, "positions": [PART_FORM], "moves": [PART_FORM]}
"""The record of a tier."""

MOST_FILES, MOST_GROUPS = 128, 128
"""The most files that are open, and the most row groups in memory, each at most 2 MB."""


class StoredPart:
    """A file with rows and its record ``recorded``. Raises `StoreError` as `PartFile` does."""

    def __init__(self, path: Path, recorded: dict[str, Any]) -> None:
        self.path, self.recorded = path, recorded
        self._bounds: tuple[np.ndarray, np.ndarray] | None = None
        self.first_state, self.last_state = int(recorded["first_state"]), int(recorded["last_state"])

    def __len__(self) -> int:
        return int(self.recorded["rows"])

    @property
    def file(self) -> PartFile:
        """The open file."""
        return _opened(self)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The first and last state of each row group, kept in memory."""
        if self._bounds is None:
            self._bounds = state_bounds(self.file.metadata)
        return self._bounds

    def groups_among(self, states: np.ndarray) -> Sequence[int]:
        """Return the row groups that may hold some of these sorted states."""
        if np.searchsorted(states, self.first_state) == np.searchsorted(states, self.last_state, side="right"):
            return ()
        firsts, lasts = self.bounds
        wanted = np.searchsorted(states, lasts, side="right") > np.searchsorted(states, firsts)
        return np.flatnonzero(wanted).tolist()  # type: ignore[no-any-return]

    def state_at(self, row: int) -> int:
        """Return the state in a row of the file."""
        metadata, group = self.file.metadata, 0
        while row >= (rows := metadata.row_group(group).num_rows):
            group, row = group + 1, row - rows
        return int(self.arrays(group, ["state"])[0][row])

    def arrays(self, number: int, names: Sequence[str]) -> list[np.ndarray]:
        """Return some columns of a row group as `columns.plain` makes them."""
        return _arrays(self, number, tuple(names))

    def group(self, number: int, names: Sequence[str]) -> pa.Table:
        """Return some columns of a row group."""
        return _group(self, number, tuple(names))


@functools.lru_cache(MOST_FILES)
def _opened(part: StoredPart) -> PartFile:
    return PartFile(part.path, part.recorded)


@functools.lru_cache(MOST_GROUPS)
def _group(part: StoredPart, number: int, names: tuple[str, ...]) -> pa.Table:
    return part.file.read_group(number, names)


@functools.lru_cache(MOST_GROUPS)
def _arrays(part: StoredPart, number: int, names: tuple[str, ...]) -> list[np.ndarray]:
    table = part.file.read_group(number, names)
    return [columns.plain(table[name]) for name in names]


def read_tier(directory: Path, number: int, sha256: str) -> dict[str, Any]:
    """Read the record of a tier from its JSON file. Raises `StoreError` for another checksum or another tier."""
    path = directory / TIERS / tier_name(number)
    recorded: dict[str, Any] = read_json(path, sha256)
    if not fits(recorded, _FORM):
        raise StoreError(f"{path} is damaged: it is not the record of a tier; {AGAIN}")
    if recorded["tier"] != number or recorded["rows"] != sum(part["rows"] for part in recorded["positions"]):
        raise StoreError(f"{path} is damaged: it is of another tier, or its rows do not add up; {AGAIN}")
    return recorded


class StoredTier:
    """A tier on disk, read on demand."""

    def __init__(self, directory: Path, recorded: dict[str, Any]) -> None:
        self.number, self._rows = recorded["tier"], recorded["rows"]
        self._directory, self._recorded = directory, recorded
        self.parts = [
            StoredPart(part_path(directory / "positions", part), part) for part in recorded["positions"] if part["rows"]
        ]
        self._firsts = np.array([part.first_state for part in self.parts], np.int64)
        self._lasts = np.array([part.last_state for part in self.parts], np.int64)

    @classmethod
    def open(cls, directory: Path, number: int, sha256: str) -> Self:
        """Open the tier by its JSON file; see `read_tier`."""
        return cls(directory, read_tier(directory, number, sha256))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._directory.absolute(), self._recorded)

    def __len__(self) -> int:
        return self._rows

    def table(self, columns: list[str] | None = None) -> pa.Table:
        """Read some columns, or all."""
        pieces = [part.file.read(columns) for part in self.parts]
        if sum(map(len, pieces)) != self._rows:
            raise StoreError(NOT_TOGETHER)
        return pa.concat_tables(pieces)

    def pieces(
        self, rows: int, columns: Sequence[str] | None = None, among: np.ndarray | None = None
    ) -> Iterator[pa.Table]:
        """Yield some columns in pieces of at most ``rows`` rows; only row groups that may hold states ``among``."""
        for part in self.parts:
            groups = range(part.file.metadata.num_row_groups) if among is None else part.groups_among(among)
            if len(groups):
                yield from part.file.batches(rows, columns, groups)

    def seek(self, states: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """See `SolvedTier`."""
        held, pieces, there = np.zeros(len(states), bool), [], list(names)
        first, last = np.searchsorted(self._lasts, states[:1]), np.searchsorted(self._firsts, states[-1:], side="right")
        for part in self.parts[slice(*first, *last)] if len(states) else ():
            groups = part.groups_among(states)
            stored_names = part.file.schema.names if len(groups) else ()
            for group in groups:
                there = [name for name in there if name in stored_names]
                stored, *arrays = part.arrays(group, ["state", *there])
                low, high = np.searchsorted(states, stored[0]), np.searchsorted(states, stored[-1], side="right")
                places = np.searchsorted(stored, states[low:high])
                here = stored[places] == states[low:high]
                held[low:high] = here
                pieces.append([each[places[here]] for each in arrays])
        columns = map(_joined, zip(*(pieces or [[np.empty(0, np.int64)] * len(there)]), strict=True))
        return held, dict(zip(there, columns, strict=True))

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

    def _whole(self, name: str, kind: type) -> np.ndarray:
        """Read a column in one piece, `NEVER` for null."""
        found, done = np.empty(self._rows, kind), 0
        for table in self.pieces(ROW_GROUP, [name]):
            convert = columns.remoteness_numbers if name == "remoteness_plies" else columns.array
            found[done : done + len(table)] = convert(table[name])
            done += len(table)
        return found

    @property
    def first_state(self) -> int | None:
        """See `SolvedTier`."""
        return self.parts[0].first_state if self.parts else None

    def state_at(self, row: int) -> int:
        """See `SolvedTier`."""
        for part in self.parts:
            if row < len(part):
                return part.state_at(row)
            row -= len(part)
        raise IndexError(f"tier {self.number} has {self._rows} rows")


def _joined(pieces: Sequence[np.ndarray]) -> np.ndarray:
    """Join pieces of a column; counts have one limb or two."""
    limbs = max(piece.shape[-1] for piece in pieces) if pieces[0].ndim > 1 else 0
    return np.concatenate([columns.widen(piece, limbs) if limbs else piece for piece in pieces])
