"""Define the rules of bidding: values of bids by column for the tables, and a game in progress, turn by turn."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

from ..errors import PositionError
from ..games.bidding import OTHER, SIDES, SIGN, Bidding, BiddingState
from ..rules.either_side import EitherSide
from ..rules.game import ONGOING
from .exact_values import Value

ValueOf = Callable[[int], Value]
"""``value(column)``: the value of a side's best placement with the advantage and chips of that column."""


def value_of_bids(game: Bidding, column: int, x_bid: int, o_bid: int, x_value: ValueOf, o_value: ValueOf) -> Value:
    """Return the value of two bids in a column of `Bidding.columns`."""
    if x_bid != o_bid:
        return x_value(column - x_bid) if x_bid > o_bid else o_value(column + o_bid)
    if column < game.splits:  # X holds the advantage: pays and passes it, or keeps it and loses
        taken = x_value(column - x_bid + game.splits)
        return max(taken, o_value(column + o_bid)) if game.ties == "chooses" else taken
    taken = o_value(column + o_bid - game.splits)
    return min(taken, x_value(column - x_bid)) if game.ties == "chooses" else taken


def bid_matrix(game: Bidding, column: int, x_value: ValueOf, o_value: ValueOf) -> list[list[Value]]:
    """Return the values of all pairs of bids: a row for each bid of X, a column for each of O."""
    x_bids, o_bids = game.bids(column)
    x_wins, o_wins = {i: x_value(column - i) for i in x_bids}, {j: o_value(column + j) for j in o_bids}
    ties = {i: value_of_bids(game, column, i, i, x_value, o_value) for i in x_bids if i in o_wins}
    return [[x_wins[i] if i > j else o_wins[j] if i < j else ties[i] for j in o_bids] for i in x_bids]


class BidOutcome(NamedTuple):
    """A bid that has won and been paid; its winner is to place."""

    winner: str
    bid: int
    state: BiddingState
    """The board as before, with the chips and the advantage after the payment."""


class Turn(NamedTuple):
    """A decision of one side."""

    kind: str
    """``bid``, ``tie`` or ``placement``."""
    side: str
    state: BiddingState
    """Before the bids; before a placement, after the payment."""
    choices: range | tuple[int, ...]
    """The legal bids; 0 to take a tie and 1 to leave it; or the codes of the placements in the board game."""
    sales: tuple[BidOutcome, ...] = ()
    """The results of a tie, by choice."""


class BiddingRules:
    """The rules of a bidding game as states, bids and placements, without solving.

    >>> table = BiddingRules(Bidding())
    >>> sale, = table.sales(table.start, 2, 2)
    >>> sale.winner, sale.state
    ('X', BiddingState(board=0, x_chips=2, o_chips=6, holder='O'))
    """

    def __init__(self, game: Bidding) -> None:
        self.game, self.start = game, game.start
        self.rules = EitherSide(game.base).rules()
        self._children = functools.lru_cache(maxsize=1 << 16)(self._find_children)
        self.payoff = functools.lru_cache(maxsize=1 << 16)(self._find_payoff)
        """``payoff(board)``: X's payoff, None while the game goes on."""

    def _find_payoff(self, board: int) -> int | None:
        payoff = int(self.rules.outcome(board))
        return None if payoff == ONGOING else payoff

    def _find_children(self, board: int) -> dict[str, dict[int, int]]:
        moves = self.rules.moves(board)
        return {side: {code >> 1: after for code, after in moves if SIDES[code & 1] == side} for side in SIDES}

    def moves(self, board: int, side: str) -> dict[int, int]:
        """Return the boards after a side's placements by their codes in the board game; none if the game is over."""
        return self._children(board)[side]

    def ending(self, board: int, side: str, loser: str) -> list[int]:
        """Return the codes of a side's placements that end the game at once with a loss for ``loser``."""
        return [code for code, after in self.moves(board, side).items() if (self.payoff(after) or 0) * SIGN[loser] < 0]

    def bidding(self, state: BiddingState, side: str) -> Turn:
        """Return the turn in which a side bids."""
        return Turn("bid", side, state, self.game.bids(state.x_chips)[SIDES.index(side)])

    def placing(self, sale: BidOutcome) -> Turn:
        """Return the turn in which the winner of a bid places."""
        return Turn("placement", sale.winner, sale.state, (*self.moves(sale.state.board, sale.winner),))

    def sales(self, state: BiddingState, x_bid: int, o_bid: int) -> tuple[BidOutcome, ...]:
        """Return the results of two bids. Equal bids have two if the holder of the advantage chooses: to win and pass
        it on, or to keep it and lose.
        """
        holder, opponent, bid = state.holder, OTHER[state.holder], max(x_bid, o_bid)
        winners = [(holder, opponent), (opponent, holder)] if self.game.ties == "chooses" else [(holder, opponent)]
        if x_bid != o_bid:
            winners = [("X" if x_bid > o_bid else "O", holder)]
        paid = {"X": bid, "O": -bid}
        return tuple(
            BidOutcome(winner, bid, BiddingState(state.board, x - paid[winner], o + paid[winner], after))
            for x, o in [state[1:3]]
            for winner, after in winners
        )


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
    """A game in progress: both sides bid, X first; a tie may be settled by a choice; the winner places."""

    def __init__(self, table: BiddingRules, start: BiddingState | None = None) -> None:
        self.table, self.start = table, table.start if start is None else start
        self.rounds: list[Round] = []
        self.choices: list[int] = []
        """The choices of the round in progress."""

    @property
    def state(self) -> BiddingState:
        """The current state, between two rounds."""
        return self.rounds[-1].after if self.rounds else self.start

    @property
    def payoff(self) -> int | None:
        """X's payoff; None while the game goes on."""
        return self.table.payoff(self.state.board)

    @property
    def sales(self) -> tuple[BidOutcome, ...]:
        """The possible results of this round's bids: none before both are made, one once any tie is settled."""
        if len(self.choices) < 2:
            return ()
        sales = self.table.sales(self.state, *self.choices[:2])
        return sales if len(self.choices) == 2 else (sales[self.choices[2]],)

    @property
    def turn(self) -> Turn:
        """The next decision; the game must not be over."""
        state, sales = self.state, self.sales
        if not sales:
            return self.table.bidding(state, SIDES[len(self.choices)])
        return Turn("tie", state.holder, state, range(2), sales) if len(sales) > 1 else self.table.placing(sales[0])

    def play(self, choice: int) -> None:
        """Make a choice of the turn. Raises `PositionError` for any other."""
        turn = self.turn
        if choice not in turn.choices:
            raise PositionError(f"{choice} is no {turn.kind} in {self.table.game.format_state(turn.state)}")
        if turn.kind != "placement":
            self.choices.append(choice)
            return
        sale, (x_bid, o_bid, *_) = self.sales[0], self.choices
        after = sale.state._replace(board=self.table.moves(sale.state.board, sale.winner)[choice])
        self.rounds.append(Round(self.state, x_bid, o_bid, sale, choice, after))
        self.choices = []

    def take_back(self, *, begun: bool) -> int:
        """Take back the round in progress if it has ``begun``, else the last one; return its number, 0 without one."""
        number, self.choices = len(self.rounds) + begun, []
        if not begun and self.rounds:
            self.rounds.pop()
        return number
