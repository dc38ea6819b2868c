"""Which classes a part of a solution consists of: those that few enough plies, or optimal moves alone, reach."""

from __future__ import annotations

import numpy as np

from analysis.exports.parts.leads import leads
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, no_progress
from analysis.solution.solution import Solution

CLASS_BYTES = 24
"""Bytes of a class while classes are chosen."""

MOST_PIECES = 16
"""Results of chunks that wait to be made one."""

Chosen = dict[int, np.ndarray]
"""Of each tier, by its number, the sorted canonical states that are chosen, int64[n]; tiers without any left out."""


def choose(solution: Solution, depth: int | None, optimal_only: bool, progress: Progress = no_progress) -> Chosen:
    """The classes that at most ``depth`` moves reach from the start, breadth first; with ``optimal_only`` by moves that
    keep the value. Raises `TooLargeError` where these are more than memory holds.
    """
    engine, budget = solution.engine, Budget.of_machine()
    start = solution.find_tier(engine.start)
    chosen: Chosen = {}
    frontier: Chosen = {start: np.array([engine.canonical(engine.start)], dtype=np.int64)}
    plies = 0
    while frontier:
        for tier, states in frontier.items():
            chosen[tier] = np.union1d(chosen.get(tier, states), states)
        classes = sum(map(len, chosen.values()))
        budget.require(CLASS_BYTES * classes, f"choosing {classes:,} classes or more", "a smaller --depth")
        progress("choosing classes", classes, None)
        if depth is not None and plies == depth:
            break
        frontier, plies = _after(solution, frontier, optimal_only), plies + 1
        frontier = {tier: new for tier, states in frontier.items() if len(new := _new(states, chosen.get(tier)))}
    return dict(sorted(chosen.items()))


def _new(states: np.ndarray, known: np.ndarray | None) -> np.ndarray:
    return states if known is None else np.setdiff1d(states, known, assume_unique=True)


def _after(solution: Solution, frontier: Chosen, optimal_only: bool) -> Chosen:
    """The classes one move after these, each once."""
    found = dict[int, list[np.ndarray]]()
    for each in leads(solution, frontier, optimal_only):
        pieces = found.setdefault(each.target, [])
        pieces.append(np.unique(each.children))
        if len(pieces) == MOST_PIECES:
            pieces[:] = [np.unique(np.concatenate(pieces))]
    return {tier: np.unique(np.concatenate(pieces)) for tier, pieces in sorted(found.items())}
