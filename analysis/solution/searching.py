"""Search the tables of a solution for classes by what is known of them, a piece at a time and in bounded memory."""

from __future__ import annotations

import bisect
import dataclasses
import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine.columns import COUNT_COLUMNS, array, column
from analysis.engine.plain import MOST_CLASSES
from analysis.engine.tiers import ValueRecord
from analysis.errors import MissingDataError, OptionError
from analysis.machine.memory import Budget
from analysis.machine.workers import tell_progress
from analysis.rules.notation import move_name
from analysis.solution.counts import endless
from analysis.solution.lookup import known_moves, rows_together
from analysis.solution.paths import NO_COUNTS
from analysis.solution.queries import (
    BEST,
    GAMES,
    KEEPING,
    MOVES,
    OF_MOVES,
    WIDE,
    Column,
    Query,
    chance,
    constant,
    games,
)
from analysis.wording import listed

if TYPE_CHECKING:
    from analysis.solution.solution import Solution

PIECE = 1 << 14
"""Rows that are looked at between two chances to stop."""

CANDIDATES = 100_000
"""In haste, of the classes that a query in some order matches but for moves, so many at most have these looked up."""

TOGETHER = 8
"""In haste, classes whose moves are looked up between two chances to stop."""

TRIES = 200
"""Rows that are drawn, in the hope that one matches, before all are looked at."""

ORDERS: dict[str, Column] = {
    "trap": chance,
    "remoteness": lambda rows: rows["remoteness_plies"],
    "games": lambda rows: rows["key"],
    "random": lambda rows: rows["key"],
}
"""What classes may be ordered by, the greatest first; with ``-`` before it the least first."""

COLUMNS = ("state", "value", "remoteness_plies", "to_move", "terminal", "orbit_size")
"""What is read of every class."""

SAID = (
    "position", "to_move", "value", "outcome", "remoteness_plies", "tier", "moves", "keeping", "best_moves",
    "best_names", "trap", "only_move", "orbit_size",
)  # fmt: skip
"""What is printed of a class that is found, in this order."""

AS_THEY_ARE = ("state", "value", "remoteness_plies", "tier", MOVES, KEEPING, "orbit_size")
"""Columns that a `FoundClass` has as its fields."""

ROW_BYTES = 3000
"""Bytes of a class that is found until it is printed: as JSON so many, by itself 300."""


@dataclasses.dataclass(frozen=True)
class FoundClass:
    """A class of positions that a query matches, by its canonical position."""

    position: str
    to_move: str | None
    """``X`` or ``O``; None where the game is over."""
    value: int
    outcome: str
    """How it ends under optimal play: ``X`` or ``O`` wins, ``tie`` or, where play never ends, ``draw``."""
    remoteness_plies: int | None
    tier: int
    """The ply, where tiers are plies."""
    moves: int | None
    """How many legal moves there are; None where there are no rules to tell."""
    keeping: int | None
    """How many of them keep the value."""
    orbit_size: int | None
    """None where it is not known."""
    best_moves: tuple[int, ...] | None = None
    """The codes of the moves that keep the value, ascending; None where there are no rules to tell."""
    best_names: tuple[str, ...] | None = None
    """The same as people write them."""
    state: int = dataclasses.field(default=0, repr=False)
    """The position as the rules know it."""

    @property
    def trap(self) -> Fraction | None:
        """The chance to err: the share of the legal moves that do not keep the value; None where there are none."""
        if self.keeping is None or not self.moves:
            return None
        return 1 - Fraction(self.keeping, self.moves)

    @property
    def only_move(self) -> bool | None:
        """Whether there are several moves and one alone keeps the value."""
        return None if self.moves is None else self.moves > 1 and self.keeping == 1

    def to_json(self, tier: str = "tier") -> dict[str, Any]:
        """As ``gametree find --format json`` prints it, the tier by this name."""
        said = {tier if name == "tier" else name: getattr(self, name) for name in SAID}
        lists = {name: [*said[name]] for name in ("best_moves", "best_names") if said[name] is not None}
        return said | lists | {"trap": None if self.trap is None else float(self.trap)}


