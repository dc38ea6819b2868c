"""What is stored of a tier, and what the rules and the tier after it say of the same states.

Values and counts come from NumPy reductions, so that they share nothing with the solver's kernels: numbers are 32-bit
digits in uint64, so that a sum of up to 2**32 of them has no carry.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa

from analysis.engine.columns import COUNT_COLUMNS, MOVE_SCHEMA, NEVER, count_numbers, remoteness_numbers
from analysis.errors import VerificationError
from analysis.storage.stored_tier import StoredTier

WIDTH = 4
"""Digits of a number: 128 bits."""

LOW = np.uint64(0xFFFFFFFF)
SHIFT = np.uint64(32)


def from_limbs(numbers: np.ndarray) -> np.ndarray:
    """uint64[n, limbs] as digits, uint64[n, WIDTH], the lowest first."""
    digits = np.zeros((len(numbers), WIDTH), dtype=np.uint64)
    for limb in range(numbers.shape[1]):
        digits[:, 2 * limb] = numbers[:, limb] & LOW
        digits[:, 2 * limb + 1] = numbers[:, limb] >> SHIFT
    return digits


def carried(digits: np.ndarray) -> np.ndarray:
    """The numbers with every digit below 2**32."""
    digits = digits.copy()
    for place in range(WIDTH - 1):
        digits[:, place + 1] += digits[:, place] >> SHIFT
        digits[:, place] &= LOW
    return digits


def sums(digits: np.ndarray, starts: np.ndarray, counted: np.ndarray | None = None) -> np.ndarray:
    """The sums of the runs that begin at ``starts``, of the ``counted`` numbers only."""
    if counted is not None:
        digits = np.where(counted[:, None], digits, np.uint64(0))
    return carried(np.add.reduceat(digits, starts, axis=0))


def exact_total(digits: np.ndarray) -> int:
    """The sum of all numbers as a Python integer.

    >>> exact_total(from_limbs(np.array([[2**64 - 1, 1], [1, 0]], dtype=np.uint64))) == 2**65
    True
    """
    return sum(int(place) << (32 * i) for i, place in enumerate(digits.sum(axis=0)))


class StoredColumns:
    """The stored columns of a tier as arrays, and what is found out about its states from the tiers before it."""

    def __init__(self, stored: StoredTier, table: pa.Table, counted: bool) -> None:
        self.number, self.stored, self.table = stored.number, stored, table
        self.states = np.require(self.table["state"].to_numpy(), requirements="W")  # the kernels take none else
        self.value = np.asarray(self.table["value"].to_numpy())
        self.remoteness = remoteness_numbers(self.table["remoteness_plies"])
        self.counted = counted
        names = COUNT_COLUMNS if counted else ()
        self.counts = {name: from_limbs(count_numbers(self.table[name])) for name in names}
        self.quotient = np.empty((0, 0), dtype=np.uint64)
        self.reached = np.zeros(len(self.states), dtype=bool)
        self.histories = np.zeros((len(self.states), WIDTH if counted else 0), dtype=np.uint64)
        self._moves: pa.Table | None = None

    def __getitem__(self, name: str) -> np.ndarray:
        """A stored column: remoteness with `NEVER`, counts as digits, texts as they are."""
        if name == "remoteness_plies":
            return self.remoteness
        if name == "position":
            return np.array(self.table[name].to_pylist())
        return self.counts[name] if name in self.counts else self.table[name].to_numpy()

    def find(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows where these canonical states should be, and which of them are not there."""
        rows = np.minimum(np.searchsorted(self.states, states), len(self.states) - 1)
        return rows, self.states[rows] != states

    def moves(self, directory: Path) -> pa.Table:
        """The stored moves of the tier."""
        if self._moves is None:
            self._moves = self.stored.read_moves(directory)
            if not self._moves.schema.equals(MOVE_SCHEMA):
                raise VerificationError(f"tier {self.number}: moves/ has other columns or types than gametree writes")
        return self._moves

    def move_rows(self, directory: Path) -> int:
        """How many rows ``moves/`` has for the tier."""
        return len(self.moves(directory)) if (directory / "moves").is_dir() else 0


