"""What is known of one state of a bidding game, and how it is shown."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from analysis.bidding.exact_values import Value, value_json
from analysis.bidding.state_layout import StateLayout
from analysis.games.bidding import SIDES, SIGN, Bidding, BiddingState


class Bid(NamedTuple):
    """A bid that optimal play may choose, and with which probability."""

    bid: int
    probability: Value

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {"bid": self.bid, **value_json(self.probability, "probability")}


Bids = dict[str, tuple[Bid, ...]]


@dataclasses.dataclass(frozen=True)
class BoardRecord:
    """One board."""

    over: bool
    """Whether the game is over there; every column then has the same value and no bids."""
    value: Callable[[int], Value]
    """X's expected payoff by column."""
    bids: Callable[[int], Bids]
    """The optimal bids of both sides by column."""


FindBoard = Callable[[int], BoardRecord | None]
"""A canonical board of one tier, or None where the tier does not have it."""


class Placement(NamedTuple):
    """A move on the board of a side that has won and paid its bid, and what the state after it is worth."""

    move: int
    """The code of the game on the board."""
    name: str
    position: str
    """The board after it."""
    value: Value

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {"move": self.move, "name": self.name, "position": self.position, **value_json(self.value)}


class LegalBid(NamedTuple):
    """A bid that a side may make, what it is worth, and the placement after it."""

    bid: int
    probability: Value
    """How often optimal play chooses it."""
    guarantee: Value
    """What it is worth, to X, against the reply that is worst for the side."""
    placement: Placement
    """The best move after it has won against a lower bid."""

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "bid": self.bid,
            **value_json(self.probability, "probability"),
            **value_json(self.guarantee, "guarantee"),
            "move": self.placement.move,
            "name": self.placement.name,
        }


class Child(NamedTuple):
    """A move of one side, and what is known of the board after it."""

    move: int
    board: int
    over: bool
    value: Callable[[int], Value]
    """The value of the board by column."""


class BoardMoves:
    """The moves of both sides on one board, and what the best of them are worth: found once for all its states, and
    looked for no further than one that gets the side the end of the ``bounds`` that it wants.
    """

    def __init__(self, layout: StateLayout, children: dict[str, list[Child]], bounds: tuple[float, float]) -> None:
        self.layout, self.children = layout, children
        self._aims = dict(zip(SIDES, bounds[::-1], strict=True))
        self._values = functools.partial(self.best, "X"), functools.partial(self.best, "O")
        self._order = {side: sorted(moves, key=lambda child: not child.over) for side, moves in children.items()}
        self._best: dict[tuple[str, int], Value] = {}

    def best(self, side: str, column: int) -> Value:
        """What a side's best placement is worth to X, in a column of the layout."""
        found = self._best.get((side, column))
        if found is None:
            choose, values = max if side == "X" else min, []
            for child in self._order[side]:
                values.append(child.value(column))
                if values[-1] == self._aims[side]:
                    break
            found = self._best[side, column] = choose(values)
        return found

    def matrix(self, column: int) -> list[list[Value]]:
        """What each pair of bids is worth: a row for each legal bid of X, a column for each of O."""
        return self.layout.matrix(column, *self._values)

    def entry(self, column: int, x_bid: int, o_bid: int) -> Value:
        """What one pair of bids is worth."""
        if x_bid == o_bid:
            return self.layout.tied(column, x_bid, *self._values)
        side, bid = ("X", x_bid) if x_bid > o_bid else ("O", o_bid)
        return self.best(side, self.layout.won(side, column, bid))


def bounds(matrix: Sequence[Sequence[Value]]) -> dict[str, list[Value]]:
    """What each bid is worth to X against the worst reply: the least of each row, and the greatest of each column.

    >>> bounds([[1, 2], [3, 0]])
    {'X': [1, 0], 'O': [3, 2]}
    """
    return {"X": [min(row) for row in matrix], "O": [max(column) for column in zip(*matrix, strict=True)]}


OF_MOVES = ("legal_bids", "matrix", "matrix_exact", "placements")
"""What is known of a state only with the rules."""


