"""Levels of play in bidding games.

A level defines what it prefers; its choices and their probabilities follow. Probabilities are fractions where exact,
and floats where a mixed strategy is rounded.
"""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from ..errors import GametreeError, OptionError, TooLargeError, TooSlowError
from ..games.bidding import OTHER, SIGN, BiddingState
from ..machine.context import within
from ..machine.workers import patient
from ..playing.levels import Level, parse_level
from .bidding_rules import BiddingRules, BidOutcome
from .bidding_solution import BiddingPosition, BiddingSolution, BoardMoves, bounds
from .bidding_solving import find_solution, search_bidding
from .exact_values import Value

Choice = TypeVar("Choice", bound=Hashable)
KNOWN = 1 << 16
"""Distributions that a player remembers, of each kind."""
SEARCHED = 1 << 12
"""Boards whose searches are remembered."""
PATIENCE_SECONDS = 10.0
"""Time to solve a game whose solution was not asked for."""
DEPTH = 2
"""Rounds that hints and the default opponent look ahead where the game is not solved."""


class Distribution(Generic[Choice]):
    """Probabilities of choices, ready to draw from."""

    def __init__(self, chances: Mapping[Choice, Value]) -> None:
        self.chances = {choice: chance for choice, chance in chances.items() if chance}
        self.rounded: dict[Choice, Value] = {choice: float(chance) for choice, chance in self.chances.items()}
        self._weighted = list(self.rounded), [float(chance) for chance in self.rounded.values()]

    def draw(self, rng: random.Random) -> Choice:
        """Return one choice; an only one uses no random number."""
        choices, weights = self._weighted
        return choices[0] if len(choices) == 1 else rng.choices(choices, weights)[0]


