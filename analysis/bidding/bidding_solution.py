"""Look up the states of a solved bidding game, in memory or on disk, and its counts by tier."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..common.results import Printable
from ..engine.engine import Engine
from ..errors import MissingDataError, PositionError
from ..games.bidding import SIDES, SIGN, Bidding, BiddingState
from .bidding_rules import BiddingRules, bid_matrix, value_of_bids
from .exact_values import Value, stored_as, value_json

if TYPE_CHECKING:
    from .matrix_games import MatrixSolution

# One board -----------------------------------------------------------------------------------------------------------


class Bid(NamedTuple):
    """A bid that optimal play may choose, and its probability."""

    bid: int
    probability: Value

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        return {"bid": self.bid, **value_json(self.probability, "probability")}


Bids = dict[str, tuple[Bid, ...]]


def drawn_bids(solved: MatrixSolution, legal: Iterable[range]) -> Bids:
    """Return the bids that both sides draw from, given the solved matrix of their ``legal`` bids."""
    return {
        side: tuple(Bid(bid, stored_as(p)) for bid, p in zip(bids, chances, strict=True) if p)
        for side, bids, chances in zip(SIDES, legal, (solved.rows, solved.columns), strict=True)
    }


class BoardRecord(NamedTuple):
    """One board: whether the game is ``over`` there; X's expected payoff and both sides' optimal bids by column."""

    over: bool
    value: Callable[[int], Value]
    bids: Callable[[int], Bids]


FindBoard = Callable[[int], BoardRecord | None]
"""Returns the record of a canonical board in a tier or in the whole game; None if it is not there."""


class BoardMove(NamedTuple):
    """A move of one side, the board after it, and that board's record."""

    move: int
    board: int
    after: BoardRecord


class BoardMoves:
    """The moves of both sides on one board, and the values of the best, cached for all its states; the search for the
    best stops at a move that reaches the side's end of the ``bounds``.
    """

    def __init__(self, game: Bidding, children: dict[str, list[BoardMove]], bounds: tuple[float, float]) -> None:
        self.game, self.children, self._bounds = game, children, bounds
        self._values = functools.partial(self.best, "X"), functools.partial(self.best, "O")
        self._best: dict[tuple[str, int], Value] = {}

    def best(self, side: str, column: int) -> Value:
        """Return X's value of a side's best placement in a column of `Bidding.columns`."""
        best = self._best.get((side, column))
        if best is None:
            choose, aim = (max, self._bounds[1]) if side == "X" else (min, self._bounds[0])
            values: list[Value] = []
            for child in sorted(self.children[side], key=lambda child: not child.after.over):
                values.append(child.after.value(column))
                if values[-1] == aim:
                    break
            best = self._best[side, column] = choose(values)
        return best

    def matrix(self, column: int) -> list[list[Value]]:
        """Return the values of all pairs of bids: a row for each legal bid of X, a column for each of O."""
        return bid_matrix(self.game, column, *self._values)

    def entry(self, column: int, x_bid: int, o_bid: int) -> Value:
        """Return the value of one pair of bids."""
        return value_of_bids(self.game, column, x_bid, o_bid, *self._values)


def bounds(matrix: Sequence[Sequence[Value]]) -> dict[str, list[Value]]:
    """Return X's value of each bid against the worst reply: the least of each row, and the greatest of each column.

    >>> bounds([[1, 2], [3, 0]])
    {'X': [1, 0], 'O': [3, 2]}
    """
    return {"X": [min(row) for row in matrix], "O": [max(column) for column in zip(*matrix, strict=True)]}


# One state ------------------------------------------------------------------------------------------------------------


class Placement(NamedTuple):
    """A move on the board by the side that has won and paid its bid, and the value after it."""

    move: int
    """The move code of the board game."""
    name: str
    board: str
    """The board after it."""
    value: Value

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        return {"move": self.move, "name": self.name, "board": self.board, **value_json(self.value)}


class LegalBid(NamedTuple):
    """A legal bid, its value, and the placement after it."""

    bid: int
    probability: Value
    """Probability in optimal play."""
    guarantee: Value
    """X's value against the reply that is worst for the side."""
    placement: Placement
    """The best move after winning against a lower bid."""

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        numbers = value_json(self.probability, "probability") | value_json(self.guarantee, "guarantee")
        return {"bid": self.bid, **numbers, "move": self.placement.move, "name": self.placement.name}


