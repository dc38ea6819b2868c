"""What every level of play is in a bidding game, and the levels that solve nothing, ``random`` and ``greedy``.

A level says what it prefers; what it does, and how likely each choice is, both follow from that. Probabilities are
fractions where they are exact, and floats where a mixed strategy is rounded.
"""

from __future__ import annotations

import abc
import functools
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from analysis.bidding.bidding_rules import BiddingRules, BidOutcome
from analysis.bidding.bidding_solution import BiddingPosition, BiddingSolution, BoardMoves, bounds
from analysis.bidding.bidding_solving import search_bidding
from analysis.bidding.exact_values import Value
from analysis.errors import OptionError
from analysis.games.bidding import OTHER, SIGN, BiddingState
from analysis.playing.players.levels import Level

Choice = TypeVar("Choice", bound=Hashable)
KNOWN = 1 << 16
"""Distributions that a player remembers, of each kind."""


class Distribution(Generic[Choice]):
    """A distribution, ready to be drawn from."""

    def __init__(self, chances: Mapping[Choice, Value]) -> None:
        self.chances = {choice: chance for choice, chance in chances.items() if chance}
        self._choices, self._weights = list(self.chances), [float(chance) for chance in self.chances.values()]

    @property
    def rounded(self) -> dict[Choice, Value]:
        """The chances as floats."""
        return dict(zip(self._choices, self._weights, strict=True))

    def draw(self, rng: random.Random) -> Choice:
        """One choice; where there is only one, no lot is drawn."""
        if len(self._choices) == 1:
            return self._choices[0]
        return rng.choices(self._choices, self._weights)[0]


class BiddingPlayer:
    """Bids and places for either side in one game. This one, the level ``random``, chooses evenly among all that there
    is to choose from; other levels say what they prefer.
    """

    blunders: Fraction = Fraction(0)
    """How often a decision is made entirely at random."""
    note: str = ""
    """How it knows what it knows, for people; empty where there is nothing to say."""
    symmetric: bool = True
    """Whether it plays alike on boards that are symmetric to each other."""

    def __init__(self, table: BiddingRules, level: str) -> None:
        self.table = table
        self.level = level
        """The text that names it, such as ``depth:2``."""
        self._bids = functools.lru_cache(maxsize=KNOWN)(self._find_bids)
        self._moves = functools.lru_cache(maxsize=KNOWN)(self._find_moves)

    def preferred_bids(self, state: BiddingState, side: str) -> Mapping[int, Value]:
        """The bids it draws from and how likely each is, where the game goes on."""
        return evenly(self.table.bids(state, side))

    def preferred_moves(self, state: BiddingState, side: str) -> Sequence[int]:
        """The codes of the placements it draws from evenly if it has won a bid and paid it; at least one."""
        return [code for code, _ in self.table.moves(state.board, side)]

    def preferred_sales(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> Sequence[BidOutcome]:
        """Those of the two results of a tie it draws from evenly if the choice is its own: to win it, the first, and
        pass the advantage on, or to keep the advantage and lose it.
        """
        return sales

    # What follows -----------------------------------------------------------------------------------------------------

    def bid_distribution(self, state: BiddingState, side: str, *, rounded: bool = False) -> dict[int, Value]:
        """How likely each bid is, in floats if it may be ``rounded``; bids that are never made are left out."""
        lots = self._bids(state, side)
        return lots.rounded if rounded else lots.chances

    def placement_distribution(self, state: BiddingState, side: str, *, rounded: bool = False) -> dict[int, Value]:
        """How likely each placement is, by code, after a bid was won and paid."""
        lots = self._moves(state, side)
        return lots.rounded if rounded else lots.chances

    def tie_distribution(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> dict[BidOutcome, Value]:
        """How likely it is to choose each result of a tie."""
        return self._blended(evenly(self.preferred_sales(sales, side)), sales)

    def bid(self, state: BiddingState, side: str, rng: random.Random) -> int:
        """A bid, in chips."""
        return self._bids(state, side).draw(rng)

    def place(self, state: BiddingState, side: str, rng: random.Random) -> int:
        """The code of a placement."""
        return self._moves(state, side).draw(rng)

    def choose(self, sales: tuple[BidOutcome, BidOutcome], side: str, rng: random.Random) -> BidOutcome:
        """One of the results of a tie."""
        return Distribution(self.tie_distribution(sales, side)).draw(rng)

    def _find_bids(self, state: BiddingState, side: str) -> Distribution[int]:
        return Distribution(self._blended(self.preferred_bids(state, side), self.table.bids(state, side)))

    def _find_moves(self, state: BiddingState, side: str) -> Distribution[int]:
        every = [code for code, _ in self.table.moves(state.board, side)]
        return Distribution(self._blended(evenly(self.preferred_moves(state, side)), every))

    def _blended(self, chances: Mapping[Choice, Value], every: Sequence[Choice]) -> dict[Choice, Value]:
        """What is preferred or, as often as it blunders, any choice."""
        if not self.blunders:
            return dict(chances)
        return {c: (1 - self.blunders) * chances.get(c, 0) + self.blunders / len(every) for c in every}


def evenly(choices: Sequence[Choice]) -> dict[Choice, Value]:
    """All of them, all alike.

    >>> evenly(range(2))
    {0: Fraction(1, 2), 1: Fraction(1, 2)}
    """
    return dict.fromkeys(choices, _one_of(len(choices)))


@functools.lru_cache(maxsize=256)
def _one_of(number: int) -> Fraction:
    return Fraction(1, number)


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
