"""Count histories exactly, forward.

In a game by plies they are counted as its tiers are found. If tiers are not plies they are counted afterwards, by
length, since a position may be reached after different numbers of moves.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from ...common.workers import tell_progress
from ...errors import CountOverflowError
from ..columns import GREATEST, ONE_LIMB, exact_sum, widen
from ..engine import Engine
from ..kernels import counting as kernels
from ..plan import LIMB, STATE, Plan, table_bytes
from .children import build_table, find

if TYPE_CHECKING:
    from .forward_by_ply import Reached


TOO_MANY = f"there are more than {GREATEST:,} histories; solve with --no-counts"


@dataclasses.dataclass(frozen=True)
class Histories:
    """The result of the forward count, for the backward pass."""

    arrays: list[np.ndarray]  # per tier uint64[n, limbs], per orbit
    limbs: int
    """Limbs that hold every count of the game: no count exceeds the number of complete games."""
    by_plies: list[np.ndarray] | None = None
    """Histories of each tier by length, uint64[n, plies, limbs], if tiers are not plies."""


def limbs_for(most: int) -> int:
    """Return the limbs of sums that do not exceed ``most``; if that is too much for two, `spread` refuses."""
    return 1 if most < ONE_LIMB else 2


def spread(histories: np.ndarray, branching: np.ndarray, rows: np.ndarray, reached: np.ndarray) -> None:
    """Add histories to those of the children, as `kernels.spread` does. Raises `CountOverflowError`."""
    if kernels.spread(histories, branching, rows, reached) == kernels.OVERFLOW:
        raise CountOverflowError(TOO_MANY)


class HistoriesByPly:
    """Counts the move sequences from the start that reach each orbit of a game by plies, tier by tier. Raises
    `CountOverflowError`, naming the tier, for more than ``greatest``.
    """

    def __init__(self, max_moves: int, greatest: int) -> None:
        self._arrays = [np.ones((1, 1), dtype=np.uint64)]
        self._max_moves, self._greatest = max_moves, greatest
        self._last, self._games = 1, 0

    @property
    def bytes(self) -> int:
        """The size of all arrays."""
        return sum(array.nbytes for array in self._arrays)

    def limbs(self) -> int:
        """Return the limbs of sums in the next tier."""
        return limbs_for(self._last * self._max_moves)  # no sum there can be greater

    @property
    def last(self) -> np.ndarray:
        """The histories of the last tier, uint64[n, limbs]."""
        return self._arrays[-1]

    def add(self, reached: np.ndarray, total: int, ended: int) -> None:
        """Add the next tier, which ``total`` histories reach; ``ended`` games end in the one before it."""
        self._games, self._last = self._games + ended, total
        if self._games + self._last > self._greatest:
            raise CountOverflowError(
                f"at ply {len(self._arrays)} there are more than {self._greatest:,} histories; solve with --no-counts"
            )
        self._arrays.append(widen(reached, 1) if self._last < ONE_LIMB else reached)

    def result(self) -> Histories:
        """Return the result, once no state is in the next tier."""
        return Histories(self._arrays[:-1], 1 if self._games < ONE_LIMB else 2)


def pass_on(
    histories: np.ndarray, branching: np.ndarray, children: np.ndarray, n: int, limbs: int
) -> tuple[np.ndarray, int, int]:
    """Return the histories of ``n`` states of the next tier that pass through the states with these ``histories``,
    their sum, and how many games end in these. ``children`` are the numbers of their children.
    """
    reached = np.zeros((n, limbs), dtype=np.uint64)
    spread(histories, branching, children, reached)
    return reached, exact_sum(reached), exact_sum(histories[branching == 0])


class _NeedsTwoLimbsError(Exception):
    """A number of histories is 2**64 or more."""


def count_tiered_histories(engine: Engine, reached: Reached, plan: Plan, *, greatest: int = GREATEST) -> Histories:
    """Count the move sequences of each length that reach each orbit. No game is longer than the number of tiers. Raises
    `CountOverflowError` for more than ``greatest`` games, and `TooLargeError`.
    """
    for limbs in (1, 2):
        try:
            by_plies, ended = _by_plies(engine, reached, plan, limbs)
            arrays = [summed(array) for array in by_plies]
        except _NeedsTwoLimbsError:
            continue
        games = sum(exact_sum(array[over]) for array, over in zip(arrays, ended, strict=True))
        if games > greatest:
            break
        fitting = 1 if games < ONE_LIMB else 2
        by_plies = [widen(array, fitting) for array in by_plies]
        return Histories([widen(array, fitting) for array in arrays], fitting, by_plies)
    raise CountOverflowError(f"{engine.game.spec} has more than {greatest:,} games; solve with --no-counts")


def _by_plies(engine: Engine, reached: Reached, plan: Plan, limbs: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the histories of each tier, uint64[n, plies, limbs], since at most ``i`` moves lead to a state of tier
    ``i``; and whether the game is over, bool[n].
    """
    sizes = reached.sizes
    size = LIMB * limbs * sum(n * (i + 1) for i, n in enumerate(sizes))
    tables = STATE * sum(sizes) + sum(map(table_bytes, sizes)) + engine.scratch_bytes(max(sizes))
    plan.budget.require(2 * size + tables, f"counting the histories of {engine.game.spec} by length")
    arrays = [np.zeros((n, i + 1, limbs), dtype=np.uint64) for i, n in enumerate(sizes)]
    arrays[0][0, 0, 0] = 1
    index = {number: i for i, number in enumerate(reached.numbers)}
    tables_of = {number: build_table(states) for number, states in zip(reached.numbers, reached.states, strict=True)}
    ended = [np.zeros(n, dtype=bool) for n in sizes]
    for i, states in enumerate(reached.states):
        tell_progress("counting histories", sum(sizes[:i]), sum(sizes))
        for chunk in engine.chunks(len(states)):
            expanded = engine.expand_tiers(states[chunk])
            ended[i][chunk] = expanded.branching == 0
            parents = chunk.start + np.repeat(np.arange(len(expanded.states)), expanded.branching)
            for number in reached.leads[i]:
                moves = np.flatnonzero(expanded.tiers == number)
                rows = find(engine, expanded.children[moves], tables_of[number])
                children = arrays[index[number]]
                if kernels.spread_plies(arrays[i], parents[moves], rows, children, 1) == kernels.OVERFLOW:
                    raise _NeedsTwoLimbsError
    return arrays, ended


def summed(by_plies: np.ndarray) -> np.ndarray:
    """Return histories of all lengths, uint64[n, limbs], from those by length, uint64[n, plies, limbs]."""
    total = by_plies[:, 0].copy()
    for ply in range(1, by_plies.shape[1]):
        if kernels.add_histories(total, np.ascontiguousarray(by_plies[:, ply])) == kernels.OVERFLOW:
            raise _NeedsTwoLimbsError
    return total
