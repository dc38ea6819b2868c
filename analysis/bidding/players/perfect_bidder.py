"""The solved game: no opponent does better than its value, in expectation where bids are drawn by lot."""

from __future__ import annotations

from fractions import Fraction

from analysis.bidding.bidding_position import BiddingPosition
from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.players.bidding_rules import BiddingRules
from analysis.bidding.players.solved_bidder import SolvedBidder
from analysis.games.bidding import BiddingState


class PerfectBidder(SolvedBidder):
    """Plays from the complete solution."""

    def __init__(
        self, table: BiddingRules, level: str, solution: BiddingSolution, blunders: Fraction = Fraction(0)
    ) -> None:
        super().__init__(table, level)
        self.solution, self.blunders = solution, blunders

    def position(self, state: BiddingState) -> BiddingPosition:
        """The state in the solution. Raises `PositionError` where it is not reached there."""
        return self.solution.lookup(*state)