class BiddingPlayer:
    """Bids and places for either side in one game, uniformly (level ``random``); subclasses override preferences."""

    blunders: Fraction = Fraction(0)
    """Probability that a decision is made at random."""
    note: str = ""
    """How it knows what it knows, in words; empty where there is nothing to say."""
    symmetric: bool = True
    """Whether it plays alike on boards symmetric to each other."""

    def __init__(self, table: BiddingRules, level: str) -> None:
        self.table = table
        self.level = level
        """The text that names it, such as ``depth:2``."""
        self._bids = functools.lru_cache(maxsize=KNOWN)(self._find_bids)
        self._moves = functools.lru_cache(maxsize=KNOWN)(self._find_moves)

    def preferred_bids(self, state: BiddingState, side: str) -> Mapping[int, Value]:
        """Return the preferred bids and their probabilities; the game must go on."""
        return evenly(self.table.bids(state, side))

    def preferred_moves(self, state: BiddingState, side: str) -> Sequence[int]:
        """Return the codes of the preferred placements (at least one) after paying a bid, to be drawn uniformly."""
        return [code for code, _ in self.table.moves(state.board, side)]

    def preferred_sales(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> Sequence[BidOutcome]:
        """Return the preferred results of equal bids: the first to win and pass the advantage on, or the other."""
        return sales

    # What follows -----------------------------------------------------------------------------------------------------

    def bid_distribution(self, state: BiddingState, side: str, *, rounded: bool = False) -> dict[int, Value]:
        """Return the probability of each bid, as floats if it may be ``rounded``; impossible bids are left out."""
        found = self._bids(state, side)
        return found.rounded if rounded else found.chances

    def placement_distribution(self, state: BiddingState, side: str, *, rounded: bool = False) -> dict[int, Value]:
        """Return the probability of each placement, by code, after winning and paying a bid."""
        found = self._moves(state, side)
        return found.rounded if rounded else found.chances

    def tie_distribution(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> dict[BidOutcome, Value]:
        """Return the probability of choosing each result of equal bids."""
        return self._blended(evenly(self.preferred_sales(sales, side)), sales)

    def bid(self, state: BiddingState, side: str, rng: random.Random) -> int:
        """Draw a bid, in chips."""
        return self._bids(state, side).draw(rng)

    def place(self, state: BiddingState, side: str, rng: random.Random) -> int:
        """Draw the code of a placement."""
        return self._moves(state, side).draw(rng)

    def choose(self, sales: tuple[BidOutcome, BidOutcome], side: str, rng: random.Random) -> BidOutcome:
        """Draw one of the results of equal bids."""
        return Distribution(self.tie_distribution(sales, side)).draw(rng)

    def _find_bids(self, state: BiddingState, side: str) -> Distribution[int]:
        return Distribution(self._blended(self.preferred_bids(state, side), self.table.bids(state, side)))

    def _find_moves(self, state: BiddingState, side: str) -> Distribution[int]:
        every = [code for code, _ in self.table.moves(state.board, side)]
        return Distribution(self._blended(evenly(self.preferred_moves(state, side)), every))

    def _blended(self, chances: Mapping[Choice, Value], every: Sequence[Choice]) -> dict[Choice, Value]:
        """Mix the preferred choices with blunders, any choice."""
        if not self.blunders:
            return dict(chances)
        return {c: (1 - self.blunders) * chances.get(c, 0) + self.blunders / len(every) for c in every}


def evenly(choices: Sequence[Choice]) -> dict[Choice, Value]:
    """Return a uniform distribution."""
    return dict.fromkeys(choices, Fraction(1, len(choices)))


class GreedyBidder(BiddingPlayer):
    """Looks only at the next placement.

    Bids: if a placement of either side would win, the least bid that the opponent cannot beat, or everything if there
    is none; if none would, and either side could only place and lose, the least bid; otherwise any. Placements: one
    that wins; otherwise one that neither loses nor lets the opponent win with the next; otherwise any. It chooses a
    result of equal bids in the same spirit.
    """

    def preferred_bids(self, state: BiddingState, side: str) -> Mapping[int, Value]:
        """See the class."""
        legal, wanted = self.table.bids(state, side), self._wants(state.board)
        if wanted is None:
            return evenly(legal)
        most = self.table.bids(state, OTHER[side])[-1]
        enough = most if state.holder == side else most + 1
        return {min(max(enough, legal[0]), legal[-1]) if wanted else legal[0]: Fraction(1)}

    def preferred_moves(self, state: BiddingState, side: str) -> Sequence[int]:
        """See the class."""
        wins = self.table.ending(state.board, side, OTHER[side])
        if wins:
            return wins
        every, losing = self.table.moves(state.board, side), self.table.ending(state.board, side, side)
        other = OTHER[side]
        safe = [code for code, after in every if code not in losing and not self.table.ending(after, other, side)]
        return safe or super().preferred_moves(state, side)

    def preferred_sales(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> Sequence[BidOutcome]:
        """See the class."""
        wanted = self._wants(sales[0].state.board)
        return sales if wanted is None else sales[:1] if wanted else sales[1:]

    def _wants(self, board: int) -> bool | None:
        """Return whether the next placement is worth having; None if nothing seems to depend on it."""
        if any(self.table.ending(board, one, OTHER[one]) for one in "XO"):
            return True
        if any(len(self.table.ending(board, one, one)) == len(self.table.moves(board, one)) for one in "XO"):
            return False
        return None


class SolvedBidder(BiddingPlayer):
    """Bids and places by the values of states, uniformly among equals. ``solution_of`` gives the solution that knows a
    board's states; with probability ``blunders`` it decides at random.
    """

    def __init__(
        self, table: BiddingRules, level: str, solution_of: Callable[[int], BiddingSolution],
        blunders: Fraction = Fraction(0),
    ) -> None:  # fmt: skip
        super().__init__(table, level)
        self.solution_of, self.blunders = solution_of, blunders

    def position(self, state: BiddingState) -> BiddingPosition:
        """Return what is known of a state. Raises `PositionError` if nothing is."""
        return self.solution_of(state.board).lookup(*state)

    def preferred_bids(self, state: BiddingState, side: str) -> Mapping[int, Value]:
        """Return, uniformly, all pure bids that guarantee the value, if both have one; else the solution's mix."""
        sure = bounds(self._moves_on(state).matrix(self.table.layout.column(state)))
        if max(sure["X"]) != min(sure["O"]):
            return dict(self.position(state).bids[side])
        value, legal = max(sure["X"]), self.table.bids(state, side)
        return evenly([bid for bid, guarantee in zip(legal, sure[side], strict=True) if guarantee == value])

    def preferred_moves(self, state: BiddingState, side: str) -> Sequence[int]:
        """Return the best with the chips and the advantage after the payment."""
        column, moves = self.table.layout.column(state), self._moves_on(state)
        best = moves.best(side, column)
        return [child.move for child in moves.children[side] if child.value(column) == best]

    def preferred_sales(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> Sequence[BidOutcome]:
        """Return the better one, or both if they are equal."""
        column = self.table.layout.column
        worth = [SIGN[side] * self._moves_on(sale.state).best(sale.winner, column(sale.state)) for sale in sales]
        return [sale for sale, value in zip(sales, worth, strict=True) if value == max(worth)]

    def _moves_on(self, state: BiddingState) -> BoardMoves:
        return self.solution_of(state.board).moves_on(state.board)


def depth_bidder(table: BiddingRules, level: str, depth: int) -> SolvedBidder:
    """Return a player that solves the next ``depth`` rounds; boards at their end are valued by the evaluation."""
    game, evaluation = table.game, table.game.base.rules().default_evaluation

    @functools.lru_cache(maxsize=SEARCHED)
    def search(board: int) -> BiddingSolution:
        with within(workers=1):
            return search_bidding(game, game.base.format_position(board), depth, evaluation=evaluation)

    player = SolvedBidder(table, level, search)
    player.symmetric = evaluation is None or not game.base.origin  # users' evaluations are not checked for symmetry
    player.note = f"evaluation {evaluation}" if evaluation else "no evaluation: open boards count 0"
    return player


def make_player(level: Level, name: str, table: BiddingRules, solve: Callable[[], BiddingSolution]) -> BiddingPlayer:
    """Make the player of a ``level``, whose text is ``name``, at a ``table``; ``solve`` gives the game's solution where
    the level needs it. Raises `OptionError` for a level that bidding games do not have.
    """
    if level.shortest:
        raise OptionError(
            f"level {name!r} is not for bidding games: random bids leave no remoteness to shorten; write perfect"
        )
    if level.kind == "random":
        return BiddingPlayer(table, name)
    if level.kind == "greedy":
        return GreedyBidder(table, name)
    if level.kind == "depth":
        return depth_bidder(table, name, level.depth)
    if level.kind in ("perfect", "blunder"):
        solution = solve()
        return SolvedBidder(table, name, lambda board: solution, level.chance)
    raise OptionError(f"level {name!r} is not for bidding games; they have random, greedy, depth:N, perfect, blunder:P")


class BiddingMemory:
    """The solution of a game: found when first needed, and not tried twice."""

    def __init__(self, name: str, position: str | None, *, symmetry: str | None = None) -> None:
        self._name, self._position, self._symmetry = name, position, symmetry
        self._found: BiddingSolution | GametreeError | None = None
        self.source = ""
        """Where the solution comes from; empty until there is one."""

    def recall(self) -> tuple[BiddingSolution, str]:
        """Return the solution unless it takes too long. Raises `TooLargeError`, and what finding it raises."""
        return self.solve(PATIENCE_SECONDS), self.source

    def solve(self, seconds: float | None = None) -> BiddingSolution:
        """Return the solution. Raises `TooSlowError` if it takes more than ``seconds``, and what solving raises."""
        if self._found is None:
            began = time.perf_counter()
            too_slow = TooSlowError(f"{self._name} could not be solved in {seconds or 0:g} seconds; solve it first")
            try:
                with patient(seconds, too_slow):
                    self._found = find_solution(self._name, position=self._position, symmetry=self._symmetry)
            except GametreeError as error:
                self._found = error
                raise
            stored, took = self._found.directory, time.perf_counter() - began
            self.source = f"reads {stored}" if stored is not None else f"solved here in {took:.1f} s"
        if isinstance(self._found, GametreeError):
            raise self._found
        return self._found


def find_opponent(level: str | None, table: BiddingRules, memory: BiddingMemory) -> BiddingPlayer:
    """Return the player of a level; by default a perfect one if the game is soon solved, else one that searches."""
    chosen = "perfect" if level is None else level.strip().lower()
    kind, patience = parse_level(chosen), PATIENCE_SECONDS if level is None else None
    try:
        player = make_player(kind, chosen, table, lambda: memory.solve(patience))
    except TooLargeError:
        if level is not None:
            raise
        player = depth_bidder(table, f"depth:{DEPTH}", DEPTH)
        player.note += f"; the game is not solved in {PATIENCE_SECONDS:g} s"
        return player
    if kind.kind in ("perfect", "blunder"):
        player.note = memory.source
    return player
