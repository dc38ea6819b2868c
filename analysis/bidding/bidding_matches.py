"""Play bidding games between levels: a single game and where it was decided, and matches.

A match is a sample; if there are few enough states, the exact expectations are computed from the probabilities of all
states. Every round adds a stone, so the states after each round are a tier, and their probabilities follow from those
of the tier before. Boards symmetric to each other are merged if both levels play alike on them.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..errors import OptionError, TooLargeError
from ..games.bidding import OTHER, SIDES, SIGN, BiddingState
from ..machine.workers import Workers, tell_progress
from ..playing.match import check_games, told_apart
from ..playing.results import Expectation, MatchResult, Scoreboard
from ..playing.simulation import Batch, ends_of
from .bidding_players import BiddingPlayer, evenly
from .bidding_rules import BiddingRules, BidOutcome
from .bidding_solution import BiddingPosition, BiddingSolution, bounds
from .board_tiers import board_engine
from .exact_values import Value

Players = Mapping[str, BiddingPlayer]
"""Who plays which side."""

# One game -------------------------------------------------------------------------------------------------------------


class Round(NamedTuple):
    """A round: both bids, their result, and the placement."""

    before: BiddingState
    x_bid: int
    o_bid: int
    sale: BidOutcome
    move: int
    """The code of the placement."""
    after: BiddingState


class Contest:
    """A game in progress."""

    def __init__(self, table: BiddingRules, start: BiddingState | None = None) -> None:
        self.table, self.start = table, table.start if start is None else start
        self.rounds: list[Round] = []

    @property
    def state(self) -> BiddingState:
        """The current state, between two rounds."""
        return self.rounds[-1].after if self.rounds else self.start

    @property
    def payoff(self) -> int | None:
        """X's payoff; None while the game goes on."""
        return self.table.payoff(self.state.board)

    def add(self, x_bid: int, o_bid: int, sale: BidOutcome, move: int) -> None:
        """Play a round; bids and placement must be legal, and the sale one of their results."""
        after = sale.state._replace(board=dict(self.table.moves(sale.state.board, sale.winner))[move])
        self.rounds.append(Round(self.state, x_bid, o_bid, sale, move, after))

    def decide(self, players: Players, x_bid: int, o_bid: int, rng: random.Random) -> BidOutcome:
        """Return the result of two bids; where there are two, the holder of the advantage chooses."""
        sales, holder = self.table.sales(self.state, x_bid, o_bid), self.state.holder
        return sales[0] if len(sales) == 1 else players[holder].choose((sales[0], sales[1]), holder, rng)


def play_game(contest: Contest, players: Players, rng: random.Random) -> int:
    """Play on to the end and return X's payoff. Only ``rng`` is random; X bids first."""
    while (payoff := contest.payoff) is None:
        x_bid, o_bid = (players[side].bid(contest.state, side, rng) for side in SIDES)
        sale = contest.decide(players, x_bid, o_bid, rng)
        contest.add(x_bid, o_bid, sale, players[sale.winner].place(sale.state, sale.winner, rng))
    return payoff


ROUNDING = 1e-9
"""Rounded values that differ by less count as equal."""


class Mistake(NamedTuple):
    """A decision that gave value away. Values are X's payoff under optimal play afterwards."""

    round: int
    """Counted from 1."""
    side: str
    """Who made it."""
    what: str
    """``bid``, ``tie`` (to take it or to leave it) or ``placement``."""
    chosen: int
    """The bid; 0 for taking a tie, 1 for leaving it; or the code of the placement."""
    better: tuple[int, ...]
    """The choices that would have kept the value, ascending."""
    before: Value
    after: Value


def placement_values(position: BiddingPosition, side: str) -> dict[int, Value]:
    """Return X's values of a side's placements after it has won and paid a bid, by code, ascending."""
    return {child.move: child.value(position.column) for child in position.moves.children[side]}


def sale_value(position: BiddingPosition, winner: str) -> Value:
    """Return X's value of a state before its winner places."""
    return position.moves.best(winner, position.column)


def first_mistake(table: BiddingRules, solution: BiddingSolution, rounds: Iterable[Round]) -> Mistake | None:
    """Return the first decision that lowered what its side could expect, or None; any other difference between the
    result and the value is chance.

    A bid that optimal play may draw is no mistake, whatever happens by chance, and neither is one that the opponent did
    not exploit. If both sides erred in a round, X's bid is named.
    """
    every = (found for number, one in enumerate(rounds, 1) for found in mistakes(table, solution, number, one))
    return next(every, None)


