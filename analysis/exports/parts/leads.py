"""The moves of some classes of a solution, a step of a walk through a part of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from analysis.solution.lookup import Edges, expand, known_moves
from analysis.solution.solution import Solution


class Leads(NamedTuple):
    """Moves from classes of one tier to classes of one tier."""

    source: int
    """The tier they leave."""
    rows: np.ndarray  # int64[m], of the classes that are left among those of the tier that were given
    target: int
    """The tier they lead to."""
    children: np.ndarray  # int64[m], canonical


def leads(solution: Solution, frontier: Mapping[int, np.ndarray], optimal_only: bool) -> Iterator[Leads]:
    """The moves from classes, given by tier as sorted canonical states, or with ``optimal_only`` those that keep the
    value; some at a time.
    """
    for tier, states in sorted(frontier.items()):
        for rows, edges in _optimal(solution, tier, states) if optimal_only else _all(solution, tier, states):
            for number, lead in edges.by_tier():
                yield Leads(tier, rows.start + edges.rows[lead], number, edges.children[lead])


def _all(solution: Solution, tier: int, states: np.ndarray) -> Iterator[tuple[slice, Edges]]:
    for rows in solution.engine.chunks(len(states)):
        yield rows, expand(solution.engine, tier, states[rows])


def _optimal(solution: Solution, tier: int, states: np.ndarray) -> Iterator[tuple[slice, Edges]]:
    tiers = {each.number: each for each in solution.tiers}
    values = tiers[tier].worths(states)[0]
    for rows, edges, after, _ in known_moves(solution.engine, tiers, tier, states):
        kept = after == values[rows][edges.rows]
        yield rows, Edges(*(column[kept] for column in edges))
