"""Which classes a part of a solution consists of: those that few enough plies, or optimal moves alone, reach."""

from __future__ import annotations

import numpy as np

from analysis.exports.parts.tier_columns import TierColumns
from analysis.machine.workers import Progress, no_progress
from analysis.solution.lookup import Edges, expand, find, look_up
from analysis.solution.solution import Solution

Chosen = dict[int, np.ndarray]
"""Of each tier, by its number, the sorted canonical states that are chosen, int64[n]; tiers without any left out."""


def choose(solution: Solution, depth: int | None, optimal_only: bool, progress: Progress = no_progress) -> Chosen:
    """The classes that at most ``depth`` moves reach from the start, breadth first; with ``optimal_only`` by moves that
    keep the value.
    """
    engine, columns = solution.engine, TierColumns(solution)
    start = solution.find_tier(engine.start)
    chosen: Chosen = {}
    frontier: Chosen = {start: np.array([engine.canonical(engine.start)], dtype=np.int64)}
    plies = 0
    while frontier:
        for tier, states in frontier.items():
            chosen[tier] = np.union1d(chosen.get(tier, states), states)
        progress("choosing classes", sum(map(len, chosen.values())), None)
        if depth is not None and plies == depth:
            break
        frontier, plies = _after(columns, frontier, optimal_only), plies + 1
        frontier = {tier: new for tier, states in frontier.items() if len(new := _new(states, chosen.get(tier)))}
    return dict(sorted(chosen.items()))


def _new(states: np.ndarray, known: np.ndarray | None) -> np.ndarray:
    return states if known is None else np.setdiff1d(states, known, assume_unique=True)


def _after(columns: TierColumns, frontier: Chosen, optimal_only: bool) -> Chosen:
    """The classes one move after these, each once."""
    engine, found = columns.engine, dict[int, list[np.ndarray]]()
    for tier, states in sorted(frontier.items()):
        if engine.by_ply:
            columns.keep_from(tier)
        for chunk in engine.chunks(len(states)):
            edges = expand(engine, tier, states[chunk])
            if optimal_only:
                edges = _optimal(columns, tier, states[chunk], edges)
            for number in np.unique(edges.tiers).tolist():
                found.setdefault(number, []).append(np.unique(edges.children[edges.tiers == number]))
    return {tier: np.unique(np.concatenate(pieces)) for tier, pieces in sorted(found.items())}


def _optimal(columns: TierColumns, tier: int, states: np.ndarray, edges: Edges) -> Edges:
    """Those of the edges that keep the value."""
    solved = columns.tiers[tier]
    values, _ = look_up(columns.tiers, edges)
    kept = values == solved.value[find(solved, states)][edges.rows]
    return Edges(*(column[kept] for column in edges))
