"""The rules of a game, asked by the author's functions one by one, for arrays of states."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.engine.compiling.faults import failure, watched
from analysis.engine.compiling.functions import compile_function, compile_functions
from analysis.engine.engine import uses_own_canonical
from analysis.engine.kernels.states import ReplayedMoves, apply, expand_one_by_one
from analysis.rules.game import ONGOING, Game
from analysis.rules.symmetry import find_group, permute, usable_kind

BATCH = 1 << 16
"""States expanded at a time."""


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
        """Every move of the states, with the canonical state after it."""
        found = [self._expand(states[low : low + BATCH]) for low in range(0, max(1, len(states)), BATCH)]
        if len(found) == 1:
            return found[0]
        rows = [batch.rows + i * BATCH for i, batch in enumerate(found)]
        joined = ReplayedMoves(*map(np.concatenate, zip(*found, strict=True)))
        return joined._replace(rows=np.concatenate(rows))

    def _expand(self, states: np.ndarray) -> ReplayedMoves:
        n, most = len(states), len(states) * self.rules.max_moves
        found = ReplayedMoves(
            np.empty(n, np.int8), np.empty(n, np.uint8), np.empty(n, np.int64),
            np.empty(most, np.int64), np.empty(most, np.uint8), np.empty(most, np.int64),
        )  # fmt: skip
        total = self._call(states, expand_one_by_one, *self._functions, ONGOING, self.rules.max_moves, states, found)
        least = self.least(found.children[:total])
        return found._replace(rows=found.rows[:total], codes=found.codes[:total], children=least)

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
