"""One game: round by round, what is kept of it, and where it was decided."""

from __future__ import annotations

import dataclasses
import functools
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from analysis.bidding.bidding_players import BiddingPlayer, evenly, placement_values, sale_value
from analysis.bidding.bidding_rules import BiddingRules, BidOutcome
from analysis.bidding.bidding_solution import BiddingPosition, BiddingSolution, bounds
from analysis.bidding.board_tiers import board_engine
from analysis.bidding.exact_values import Value
from analysis.errors import OptionError, TooLargeError
from analysis.games.bidding import OTHER, SIDES, SIGN, BiddingState
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, Workers, no_progress
from analysis.playing.kernels.simulated_games import O_WON, TIED, X_WON
from analysis.playing.matches.results import Expectation, MatchResult, Scoreboard
from analysis.playing.matches.simulation import Batch


class Round(NamedTuple):
    """Both bids, their result, and the placement."""

    before: BiddingState
    x_bid: int
    o_bid: int
    sale: BidOutcome
    move: int
    """The code of the placement."""
    after: BiddingState


class Contest:
    """A game as far as it has been played: what has happened, what is to come, and the way back."""

    def __init__(self, table: BiddingRules, start: BiddingState | None = None) -> None:
        self.table, self.start = table, table.start if start is None else start
        self.rounds: list[Round] = []

    @property
    def state(self) -> BiddingState:
        """Where it stands between two rounds."""
        return self.rounds[-1].after if self.rounds else self.start

    @property
    def payoff(self) -> int | None:
        """What X gets; None while the game goes on."""
        return self.table.payoff(self.state.board)

    def add(self, x_bid: int, o_bid: int, sale: BidOutcome, move: int) -> Round:
        """Play a round; bids and placement must be legal, and the sale one that they lead to."""
        after = self.table.placed(sale.state, sale.winner, move)
        self.rounds.append(Round(self.state, x_bid, o_bid, sale, move, after))
        return self.rounds[-1]

    def take_back(self) -> bool:
        """Undo the last round; False where there is none."""
        if not self.rounds:
            return False
        self.rounds.pop()
        return True


def decide(table: BiddingRules, players: Mapping[str, BiddingPlayer], before: BiddingState,
           sales: tuple[BidOutcome, ...], rng: random.Random) -> BidOutcome:  # fmt: skip
    """The one of the results of two bids that comes about: a coin falls, or the holder of the advantage chooses."""
    if len(sales) == 1:
        return sales[0]
    first, second = sales
    chooser = table.chooser(before)
    return rng.choice(sales) if chooser is None else players[chooser].choose((first, second), chooser, rng)


def play_game(contest: Contest, players: Mapping[str, BiddingPlayer], rng: random.Random) -> int:
    """Play on to the end; X's payoff. Lots are drawn from ``rng`` alone, X's bid first."""
    table = contest.table
    while (payoff := contest.payoff) is None:
        state = contest.state
        x_bid, o_bid = (players[side].bid(state, side, rng) for side in "XO")
        sale = decide(table, players, state, table.sales(state, x_bid, o_bid), rng)
        contest.add(x_bid, o_bid, sale, players[sale.winner].place(sale.state, sale.winner, rng))
    return payoff


ROUNDING = 1e-9
"""Rounded values that differ by less are equal."""


class Mistake(NamedTuple):
    """A decision that gave something away. Values are X's payoff, under optimal play of what follows."""

    round: int
    """From 1."""
    side: str
    """Who made it."""
    what: str
    """``bid``, ``tie`` (to take it or to leave it) or ``placement``."""
    chosen: int
    """The bid; 0 for taking a tie, 1 for leaving it; or the code of the placement."""
    better: tuple[int, ...]
    """What would have kept the value, ascending."""
    before: Value
    after: Value


