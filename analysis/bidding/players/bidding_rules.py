"""What happens at the table, round by round: legal bids, who wins a bid and pays it, and where he can place."""

from __future__ import annotations

import functools
from typing import NamedTuple

from analysis.bidding.kernels.bid_rules import CHOOSES, COIN
from analysis.bidding.state_layout import StateLayout
from analysis.games.bidding import OTHER, SIDES, SIGN, Bidding, BiddingState
from analysis.games.shared.either_side import EitherSide
from analysis.rules.game import ONGOING


class BidOutcome(NamedTuple):
    """A bid that has won and is paid: its winner is to place."""

    winner: str
    bid: int
    state: BiddingState
    """The board as it was, with the chips and the advantage after the payment."""


class BiddingRules:
    """The rules of a bidding game as states, bids and placements; nothing is solved.

    >>> table = BiddingRules(Bidding())
    >>> sale, = table.sales(table.start, 2, 2)
    >>> sale.winner, sale.state
    ('X', BiddingState(board=0, x_chips=2, o_chips=6, holder='O'))
    """

    def __init__(self, game: Bidding) -> None:
        self.game, self.start = game, game.start
        self.layout = StateLayout.of(game)
        self.rules = EitherSide(game.base).rules()
        self._children = functools.lru_cache(maxsize=1 << 16)(self._find_children)
        self.payoff = functools.lru_cache(maxsize=1 << 16)(self._find_payoff)
        """``payoff(board)``: what X gets where the game is over, None while it goes on."""

    def _find_payoff(self, board: int) -> int | None:
        payoff = int(self.rules.outcome(board))
        return None if payoff == ONGOING else payoff

    def _find_children(self, board: int) -> dict[str, tuple[tuple[int, int], ...]]:
        moves = self.rules.moves(board)
        return {side: tuple((code >> 1, after) for code, after in moves if SIDES[code & 1] == side) for side in SIDES}

    def moves(self, board: int, side: str) -> tuple[tuple[int, int], ...]:
        """Where a side can place: codes of the game on the board, ascending, and the boards after; none where the game
        is over.
        """
        return self._children(board)[side]

    def bids(self, state: BiddingState, side: str) -> range:
        """The legal bids of a side."""
        return self.layout.bids(self._purse(state))[SIDES.index(side)]

    def sales(self, state: BiddingState, x_bid: int, o_bid: int) -> tuple[BidOutcome, ...]:
        """The results of two bids. A tie has two results where a coin decides, X's winning first, both equally likely,
        and where the holder of the advantage chooses: he wins and passes it, or keeps it and loses.
        """
        if x_bid != o_bid:
            return (self._sale(state, "X" if x_bid > o_bid else "O", max(x_bid, o_bid), state.holder),)
        if self.layout.ties == COIN:
            return self._sale(state, "X", x_bid, None), self._sale(state, "O", o_bid, None)
        assert state.holder is not None
        other = OTHER[state.holder]
        passes = self._sale(state, state.holder, x_bid, other)
        if self.layout.ties == CHOOSES:
            return passes, self._sale(state, other, x_bid, state.holder)
        return (passes,)

    def chooser(self, state: BiddingState) -> str | None:
        """Who decides between two sales of a tie; None where a coin does, or the rules do."""
        return state.holder if self.layout.ties == CHOOSES else None

    def _sale(self, state: BiddingState, winner: str, bid: int, holder: str | None) -> BidOutcome:
        purse = self.layout.won(winner, self._purse(state), bid)
        chips = int(self.layout.x_chips[purse]), int(self.layout.o_chips[purse])
        return BidOutcome(winner, bid, BiddingState(state.board, *chips, holder))

    def _purse(self, state: BiddingState) -> int:
        return self.layout.purse(state.x_chips, state.o_chips)

    def placed(self, state: BiddingState, side: str, move: int) -> BiddingState:
        """The state after a placement, by its code; it must be legal."""
        return state._replace(board=dict(self.moves(state.board, side))[move])

    # One placement ahead ----------------------------------------------------------------------------------------------

    def winning(self, board: int, side: str) -> list[int]:
        """The codes of the placements with which a side wins at once."""
        return [code for code, after in self.moves(board, side) if (self.payoff(after) or 0) * SIGN[side] > 0]

    def losing(self, board: int, side: str) -> list[int]:
        """The codes of the placements with which a side loses at once."""
        return [code for code, after in self.moves(board, side) if (self.payoff(after) or 0) * SIGN[side] < 0]
