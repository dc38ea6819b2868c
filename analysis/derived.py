"""What is stored of a tier, and what the rules and the tier after it say of the same states.

Values and counts come from NumPy reductions over 32-bit digits, so that they share nothing with the solver's kernels.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pyarrow as pa

from analysis import digits
from analysis.errors import VerificationError
from analysis.stored import StoredTier
from analysis.tables import COUNT_COLUMNS, MOVE_SCHEMA, count_numbers, remoteness_numbers


class Columns:
    """The stored columns of a tier as arrays."""

    def __init__(self, stored: StoredTier, table: pa.Table, counted: bool) -> None:
        self.ply, self.stored, self.table = stored.ply, stored, table
        self.states = np.require(self.table["state"].to_numpy(), requirements="W")  # the kernels take none else
        self.remoteness = remoteness_numbers(self.table["remoteness_plies"])
        names = COUNT_COLUMNS if counted else ()
        self.counts = {name: digits.from_limbs(count_numbers(self.table[name])) for name in names}
        self.quotient = np.empty((0, 0), dtype=np.uint64)
        self._moves: pa.Table | None = None

    def __getitem__(self, name: str) -> np.ndarray:
        """A stored column."""
        return self.table[name].to_numpy()

    def moves(self, directory: Path) -> pa.Table:
        """The stored moves of the tier."""
        if self._moves is None:
            self._moves = self.stored.read_moves(directory)
            if not self._moves.schema.equals(MOVE_SCHEMA):
                raise VerificationError(f"tier {self.ply}: moves/ has other columns or types than gametree writes")
        return self._moves

    def move_rows(self, directory: Path) -> int:
        """How many rows ``moves/`` has for the tier."""
        return len(self.moves(directory)) if (directory / "moves").is_dir() else 0


@dataclasses.dataclass(frozen=True)
class Expanded:
    """The moves of some states: for each the row of its state, its code, and the state after it."""

    movers: np.ndarray  # int8[n]
    branching: np.ndarray  # uint8[n]
    payoffs: np.ndarray  # int64[n], ONGOING while the game goes on
    rows: np.ndarray  # int64[moves]
    codes: np.ndarray  # uint8[moves]
    children: np.ndarray  # int64[moves]


@dataclasses.dataclass
class Derived:
    """What the rules and the next tier say of a tier."""

    mover: np.ndarray
    branching: np.ndarray
    value: np.ndarray
    remoteness: np.ndarray
    counts: dict[str, np.ndarray]  # digits, uint64[n, d]
    quotient: np.ndarray
    histories: np.ndarray
    histories_below: np.ndarray
    reached_below: np.ndarray
    moves_compared: int = 0

    @classmethod
    def begin(cls, columns: Columns, below: Columns | None, counted: bool) -> Derived:
        """Nothing derived yet."""
        n = len(columns.states)
        mover, branching, value, remoteness = np.zeros((4, n), dtype=np.int64)
        wide = digits.WIDTH if counted else 0
        n_below = len(below.states) if below is not None else 0
        return cls(
            mover,
            branching,
            value,
            remoteness,
            {name: np.zeros((n, wide), dtype=np.uint64) for name in columns.counts if name != "histories"},
            np.zeros((n, wide), dtype=np.uint64),
            columns.counts.get("histories", np.zeros((n, 0), dtype=np.uint64)),
            np.zeros((n_below, wide), dtype=np.uint64),
            np.zeros(n_below, dtype=bool),
        )

    def terminal_counts(self, rows: slice, over: np.ndarray) -> None:
        """One game and one path where the game is over."""
        if not self.counts:
            return
        value = self.value[rows]
        ended = {"games_x": value > 0, "games_o": value < 0, "games_tie": value == 0}
        for name, numbers in self.counts.items():
            numbers[rows, 0] = over & ended.get(name, True)
        self.quotient[rows, 0] = over

    def from_children(
        self, parents: np.ndarray, starts: np.ndarray, parent_of: np.ndarray, child: np.ndarray, below: Columns | None
    ) -> None:
        """Value, remoteness and counts of ``parents`` whose children begin at ``starts``."""
        assert below is not None
        seen = below["value"].astype(np.int64)[child] * self.mover[parent_of]  # as the mover sees the child
        best = np.maximum.reduceat(seen, starts)
        self.value[parents] = best * self.mover[parents]
        plies = below.remoteness.astype(np.int64)[child]
        kept = below["value"][child] == self.value[parent_of]
        fastest = np.minimum.reduceat(np.where(kept, plies, 1 << 30), starts)
        slowest = np.maximum.reduceat(np.where(kept, plies, -1), starts)
        self.remoteness[parents] = 1 + np.where(best >= 0, fastest, slowest)
        if not self.counts:
            return
        hurries = kept & (plies + 1 == self.remoteness[parent_of])
        for name, numbers in self.counts.items():
            counted = {"optimal_paths": kept, "shortest_paths": hurries}.get(name)
            numbers[parents] = digits.sums(below.counts[name][child], starts, counted)
        edges = parent_of * (len(below.states) + 1) + child
        first = np.zeros(len(edges), dtype=bool)
        first[np.unique(edges, return_index=True)[1]] = True
        self.quotient[parents] = digits.sums(below.quotient[child], starts, first)
        np.add.at(self.histories_below, child, self.histories[parent_of])
