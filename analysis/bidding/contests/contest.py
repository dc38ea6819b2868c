"""One game: round by round, what is kept of it, and where it was decided."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from analysis.bidding.bidding_position import BiddingPosition, bounds
from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.exact_values import Value
from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BiddingRules, BidOutcome
from analysis.bidding.players.solved_bidder import placement_values, sale_value
from analysis.games.bidding import OTHER, SIDES, SIGN, BiddingState


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
