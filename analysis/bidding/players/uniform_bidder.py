"""Any legal bid, any placement, all alike: the player to beat first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analysis.bidding.exact_values import Value
from analysis.bidding.players.bidder import BiddingPlayer, evenly
from analysis.bidding.players.bidding_rules import BidOutcome
from analysis.games.bidding import BiddingState


class UniformBidder(BiddingPlayer):
    """Chooses evenly among all there is to choose from."""

    def preferred_bids(self, state: BiddingState, side: str) -> Mapping[int, Value]:
        """All legal bids."""
        return evenly(self.table.bids(state, side))

    def preferred_moves(self, state: BiddingState, side: str) -> Sequence[int]:
        """All placements."""
        return [code for code, _ in self.table.moves(state.board, side)]

    def preferred_sales(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> Sequence[BidOutcome]:
        """Both."""
        return sales
