"""Where a game was decided: the first decision that gave away something of what the solution had guaranteed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from analysis.bidding.bidding_position import SIDES, BiddingPosition
from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.contests.contest import Round
from analysis.bidding.exact_values import Value
from analysis.bidding.players.bidding_rules import BiddingRules, BidOutcome
from analysis.bidding.players.solved_bidder import guarantees, placement_values, sale_value

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
    return next(
        (found for number, one in enumerate(rounds, 1) for found in mistakes(table, solution, number, one)), None
    )


def mistakes(table: BiddingRules, solution: BiddingSolution, number: int, one: Round) -> Iterator[Mistake]:
    """All of one round, in the order of the decisions."""
    before = solution.lookup(*one.before)
    for side in SIDES:
        yield from _bid(number, one, side, before)
    sales = table.sales(one.before, one.x_bid, one.o_bid)
    chooser = table.chooser(one.before)
    if len(sales) > 1 and chooser is not None:
        of_tie = {i: _worth(solution, sale) for i, sale in enumerate(sales)}
        yield from _worse(number, chooser, "tie", sales.index(one.sale), of_tie)
    worth = placement_values(solution.lookup(*one.sale.state), one.sale.winner)
    yield from _worse(number, one.sale.winner, "placement", one.move, worth)


def _worth(solution: BiddingSolution, sale: BidOutcome) -> Value:
    return sale_value(solution.lookup(*sale.state), sale.winner)


def _bid(number: int, one: Round, side: str, before: BiddingPosition) -> Iterator[Mistake]:
    own = one.x_bid if side == "X" else one.o_bid
    other = one.o_bid if side == "X" else one.x_bid
    mine, theirs = _legal(before, side)
    payoffs = before.matrix if side == "X" else [list(column) for column in zip(*before.matrix, strict=True)]
    row = payoffs[own - mine[0]]
    if before.saddle:
        after = row[other - theirs[0]]
        better = [b for b, sure in zip(mine, guarantees(before, side), strict=True) if _equal(sure, before.value)]
    else:
        drawn = {bid.bid: bid.probability for bid in before.bids["O" if side == "X" else "X"]}
        after = sum((drawn[b] * value for b, value in zip(theirs, row, strict=True) if b in drawn), Fraction(0))
        better = [bid.bid for bid in before.bids[side]]
    if _lost(side, before.value, after):
        yield Mistake(number, side, "bid", own, tuple(better), before.value, after)


def _legal(position: BiddingPosition, side: str) -> tuple[range, range]:
    """The side's legal bids and the other's."""
    x, o = position.legal_bids()
    return (x, o) if side == "X" else (o, x)


def _worse(number: int, side: str, what: str, chosen: int, worth: dict[int, Value]) -> Iterator[Mistake]:
    best = max(worth.values()) if side == "X" else min(worth.values())
    if _lost(side, best, worth[chosen]):
        better = sorted(choice for choice, value in worth.items() if _equal(value, best))
        yield Mistake(number, side, what, chosen, tuple(better), best, worth[chosen])


def _lost(side: str, before: Value, after: Value) -> bool:
    worse = after < before if side == "X" else after > before
    return worse and not _equal(before, after)


def _equal(a: Value, b: Value) -> bool:
    exact = isinstance(a, Fraction) and isinstance(b, Fraction)
    return a == b or (not exact and abs(float(a) - float(b)) < ROUNDING)
