"""The levels that play from solved states; the perfect one, against which no opponent does better than the value."""

from __future__ import annotations

import abc
import functools
from collections.abc import Mapping, Sequence
from fractions import Fraction

from analysis.bidding.bidding_position import BiddingPosition, BoardMoves, bounds
from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.exact_values import Value
from analysis.bidding.players.bidder import KNOWN, BiddingPlayer, evenly
from analysis.bidding.players.bidding_rules import BiddingRules, BidOutcome
from analysis.games.bidding import SIGN, BiddingState


class SolvedBidder(BiddingPlayer, abc.ABC):
    """Bids what the states' values say, evenly where several bids are as good, and places evenly among the best."""

    def __init__(self, table: BiddingRules, level: str) -> None:
        super().__init__(table, level)
        self._position = functools.lru_cache(maxsize=KNOWN // 4)(self.position)

    @abc.abstractmethod
    def solution_of(self, board: int) -> BiddingSolution:
        """What knows the states of a board."""

    def position(self, state: BiddingState) -> BiddingPosition:
        """What is known of a state. Raises `PositionError` where nothing is."""
        return self.solution_of(state.board).lookup(*state)

    def preferred_bids(self, state: BiddingState, side: str) -> Mapping[int, Value]:
        """Where both sides have an optimal bid without chance, every bid that guarantees the value, evenly; otherwise
        the solution's bids, drawn as it says.
        """
        sure = bounds(self._moves_on(state).matrix(self.table.layout.column(state)))
        if max(sure["X"]) != min(sure["O"]):
            return {bid.bid: bid.probability for bid in self._position(state).bids[side]}
        value, legal = max(sure["X"]), self.table.bids(state, side)
        return evenly([bid for bid, guarantee in zip(legal, sure[side], strict=True) if guarantee == value])

    def preferred_moves(self, state: BiddingState, side: str) -> Sequence[int]:
        """The best with the chips and the advantage as they are after the payment."""
        column, moves = self.table.layout.column(state), self._moves_on(state)
        best = moves.best(side, column)
        return [child.move for child in moves.children[side] if child.value(column) == best]

    def preferred_sales(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> Sequence[BidOutcome]:
        """The better one, or both if they are equal."""
        column = self.table.layout.column
        worth = [SIGN[side] * self._moves_on(sale.state).best(sale.winner, column(sale.state)) for sale in sales]
        return [sale for sale, value in zip(sales, worth, strict=True) if value == max(worth)]

    def _moves_on(self, state: BiddingState) -> BoardMoves:
        return self.solution_of(state.board).moves_on(state.board)


class PerfectBidder(SolvedBidder):
    """Plays from the complete solution; with ``blunders`` it decides entirely at random so often."""

    def __init__(
        self, table: BiddingRules, level: str, solution: BiddingSolution, blunders: Fraction = Fraction(0)
    ) -> None:
        super().__init__(table, level)
        self.solution, self.blunders = solution, blunders

    def solution_of(self, board: int) -> BiddingSolution:
        """The one there is."""
        return self.solution


def placement_values(position: BiddingPosition, side: str) -> dict[int, Value]:
    """What each placement of a side that has just won a bid and paid it is worth to X, by code, ascending."""
    return {child.move: child.value(position.column) for child in position.moves.children[side]}


def sale_value(position: BiddingPosition, winner: str) -> Value:
    """What a state is worth to X before its winner places."""
    return position.moves.best(winner, position.column)
