"""The tiers of a solution while it is walked through once: what was read of one is let go of when it is passed."""

from __future__ import annotations

from analysis.engine.tiers import SolvedTier
from analysis.solution.solution import Solution
from analysis.storage.stored_tier import StoredTier


class TierColumns:
    """States, values and remotenesses by tier. A game by plies needs two tiers at a time, every other game all of them
    from the one it has come to; in a loopy game moves may also stay in a tier.
    """

    def __init__(self, solution: Solution) -> None:
        self.engine = solution.engine
        self.tiers: dict[int, SolvedTier] = {tier.number: _fresh(solution, tier) for tier in solution.tiers}

    def keep_from(self, tier: int) -> None:
        """Let go of what was read of the tiers below this one."""
        for number, solved in self.tiers.items():
            if number < tier and isinstance(solved, StoredTier):
                solved.release()


def _fresh(solution: Solution, tier: SolvedTier) -> SolvedTier:
    """The tier with columns of its own, so that those of the solution stay as they are."""
    if isinstance(tier, StoredTier) and solution.directory is not None:
        return StoredTier.open(solution.directory, tier.number)
    return tier