@dataclasses.dataclass(frozen=True)
class BiddingPosition(Printable):
    """A state with its value, bids and moves."""

    game: Bidding
    state: BiddingState
    value: Value
    """X's expected payoff if both sides bid and place optimally: a fraction if exact, otherwise a float."""
    terminal: bool
    """Whether the game is over, so that there are no bids or placements."""
    chance: bool
    """Whether chance may matter, now or later, because some bids are mixed."""
    payoffs: tuple[int, int]
    """The least and the greatest payoff of the game."""
    searched: int | None
    """The depth in moves if the value is from a search, None if it is from the whole game."""
    bids: Bids
    """The optimal bids of ``X`` and ``O``; one each at a saddle point."""
    moves: BoardMoves = dataclasses.field(repr=False, compare=False)

    @property
    def saddle(self) -> bool:
        """Whether both sides have a pure optimal bid."""
        return not self.terminal and all(len(bids) == 1 for bids in self.bids.values())

    def legal_bids(self) -> tuple[range, range]:
        """Return X's and O's legal bids."""
        return self.game.bids(self.state.x_chips)

    @functools.cached_property
    def matrix(self) -> list[list[Value]]:
        """The values of all pairs of bids: a row for each legal bid of X, a column for each of O."""
        return [] if self.terminal else self.moves.matrix(self.game.column(self.state))

    def payoffs_of(self, side: str) -> list[list[Value]]:
        """Return the matrix with a row for each legal bid of a ``side``, X or O."""
        return self.matrix if side == "X" else [list(column) for column in zip(*self.matrix, strict=True)]

    def each_bid(self, side: str) -> list[LegalBid]:
        """Return every legal bid of a ``side``, X or O, ascending; none if the game is over."""
        if self.terminal:
            return []
        drawn, at, legal = dict(self.bids[side]), self.game.column(self.state), self.legal_bids()[SIDES.index(side)]
        return [
            LegalBid(bid, drawn.get(bid, Fraction(0)), guarantee, self.placements(side, at - SIGN[side] * bid)[0])
            for bid, guarantee in zip(legal, bounds(self.matrix)[side], strict=True)
        ]

    def placements(self, side: str, column: int | None = None) -> list[Placement]:
        """Return a side's moves after winning and paying a bid, best first, with the chips and the advantage of this
        state or of another ``column``. Among equals, moves that end the game come first.
        """
        at, base = self.game.column(self.state) if column is None else column, self.game.base
        order = [
            (-SIGN[side] * after.value(at), not after.over, move, board, after.value(at))
            for move, board, after in self.moves.children[side]
        ]
        return [
            Placement(move, base.format_move(move), base.format_position(board), value)
            for *_, move, board, value in sorted(order)
        ]

    def sales(self, x_bid: int, o_bid: int) -> list[dict[str, Any]]:
        """Return the results of two legal bids (see `BiddingRules.sales`) as the explorer sends them: chips and
        advantage after the payment, and the placements of the winner, best first, with the states after them.
        """
        sales = []
        for winner, bid, state in BiddingRules(self.game).sales(self.state, x_bid, o_bid):
            boards = {child.move: child.board for child in self.moves.children[winner]}
            places = [
                placement.to_json() | {"position": self.game.format_state(state._replace(board=boards[placement.move]))}
                for placement in self.placements(winner, self.game.column(state))
            ]
            sales.append({"winner": winner, "bid": bid, **_purses(state), "placements": places})
        return sales

    columns = (
        "side", "bid", "probability", "probability_exact", "guarantee", "guarantee_exact", "move", "name",
    )  # fmt: skip

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each legal bid of each side."""
        return [{"side": side, **bid.to_json()} for side in SIDES for bid in self.each_bid(side)]

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree show --format json`` prints."""
        entries = [[value_json(value) for value in row] for row in self.matrix]
        return {
            "position": self.game.format_state(self.state),
            "board": self.game.base.format_position(self.state.board),
            **_purses(self.state),
            "terminal": self.terminal,
            "searched": self.searched,
            **value_json(self.value),
            "saddle": self.saddle,
            "bids": {side: [bid.to_json() for bid in bids] for side, bids in self.bids.items()},
            "legal_bids": {side: [bid.to_json() for bid in self.each_bid(side)] for side in SIDES},
            "matrix": [[entry["value"] for entry in row] for row in entries],
            "matrix_exact": [[entry["value_exact"] for entry in row] for row in entries],
            "placements": {side: [placement.to_json() for placement in self.placements(side)] for side in SIDES},
        }


def _purses(state: BiddingState) -> dict[str, Any]:
    return {"x_chips": state.x_chips, "o_chips": state.o_chips, "advantage": state.holder}


# All of them ----------------------------------------------------------------------------------------------------------

COUNTS = ("boards", "classes", "terminal_X", "terminal_O", "terminal_tie", "states", "saddle", "mixed", "rounded")