def mistakes(table: BiddingRules, solution: BiddingSolution, number: int, one: Round) -> Iterator[Mistake]:
    """Yield the mistakes of a round, in the order of the decisions."""
    before, made = solution.lookup(*one.before), {"X": one.x_bid, "O": one.o_bid}
    legal = dict(zip(SIDES, before.legal_bids(), strict=True))
    for side, other in OTHER.items():
        row = before.payoffs_of(side)[legal[side].index(made[side])]
        if before.saddle:
            after = row[legal[other].index(made[other])]
            sure = zip(legal[side], bounds(before.matrix)[side], strict=True)
            better = tuple(bid for bid, guarantee in sure if _equal(guarantee, before.value))
        else:
            drawn, answers = dict(before.bids[other]), zip(legal[other], row, strict=True)
            after = sum((drawn[bid] * value for bid, value in answers if bid in drawn), Fraction(0))
            better = tuple(bid.bid for bid in before.bids[side])
        if _lost(side, before.value, after):
            yield Mistake(number, side, "bid", made[side], better, before.value, after)
    sales = table.sales(one.before, one.x_bid, one.o_bid)
    if len(sales) > 1:
        of_tie = {i: sale_value(solution.lookup(*sale.state), sale.winner) for i, sale in enumerate(sales)}
        yield from _worse(number, one.before.holder, "tie", sales.index(one.sale), of_tie)
    worth = placement_values(solution.lookup(*one.sale.state), one.sale.winner)
    yield from _worse(number, one.sale.winner, "placement", one.move, worth)


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


# Matches --------------------------------------------------------------------------------------------------------------

SEEDS = 1 << 32
"""Number of seeds to choose from by default."""
EVERY = 64
"""Games between two reports of progress."""
MOST_GAMES = 10**9
EXACT = 10_000
"""Limit on the states for exact fractions, which take several times as long as floats."""
MOST, MOST_BESIDE = 400_000, 50_000
"""Limits on the states for expectations: alone, up to a minute; along with games, some ten seconds."""


def play_match(
    table: BiddingRules,
    a: BiddingPlayer,
    b: BiddingPlayer,
    *,
    games: int,
    swap: bool = False,
    seed: int | None = None,
    start: BiddingState | None = None,
) -> MatchResult:
    """Let ``a`` play X and ``b`` O at a ``table`` or, if they ``swap``, the other way round in every other game.

    Each of the ``games`` has its own random numbers, from its number and the ``seed`` (default: a new one each time;
    see the result), so a game does not depend on how many there are. They begin at ``start`` (default: the start of the
    game); lengths are in placements, one a round. With 0 games there are only the expectations. Raises `OptionError`
    for an invalid number of games, and `TooLargeError` if only expectations are wanted and these take too long.
    """
    start = table.start if start is None else start
    seed = random.SystemRandom().randrange(SEEDS) if seed is None else seed
    orders = [{"X": a, "O": b}, {"X": b, "O": a}][: 1 + (swap or not games)]
    began = time.perf_counter()
    board = _play(table, orders, games, seed, start)
    took, reason, most = time.perf_counter() - began, "", MOST_BESIDE if games else MOST
    different, expectations = orders[:1] if a.level == b.level else orders, tuple[BiddingExpectation, ...]()
    try:
        expectations = tuple(expect(table, players, start, most=most) for players in different)
    except TooLargeError as error:
        if not games:
            raise
        reason = str(error)
    return MatchResult(
        game=table.game.spec,
        position=table.game.format_state(start),
        levels=(a.level, b.level),
        games=games,
        swap=swap,
        seed=seed,
        pairs={(0, 1): board.standings()},
        not_computed=reason,
        notes={player.level: player.note for player in (a, b) if player.note},
        seconds=took,
        expectations=expectations,
    )


def play_round_robin(
    table: BiddingRules,
    players: Sequence[BiddingPlayer],
    *,
    games: int,
    seed: int | None = None,
    start: BiddingState | None = None,
) -> MatchResult:
    """Let every two players play ``games``, as `play_match` does where they swap. Raises `OptionError` for a number of
    games that is odd or out of range.
    """
    check_games(games)
    start = table.start if start is None else start
    seed = random.SystemRandom().randrange(SEEDS) if seed is None else seed
    names = told_apart([player.level for player in players])

    standings = {}
    for i, j in itertools.combinations(range(len(players)), 2):
        a, b = players[i], players[j]
        standings[i, j] = _play(table, [{"X": a, "O": b}, {"X": b, "O": a}], games, seed, start).standings()
    return MatchResult(
        table.game.spec, table.game.format_state(start), tuple(names), games, True, seed, standings,
        not_judged="only moves of games by turns are judged",
    )  # fmt: skip


def _play(table: BiddingRules, orders: Sequence[Players], games: int, seed: int, start: BiddingState) -> Scoreboard:
    """Play games of two players, in these orders in turn. Raises `OptionError`."""
    if not 0 <= games <= MOST_GAMES:
        raise OptionError(f"cannot play {games} games; give 0 to {MOST_GAMES:,}")
    board = Scoreboard((orders[0]["X"].level, orders[0]["O"].level), swap=len(orders) > 1)
    for first in range(0, games, EVERY):
        tell_progress("playing", first, games)
        payoffs, rounds = [], []
        for number in range(first, min(first + EVERY, games)):
            contest = Contest(table, start)
            payoffs.append(play_game(contest, orders[number % len(orders)], random.Random(f"{seed} {number}")))
            rounds.append(len(contest.rounds))
        found = np.array(payoffs, np.int16)
        board.add(Batch(first, found, np.array(rounds, np.int32), ends_of(found), None))
    return board


