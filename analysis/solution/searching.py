"""Search the tables of a solution for classes that match a query, a piece at a time and in bounded memory."""

from __future__ import annotations

import dataclasses
import itertools
import operator
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common.memory import Budget
from ..common.results import Printable
from ..common.wording import in_words
from ..common.workers import tell_progress
from ..engine.columns import COUNT_COLUMNS, array, column
from ..engine.plain import MOST_CLASSES
from ..errors import MissingDataError, OptionError
from .counts import endless
from .lookup import FEW, known_moves
from .paths import NO_COUNTS
from .queries import BEST, GAMES, OF_MOVES, Column, Query, chance, games

if TYPE_CHECKING:
    from .solution import Solution

PIECE = 1 << 14
"""Rows searched between two chances to stop."""

TOGETHER = 1 << 19
"""The most classes whose moves are looked up together; for each time, all tiers that these lead to are read."""

COLUMNS = ("state", "value", "remoteness_plies", "to_move", "terminal", "orbit_size")
"""The columns read of every class."""

ROW_BYTES = 3000
"""Bytes of a found class until it is printed: mostly its JSON; 300 without."""


@dataclasses.dataclass(frozen=True)
class FoundClass(Printable):
    """A class of positions that matches a query, by its canonical position. Moves are None without rules."""

    position: str
    to_move: int
    value: int
    outcome: str
    """The outcome under optimal play: ``X`` or ``O`` wins, ``tie``, or ``draw`` if play never ends."""
    remoteness_plies: int | None
    tier: int
    """The ply, if tiers are plies."""
    moves: int | None
    """The number of legal moves."""
    keeping: int | None
    """The number of moves that keep the value."""
    best_moves: tuple[int, ...] | None
    """The codes of the moves that keep the value, best first."""
    best_names: tuple[str, ...] | None
    """The names of these moves."""
    errs: Fraction | None
    """The share of legal moves that do not keep the value; None without moves."""
    only_move: bool | None
    """Whether exactly one of several moves keeps the value."""
    orbit_size: int | None
    """None if unknown."""
    state: int = dataclasses.field(repr=False)
    """The position as a state of the rules."""

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree find --format json`` prints."""
        exact = {} if self.errs is None else {"errs": float(self.errs), "errs_exact": str(self.errs)}
        return super().to_json() | {"errs_exact": None} | exact


@dataclasses.dataclass(frozen=True)
class FoundClasses(Printable, Sequence[FoundClass]):
    """The classes that match a query, or the first of them, and their number."""

    classes: tuple[FoundClass, ...]
    matched: int
    """The number of all matching classes."""
    classes_seen: int
    """The number of classes searched: all except tiers that cannot match."""
    game: str = ""
    """The specification."""
    start: str = ""
    """The position that was solved from."""
    query: str = ""
    order: str | None = None
    tier_name: str = "tier"
    """``ply`` if tiers are plies: the key of the tier."""

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree find --format json`` prints."""
        names = ("game", "start", "query", "order", "classes_seen", "matched")
        return {name: getattr(self, name) for name in names} | {"positions": self.csv_rows()}

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each class; ``tier`` is called ``ply`` if tiers are plies."""
        return [dict(zip(self.columns, each.to_json().values(), strict=True)) for each in self.classes]

    @property
    def columns(self) -> list[str]:
        """The names in a row."""
        names = [*(field.name for field in dataclasses.fields(FoundClass) if field.repr), "errs_exact"]
        return [self.tier_name if name == "tier" else name for name in names]

    def __getitem__(self, index: Any) -> Any:
        return self.classes[index]

    def __len__(self) -> int:
        return len(self.classes)


class Search:
    """A search for the classes of a solution that match a query: follow `steps` while there is time, then read
    ``found``.

    >>> import analysis
    >>> solution = analysis.solve("tictactoe")
    >>> search = Search(solution, Query(solution.game, "to_move=O and value=tie and only_move"), order="games")
    >>> for _ in search.steps():
    ...     pass
    >>> search.complete, [solution.game.format_position(state) for state in search.found[:2]]
    (True, ['X????????', 'XOX??????'])
    """

    def __init__(
        self,
        solution: Solution,
        query: Query,
        *,
        order: str | None = None,
        limit: int = 20,
        seed: int | None = None,
    ) -> None:
        """Search for at most ``limit`` classes, the first in this ``order`` or, by default, by tier and state.

        An order is ``errs``, the share of moves that lose value (ends of games last), ``remoteness``
        (draws last), or the complete ``games`` from there on, greatest first, or with ``-`` in front least first; or
        ``random``, uniform and determined by ``seed``. All classes are searched and matches counted. Raises
        `OptionError` and `MissingDataError` for what the solution does not have.
        """
        self.solution, self.query, self.limit = solution, query, limit
        self.complete = False
        """Whether all were searched."""
        self.classes_seen = 0
        """The number of classes searched."""
        self.matched = 0
        """The number of matches among them."""
        self.order = order
        self._by, self._hurries, numbers = (order or "").removeprefix("-"), False, np.random.default_rng(seed)
        keys: dict[str, Column] = {
            "errs": chance,
            "remoteness": operator.itemgetter("remoteness_plies"),
            "games": games,
            "random": lambda rows: column(numbers.random(len(rows))),
        }
        if limit < 0:
            raise OptionError(f"cannot find {limit} positions; ask for 0 or more")
        if order is not None and self._by not in keys:
            raise OptionError(f"unknown order {order!r}; choose {in_words([*keys])}, optionally with - in front")
        self._key = keys.get(self._by)
        self._order = "descending" if order in ("errs", "remoteness", "games") else "ascending"
        self._tier = "ply" if solution.by_ply else "tier"
        more = {*query.columns, *GAMES * (self._by == "games")}.difference(COLUMNS, OF_MOVES, [self._tier])
        self._columns = [*COLUMNS, self._tier, *sorted(more)]
        self._asks_moves = not query.columns.isdisjoint(OF_MOVES) or self._by == "errs"
        self._check()
        tiers = pa.table({self._tier: column(np.array([tier.number for tier in solution.tiers]))})
        self._tiers = list(itertools.compress(solution.tiers, query.matches(tiers).to_pylist()))
        self._by_number = {tier.number: tier for tier in solution.tiers}
        self.classes_to_see = sum(map(len, self._tiers))
        """The number of classes to search."""
        self._kept = [pa.table({"state": column(np.empty(0, np.int64))})]
        self._last: Any = None
        """The last key of the wanted number, once there are as many."""

    def _check(self) -> None:
        """Refuse what the solution cannot tell."""
        solution = self.solution
        there = next(solution.tiers[0].pieces(1)).column_names
        for name in {*self._columns}.difference(there):
            if name in COUNT_COLUMNS:
                raise endless(solution.game) if solution.loopy else MissingDataError(NO_COUNTS)
            raise OptionError(
                f"solutions of {solution.game.spec} have no column {name}; they have {in_words(there, 'and')}"
            )
        if "orbit_size" in self.query.columns:
            solution.refuse_residual("orbit sizes")
        if self._asks_moves:
            solution.game.rules()  # only rules tell the moves

    # Results ----------------------------------------------------------------------------------------------------------

    @property
    def found(self) -> list[int]:
        """The canonical states found so far."""
        states: list[int] = self._first()["state"].to_pylist()
        return states

    def all(self) -> FoundClasses:
        """Return everything that matches. Raises `TooLargeError` if it does not fit memory."""
        most = min(self.limit, self.solution.classes)
        Budget.of_machine().require(ROW_BYTES * most, f"keeping {self.limit:,} classes")
        for _ in self.steps(TOGETHER):
            tell_progress("searching", self.classes_seen, self.classes_to_see)
        rows, game = self._first(), self.solution.game
        if len(rows) and self.solution.engine.ruled and BEST not in rows.column_names:
            rows = self._with_moves(rows)
        found = []
        for text, row in zip(game.format_positions(array(rows["state"])), rows.to_pylist(), strict=True):
            value, plies, moves, keeping, best = map(row.get, ("value", "remoteness_plies", *OF_MOVES))
            found.append(
                FoundClass(
                    position=text,
                    to_move=row["to_move"],
                    value=value,
                    outcome="X" if value > 0 else "O" if value < 0 else "draw" if plies is None else "tie",
                    remoteness_plies=plies,
                    tier=row[self._tier],
                    moves=moves,
                    keeping=keeping,
                    best_moves=None if best is None else tuple(best),
                    best_names=None if best is None else tuple(map(game.format_move, best)),
                    errs=Fraction(moves - keeping, moves) if moves else None,
                    only_move=None if moves is None else moves > 1 == keeping,
                    orbit_size=row["orbit_size"],
                    state=row["state"],
                )
            )
        facts = (game.spec, self.solution.start, self.query.text, self.order, self._tier)
        return FoundClasses(tuple(found), self.matched, self.classes_seen, *facts)

    # The search -------------------------------------------------------------------------------------------------------

    def steps(self, together: int = FEW) -> Iterator[None]:
        """Continue, a short while at a time, until done. Moves of so many classes are looked up ``together`` at first,
        then of more and more.
        """
        waiting, count = list[pa.Table](), 0
        for rows in itertools.chain.from_iterable(tier.pieces(PIECE, self._columns) for tier in self._tiers):
            if self._hurries:
                break
            self.classes_seen += len(rows)
            waiting.append(rows.filter(self.query.matches(rows)))
            count += len(waiting[-1])
            if count >= together or not self._asks_moves:
                yield from self._judge(waiting)
                waiting, count, together = [], 0, min(2 * together, TOGETHER)
            yield
        if waiting:
            yield from self._judge(waiting)
        self.complete = not self._hurries

    def hurry(self) -> None:
        """Search no more rows: the best so far will do."""
        self._hurries = True

    def _judge(self, tables: Sequence[pa.Table]) -> Iterator[None]:
        """Keep classes that match by their moves, too, discarding all but the first now and then."""
        rows = pa.concat_tables(tables, promote_options="permissive")
        most = FEW // 10 if self._asks_moves and self.solution.classes <= MOST_CLASSES else max(1, len(rows))
        for low in range(0, len(rows), most):
            some = rows.slice(low, most)
            if self._asks_moves:
                some = self._with_moves(some)
                some = some.filter(self.query.matches(some))
            self.matched += len(some)
            if self._key:
                some = some.append_column("key", self._key(some))
            if self._last is not None and self._last.is_valid:  # later ones must rank before the last
                before = pc.greater if self._order == "descending" else pc.less
                some = some.filter(before(some["key"], self._last))
            if self.limit and len(some):
                self._kept.append(some)
            if sum(map(len, self._kept)) > 2 * self.limit + PIECE:
                self._first()
            yield

    def _first(self) -> pa.Table:
        """Return the first matches so far; the sort is stable, and nulls are last."""
        rows = pa.concat_tables(self._kept, promote_options="permissive")
        if self._key and len(rows):
            rows = rows.take(pc.sort_indices(rows["key"], sort_keys=[("", self._order)])[: self.limit])
            self._last = rows["key"][-1] if len(rows) == self.limit else None
        self._kept = [rows.slice(0, self.limit).combine_chunks()]
        return self._kept[0]

    # Moves ------------------------------------------------------------------------------------------------------------

    def _with_moves(self, rows: pa.Table) -> pa.Table:
        """Add `OF_MOVES` to some rows, at least one."""
        moves = np.zeros(len(rows), np.int64)
        kept, codes = [np.empty(0, np.int64)], [np.empty(0, np.uint16)]
        for places, own, keeps in self._moves(rows):
            moves += np.bincount(places, minlength=len(rows))
            kept.append(places[keeps])
            codes.append(own[keeps])
        places = np.concatenate(kept)
        keeping = np.bincount(places, minlength=len(rows))
        ends = column(np.concatenate([[0], np.cumsum(keeping)]).astype(np.int32))
        best = pa.ListArray.from_arrays(ends, column(np.concatenate(codes)[np.argsort(places, kind="stable")]))
        for name, each in zip(OF_MOVES, (column(moves), column(keeping), best), strict=True):
            rows = rows.append_column(name, each)
        return rows

    def _moves(self, rows: pa.Table) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield moves of some rows, best first: the row, the code, and whether it keeps the value."""
        tiers, states, values, sides = (array(rows[name]) for name in (self._tier, "state", "value", "to_move"))
        for number in np.unique(tiers).tolist():
            own = np.flatnonzero(tiers == number)
            for part, edges, after, plies in known_moves(self.solution.engine, self._by_number, number, states[own]):
                places = own[part][edges.rows]
                lost = sides[places] * np.sign(values[places]) < 0  # of the moves that keep it, the latest is best
                order = np.lexsort((edges.codes, np.where(lost, -plies.astype(np.int64), plies), places))
                yield places[order], edges.codes[order], (after == values[places])[order]
