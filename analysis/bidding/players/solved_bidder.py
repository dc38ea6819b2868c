"""Levels of play that need solved states, and the player of every level."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from analysis.bidding.bidding_position import BiddingPosition, BoardMoves, bounds
from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.bidding_solving import search_bidding
from analysis.bidding.exact_values import Value
from analysis.bidding.players.bidder import BiddingPlayer, GreedyBidder, evenly
from analysis.bidding.players.bidding_rules import BiddingRules, BidOutcome
from analysis.errors import OptionError
from analysis.games.bidding import SIGN, BiddingState
from analysis.playing.players.levels import Level

Solve = Callable[[], BiddingSolution]
SEARCHED = 1 << 12
"""Boards whose searches are remembered."""


class SolvedBidder(BiddingPlayer, abc.ABC):
    """Bids what the states' values say, evenly where several bids are as good, and places evenly among the best."""

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
            return {bid.bid: bid.probability for bid in self.position(state).bids[side]}
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


class DepthBidder(SolvedBidder):
    """Plays from the game that ends after ``depth`` rounds; a board there is worth what the evaluation says."""

    def __init__(self, table: BiddingRules, level: str, depth: int) -> None:
        super().__init__(table, level)
        self.depth, self.evaluation = depth, table.game.base.rules().default_evaluation
        self.symmetric = self.evaluation is None or not table.game.base.origin  # those of user games are unchecked
        self._searched = functools.lru_cache(maxsize=SEARCHED)(self._search)
        self.note = f"evaluation {self.evaluation}" if self.evaluation else "no evaluation: what goes on counts 0"

    def solution_of(self, board: int) -> BiddingSolution:
        """The search from a board."""
        return self._searched(board)

    def _search(self, board: int) -> BiddingSolution:
        game = self.table.game
        return search_bidding(game, game.base.format_position(board), self.depth, evaluation=self.evaluation, workers=1)


def make_player(level: Level, name: str, table: BiddingRules, solve: Solve) -> BiddingPlayer:
    """The player of a ``level``, of which ``name`` is the text, at a ``table``; ``solve`` gives those that play by the
    solution the game's, when it is needed. Raises `OptionError` for a level that bidding games do not have.
    """
    if level.shortest:
        raise OptionError(
            f"level {name!r} is not for bidding games: bids by lot leave no remoteness to shorten; write perfect"
        )
    if level.kind == "random":
        return BiddingPlayer(table, name)
    if level.kind == "greedy":
        return GreedyBidder(table, name)
    if level.kind == "depth":
        return DepthBidder(table, name, level.depth)
    if level.kind in ("perfect", "blunder"):
        return PerfectBidder(table, name, solve(), level.chance)
    raise OptionError(f"level {name!r} is not for bidding games; they have random, greedy, depth:N, perfect, blunder:P")


def placement_values(position: BiddingPosition, side: str) -> dict[int, Value]:
    """What each placement of a side that has just won a bid and paid it is worth to X, by code, ascending."""
    return {child.move: child.value(position.column) for child in position.moves.children[side]}


def sale_value(position: BiddingPosition, winner: str) -> Value:
    """What a state is worth to X before its winner places."""
    return position.moves.best(winner, position.column)
