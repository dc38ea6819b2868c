"""Apply a game's rules to arrays of states, calling the author's functions one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.compiling.faults import failure, watched, wrong_moves
from ...engine.compiling.functions import compile_function, compile_functions
from ...engine.engine import uses_own_canonical
from ...engine.kernels.states import apply
from ...rules.game import ONGOING, Game, own_order
from ...rules.symmetry import RESIDUAL, Group, find_group, permute, usable_kind
from .kernels import ReplayedMoves, expand_one_by_one, least_and_orbits

BATCH = 1 << 16
"""States expanded together."""


class Positions:
    """The rules, symmetries and tiers of a game, for arrays of states."""

    def __init__(self, game: Game, symmetry: str) -> None:
        self._game, self.rules = game, game.rules()
        self.by_ply = self.rules.tier is None and not self.rules.loopy
        self.sized = symmetry != RESIDUAL
        symmetry = usable_kind(self.rules, symmetry if self.sized else "geometric")
        self.group = find_group(self.rules, symmetry)
        self.reduces = uses_own_canonical(self.rules, symmetry, self.rules.start)
        self._functions = compile_functions(self.rules)
        self._tier = compile_function(self.rules.tier) if self.rules.tier is not None else None
        self._images: np.ndarray
        self._images, self._low = (NO_IMAGES, 0) if self.reduces else _images(self.group)
        if self.reduces:
            assert self.rules.canonical is not None
            assert self.rules.orbit_size is not None
            self._canonical = compile_function(self.rules.canonical)
            self._orbit_size = compile_function(self.rules.orbit_size)

    @property
    def order(self) -> int | None:
        """The order of the group; None if it is not known, and for residual states."""
        return None if not self.sized else own_order(self._game, self.rules.start) if self.reduces else self.group.order

    def least(self, states: np.ndarray) -> np.ndarray:
        """Return the canonical states."""
        return self.apply(self._canonical, states) if self.reduces else self.least_and_orbits(states)[0]

    def least_and_orbits(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the canonical states and the sizes of their orbits, 1 where unknown."""
        if self.reduces:
            return self.apply(self._canonical, states), self.apply(self._orbit_size, states)
        least, orbits = np.empty((2, len(states)), dtype=np.int64)
        least_and_orbits(writable(states), self._images, self._low, least, orbits)
        return least, orbits if self.sized else np.ones_like(orbits)

    def tiers(self, states: np.ndarray, ply: int) -> np.ndarray:
        """Return the tier of each state; in a game by plies, the ``ply``."""
        if self._tier is not None:
            return self.apply(self._tier, states)
        return np.broadcast_to(np.int64(ply if self.by_ply else 0), len(states))

    def expand(self, states: np.ndarray, *, canonical: bool = True) -> ReplayedMoves:
        """Return every move of the states, with the state after it or the ``canonical`` one of its class."""
        n, most = len(states), len(states) * self.rules.max_moves
        images, low = (self._images, self._low) if canonical else (NO_IMAGES, 0)
        found = ReplayedMoves(
            np.empty(n, np.int8), np.empty(n, np.uint8), np.empty(n, np.int64),
            np.empty(most, np.uint16), np.empty(most, np.int64),
        )  # fmt: skip
        total = self._call(
            states, expand_one_by_one, *self._functions, ONGOING, self.rules.max_moves,
            self.rules.most_code,            writable(states), images, low, int(self._game.moves_may_repeat), found,
        )  # fmt: skip
        if total < 0:
            raise wrong_moves(self._game, self.rules, int(states[-1 - total]))
        codes, children = found.codes[:total], found.children[:total]
        return found._replace(
            codes=codes, children=self.apply(self._canonical, children) if self.reduces and canonical else children
        )

    def apply(self, function: Any, states: np.ndarray) -> np.ndarray:
        """Apply a compiled function of the game to the states, int64[n]."""
        found = np.empty(len(states), dtype=np.int64)
        self._call(states, apply, function, writable(states), found)
        return found

    def _call(self, states: np.ndarray, kernel: Any, *arguments: Any) -> int:
        """Run a kernel that uses the rules on these states. Raises `RulesError` if they fail."""
        result, error = watched(kernel, *arguments)
        if error is not None:
            raise failure(self._game, self.rules, states.tolist(), error)
        return result or 0


NO_IMAGES = np.zeros((1, 0, 256), dtype=np.int64)
"""The images under the identity alone."""


def _images(group: Group) -> tuple[np.ndarray, int]:
    """Return the image of every byte of a state at its place, int64[order, places, 256], and the bits that move."""
    bits = group.cells * group.planes
    if group.order == 1:
        return NO_IMAGES, 0
    images, byte = np.zeros((group.order, -(-bits // 8), 256), dtype=np.int64), np.arange(256)
    for own, permutation in zip(images, group.permutations, strict=True):
        for bit in range(bits):
            own[bit // 8] |= np.where(byte >> bit % 8 & 1, permute(1 << bit, permutation, group.planes), 0)
    return images, (1 << bits) - 1


def writable(array: np.ndarray) -> np.ndarray:
    """Return the array, copied if it is read-only or not contiguous, as kernels require."""
    return np.require(array, requirements=("C", "W"))