Chances = dict[BiddingState, Value]


@dataclasses.dataclass(frozen=True)
class BiddingExpectation(Expectation):
    """The expectations of two levels; ``plies`` are placements, one a round."""

    numbers = ("x_wins", "o_wins", "tie", "payoff", "plies")

    states: int
    """Number of states (up to symmetry) with a positive probability."""

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree match --format json`` prints."""
        return super().to_json() | {"states": self.states}


def expect(
    table: BiddingRules,
    players: Players,
    start: BiddingState | None = None,
    *,
    most: int = MOST,
) -> BiddingExpectation:
    """Return the expectations of the ``players`` of X and O at a ``table``, from ``start`` (default: the start of the
    game) on. Raises `TooLargeError` for more than ``most`` states.

    >>> from analysis.games.bidding import Bidding
    >>> table = BiddingRules(Bidding("mnk:rows=1,cols=2,k=2", "1"))
    >>> found = expect(table, dict.fromkeys("XO", BiddingPlayer(table, "random")))
    >>> str(found.x_wins), str(found.o_wins), str(found.tie)
    ('7/48', '0', '41/48')
    """
    same: Callable[[int], int] = int  # the representative of a board: by default itself
    if all(player.symmetric for player in players.values()):
        engine = board_engine(table.game.base, workers=Workers(1))
        same = functools.lru_cache(maxsize=1 << 16)(engine.canonical)
    tier: Chances = {table.start if start is None else start: Fraction(1)}
    sums: list[Value] = [Fraction(0)] * 5
    states = rounds = 0
    while tier:
        states += len(tier)
        if states > most:
            raise TooLargeError(
                f"exact expectations of {table.game.spec} take more than {most:,} states; play a sample: --games 10000"
            )
        tell_progress("expectations, round", rounds, None)
        going_on: Chances = {}
        for state, chance in tier.items():
            payoff = table.payoff(state.board)
            if payoff is None:
                going_on[state] = float(chance) if states > EXACT else chance
            else:
                weights = payoff > 0, payoff < 0, payoff == 0, payoff, rounds
                sums = [found + chance * weight for found, weight in zip(sums, weights, strict=True)]
        tier = _one_round(table, players, same, going_on, rounded=states > EXACT)
        rounds += 1
    x_wins, o_wins, tie, mean, plies = sums
    return BiddingExpectation(players["X"].level, players["O"].level, x_wins, o_wins, tie, mean, plies, states)


def _one_round(
    table: BiddingRules, players: Players, same: Callable[[int], int], tier: Chances, *, rounded: bool
) -> Chances:
    """Return the probabilities after one more round."""
    none: Value = 0.0 if rounded else Fraction(0)
    bought: dict[tuple[str, BiddingState], Value] = {}
    for state, chance in tier.items():
        for sale, share in _sales(table, players, state, rounded):
            key = sale.winner, sale.state
            bought[key] = bought.get(key, none) + chance * share
    found: Chances = {}
    for (side, state), chance in bought.items():
        boards = dict(table.moves(state.board, side))
        for move, share in players[side].placement_distribution(state, side, rounded=rounded).items():
            after = BiddingState(same(boards[move]), *state[1:])
            found[after] = found.get(after, none) + chance * share
    return found


def _sales(
    table: BiddingRules, players: Players, state: BiddingState, rounded: bool
) -> Iterator[tuple[BidOutcome, Value]]:
    """Yield the possible results of a round's bids and their probabilities, with all lower bids of the loser as one."""
    drawn = {side: one.bid_distribution(state, side, rounded=rounded) for side, one in players.items()}
    for side, other in OTHER.items():
        theirs, least = sorted(drawn[other].items(), reverse=True), min(drawn[other])
        below: Value = 0.0 if rounded else Fraction(0)
        for bid in sorted(drawn[side]):
            while theirs and theirs[-1][0] < bid:
                below += theirs.pop()[1]
            if below:
                bids = (bid, least) if side == "X" else (least, bid)
                yield table.sales(state, *bids)[0], drawn[side][bid] * below
    for bid in drawn["X"].keys() & drawn["O"].keys():
        chance, sales = drawn["X"][bid] * drawn["O"][bid], table.sales(state, bid, bid)
        shares = evenly(sales)
        if len(sales) > 1:
            shares = players[state.holder].tie_distribution((sales[0], sales[1]), state.holder)
        for sale, share in shares.items():
            yield sale, chance * share
