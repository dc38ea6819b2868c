"""The solved game: no opponent does better than its value."""

from __future__ import annotations

from analysis.bidding.referee.strategies.looked_up import SolvedStates


class PerfectBids(SolvedStates):
    """Plays from the complete solution. With 4 chips each X, holding the advantage, wins against every play."""

    source = "by the solved game"