@dataclasses.dataclass(frozen=True)
class FoundClasses(Sequence[FoundClass]):
    """The classes that a query matches, or the first of them: a sequence that also says how many there are."""

    classes: tuple[FoundClass, ...]
    matched: int
    """How many classes match in all."""
    classes_seen: int
    """How many were looked at: all, but for tiers where none can match."""

    def __getitem__(self, index: Any) -> Any:
        return self.classes[index]

    def __len__(self) -> int:
        return len(self.classes)


class Search:
    """The classes of a solution that a query matches: follow `steps` as far as there is time, then read ``found``.

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
        hasty: bool = False,
    ) -> None:
        """At most ``limit`` of them, the first in this ``order`` or, without one, by tier and by state.

        An order is one of `ORDERS`: by ``trap``, the chance to err (ends of games come last), by ``remoteness`` (draws
        come last), by the complete ``games`` from there on, or ``random``, each as likely as any other, the same for
        the same ``seed``. All classes are looked at, and those that match counted; one that is ``hasty`` does no more
        than finding some takes, and looks up the moves of a few classes at a time, so that all of its steps are short.
        Raises `OptionError` for an order, a number or a field that there is not, and `MissingDataError` for counts that
        are not there.
        """
        self.solution, self.query, self.limit = solution, query, limit
        self.complete = False
        """Whether there are no others or, of as many as were wanted, none that come before these."""
        self.classes_seen = 0
        """How many classes were looked at."""
        self.matched = 0
        """How many of these match."""
        self._by = (order or "").removeprefix("-")
        self._descends = order in ("trap", "remoteness", "games")
        self._seed, self._hasty, self._hurries = seed, hasty, False
        if limit < 0:
            raise OptionError(f"{limit} positions cannot be found; ask for 0 or more")
        if order is not None and self._by not in ORDERS:
            known = listed([*ORDERS])
            raise OptionError(f"there is no order {order!r}; there is {known}, each also with - before it")
        self._asks_moves = query.asks_moves or self._by == "trap"
        self._check()
        self._moves_last = hasty and self._asks_moves and self._by not in ("", "trap")
        self._stops = hasty and (self._by == "" or self._moves_last)
        self._together = TOGETHER if hasty else rows_together(solution.engine) if self._asks_moves else 1
        numbers = pa.table({"tier": column(np.array([tier.number for tier in solution.tiers]))})
        self._tiers = list(itertools.compress(solution.tiers, query.matches(numbers).to_pylist()))
        more = {*query.columns, *(GAMES if self._by == "games" else ())} - {*COLUMNS, "tier", *OF_MOVES}
        self._columns = [*COLUMNS, *sorted(more)]
        self._by_number = {tier.number: tier for tier in solution.tiers}
        self.classes_to_see = sum(map(len, self._tiers))
        """How many classes there are to look at."""
        self._kept = [pa.table({"state": column(np.empty(0, np.int64))})]
        self._last: Any = None
        """The last key of as many as are wanted, once there are so many."""

    def _check(self) -> None:
        """Refuse what the solution cannot tell."""
        solution, query = self.solution, self.query
        if "ply" in query.fields and not solution.by_ply:
            raise OptionError("the positions of this game are kept by tier, not by ply; ask for tier")
        if "nimber" in query.fields and solution.lookup_as(solution.engine.start, ValueRecord).nimber is None:
            raise OptionError(f"nimbers are of impartial games, and {solution.game.spec} is none")
        if self._hasty or not query.fields.isdisjoint(("orbit_size", "histories")):
            solution.refuse_residual("a search for positions" if self._hasty else "orbit sizes, and histories each")
        if (query.asks_counts or self._by == "games") and not solution.counted:
            raise endless(solution.game) if solution.loopy else MissingDataError(NO_COUNTS)
        if self._asks_moves:
            solution.game.rules()  # which alone tell the moves

    # What is found so far ---------------------------------------------------------------------------------------------

    @property
    def found(self) -> list[int]:
        """Their canonical states."""
        states: list[int] = self._first()["state"].to_pylist()
        return states

    def all(self) -> FoundClasses:
        """Everything that matches, by a search that is not hasty. Raises
        `TooLargeError` where memory does not hold it.
        """
        most = min(self.limit, self.solution.canonical)
        Budget.of_machine().require(ROW_BYTES * most, f"keeping {self.limit:,} classes")
        for _ in self.steps():
            tell_progress("searching", self.classes_seen, self.classes_to_see)
        rows, game = self._first(), self.solution.game
        if len(rows) and self.solution.engine.ruled and BEST not in rows.column_names:
            rows = self._with_moves(rows)
        texts = game.format_positions(array(rows["state"]))
        found = []
        for text, row in zip(texts, rows.to_pylist(), strict=True):
            value, plies, best = row["value"], row["remoteness_plies"], row.get(BEST)
            found.append(
                FoundClass(
                    position=text,
                    to_move=None if row["terminal"] else "X" if row["to_move"] > 0 else "O",
                    outcome="X" if value > 0 else "O" if value < 0 else "draw" if plies is None else "tie",
                    best_moves=None if best is None else tuple(best),
                    best_names=None if best is None else tuple(move_name(game, code) for code in best),
                    **{name: row.get(name) for name in AS_THEY_ARE},
                )
            )
        return FoundClasses(tuple(found), self.matched, self.classes_seen)

    # The search -------------------------------------------------------------------------------------------------------

    def steps(self) -> Iterator[None]:
        """Go on, a short while at a time, until it is done."""
        if self._by == "random" and self.limit == 1 and self._hasty:
            yield from self._draw()
            if self.complete:
                return
        waiting, count, seen = list[pa.Table](), 0, 0
        for rows in self._pieces():
            waiting.append(rows)
            count, seen = count + len(rows), seen + len(rows)
            if self._moves_last and count > 2 * CANDIDATES:
                waiting, count = [self._first_of(waiting, CANDIDATES)], CANDIDATES
            elif not self._moves_last and count >= self._together:
                yield from self._judge(pa.concat_tables(waiting))
                waiting, count = [], 0
            if self._enough:
                break
            yield
        if self._moves_last and waiting:
            yield from self._judge(self._first_of(waiting, CANDIDATES))
        elif waiting:
            yield from self._judge(pa.concat_tables(waiting))
        if self._moves_last:
            self.complete = not self._hurries and (self._enough or seen <= CANDIDATES)
        else:
            self.complete = self._enough or not self._hurries

    def hurry(self) -> None:
        """Look at no more rows: the best of those that were looked at will do."""
        self._hurries = True

    def _draw(self) -> Iterator[None]:
        """One row after the other is drawn until one matches."""
        numbers, tiers = random.Random(self._seed), self._tiers
        ends = list(itertools.accumulate(map(len, tiers)))
        for _ in range(TRIES if tiers else 0):
            row = numbers.randrange(ends[-1])
            place = bisect.bisect_right(ends, row)
            state = tiers[place].state_at(row - ends[place] + len(tiers[place]))
            self.classes_seen += 1
            for table in tiers[place].pieces(PIECE, self._columns, np.array([state])):
                rows = table.filter(pc.equal(table["state"], constant(state)))
                yield from self._judge(self._possible(rows, tiers[place].number, column(np.zeros(len(rows)))))
            self.complete = self.matched > 0
            if self.complete:
                return
            yield

    @property
    def _enough(self) -> bool:
        """Whether what comes later need not be looked at."""
        return self._stops and self.matched >= self.limit

    def _judge(self, rows: pa.Table) -> Iterator[None]:
        """Keep those of some classes that match, also by their moves, and now and then the first of them only."""
        together = self._together if self._asks_moves else len(rows)
        for low in range(0, len(rows), together or 1):
            some = rows.slice(low, together)
            if self._asks_moves:
                some = self._with_moves(some)
                some = some.filter(self.query.matches(some))
            self.matched += len(some)
            if self._last is not None and self._last.is_valid:  # what comes later has to be before the last
                before = pc.greater if self._descends else pc.less
                some = some.filter(before(ORDERS[self._by](some), self._last))
            if self.limit and len(some):
                self._kept.append(some)
            if sum(map(len, self._kept)) > 2 * self.limit + PIECE:
                self._first()
            yield
            if self._enough:
                return

    def _first(self) -> pa.Table:
        """The first that match so far."""
        rows = self._first_of(self._kept, self.limit)
        self._kept = [rows]
        if self._by and self.limit and len(rows) == self.limit:
            self._last = ORDERS[self._by](rows.slice(self.limit - 1))[0]
        return rows

    def _first_of(self, tables: Sequence[pa.Table], most: int) -> pa.Table:
        """The first of some rows in the order that is wanted, of equal ones those that came first."""
        rows = pa.concat_tables(tables, promote_options="default")
        if not self._by or not len(rows):
            return rows.slice(0, most)
        order = "descending" if self._descends else "ascending"
        places = pc.sort_indices(ORDERS[self._by](rows), sort_keys=[("", order)])  # stable, and nulls last
        return rows.take(places[:most]).combine_chunks()

    # Rows -------------------------------------------------------------------------------------------------------------

    def _pieces(self) -> Iterator[pa.Table]:
        """Rows that match but for their moves."""
        numbers = np.random.default_rng(self._seed)
        for tier in self._tiers:
            for table in tier.pieces(PIECE, self._columns):
                if self._hurries:
                    return
                self.classes_seen += len(table)
                drawn = column(numbers.random(len(table))) if self._by == "random" else None
                yield self._possible(table, tier.number, drawn)

    def _possible(self, table: pa.Table, tier: int, drawn: pa.Array | None = None) -> pa.Table:
        """Rows of a tier that match as far as it is known, with counts of one type and, by some orders, a ``key``."""
        rows = {name: table[name].cast(WIDE) if name in COUNT_COLUMNS else table[name] for name in table.column_names}
        rows["tier"] = column(np.full(len(table), tier))
        if self._by in ("games", "random"):
            rows["key"] = games(rows) if self._by == "games" else drawn
        table = pa.table({name: each for name, each in rows.items() if name not in GAMES or name in self.query.columns})
        return table.filter(self.query.matches(table))

    def _with_moves(self, rows: pa.Table) -> pa.Table:
        """Some rows, at least one, with `OF_MOVES` besides."""
        tiers = array(rows["tier"])
        order = np.argsort(tiers, kind="stable")
        numbers, firsts = np.unique(tiers[order], return_index=True)
        states, values = (np.split(array(rows[name])[order], firsts[1:]) for name in ("state", "value"))
        found = itertools.chain.from_iterable(map(self._kept_moves, numbers.tolist(), states, values))
        moves, keeping, codes = map(np.concatenate, zip(*found, strict=True))
        ends = column(np.concatenate([[0], np.cumsum(keeping)]).astype(np.int32))
        best = pa.ListArray.from_arrays(ends, column(codes.astype(np.uint8)))
        place = column(np.argsort(order))
        for name, told in zip(OF_MOVES, (column(moves), column(keeping), best), strict=True):
            rows = rows.append_column(name, told.take(place))
        return rows

    def _kept_moves(self, tier: int, states: np.ndarray, values: np.ndarray) -> Iterator[tuple[Any, Any, Any]]:
        """Of some states of a tier, some at a time: how many moves each has, how many keep its value, and their codes.
        Compiled rules expand many classes at once, but to load the compiler takes about a second.
        """
        if not self._hasty and (self.solution.canonical > MOST_CLASSES or "numba" in sys.modules):
            for rows, edges, after, _ in known_moves(self.solution.engine, self._by_number, tier, states):
                keeps, n = after == values[rows][edges.rows], rows.stop - rows.start
                kept = np.bincount(edges.rows[keeps], minlength=n)
                yield np.bincount(edges.rows, minlength=n), kept, edges.codes[keeps]
            return
        for state in states.tolist():
            look = self.solution.look(state, ValueRecord)
            children = look.children or ()
            codes = sorted(child.move for child in children if child.record.value == look.record.value)
            yield [len(children)], [len(codes)], np.array(codes, np.uint8)
