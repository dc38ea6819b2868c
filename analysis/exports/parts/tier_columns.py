"""The tiers of a solution while it is walked through once: what was read of one is let go of when it is passed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from analysis.engine.tiers import SolvedTier
from analysis.solution.lookup import Edges, expand, find, look_up
from analysis.solution.solution import Solution
from analysis.storage.stored_tier import StoredTier


class Leads(NamedTuple):
    """Moves from classes of one tier to classes of one tier."""

    source: int
    """The tier they leave."""
    rows: np.ndarray  # int64[m], of the classes that are left among those of the tier that were given
    target: int
    """The tier they lead to."""
    children: np.ndarray  # int64[m], canonical


class TierColumns:
    """States, values and remotenesses by tier. A game by plies needs two tiers at a time, every other game all of them
    from the one it has come to; in a loopy game moves may also stay in a tier.
    """

    def __init__(self, solution: Solution) -> None:
        self.engine = solution.engine
        self.tiers: dict[int, SolvedTier] = {tier.number: _fresh(tier) for tier in solution.tiers}

    def keep_from(self, tier: int) -> None:
        """Let go of what was read of the tiers below this one."""
        for number, solved in self.tiers.items():
            if number < tier and isinstance(solved, StoredTier):
                solved.release()

    def leads(self, frontier: Mapping[int, np.ndarray], optimal_only: bool) -> Iterator[Leads]:
        """The moves from classes, given by tier as canonical states, or with ``optimal_only`` those that keep the
        value; some at a time.
        """
        for tier, states in sorted(frontier.items()):
            if self.engine.by_ply:
                self.keep_from(tier)
            for rows in self.engine.chunks(len(states)):
                edges = expand(self.engine, tier, states[rows])
                if optimal_only:
                    solved = self.tiers[tier]
                    values = solved.value[find(solved, states[rows])]
                    kept = look_up(self.tiers, edges)[0] == values[edges.rows]
                    edges = Edges(*(column[kept] for column in edges))
                for number in np.unique(edges.tiers).tolist():
                    lead = edges.tiers == number
                    yield Leads(tier, rows.start + edges.rows[lead], number, edges.children[lead])


def _fresh(tier: SolvedTier) -> SolvedTier:
    """The tier with columns of its own, so that those of the solution stay as they are."""
    return tier.fresh() if isinstance(tier, StoredTier) else tier