@dataclasses.dataclass(frozen=True)
class BiddingPosition:
    """Everything known of one state."""

    game: Bidding
    layout: StateLayout = dataclasses.field(repr=False, compare=False)
    state: BiddingState
    value: Value
    """X's expected payoff, if both bid and place optimally: a fraction if it is exact, otherwise a float."""
    over: bool
    """Whether the game is over; there are then no bids and no placements."""
    chance: bool
    """Whether chance may decide, here or later: somewhere bids are mixed, or a coin is tossed."""
    payoffs: tuple[int, int]
    """The least payoff of the game and the greatest."""
    searched: int | None
    """How many moves deep, where the value is that of a search and not of the whole game."""
    bids: dict[str, tuple[Bid, ...]]
    """The optimal bids of ``X`` and ``O``; one each if there is a saddle point."""
    moves: BoardMoves = dataclasses.field(repr=False, compare=False)

    @property
    def saddle(self) -> bool:
        """Whether both sides have an optimal bid without chance."""
        return not self.over and all(len(bids) == 1 for bids in self.bids.values())

    @property
    def moves_known(self) -> bool:
        """Whether there are rules to tell the moves, and with them what each bid is worth."""
        return self.over or any(self.moves.children.values())

    @property
    def column(self) -> int:
        """The state's column in `StateLayout`."""
        return self.layout.column(self.state)

    def legal_bids(self) -> tuple[range, range]:
        """What X may bid and what O may."""
        return self.layout.bids(self.column % self.layout.purses)

    @functools.cached_property
    def matrix(self) -> list[list[Value]]:
        """What each pair of bids is worth: a row for each legal bid of X, a column for each of O."""
        return [] if self.over else self.moves.matrix(self.column)

    def payoffs_of(self, side: str) -> list[list[Value]]:
        """The matrix with a row for each legal bid of a ``side``, X or O."""
        return self.matrix if side == "X" else [list(column) for column in zip(*self.matrix, strict=True)]

    def each_bid(self, side: str) -> list[LegalBid]:
        """Every legal bid of a ``side``, X or O, ascending; none where the game is over."""
        if self.over:
            return []
        drawn = {bid.bid: bid.probability for bid in self.bids[side]}
        legal = self.legal_bids()[SIDES.index(side)]
        return [
            LegalBid(bid, drawn.get(bid, Fraction(0)), sure, self.placements(side, self._after(side, bid))[0])
            for bid, sure in zip(legal, bounds(self.matrix)[side], strict=True)
        ]

    def placements(self, side: str, column: int | None = None) -> list[Placement]:
        """A side's moves, best first, if it has just won a bid and the chips, paid already, and the advantage are those
        of this state, or of another ``column``. Of equally good moves those that end the game come first.
        """
        at = self.column if column is None else column
        base, children = self.game.base, self.moves.children[side]
        order = sorted(children, key=lambda child: (-SIGN[side] * child.value(at), not child.over, child.move))
        return [
            Placement(child.move, base.format_move(child.move), base.format_position(child.board), child.value(at))
            for child in order
        ]

    def _after(self, side: str, bid: int) -> int:
        """The column after a side has won with a higher bid and paid it."""
        holder, purse = divmod(self.column, self.layout.purses)
        return holder * self.layout.purses + self.layout.won(side, purse, bid)

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show --format json`` prints it."""
        board = self.game.base.format_position(self.state.board)
        found = self._of_moves() if self.moves_known else dict.fromkeys(OF_MOVES)
        return {
            "state": self.game.format_state(self.state),
            "board": board,
            "x_chips": self.state.x_chips,
            "o_chips": self.state.o_chips,
            "advantage": self.state.holder,
            "over": self.over,
            "searched": self.searched,
            **value_json(self.value),
            "saddle": self.saddle,
            "bids": {side: [bid.to_json() for bid in bids] for side, bids in self.bids.items()},
            **found,
        }

    def _of_moves(self) -> dict[str, Any]:
        """What `OF_MOVES` names."""
        return {
            "legal_bids": {side: [bid.to_json() for bid in self.each_bid(side)] for side in SIDES},
            "matrix": [[value_json(value)["value"] for value in row] for row in self.matrix],
            "matrix_exact": [[value_json(value)["value_exact"] for value in row] for row in self.matrix],
            "placements": {side: [found.to_json() for found in self.placements(side)] for side in SIDES},
        }
