"""Represent a solved tier, with one array per field."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from ..errors import StoreError
from .columns import COUNT_COLUMNS, NEVER, TALLIES, column, count_column, position_schema

NOT_TOGETHER = "the stored tiers do not fit together; `gametree verify` says where"
"""The message if a look-up fails for a state that must be stored."""


VALUES = ("value", "remoteness_plies", "nimber")
"""The columns of the worth of a state."""
COUNTS = (*VALUES, "games_x", "games_o", "games_tie", "optimal_paths", "shortest_paths")
"""The same with counts of the play from it."""
FACTS = (*COUNTS, "to_move", "terminal", "orbit_size", "histories")
"""All that is looked up of a state."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Record:
    """Facts about a canonical state, as far as they were read and are stored; the fields are columns of the tables."""

    value: int
    remoteness_plies: int | None
    nimber: int | None = None
    games_x: int | None = None
    games_o: int | None = None
    games_tie: int | None = None
    optimal_paths: int | None = None
    shortest_paths: int | None = None
    to_move: int = 0
    terminal: bool = False
    orbit_size: int | None = None
    """None if unknown."""
    histories: int | None = None

    @property
    def games(self) -> int | None:
        """Complete games from the state on."""
        return None if self.games_x is None else self.games_x + (self.games_o or 0) + (self.games_tie or 0)

    @property
    def histories_each(self) -> int | None:
        """The histories of each state of the class, which are equal for symmetric states."""
        if self.histories is None or self.orbit_size is None:
            return None
        return self.histories // self.orbit_size


class SolvedTier(Protocol):
    """A solved tier in memory (`Tier`) or on the disk (`store.StoredTier`)."""

    number: int

    @property
    def states(self) -> np.ndarray:
        """Sorted canonical states, int64[n]."""

    @property
    def value(self) -> np.ndarray:
        """int16[n]."""

    @property
    def remoteness(self) -> np.ndarray:
        """uint16[n], `NEVER` if play does not end."""

    def __len__(self) -> int: ...

    @property
    def first_state(self) -> int | None:
        """The least of its states; None if the tier is stored and finding it would need reading its files."""

    def state_at(self, row: int) -> int:
        """Return the state in a row; rows count from 0."""

    def seek(self, states: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return which canonical states, sorted and distinct, the tier holds, bool[n], and these columns of those that
        it does, as far as it has them, in the form of `columns.plain`.
        """

    def pieces(
        self, rows: int, columns: Sequence[str] | None = None, among: np.ndarray | None = None
    ) -> Iterator[pa.Table]:
        """Yield all columns of ``positions/``, or some, in pieces of at most ``rows`` rows. If only the sorted states
        ``among`` matter, pieces without any of them may be left out.
        """


def worths_in(tier: SolvedTier, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values int16[n] and remotenesses uint16[n] of canonical states, sorted and distinct. Raises
    `StoreError` if the tier does not hold one.
    """
    held, columns = tier.seek(states, ("value", "remoteness_plies"))
    if not held.all():
        raise StoreError(NOT_TOGETHER)
    return columns["value"], columns["remoteness_plies"]


@dataclasses.dataclass
class Tier:
    """The canonical states of one tier, sorted, and their labels and counts."""

    number: int
    by_ply: bool
    """Whether the number is the ply of all states."""
    states: np.ndarray  # int64[n]
    to_move: np.ndarray  # int8[n], +1 the first player, -1 the second
    value: np.ndarray  # int16[n], the first player's payoff under optimal play
    remoteness: np.ndarray  # uint16[n], plies to the end under optimal play, or NEVER
    branching: np.ndarray  # uint8[n], moves; 0 if the game is over
    orbit_size: np.ndarray | None  # uint16[n], None if unknown
    nimber: np.ndarray | None = None  # uint8[n], of an impartial game
    histories: np.ndarray | None = None  # uint64[n, limbs], move sequences that reach any position of the orbit
    tallies: np.ndarray | None = None  # uint64[n, fields, limbs] or narrower, from here on; fields as in TALLIES

    by_plies: np.ndarray | None = None  # uint64[n, plies, limbs], histories by length, if the tier is not the ply

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copy arrays that are only lent, as joblib and Dask do: kernels do not accept read-only arrays."""
        for name, value in state.items():
            lent = isinstance(value, np.ndarray) and not value.flags.writeable
            setattr(self, name, np.array(value) if lent else value)

    def __len__(self) -> int:
        return len(self.states)

    def chunk(self, rows: slice | np.ndarray) -> Tier:
        """Return some of the rows, as views if they are a slice."""
        names = [f.name for f in dataclasses.fields(self) if f.name not in ("number", "by_ply")]
        arrays = {name: getattr(self, name) for name in names}
        chosen: dict[str, Any] = {name: None if array is None else array[rows] for name, array in arrays.items()}
        return Tier(self.number, self.by_ply, **chosen)

    @property
    def first_state(self) -> int | None:
        """See `SolvedTier`."""
        return int(self.states[0]) if len(self) else None

    def state_at(self, row: int) -> int:
        """See `SolvedTier`."""
        return int(self.states[row])

    def table(self) -> pa.Table:
        """Return all columns, as in the files of ``positions/``."""
        counts = [] if self.histories is None else [count_column(self.counts(name)) for name in COUNT_COLUMNS]
        sized, kind = self.orbit_size is not None, counts[0].type if counts else None
        columns = [
            column(self.states),
            column(np.full(len(self), self.number, dtype=np.int16 if self.by_ply else np.int32)),
            column(self.to_move),
            column(self.value),
            column(self.remoteness, valid=None if self.by_ply else self.remoteness != NEVER),
            column(self.branching == 0),
            pa.nulls(len(self), pa.uint16()) if self.orbit_size is None else column(self.orbit_size),
            *([] if self.nimber is None else [column(self.nimber)]),
            *counts,
        ]
        schema = position_schema(kind, by_ply=self.by_ply, sized=sized, nimbers=self.nimber is not None)
        return pa.Table.from_arrays(columns, schema=schema)

    def seek(self, states: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """See `SolvedTier`."""
        places = np.minimum(np.searchsorted(self.states, states), len(self) - 1)
        held = self.states[places] == states
        columns = {name: self._column(name, places[held]) for name in names}
        return held, {name: column for name, column in columns.items() if column is not None}

    def _column(self, name: str, rows: np.ndarray) -> np.ndarray | None:
        """Return some rows of a column of the tables as an array; None if the tier does not have it."""
        if name == "terminal":
            return self.branching[rows] == 0
        if name in TALLIES:
            return None if self.tallies is None else self.tallies[rows, TALLIES.index(name)].astype(np.uint64)
        array: np.ndarray | None = getattr(self, "remoteness" if name == "remoteness_plies" else name)
        return None if array is None else array[rows]

    def pieces(
        self, rows: int, columns: Sequence[str] | None = None, among: np.ndarray | None = None
    ) -> Iterator[pa.Table]:
        """See `SolvedTier`."""
        lows = np.arange(0, len(self), rows)
        if among is not None:
            last_before = np.searchsorted(self.states[lows], among, side="right") - 1
            lows = lows[np.unique(np.maximum(last_before, 0))]
        for low in lows.tolist():
            table = self.chunk(slice(low, low + rows)).table()
            yield table if columns is None else table.select(list(columns))

    def counts(self, column: str) -> np.ndarray:
        """Return one of `COUNT_COLUMNS`, uint64[n, limbs]."""
        if column == "histories":
            assert self.histories is not None
            return self.histories
        assert self.tallies is not None
        return self.tallies[:, TALLIES.index(column)].astype(np.uint64, copy=False)
