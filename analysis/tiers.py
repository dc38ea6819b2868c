"""A solved tier, one array per field, and its totals."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from analysis.integers import to_int
from analysis.kernels import census as entries
from analysis.links import Links
from analysis.tables import COUNT_COLUMNS, NEVER, TALLIES, column, count_column

NOT_TOGETHER = "the stored tiers do not fit together; `gametree verify` says where"
"""What to say where a look-up of a state that must be there fails."""

TOTALS_KEYS = {"ply", "counts", "by_remoteness", "histories", "ended"}
"""The keys of `Totals` as JSON."""


@dataclasses.dataclass(frozen=True)
class Totals:
    """Counts over the positions of one tier. ``ended`` and ``histories`` are None where nothing was counted."""

    ply: int
    counts: np.ndarray  # int64[ENTRIES], see kernels.census
    by_remoteness: np.ndarray  # int64[plies, 3]: positions the mover loses, ties, wins
    histories: int | None = None
    ended: tuple[int, int, int] | None = None  # games that end at this ply: won by O, tied, won by X

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, for the manifest."""
        return {
            "ply": self.ply,
            "counts": self.counts.tolist(),
            "by_remoteness": self.by_remoteness.tolist(),
            "histories": self.histories,
            "ended": self.ended,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Totals:
        """The inverse of `to_json`."""
        return cls(
            data["ply"],
            np.array(data["counts"], dtype=np.int64),
            np.array(data["by_remoteness"], dtype=np.int64).reshape(-1, 3),
            data["histories"],
            None if data["ended"] is None else tuple(data["ended"]),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Totals) and self.to_json() == other.to_json()


@dataclasses.dataclass(frozen=True)
class Record:
    """What is known of one canonical state. Counts are None where they were left out."""

    to_move: int
    value: int
    remoteness_plies: int | None
    terminal: bool
    orbit_size: int
    histories: int | None = None
    games_x: int | None = None
    games_o: int | None = None
    games_tie: int | None = None
    optimal_paths: int | None = None
    shortest_paths: int | None = None

    @property
    def continuations(self) -> tuple[int, int, int] | None:
        """Complete games from the state on: won by X, won by O, tied."""
        if self.games_x is None or self.games_o is None or self.games_tie is None:
            return None
        return self.games_x, self.games_o, self.games_tie


def no_census(plies: int) -> tuple[np.ndarray, np.ndarray]:
    """The counts of `Totals` for no rows."""
    return np.zeros(entries.ENTRIES, dtype=np.int64), np.zeros((plies, 3), dtype=np.int64)


class SolvedTier(Protocol):
    """A solved tier in memory (`Tier`) or on the disk (`store.StoredTier`)."""

    ply: int

    @property
    def states(self) -> np.ndarray:
        """Sorted canonical states, int64[n]."""

    @property
    def value(self) -> np.ndarray:
        """int16[n]."""

    @property
    def remoteness(self) -> np.ndarray:
        """uint16[n], `NEVER` where play does not end."""

    def __len__(self) -> int: ...

    def lookup(self, state: int) -> Record | None:
        """What is known of one canonical state, or None where the tier does not hold it."""

    def table(self) -> pa.Table:
        """All columns, as in the files of ``positions/``."""


@dataclasses.dataclass
class Tier:
    """The canonical states of one ply, sorted, and what is known of each."""

    ply: int
    states: np.ndarray  # int64[n]
    to_move: np.ndarray  # int8[n], +1 the first player, -1 the second
    value: np.ndarray  # int16[n], the first player's payoff under optimal play
    remoteness: np.ndarray  # uint16[n], plies to the end under optimal play, or NEVER
    branching: np.ndarray  # uint8[n], moves; 0 where the game is over
    orbit_size: np.ndarray  # uint16[n]
    histories: np.ndarray | None = None  # uint64[n, limbs], move sequences that reach any position of the orbit
    tallies: np.ndarray | None = None  # uint64[n, fields, limbs], from here on; fields as in TALLIES

    @classmethod
    def empty(cls, ply: int, states: np.ndarray, orbit_size: np.ndarray) -> Tier:
        """A tier whose values are still to be filled in."""
        n = len(states)
        return cls(
            ply,
            states,
            np.empty(n, dtype=np.int8),
            np.empty(n, dtype=np.int16),
            np.empty(n, dtype=np.uint16),
            np.empty(n, dtype=np.uint8),
            orbit_size,
        )

    def __len__(self) -> int:
        return len(self.states)

    def chunk(self, rows: slice) -> Tier:
        """Some of the rows, as views."""
        arrays = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name != "ply"}
        return Tier(self.ply, **{name: None if a is None else a[rows] for name, a in arrays.items()})  # type: ignore[arg-type]

    def fill_from(self, links: Links) -> None:
        """Take over who moves, and how many moves there are."""
        self.to_move[:] = links.movers
        self.branching[:] = links.branching

    def lookup(self, state: int) -> Record | None:
        """What is known of one canonical state, or None where the tier does not hold it."""
        row = int(np.searchsorted(self.states, state))
        if row == len(self) or self.states[row] != state:
            return None
        remoteness = int(self.remoteness[row])
        return Record(
            int(self.to_move[row]),
            int(self.value[row]),
            None if remoteness == NEVER else remoteness,
            bool(self.branching[row] == 0),
            int(self.orbit_size[row]),
            *(to_int(self.counts(name)[row]) for name in COUNT_COLUMNS if self.histories is not None),
        )

    def table(self) -> pa.Table:
        """All columns, as in the files of ``positions/``."""
        columns: dict[str, pa.Array] = {
            "state": column(self.states),
            "ply": column(np.full(len(self), self.ply, dtype=np.int16)),
            "to_move": column(self.to_move),
            "value": column(self.value),
            "remoteness_plies": column(self.remoteness, valid=self.remoteness != NEVER),
            "terminal": column(self.branching == 0),
            "orbit_size": column(self.orbit_size),
        }
        if self.histories is not None:
            columns |= {name: count_column(self.counts(name)) for name in COUNT_COLUMNS}
        return pa.table(columns)

    def counts(self, column: str) -> np.ndarray:
        """One of `COUNT_COLUMNS`, uint64[n, limbs]."""
        if column == "histories":
            assert self.histories is not None
            return self.histories
        assert self.tallies is not None
        return self.tallies[:, TALLIES.index(column)]

    def census(self, plies: int) -> tuple[np.ndarray, np.ndarray]:
        """The counts of `Totals` for these rows; ``plies`` is more than any remoteness."""
        counts, by_remoteness = no_census(plies)
        entries.census(
            self.branching, self.to_move, self.value, self.remoteness, self.orbit_size, counts, by_remoteness
        )
        return counts, by_remoteness
