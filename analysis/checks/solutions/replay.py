"""Play a game again for verification: the author's functions one by one, and nothing of the solver's passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis.checks.solutions.derived import WIDTH, StoredColumns, carried, exact_total, from_limbs
from analysis.engine.columns import NEVER
from analysis.engine.compiling.faults import failure, watched
from analysis.engine.compiling.functions import compile_function, compile_functions
from analysis.engine.engine import uses_own_canonical
from analysis.engine.kernels.states import ReplayedMoves, apply, expand_one_by_one
from analysis.rules.game import ONGOING, Game
from analysis.rules.symmetry import find_group, permute


class Positions:
    """The rules of a game, its symmetries and its tiers, for arrays of states."""

    def __init__(self, game: Game, symmetry: str) -> None:
        self._game, self.rules = game, game.rules()
        self.by_ply = self.rules.tier is None and not self.rules.loopy
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