def first_mistake(table: BiddingRules, solution: BiddingSolution, rounds: Iterable[Round]) -> Mistake | None:
    """The first decision after which its side could count on less than before; None if there is none: what the result
    differs from the value of the start is then luck.

    A bid is none as long as it is one of those drawn in optimal play, however the lots fall, nor is one that the
    opponent did not make use of. In a round in which both sides erred the bid of X is named.
    """
    every = (found for number, one in enumerate(rounds, 1) for found in mistakes(table, solution, number, one))
    return next(every, None)


def mistakes(table: BiddingRules, solution: BiddingSolution, number: int, one: Round) -> Iterator[Mistake]:
    """All of one round, in the order of the decisions."""
    before = solution.lookup(*one.before)
    for side in SIDES:
        yield from _bid(number, one, side, before)
    sales = table.sales(one.before, one.x_bid, one.o_bid)
    chooser = table.chooser(one.before)
    if len(sales) > 1 and chooser is not None:
        of_tie = {i: sale_value(solution.lookup(*sale.state), sale.winner) for i, sale in enumerate(sales)}
        yield from _worse(number, chooser, "tie", sales.index(one.sale), of_tie)
    worth = placement_values(solution.lookup(*one.sale.state), one.sale.winner)
    yield from _worse(number, one.sale.winner, "placement", one.move, worth)


def _bid(number: int, one: Round, side: str, before: BiddingPosition) -> Iterator[Mistake]:
    made, legal = (
        dict(zip(SIDES, (one.x_bid, one.o_bid), strict=True)),
        dict(zip(SIDES, before.legal_bids(), strict=True)),
    )
    own, other, theirs = made[side], made[OTHER[side]], legal[OTHER[side]]
    row = before.payoffs_of(side)[legal[side].index(own)]
    if before.saddle:
        after = row[theirs.index(other)]
        sure = zip(legal[side], bounds(before.matrix)[side], strict=True)
        better = tuple(bid for bid, guarantee in sure if _equal(guarantee, before.value))
    else:
        drawn = {bid.bid: bid.probability for bid in before.bids[OTHER[side]]}
        after = sum((drawn[bid] * value for bid, value in zip(theirs, row, strict=True) if bid in drawn), Fraction(0))
        better = tuple(bid.bid for bid in before.bids[side])
    if _lost(side, before.value, after):
        yield Mistake(number, side, "bid", own, better, before.value, after)


def _worse(number: int, side: str, what: str, chosen: int, worth: dict[int, Value]) -> Iterator[Mistake]:
    best = max(worth.values()) if side == "X" else min(worth.values())
    if _lost(side, best, worth[chosen]):
        better = sorted(choice for choice, value in worth.items() if _equal(value, best))
        yield Mistake(number, side, what, chosen, tuple(better), best, worth[chosen])


def _lost(side: str, before: Value, after: Value) -> bool:
    return SIGN[side] * after < SIGN[side] * before and not _equal(before, after)


def _equal(a: Value, b: Value) -> bool:
    exact = isinstance(a, Fraction) and isinstance(b, Fraction)
    return a == b or (not exact and abs(float(a) - float(b)) < ROUNDING)


SEEDS = 1 << 32
"""Seeds to choose from where none is given."""
EVERY = 64
"""Games between two words of progress."""
MOST_GAMES = 10**9
MOST_BESIDE = 50_000
"""States that expectations may take where games are played anyway: some ten seconds."""

Order = Mapping[str, BiddingPlayer]
"""Who plays which side."""


