"""One placement into the future: what wins at once, and what keeps the opponent from doing so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from analysis.bidding.exact_values import Value
from analysis.bidding.players.bidder import BiddingPlayer, evenly
from analysis.bidding.players.bidding_rules import BidOutcome
from analysis.games.bidding import OTHER, BiddingState


class GreedyBidder(BiddingPlayer):
    """Looks at the next placement only.

    Bids: where one placement of either side would win, the least bid that no bid of the opponent beats, or everything
    if there is none; where none would, and either side could only place and lose, the least bid; otherwise any.
    Placements: one that wins; otherwise one that does not lose, and after which no placement of the opponent wins;
    otherwise any. Of a tie that it may decide it takes the placement or leaves it as it would bid for it.
    """

    def preferred_bids(self, state: BiddingState, side: str) -> Mapping[int, Value]:
        """See the class."""
        legal, wanted = self.table.bids(state, side), self._wants(state.board)
        if wanted is None:
            return evenly(legal)
        return {self._surely(state, side, legal) if wanted else legal[0]: Fraction(1)}

    def preferred_moves(self, state: BiddingState, side: str) -> Sequence[int]:
        """See the class."""
        wins = self.table.winning(state.board, side)
        if wins:
            return wins
        every, losing = self.table.moves(state.board, side), self.table.losing(state.board, side)
        safe = [code for code, after in every if code not in losing and not self.table.winning(after, OTHER[side])]
        return safe or super().preferred_moves(state, side)

    def preferred_sales(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> Sequence[BidOutcome]:
        """See the class."""
        wanted = self._wants(sales[0].state.board)
        return sales if wanted is None else sales[:1] if wanted else sales[1:]

    def _wants(self, board: int) -> bool | None:
        """Whether the next placement is worth having; None where nothing is seen to depend on it."""
        if any(self.table.winning(board, one) for one in "XO"):
            return True
        if any(len(self.table.losing(board, one)) == len(self.table.moves(board, one)) for one in "XO"):
            return False
        return None

    def _surely(self, state: BiddingState, side: str, legal: range) -> int:
        """The least bid that wins against all bids of the opponent, or the greatest there is."""
        most = self.table.bids(state, OTHER[side])[-1]
        enough = most if state.holder == side else most + 1
        return min(max(enough, legal[0]), legal[-1])
