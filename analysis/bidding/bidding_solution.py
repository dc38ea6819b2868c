"""A solved bidding game: what a user holds, opened from memory or from disk, and its counts tier by tier."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.bidding.bidding_position import BiddingPosition, BoardMoves, BoardRecord, Child, FindBoard
from analysis.bidding.exact_values import value_json
from analysis.bidding.kernels.bid_rules import NO_BID
from analysis.bidding.state_layout import StateLayout
from analysis.engine.engine import Engine
from analysis.errors import MissingDataError, PositionError
from analysis.games.bidding import SIDES, Bidding, BiddingState

if TYPE_CHECKING:
    from analysis.bidding.least_chips import LeastChips
    from analysis.bidding.solved_boards import SolvedBoards

COUNTS = ("boards", "classes", "terminal_X", "terminal_O", "terminal_tie", "states", "saddle", "mixed", "rounded")


@dataclasses.dataclass(frozen=True)
class BiddingTotals:
    """Counts of one tier. All but ``classes`` count boards that differ by a symmetry apart; a state is a board where
    the game goes on, a split of the chips, and a holder of the advantage.
    """

    tier: int
    """Stones on the board since the start."""
    boards: int
    classes: int
    terminal_X: int  # noqa: N815 - named as the outcomes are
    terminal_O: int  # noqa: N815
    terminal_tie: int
    states: int
    saddle: int
    """States with an optimal bid without chance for both sides."""
    mixed: int
    """The other states."""
    rounded: int
    """States whose value is known as a double only."""
    values: tuple[dict[str, Any], ...]
    """``value``, ``value_exact`` and ``states``, ascending."""

    @classmethod
    def of(cls, solved: SolvedBoards) -> BiddingTotals:
        """The counts of a solved tier."""
        boards = solved.boards
        orbits = boards.orbit_sizes.astype(np.int64)
        x, o, tie = (int(orbits[boards.over & (np.sign(boards.payoffs) == sign)].sum()) for sign in (1, -1, 0))
        weights = orbits[boards.playing][:, None]
        states = int(weights.sum()) * solved.ranks.shape[1]
        mixed = int(((solved.x_bids == NO_BID) * weights).sum())
        by_rank = np.zeros(len(solved.table), np.int64)
        for weight in np.unique(weights).tolist():  # boards of one orbit size at a time, so that all are integers
            ranks = solved.ranks[weights[:, 0] == weight].ravel()
            by_rank += weight * np.bincount(ranks, minlength=len(by_rank))
        rows = [{**value_json(v), "states": n} for v, n in zip(solved.table, by_rank.tolist(), strict=True)]
        rounded = sum(row["states"] for row in rows if row["value_exact"] is None)
        sizes = boards.number, int(orbits.sum()), len(boards)
        return cls(*sizes, x, o, tie, states, states - mixed, mixed, rounded, tuple(rows))

    @classmethod
    def joined(cls, tier: int, files: Sequence[BiddingTotals]) -> BiddingTotals:
        """From the counts of the files of a tier."""
        sums = {name: sum(getattr(row, name) for row in files) for name in COUNTS}
        return cls(tier, **sums, values=tuple(by_value(files)))

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, for the manifest."""
        return {**dataclasses.asdict(self), "values": list(self.values)}

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> BiddingTotals:
        """The inverse of `to_json`."""
        return cls(**{**row, "values": tuple(row["values"])})


TOTALS_FORM = {
    **dict.fromkeys(("tier", *COUNTS), int),
    "values": [{"value": (int, float), "value_exact": (str, None), "states": int}],
}
"""The form of `BiddingTotals` as JSON."""


