"""What the levels have in common that play from solved states."""

from __future__ import annotations

import abc
import functools
from collections.abc import Mapping, Sequence

from analysis.bidding.bidding_position import SIDES, BiddingPosition, Child
from analysis.bidding.exact_values import Value
from analysis.bidding.players.bidder import KNOWN, BiddingPlayer, evenly
from analysis.bidding.players.bidding_rules import SIGN, BiddingRules, BidOutcome
from analysis.bidding.state_layout import StateLayout
from analysis.games.bidding import BiddingState

BOARDS = 1 << 12
"""Boards that are remembered."""


class SolvedBidder(BiddingPlayer):
    """Bids what the states' values say, evenly where several bids are as good, and places evenly among the best."""

    def __init__(self, table: BiddingRules, level: str) -> None:
        super().__init__(table, level)
        self._mixed = functools.lru_cache(maxsize=KNOWN // 4)(self.position)
        self._boards: dict[int, _Board] = {}

    @abc.abstractmethod
    def position(self, state: BiddingState) -> BiddingPosition:
        """What is known of a state. Raises `PositionError` where nothing is."""

    def preferred_bids(self, state: BiddingState, side: str) -> Mapping[int, Value]:
        """Where both sides have an optimal bid without chance, every bid that guarantees the value, evenly; otherwise
        the solution's bids, drawn as it says.
        """
        x_sure, o_sure = self._board(state).guarantees(self.table.layout.column(state))
        if max(x_sure) != min(o_sure):
            return {bid.bid: bid.probability for bid in self._mixed(state).bids[side]}
        value, sure = (max(x_sure), x_sure) if side == "X" else (min(o_sure), o_sure)
        legal = self.table.bids(state, side)
        return evenly([bid for bid, guarantee in zip(legal, sure, strict=True) if guarantee == value])

    def preferred_moves(self, state: BiddingState, side: str) -> Sequence[int]:
        """The best with the chips and the advantage as they are after the payment."""
        column, board = self.table.layout.column(state), self._board(state)
        best = board.best(side, column)
        return [child.move for child in board.children[side] if child.value(column) == best]

    def preferred_sales(self, sales: tuple[BidOutcome, BidOutcome], side: str) -> Sequence[BidOutcome]:
        """The better one, or both if they are equal."""
        layout = self.table.layout
        worth = [SIGN[side] * self._board(s.state).best(s.winner, layout.column(s.state)) for s in sales]
        return [sale for sale, value in zip(sales, worth, strict=True) if value == max(worth)]

    def _board(self, state: BiddingState) -> _Board:
        """What is known of the board of a state: the same with all chips."""
        found = self._boards.get(state.board)
        if found is None:
            if len(self._boards) >= BOARDS:
                self._boards.clear()
            found = self._boards[state.board] = _Board(self.table.layout, self.position(state).children)
        return found


class _Board:
    """The children of a board, and what the best of them are worth: looked up once for all the states of the board."""

    def __init__(self, layout: StateLayout, children: dict[str, list[Child]]) -> None:
        self._layout, self.children = layout, children
        self._best: dict[tuple[str, int], Value] = {}

    def best(self, side: str, column: int) -> Value:
        """What a side's best placement is worth to X, in a column of the layout."""
        key = side, column
        found = self._best.get(key)
        if found is None:
            choose = max if side == "X" else min
            found = self._best[key] = choose(child.value(column) for child in self.children[side])
        return found

    def guarantees(self, column: int) -> tuple[list[Value], list[Value]]:
        """Those of both sides, see `guarantees`."""
        purses = self._layout.purses
        return bounds(
            self._layout.matrix(
                column,
                lambda holder, purse: self.best("X", holder * purses + purse),
                lambda holder, purse: self.best("O", holder * purses + purse),
            )
        )


def bounds(matrix: list[list[Value]]) -> tuple[list[Value], list[Value]]:
    """The least of each row and the greatest of each column.

    >>> bounds([[1, 2], [3, 0]])
    ([1, 0], [3, 2])
    """
    return [min(row) for row in matrix], [max(column) for column in zip(*matrix, strict=True)]


def guarantees(position: BiddingPosition, side: str) -> list[Value]:
    """What each legal bid of a side, ascending, is worth to X against the reply that is worst for the side."""
    return bounds(position.matrix)[SIDES.index(side)]


def placement_values(position: BiddingPosition, side: str) -> dict[int, Value]:
    """What each placement of a side that has just won a bid and paid it is worth to X, by code, ascending."""
    return {child.move: child.value(position.column) for child in position.children[side]}


def sale_value(position: BiddingPosition, winner: str) -> Value:
    """What a state is worth to X before its winner places."""
    choose = max if winner == "X" else min
    return choose(placement_values(position, winner).values())