class BiddingSolution(Printable):
    """The complete solution of a bidding game from one board; get one from `solve` or `open_solution`, or a search of
    the next few moves from `search_bidding`.

    ``solution["XO?/???/??? X=4 O=4 advantage=X"]`` is a `BiddingPosition`; `statistics` has all counts.
    """

    def __init__(
        self, game: Bidding, engine: Engine, tables: Sequence[FindBoard], totals: Sequence[dict[str, Any]],
        searched: int | None = None, start: BiddingState | None = None,
    ) -> None:  # fmt: skip
        self.game = game
        self.directory: Path | None = None
        """Where the solution is stored, or None."""
        self.was_there = False
        """Whether it was stored already, so that nothing was solved."""
        self.again: Callable[[], BiddingSolution] | None = None
        """Repeats a search, whose tables cannot be pickled."""
        self.totals = tuple(totals)
        """The counts of each tier, by `COUNTS`, and the ``values`` of its states."""
        self.searched = searched
        """The moves after which a search was cut, or None for the whole game."""
        self._engine, self.tables = engine, tuple(tables)
        self.start = game.start if start is None else start
        """The state in which the game begins."""
        self._chance = any(row["mixed"] for row in totals)
        self._record = functools.lru_cache(maxsize=1 << 12)(self._find)
        self.moves_on = functools.lru_cache(maxsize=1 << 12)(self._moves_on)
        """``moves_on(board)``: the moves of both sides there; none if the game is over."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the game and its tables; tables in a directory are opened again there, and a search is repeated."""
        if self.again is not None:
            return self.again, ()
        place = None if self.directory is None else self.directory.absolute()
        parts = self.game, self._engine, self.tables, self.totals, self.searched, self.start
        return BiddingSolution, parts, {"directory": place}

    def __repr__(self) -> str:
        return f"<BiddingSolution of {self.game.spec}: value {self.root.value}>"

    @property
    def symmetry(self) -> str:
        """The kind of symmetry group."""
        return self._engine.group.kind

    @property
    def symmetry_order(self) -> int | None:
        """Number of symmetries; None if the rules make states canonical themselves."""
        return self._engine.order

    @property
    def root(self) -> BiddingPosition:
        """The start."""
        return self.lookup(*self.start)

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of all values: the least and greatest payoff; infinite for a search."""
        return self._engine.payoffs if self.searched is None else (-math.inf, math.inf)

    def __getitem__(self, text: str) -> BiddingPosition:
        """Return the state written as ``text``. Raises `PositionError`."""
        return self.lookup(*self.game.parse_state(text))

    def lookup(self, board: int, x_chips: int, o_chips: int, holder: str) -> BiddingPosition:
        """Look up the state of a ``board``, ``x_chips``, ``o_chips`` and the ``holder`` of the advantage. Raises
        `PositionError` if it is not a state of the game, or its board is not reachable.
        """
        state = BiddingState(board, x_chips, o_chips, holder)
        self.game.check_state(state)
        (over, value, bids), at, payoffs = self._board(board), self.game.column(state), self._engine.payoffs
        of_game = self._chance, payoffs, self.searched
        return BiddingPosition(self.game, state, value(at), over, *of_game, bids(at), self.moves_on(board))

    def _moves_on(self, board: int) -> BoardMoves:
        children: dict[str, list[BoardMove]] = {side: [] for side in SIDES}
        if not self._board(board).over:
            for code, after in self._engine.rules.moves(board):
                children[SIDES[code & 1]].append(BoardMove(code >> 1, after, self._board(after)))
        return BoardMoves(self.game, children, self.bounds)

    def _board(self, board: int) -> BoardRecord:
        record = self._record(self._engine.canonical(board))
        if record is None:
            text, start = (self.game.base.format_position(state) for state in (board, self._engine.start))
            raise PositionError(f"board {text} cannot be reached from {start} by moves of either side")
        return record

    def _find(self, canonical: int) -> BoardRecord | None:
        return next((record for find in self.tables if (record := find(canonical)) is not None), None)

    def to_json(self) -> dict[str, Any]:
        """Return the `statistics`."""
        return self.statistics()

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return the counts of each tier."""
        return [*self.statistics()["by_tier"]]

    def statistics(self) -> dict[str, Any]:
        """Return all counts, as ``gametree stats --format json`` does. Raises `MissingDataError` for a search."""
        if self.searched is not None:
            raise MissingDataError(f"a search of {self.searched} moves has no statistics of the game")
        return {
            "game": self.game.spec,
            "parameters": self.game.parameters(),
            "symmetry": self.symmetry,
            "symmetry_order": self.symmetry_order,
            **value_json(self.root.value),
            **{name.lower(): sum(row[name] for row in self.totals) for name in COUNTS},
            "by_value": value_rows(row["values"] for row in self.totals),
            "by_tier": [{name.lower(): row[name] for name in ("tier", *COUNTS)} for row in self.totals],
        }


def value_rows(tables: Iterable[Iterable[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return a row for each value of states, ascending, from such rows of several tables."""
    states: Counter[tuple[float, str | None]] = Counter()
    for entry in itertools.chain.from_iterable(tables):
        states[entry["value"], entry["value_exact"]] += entry["states"]
    order = sorted(states, key=lambda key: (Fraction(key[0] if key[1] is None else key[1]), key[1] is None))
    return [{"value": value, "value_exact": exact, "states": states[value, exact]} for value, exact in order]