class BiddingSolution:
    """The complete solution of a bidding game from one board on; get one from `solve` or `open_solution`, or one
    of the next few moves from `search_bidding`.

    ``solution["XO?/???/??? X=4 O=4 advantage=X"]`` is a `BiddingPosition`; `statistics` has all counts.
    """

    def __init__(
        self,
        game: Bidding,
        engine: Engine,
        tables: Sequence[FindBoard],
        totals: Sequence[BiddingTotals],
        least_chips: Callable[[], Sequence[LeastChips]],
        directory: Path | None = None,
        searched: int | None = None,
        start: BiddingState | None = None,
    ) -> None:
        self.game = game
        self.directory = directory
        """Where the solution is stored, or None."""
        self.layout = StateLayout.of(game)
        self.totals, self._find_least_chips = tuple(totals), least_chips
        self.searched = searched
        """After how many moves the search was cut, or None for the whole game."""
        self._engine, self._tables = engine, tuple(tables)
        self.start = game.start if start is None else start
        """The state that the game begins with."""
        self._chance = game.ties == "coin" or any(row.mixed for row in totals)
        self._record = functools.lru_cache(maxsize=1 << 12)(self._find)
        self.moves_on = functools.lru_cache(maxsize=1 << 12)(self._moves_on)
        """``moves_on(board)``: the moves of both sides there; none where the game is over."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with its game and its tables; those of a directory are read there again."""
        least = tuple if self.searched is not None else functools.partial(tuple, self.least_chips)
        place = None if self.directory is None else self.directory.absolute()
        known = self.game, self._engine, self._tables, self.totals, least, place, self.searched, self.start
        return BiddingSolution, known

    def __repr__(self) -> str:
        return f"<BiddingSolution of {self.game.spec}: value {self.root.value}>"

    @property
    def symmetry(self) -> str:
        """The kind of symmetry group."""
        return self._engine.group.kind

    @property
    def symmetry_order(self) -> int | None:
        """How many symmetries; None where the rules make states canonical themselves."""
        return None if self._engine.reduces else self._engine.group.order

    @property
    def root(self) -> BiddingPosition:
        """What is known of the start."""
        return self.lookup(*self.start)

    @functools.cached_property
    def least_chips(self) -> tuple[LeastChips, ...]:
        """The least chips with which X forces a win or a tie, found when they are first asked for."""
        return tuple(self._find_least_chips())

    def __getitem__(self, text: str) -> BiddingPosition:
        """The state written as ``text``. Raises `PositionError`."""
        return self.lookup(*self.game.parse_state(text))

    def lookup(self, board: int, x_chips: int, o_chips: int, holder: str | None) -> BiddingPosition:
        """The state of a ``board``, ``x_chips``, ``o_chips`` and the ``holder`` of the advantage (None: there is none).
        Raises `PositionError` where it is none of the game, or its board is not reached.
        """
        state = BiddingState(board, x_chips, o_chips, holder)
        self.game.check_state(state)
        record, column = self._known(board), self.layout.column(state)
        payoffs = self._engine.payoffs
        known = record.value(column), record.over, self._chance, payoffs, self.searched, record.bids(column)
        return BiddingPosition(self.game, self.layout, state, *known, self.moves_on(board))

    @property
    def bounds(self) -> tuple[float, float]:
        """No value is less or more: the least payoff and the greatest, of a search none."""
        return self._engine.payoffs if self.searched is None else (-math.inf, math.inf)

    def _moves_on(self, board: int) -> BoardMoves:
        found: dict[str, list[Child]] = {side: [] for side in SIDES}
        if not self._engine.ruled:
            return BoardMoves(self.layout, found, self.bounds)
        for code, after in [] if self._known(board).over else self._engine.rules.moves(board):
            record = self._known(after)
            found[SIDES[code & 1]].append(Child(code >> 1, after, record.over, record.value))
        return BoardMoves(self.layout, found, self.bounds)

    def _known(self, board: int) -> BoardRecord:
        record = self._record(self._engine.canonical(board))
        if record is None and not self._engine.ruled:
            self._engine.game.rules()  # it may be an image of a board, which only they tell
        if record is None:
            text, start = (self.game.base.format_position(state) for state in (board, self._engine.start))
            raise PositionError(f"board {text} is not reached from {start} by moves of either side")
        return record

    def _find(self, canonical: int) -> BoardRecord | None:
        return next((found for find in self._tables if (found := find(canonical)) is not None), None)

    def statistics(self) -> dict[str, Any]:
        """All counts, as ``gametree stats --format json`` prints them. Raises `MissingDataError` for a search that was
        cut at a depth.
        """
        if self.searched is not None:
            raise MissingDataError(f"a search of {self.searched} moves has no statistics of the game")
        return {
            "game": self.game.spec,
            "parameters": self.game.parameters(),
            "symmetry": self.symmetry,
            "symmetry_order": self.symmetry_order,
            **value_json(self.root.value),
            **sums_of(self.totals),
            "by_value": by_value(self.totals),
            "by_tier": [{name: getattr(row, name) for name in ("tier", *COUNTS)} for row in self.totals],
            "least_chips": [row.to_json() for row in self.least_chips],
        }


def sums_of(totals: Sequence[BiddingTotals]) -> dict[str, Any]:
    """The counts of several tiers together."""
    sums = {name: sum(getattr(row, name) for row in totals) for name in COUNTS}
    ended = {name: sums.pop(f"terminal_{name}") for name in ("X", "O", "tie")}
    return {"boards": sums.pop("boards"), "classes": sums.pop("classes"), "terminal": ended, **sums}


def by_value(totals: Sequence[BiddingTotals]) -> list[dict[str, Any]]:
    """One row for each value that states have, ascending."""
    found: Counter[tuple[float, str | None]] = Counter()
    for row in totals:
        for entry in row.values:
            found[entry["value"], entry["value_exact"]] += entry["states"]
    order = sorted(found, key=lambda key: (Fraction(key[0] if key[1] is None else key[1]), key[1] is None))
    return [{"value": value, "value_exact": exact, "states": found[value, exact]} for value, exact in order]
