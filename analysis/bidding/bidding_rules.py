"""The rules of bidding: for arrays, purses by number and how payments change them; for a game in progress, the legal
bids, who wins and pays, and where the winner can place.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from ..games.bidding import OTHER, SIDES, SIGN, TIES, Bidding, BiddingState
from ..games.shared.either_side import EitherSide
from ..rules.game import ONGOING
from . import kernels
from .exact_values import Value

RULES = {"passes": kernels.PASSES, "chooses": kernels.CHOOSES}
assert set(RULES) == set(TIES)

Column = TypeVar("Column", int, np.ndarray)

ValueOf = Callable[[int], Value]
"""``value(column)``: the value of a side's best placement with the advantage and chips of that column."""


class StateLayout(kernels.BidRules):
    """The states of one board: a column ``holder * purses + purse`` for each holder of the advantage, X first, and each
    purse, which is the number of X's chips.
    """

    @classmethod
    def of(cls, game: Bidding) -> StateLayout:
        """Return the layout of a bidding game's states."""
        x = np.arange(game.splits).astype(np.int16)
        return cls(x, x[::-1].copy(), game.least, RULES[game.ties])

    @property
    def purses(self) -> int:
        """Number of splits of the chips."""
        return len(self.x_chips)

    @property
    def columns(self) -> int:
        """Number of states of a board where the game goes on."""
        return len(SIDES) * self.purses

    def column(self, state: BiddingState) -> int:
        """Return the column of a state of this game."""
        return SIDES.index(state.holder) * self.purses + state.x_chips

    def bids(self, purse: int) -> tuple[range, range]:
        """Return X's legal bids and O's."""
        x, o = int(self.x_chips[purse]), int(self.o_chips[purse])
        return range(min(self.least, x), x + 1), range(min(self.least, o), o + 1)

    def won(self, side: str, column: Column, bid: int) -> Column:
        """Return the column or purse (or an array of them) after a side has won with a bid and paid it."""
        return column - bid if side == "X" else column + bid

    def matrix(self, column: int, x_value: ValueOf, o_value: ValueOf) -> list[list[Value]]:
        """Return the values of all pairs of bids: a row for each bid of X, a column for each of O."""
        x_bids, o_bids = self.bids(column % self.purses)
        x_wins = {bid: x_value(self.won("X", column, bid)) for bid in x_bids}
        o_wins = {bid: o_value(self.won("O", column, bid)) for bid in o_bids}
        ties = {bid: self.tied(column, bid, x_value, o_value) for bid in x_bids if bid in o_wins}
        return [[x_wins[i] if i > j else o_wins[j] if i < j else ties[i] for j in o_bids] for i in x_bids]

    def tied(self, column: int, bid: int, x_value: ValueOf, o_value: ValueOf) -> Value:
        """Return the value of two equal bids."""
        x_wins, o_wins, purses = column - bid, column + bid, self.purses
        if column < purses:  # X holds the advantage: pays and passes it, or keeps it and loses
            taken = x_value(x_wins + purses)
            return max(taken, o_value(o_wins)) if self.ties == kernels.CHOOSES else taken
        taken = o_value(o_wins - purses)
        return min(taken, x_value(x_wins)) if self.ties == kernels.CHOOSES else taken


class BidOutcome(NamedTuple):
    """A bid that has won and been paid; its winner is to place."""

    winner: str
    bid: int
    state: BiddingState
    """The board as before, with the chips and the advantage after the payment."""


class BiddingRules:
    """The rules of a bidding game as states, bids and placements, without solving.

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
        """Return a side's placements: codes in the board game, ascending, and the boards; none if the game is over."""
        return self._children(board)[side]

    def ending(self, board: int, side: str, loser: str) -> list[int]:
        """Return the codes of a side's placements that end the game at once with a loss for ``loser``."""
        return [code for code, after in self.moves(board, side) if (self.payoff(after) or 0) * SIGN[loser] < 0]

    def bids(self, state: BiddingState, side: str) -> range:
        """Return the legal bids of a side."""
        return self.layout.bids(state.x_chips)[SIDES.index(side)]

    def sales(self, state: BiddingState, x_bid: int, o_bid: int) -> tuple[BidOutcome, ...]:
        """Return the results of two bids. Equal bids have two if the holder of the advantage chooses: to win and pass
        it on, or to keep it and lose.
        """
        if x_bid != o_bid:
            return (self._sale(state, "X" if x_bid > o_bid else "O", max(x_bid, o_bid), state.holder),)
        other = OTHER[state.holder]
        passes = self._sale(state, state.holder, x_bid, other)
        if self.layout.ties == kernels.CHOOSES:
            return passes, self._sale(state, other, x_bid, state.holder)
        return (passes,)

    def _sale(self, state: BiddingState, winner: str, bid: int, holder: str) -> BidOutcome:
        purse = self.layout.won(winner, state.x_chips, bid)
        chips = int(self.layout.x_chips[purse]), int(self.layout.o_chips[purse])
        return BidOutcome(winner, bid, BiddingState(state.board, *chips, holder))
