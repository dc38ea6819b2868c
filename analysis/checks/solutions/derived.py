"""What is stored of a tier, and what the rules and the tier after it say of the same states.

The game is played again with the author's functions one by one, and nothing of the solver's passes.
Values and counts come from NumPy reductions, so that they share nothing with the solver's kernels: numbers are 32-bit
digits in uint64, so that a sum of up to 2**32 of them has no carry.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from analysis.engine.columns import COUNT_COLUMNS, MOVE_SCHEMA, NEVER, count_numbers, remoteness_numbers
from analysis.engine.compiling.faults import failure, watched
from analysis.engine.compiling.functions import compile_function, compile_functions
from analysis.engine.engine import uses_own_canonical
from analysis.engine.kernels.states import ReplayedMoves, apply, expand_one_by_one
from analysis.errors import VerificationError
from analysis.rules.game import ONGOING, Game
from analysis.rules.symmetry import find_group, permute, usable_kind
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

    def moves(self) -> pa.Table:
        """The stored moves of the tier."""
        if self._moves is None:
            self._moves = self.stored.read_moves()
            if not self._moves.schema.equals(MOVE_SCHEMA):
                raise VerificationError(f"tier {self.number}: moves/ has other columns or types than gametree writes")
        return self._moves

    def move_rows(self, directory: Path) -> int:
        """How many rows ``moves/`` has for the tier."""
        return len(self.moves()) if (directory / "moves").is_dir() else 0


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


class Positions:
    """The rules of a game, its symmetries and its tiers, for arrays of states."""

    def __init__(self, game: Game, symmetry: str) -> None:
        self._game, self.rules = game, game.rules()
        self.by_ply = self.rules.tier is None and not self.rules.loopy
        symmetry = usable_kind(self.rules, symmetry)
        self.group = find_group(self.rules, symmetry)
        self.reduces = uses_own_canonical(self.rules, symmetry, self.rules.start)
        self._functions = compile_functions(self.rules)
        self._tier = compile_function(self.rules.tier) if self.rules.tier is not None else None
        if self.reduces:
            assert self.rules.canonical is not None
            assert self.rules.orbit_size is not None
            self._canonical = compile_function(self.rules.canonical)
            self._orbit_size = compile_function(self.rules.orbit_size)

    @property
    def order(self) -> int | None:
        """Symmetries, None where the rules have a canonical() of their own."""
        return None if self.reduces else self.group.order

    def least(self, states: np.ndarray) -> np.ndarray:
        """The canonical states."""
        if self.reduces:
            return self._apply(self._canonical, states)
        return np.minimum.reduce([permute(states, p, self.rules.planes) for p in self.group.permutations])

    def orbit_sizes(self, states: np.ndarray) -> np.ndarray:
        """Positions in the orbit of each state."""
        if self.reduces:
            return self._apply(self._orbit_size, states)
        fixing = sum((permute(states, p, self.rules.planes) == states).astype(int) for p in self.group.permutations)
        return self.group.order // fixing

    def tiers(self, states: np.ndarray, ply: int) -> np.ndarray:
        """The tier of each state, which in a game by plies is the one given."""
        if self._tier is not None:
            return self._apply(self._tier, states)
        return np.full(len(states), ply if self.by_ply else 0)

    def expand(self, states: np.ndarray) -> ReplayedMoves:
        """Every move of the states."""
        n, most = len(states), len(states) * self.rules.max_moves
        found = ReplayedMoves(
            np.empty(n, np.int8), np.empty(n, np.uint8), np.empty(n, np.int64),
            np.empty(most, np.int64), np.empty(most, np.uint8), np.empty(most, np.int64),
        )  # fmt: skip
        total = self._call(states, expand_one_by_one, *self._functions, ONGOING, self.rules.max_moves, states, found)
        return found._replace(rows=found.rows[:total], codes=found.codes[:total], children=found.children[:total])

    def _apply(self, function: Any, states: np.ndarray) -> np.ndarray:
        found = np.empty(len(states), dtype=np.int64)
        self._call(states, apply, function, np.require(states, requirements="W"), found)
        return found

    def _call(self, states: np.ndarray, kernel: Any, *arguments: Any) -> int:
        """What a kernel returns that asks the rules about these states. Raises `RulesError` where they fail."""
        result, error = watched(kernel, *arguments)
        if error is not None:
            raise failure(self._game, self.rules, states.tolist(), error)
        return result or 0

    def mark_reached(self, tiers: Mapping[int, StoredColumns]) -> None:
        """Mark anew which states moves lead to from the start: in a loopy game others may lead to each other."""
        for columns in tiers.values():
            columns.reached[:] = False
        frontier = self.least(np.array([self.rules.start], dtype=np.int64))
        while len(frontier):
            found = []
            numbers = self.tiers(frontier, 0)
            for number in np.unique(numbers).tolist():
                states, columns = frontier[numbers == number], tiers[number]
                rows, _ = columns.find(states)
                fresh = ~columns.reached[rows]
                columns.reached[rows] = True
                found.append(self.least(self.expand(states[fresh]).children))
            frontier = np.unique(np.concatenate(found))


def census(orbit: np.ndarray, branching: np.ndarray, value: np.ndarray, remoteness: np.ndarray) -> list[int]:
    """The counts that the totals hold of some states, see `kernels.census`."""
    sign, over, ends = np.sign(value), branching == 0, remoteness != NEVER
    counts = [int(orbit.sum()), len(orbit), int((orbit * branching).sum())]
    counts += [int(orbit[ends & (sign == s)].sum()) for s in (-1, 0, 1)]
    counts += [int(orbit[over & (sign == s)].sum()) for s in (-1, 0, 1)]
    return [*counts, int(orbit[~ends].sum())]


def totals_by_ply(positions: Positions, tiers: Mapping[int, StoredColumns]) -> dict[int, list[dict[str, Any]]]:
    """What occurs at each ply, tier by tier, by following all move sequences from the start ply by ply."""
    found: dict[int, list[dict[str, Any]]] = {number: [] for number in tiers}
    states = positions.least(np.array([positions.rules.start], dtype=np.int64))
    histories = from_limbs(np.ones((1, 1), dtype=np.uint64))
    ply = 0
    while len(states):
        numbers, expanded = positions.tiers(states, 0), positions.expand(states)
        for number in np.unique(numbers).tolist():
            own = numbers == number
            rows, _ = tiers[number].find(states[own])
            value, orbit = tiers[number].value[rows], tiers[number]["orbit_size"][rows].astype(np.int64)
            branching = expanded.branching[own].astype(np.int64)
            over, reached = branching == 0, histories[own]
            found[number].append(
                {
                    "ply": ply,
                    "counts": census(orbit, branching, value, tiers[number].remoteness[rows]),
                    "histories": exact_total(reached),
                    "ended": [exact_total(reached[over & (np.sign(value) == s)]) for s in (-1, 0, 1)],
                }
            )
        states, place = np.unique(positions.least(expanded.children), return_inverse=True)
        following = np.zeros((len(states), WIDTH), dtype=np.uint64)
        np.add.at(following, place, histories[expanded.rows])
        histories, ply = carried(following), ply + 1
    return found
