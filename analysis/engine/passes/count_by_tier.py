"""Histories by length, where tiers are not plies: a position may be reached after different numbers of moves."""

from __future__ import annotations

import numpy as np

from analysis.engine.engine import Engine
from analysis.engine.integers import GREATEST, ONE_LIMB, exact_sum, widen
from analysis.engine.kernels import counting as kernels
from analysis.engine.passes.count_by_ply import Histories
from analysis.engine.passes.forward_by_ply import Reached
from analysis.engine.passes.links import build_table, find
from analysis.engine.plan import LIMB, STATE, Plan, table_bytes
from analysis.errors import CountOverflowError


class _NeedsTwoLimbsError(Exception):
    """A number of histories is 2**64 or more."""


def count_tiered_histories(engine: Engine, reached: Reached, plan: Plan, *, greatest: int = GREATEST) -> Histories:
    """How many move sequences of each length reach each orbit. No game is longer than there are tiers.

    Raises `CountOverflowError` where there are more than ``greatest`` games, and `TooLargeError`.
    """
    for limbs in (1, 2):
        try:
            by_plies, ended = _by_plies(engine, reached, plan, limbs)
            arrays = [_summed(array) for array in by_plies]
        except _NeedsTwoLimbsError:
            continue
        games = sum(exact_sum(array[over]) for array, over in zip(arrays, ended, strict=True))
        if games > greatest:
            break
        fitting = 1 if games < ONE_LIMB else 2
        by_plies = [widen_plies(array, fitting) for array in by_plies]
        return Histories([widen(array, fitting) for array in arrays], fitting, [None] * len(arrays), by_plies)
    raise CountOverflowError(f"{engine.game.spec} has more than {greatest:,} games; use --no-counts")


def widen_plies(array: np.ndarray, limbs: int) -> np.ndarray:
    """uint64[n, plies, limbs] with this many limbs."""
    n, plies, _ = array.shape
    return widen(array.reshape(n * plies, -1), limbs).reshape(n, plies, limbs)


def _by_plies(engine: Engine, reached: Reached, plan: Plan, limbs: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Per tier uint64[n, plies, limbs], since a state of tier ``i`` is reached by at most ``i`` moves; and bool[n],
    where the game is over.
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
        engine.progress("counting histories", sum(sizes[:i]), sum(sizes))
        for chunk in engine.chunks(len(states)):
            expanded = engine.expand_tiers(states[chunk])
            ended[i][chunk] = expanded.branching == 0
            parents = chunk.start + np.repeat(np.arange(len(expanded.states)), expanded.branching)
            for number in reached.leads[i]:
                moves = np.flatnonzero(expanded.tiers == number)
                rows = find(engine, expanded.children[moves], tables_of[number])
                if kernels.spread_plies(arrays[i], parents[moves], rows, arrays[index[number]]) == kernels.OVERFLOW:
                    raise _NeedsTwoLimbsError
    return arrays, ended


def _summed(by_plies: np.ndarray) -> np.ndarray:
    total = by_plies[:, 0].copy()
    for ply in range(1, by_plies.shape[1]):
        if kernels.add_histories(total, np.ascontiguousarray(by_plies[:, ply])) == kernels.OVERFLOW:
            raise _NeedsTwoLimbsError
    return total
