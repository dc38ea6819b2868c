"""Solved states that resist: of choices that are equally good against best play, the one that gains most by errors."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from fractions import Fraction

from analysis.bidding.bidding_position import Bid, BiddingPosition, Placement
from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.exact_values import Value
from analysis.games.bidding import SIDES, SIGN, BiddingState


@dataclasses.dataclass(frozen=True)
class Resisting:
    """A state of a solution as a player wants it. Where a game is lost every bid is as good as another against best
    play, and the least of them would give up; an opponent who bids at random errs.
    """

    solution: BiddingSolution
    position: BiddingPosition

    @property
    def value(self) -> Value:
        """Seen by X."""
        return self.position.value

    @functools.cached_property
    def bids(self) -> Mapping[str, tuple[Bid, ...]]:
        """The mixed bids as they are; else of the bids that get the side the value the one with the best mean over all
        bids of the opponent, the least of several.
        """
        return {side: self._bids(side) for side in SIDES}

    def _bids(self, side: str) -> tuple[Bid, ...]:
        drawn = self.position.bids.get(side, ())
        if len(drawn) != 1:
            return drawn
        each = zip(self.position.each_bid(side), self.position.payoffs_of(side), strict=True)
        best = min((-SIGN[side] * sum(row), bid.bid) for bid, row in each if bid.guarantee == self.value)
        return (Bid(best[1], Fraction(1)),)

    def placements(self, side: str) -> list[Placement]:
        """Best first: by value, then by the mean over all pairs of bids in the state that follows."""
        found = self.position.placements(side)
        best = [placement for placement in found if placement.value == found[0].value]
        return sorted(best, key=lambda placement: -SIGN[side] * self._mean(placement)) + found[len(best) :]

    def _mean(self, placement: Placement) -> Value:
        board = self.solution.game.base.parse_either_side(placement.position)
        return _mean_payoff(self.solution, self.position.state._replace(board=board))


@functools.lru_cache(maxsize=1 << 14)
def _mean_payoff(solution: BiddingSolution, state: BiddingState) -> Value:
    """Over all pairs of bids, or the payoff where the game is over."""
    found = solution.lookup(*state)
    entries = [value for row in found.matrix for value in row]
    return sum(entries) / len(entries) if entries else found.value