@dataclasses.dataclass
class Numbers:
    """Values and counts of some states, all 0 at first."""

    value: np.ndarray  # int64[n]
    remoteness: np.ndarray  # int64[n], NEVER in a draw
    nimber: np.ndarray  # int64[n], 0 where the game has none
    counts: dict[str, np.ndarray]  # digits, uint64[n, d]
    quotient: np.ndarray  # uint64[n, d]

    @classmethod
    def zeros(cls, n: int, counted: bool, more: int) -> Self:
        """Nothing known yet; ``more`` arrays int64[n] belong to the class."""
        value, remoteness, nimber, *others = np.zeros((3 + more, n), dtype=np.int64)
        wide = (n, WIDTH if counted else 0)
        counts = {name: np.zeros(wide, dtype=np.uint64) for name in COUNT_COLUMNS[1:] if counted}
        return cls(value, remoteness, nimber, counts, np.zeros(wide, dtype=np.uint64), *others)


@dataclasses.dataclass
class Children(Numbers):
    """What is stored of the child of each move, gathered from the tiers that they are in."""

    number: np.ndarray  # int64[moves], a number of its own for every state

    def fill(self, places: np.ndarray, tier: StoredColumns, rows: np.ndarray, first_number: int) -> None:
        """Take over what a tier holds of the children at these places."""
        self.number[places] = first_number + rows
        self.value[places], self.remoteness[places] = tier.value[rows], tier.remoteness[rows]
        if "nimber" in tier.table.column_names:
            self.nimber[places] = tier["nimber"][rows]
        for name in self.counts:
            self.counts[name][places] = tier.counts[name][rows]
        if len(tier.quotient):
            self.quotient[places] = tier.quotient[rows]


@dataclasses.dataclass
class Derived(Numbers):
    """What the rules and the children say of a tier."""

    mover: np.ndarray  # int64[n]
    branching: np.ndarray  # int64[n]
    moves_compared: int = 0

    def terminal_counts(self, rows: slice, over: np.ndarray) -> None:
        """One game and one path where the game is over."""
        if not self.counts:
            return
        value = self.value[rows]
        ended = {"games_x": value > 0, "games_o": value < 0, "games_tie": value == 0}
        for name, numbers in self.counts.items():
            numbers[rows, 0] = over & ended.get(name, True)
        self.quotient[rows, 0] = over

    def from_children(self, parents: np.ndarray, starts: np.ndarray, parent_of: np.ndarray, child: Children) -> None:
        """Value, remoteness, nimber and counts of ``parents`` whose children begin at ``starts``."""
        seen = child.value * self.mover[parent_of]  # as the mover sees the child
        best = np.maximum.reduceat(seen, starts)
        self.value[parents] = best * self.mover[parents]
        kept = child.value == self.value[parent_of]
        fastest = np.minimum.reduceat(np.where(kept, child.remoteness, 1 << 30), starts)
        slowest = np.maximum.reduceat(np.where(kept, child.remoteness, -1), starts)
        plies = 1 + np.where(best >= 0, fastest, slowest)
        self.remoteness[parents] = np.where((best == 0) & (fastest == NEVER), NEVER, plies)
        self.nimber[parents] = _least_missing(child.nimber, starts)
        if not self.counts:
            return
        hurries = kept & (child.remoteness + 1 == self.remoteness[parent_of])
        for name, numbers in self.counts.items():
            counted = {"optimal_paths": kept, "shortest_paths": hurries}.get(name)
            numbers[parents] = sums(child.counts[name], starts, counted)
        edges = parent_of * (1 + child.number.max()) + child.number
        first = np.zeros(len(edges), dtype=bool)
        first[np.unique(edges, return_index=True)[1]] = True
        self.quotient[parents] = sums(child.quotient, starts, first)


def _least_missing(nimbers: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The least number that does not occur in each run."""
    least = np.full(len(starts), -1)
    candidate = 0
    while (least < 0).any():
        absent = ~np.logical_or.reduceat(nimbers == candidate, starts)
        least[absent & (least < 0)] = candidate
        candidate += 1
    return least
