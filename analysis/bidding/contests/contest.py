"""One game: round by round, and what is kept of it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BiddingRules, BidOutcome
from analysis.games.bidding import BiddingState


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