@checked
def play_match(
    table: BiddingRules,
    a: BiddingPlayer,
    b: BiddingPlayer,
    *,
    games: int,
    swap: bool = False,
    seed: int | None = None,
    start: BiddingState | None = None,
    progress: Progress = no_progress,
) -> MatchResult:
    """Let ``a`` play X and ``b`` O at a ``table`` or, if they ``swap``, the other way round in every second game.

    Each of the ``games`` has lots of its own, from its number and the ``seed`` (default: another one each time; see the
    result): games do not change with how many there are. They begin at ``start`` (default: where the game does);
    lengths are in placements, one a round; ``progress`` is told how many are played. Without games there are only the
    expectations. Raises `OptionError` for a number of games that cannot be played, and `TooLargeError` where nothing
    but expectations is wanted and these take too long.
    """
    if not 0 <= games <= MOST_GAMES:
        raise OptionError(f"{games} games cannot be played; give 0 to {MOST_GAMES:,}")
    start = table.start if start is None else start
    seed = random.SystemRandom().randrange(SEEDS) if seed is None else seed
    orders = [{"X": a, "O": b}, {"X": b, "O": a}][: 1 + (swap or not games)]
    began = time.perf_counter()
    board = Scoreboard((a.level, b.level), swap=len(orders) > 1)
    for first in range(0, games, EVERY):
        progress("playing", first, games)
        board.add(_played(table, orders, range(first, min(first + EVERY, games)), seed, start))
    took = time.perf_counter() - began
    expectations, reason = _expectations(table, orders, start, progress, required=not games)
    return MatchResult(
        game=table.game.spec,
        position=table.game.format_state(start),
        a=a.level,
        b=b.level,
        games=games,
        swap=swap,
        seed=seed,
        standings=board.standings(),
        not_computed=reason,
        notes={player.level: player.note for player in (a, b) if player.note},
        seconds=took,
        expectations=expectations,
    )


def _played(table: BiddingRules, orders: Sequence[Order], numbers: range, seed: int, start: BiddingState) -> Batch:
    """Some games, each with lots of its own, from the seed and its number."""
    payoffs, rounds = [], []
    for number in numbers:
        contest = Contest(table, start)
        payoffs.append(play_game(contest, orders[number % len(orders)], random.Random(f"{seed} {number}")))
        rounds.append(len(contest.rounds))
    found = np.array(payoffs, np.int16)
    ends = np.select([found > 0, found < 0], [X_WON, O_WON], TIED).astype(np.uint8)
    return Batch(numbers.start, found, np.array(rounds, np.int32), ends, None)


def _expectations(
    table: BiddingRules, orders: Sequence[Order], start: BiddingState, progress: Progress, *, required: bool
) -> tuple[tuple[BiddingExpectation, ...], str]:
    """Those of the orders in which they play, or why there are none."""
    try:
        most = MOST if required else MOST_BESIDE
        different = orders[:1] if orders[0]["X"].level == orders[0]["O"].level else orders
        return tuple(expect(table, players, start, most=most, progress=progress) for players in different), ""
    except TooLargeError as error:
        if required:
            raise
        return (), str(error)


EXACT = 10_000
"""States in all up to which chances are fractions; they take several times as long as floats."""
MOST = 400_000
"""States in all that are looked at: up to a minute."""

Chances = dict[BiddingState, Value]


@dataclasses.dataclass(frozen=True)
class BiddingExpectation(Expectation):
    """What to expect of two levels; ``plies`` are placements, one a round."""

    states: int
    """How many states (up to symmetry) have a chance to come up."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree match --format json`` prints it."""
        return super().to_json() | {"states": self.states}


def expect(
    table: BiddingRules,
    players: Mapping[str, BiddingPlayer],
    start: BiddingState | None = None,
    *,
    most: int = MOST,
    progress: Progress = no_progress,
) -> BiddingExpectation:
    """The expectation of the ``players`` of X and of O at a ``table``, from ``start`` (default: where the game begins)
    on. Raises `TooLargeError` where there are more than ``most`` states.

    >>> from analysis.games.bidding import Bidding
    >>> table = BiddingRules(Bidding("mnk:rows=1,cols=2,k=2", "1"))
    >>> found = expect(table, dict.fromkeys("XO", BiddingPlayer(table, "random")))
    >>> str(found.x_wins), str(found.o_wins), str(found.tie)
    ('7/48', '0', '41/48')
    """
    play = _Play(table, players, progress)
    tier: Chances = {table.start if start is None else start: Fraction(1)}
    ends: list[tuple[int, int, Value]] = []
    states = rounds = 0
    while tier:
        states += len(tier)
        if states > most:
            raise TooLargeError(
                f"exact expectations of {table.game.spec} take more than {most:,} states; play a sample: --games 10000"
            )
        payoffs = {state: table.payoff(state.board) for state in tier}
        ends += [(payoff, rounds, tier[state]) for state, payoff in payoffs.items() if payoff is not None]
        going_on = {state: tier[state] for state, payoff in payoffs.items() if payoff is None}
        progress("expectations, round", rounds, None)
        if states > EXACT:
            going_on = {state: float(chance) for state, chance in going_on.items()}
        tier = play.on(going_on, rounded=states > EXACT)
        rounds += 1
    sums: list[Value] = [Fraction(0)] * 5
    for payoff, length, chance in ends:
        weights = payoff > 0, payoff < 0, payoff == 0, payoff, length
        sums = [found + chance * weight for found, weight in zip(sums, weights, strict=True)]
    x_wins, o_wins, tie, mean, plies = sums
    return BiddingExpectation(players["X"].level, players["O"].level, x_wins, o_wins, tie, mean, plies, states)


class _Play:
    """Play of two levels, and how likely all of it is."""

    def __init__(self, table: BiddingRules, players: Mapping[str, BiddingPlayer], progress: Progress) -> None:
        self._table, self._players = table, players
        self._same: Callable[[int], int] = lambda board: board  # which board stands for a board
        if all(player.symmetric for player in players.values()):
            engine = board_engine(table.game.base, workers=Workers(1), progress=progress)
            self._same = functools.lru_cache(maxsize=1 << 16)(engine.canonical)

    def on(self, tier: Chances, *, rounded: bool) -> Chances:
        """The chances after one more round."""
        none: Value = 0.0 if rounded else Fraction(0)
        bought: dict[tuple[str, BiddingState], Value] = {}
        for state, chance in tier.items():
            for sale, share in self._sales(state, rounded):
                key = sale.winner, sale.state
                bought[key] = bought.get(key, none) + chance * share
        found: Chances = {}
        for (side, state), chance in bought.items():
            boards = dict(self._table.moves(state.board, side))
            for move, share in self._players[side].placement_distribution(state, side, rounded=rounded).items():
                after = BiddingState(self._same(boards[move]), *state[1:])
                found[after] = found.get(after, none) + chance * share
        return found

    def _sales(self, state: BiddingState, rounded: bool) -> Iterator[tuple[BidOutcome, Value]]:
        """What a round's bids can come to, and how likely: all lower bids of the loser at once."""
        drawn = {side: one.bid_distribution(state, side, rounded=rounded) for side, one in self._players.items()}
        for side, other in OTHER.items():
            theirs, least = sorted(drawn[other].items(), reverse=True), min(drawn[other])
            below: Value = 0.0 if rounded else Fraction(0)
            for bid in sorted(drawn[side]):
                while theirs and theirs[-1][0] < bid:
                    below += theirs.pop()[1]
                if below:
                    bids = (bid, least) if side == "X" else (least, bid)
                    yield self._table.sales(state, *bids)[0], drawn[side][bid] * below
        for bid in drawn["X"].keys() & drawn["O"].keys():
            chance = drawn["X"][bid] * drawn["O"][bid]
            for sale, share in self._tied(state, self._table.sales(state, bid, bid)).items():
                yield sale, chance * share

    def _tied(self, state: BiddingState, sales: tuple[BidOutcome, ...]) -> Mapping[BidOutcome, Value]:
        """How likely each of the results of a tie is: a coin falls, or the holder of the advantage chooses."""
        chooser = self._table.chooser(state)
        if len(sales) == 1 or chooser is None:
            return evenly(sales)
        return self._players[chooser].tie_distribution((sales[0], sales[1]), chooser)
