"""Search the tables of a solution for classes that match a query, a piece at a time and in bounded memory."""

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
"""Rows searched between two chances to stop."""

CANDIDATES = 100_000
"""In a hasty ordered search, the most classes whose moves are looked up."""

TOGETHER = 8
"""In a hasty search, classes whose moves are looked up between two chances to stop."""

TRIES = 200
"""Rows drawn at random in the hope of a match, before all are searched."""

ORDERS: dict[str, Column] = {
    "errs": chance,
    "remoteness": lambda rows: rows["remoteness_plies"],
    "games": lambda rows: rows["key"],
    "random": lambda rows: rows["key"],
}
"""The orders of classes, greatest first; with ``-`` in front least first."""

COLUMNS = ("state", "value", "remoteness_plies", "to_move", "terminal", "orbit_size")
"""The columns read of every class."""

SAID = (
    "position", "to_move", "value", "outcome", "remoteness_plies", "tier", "moves", "keeping", "best_moves",
    "best_names", "errs", "only_move", "orbit_size",
)  # fmt: skip
"""The fields printed of a found class, in order."""

AS_THEY_ARE = ("state", "value", "remoteness_plies", "tier", MOVES, KEEPING, "orbit_size")
"""Columns that a `FoundClass` has as its fields."""

ROW_BYTES = 3000
"""Bytes of a found class until it is printed: mostly its JSON; 300 without."""


@dataclasses.dataclass(frozen=True)
class FoundClass:
    """A class of positions that matches a query, by its canonical position."""

    position: str
    to_move: str | None
    """``X`` or ``O``; None if the game is over."""
    value: int
    outcome: str
    """The outcome under optimal play: ``X`` or ``O`` wins, ``tie``, or ``draw`` if play never ends."""
    remoteness_plies: int | None
    tier: int
    """The ply, if tiers are plies."""
    moves: int | None
    """The number of legal moves; None without rules."""
    keeping: int | None
    """The number of moves that keep the value."""
    orbit_size: int | None
    """None if unknown."""
    best_moves: tuple[int, ...] | None = None
    """The codes of the moves that keep the value, ascending; None without rules."""
    best_names: tuple[str, ...] | None = None
    """The names of these moves."""
    state: int = dataclasses.field(default=0, repr=False)
    """The position as a state of the rules."""

    @property
    def errs(self) -> Fraction | None:
        """The share of legal moves that do not keep the value; None without moves."""
        if self.keeping is None or not self.moves:
            return None
        return 1 - Fraction(self.keeping, self.moves)

    @property
    def only_move(self) -> bool | None:
        """Whether exactly one of several moves keeps the value."""
        return None if self.moves is None else self.moves > 1 and self.keeping == 1

    def to_json(self, tier: str = "tier") -> dict[str, Any]:
        """Return the object that ``gametree find --format json`` prints; ``tier`` is the key of the tier."""
        said = {tier if name == "tier" else name: getattr(self, name) for name in SAID}
        lists = {name: [*said[name]] for name in ("best_moves", "best_names") if said[name] is not None}
        return said | lists | {"errs": None if self.errs is None else float(self.errs)}


@dataclasses.dataclass(frozen=True)
class FoundClasses(Sequence[FoundClass]):
    """The classes that match a query, or the first of them, and their number."""

    classes: tuple[FoundClass, ...]
    matched: int
    """The number of all matching classes."""
    classes_seen: int
    """The number of classes searched: all except tiers that cannot match."""

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
        hasty: bool = False,
    ) -> None:
        """Search for at most ``limit`` classes, the first in this ``order`` or, by default, by tier and state.

        An order is one of `ORDERS`: ``errs``, the share of moves that lose value (ends of games last), ``remoteness``
        (draws last), the complete ``games`` from there on, or ``random``, uniform and determined by ``seed``. All
        classes are searched and matches counted; a ``hasty`` search stops once it has found enough, and looks up the
        moves of a few classes at a time, so that all its steps are short. Raises `OptionError` for an unknown order, an
        invalid number or a field that the game lacks, and `MissingDataError` for missing counts.
        """
        self.solution, self.query, self.limit = solution, query, limit
        self.complete = False
        """Whether there are no others or, if as many as wanted were found, none before these."""
        self.classes_seen = 0
        """The number of classes searched."""
        self.matched = 0
        """The number of matches among them."""
        self._by = (order or "").removeprefix("-")
        self._descends = order in ("errs", "remoteness", "games")
        self._seed, self._hasty, self._hurries = seed, hasty, False
        if limit < 0:
            raise OptionError(f"cannot find {limit} positions; ask for 0 or more")
        if order is not None and self._by not in ORDERS:
            raise OptionError(f"unknown order {order!r}; choose {listed([*ORDERS])}, optionally with - in front")
        self._asks_moves = query.asks_moves or self._by == "errs"
        self._check()
        self._moves_last = hasty and self._asks_moves and self._by not in ("", "errs")
        self._stops = hasty and (self._by == "" or self._moves_last)
        self._together = TOGETHER if hasty else rows_together(solution.engine) if self._asks_moves else 1
        numbers = pa.table({"tier": column(np.array([tier.number for tier in solution.tiers]))})
        self._tiers = list(itertools.compress(solution.tiers, query.matches(numbers).to_pylist()))
        more = {*query.columns, *(GAMES if self._by == "games" else ())} - {*COLUMNS, "tier", *OF_MOVES}
        self._columns = [*COLUMNS, *sorted(more)]
        self._by_number = {tier.number: tier for tier in solution.tiers}
        self.classes_to_see = sum(map(len, self._tiers))
        """The number of classes to search."""
        self._kept = [pa.table({"state": column(np.empty(0, np.int64))})]
        self._last: Any = None
        """The last key of the wanted number, once there are as many."""

    def _check(self) -> None:
        """Refuse what the solution cannot tell."""
        solution, query = self.solution, self.query
        if "ply" in query.fields and not solution.by_ply:
            raise OptionError("the positions of this game are stored by tier, not by ply; use tier")
        if "nimber" in query.fields and solution.lookup_as(solution.engine.start, ValueRecord).nimber is None:
            raise OptionError(f"only impartial games have nimbers; {solution.game.spec} is not one")
        if self._hasty or not query.fields.isdisjoint(("orbit_size", "histories")):
            solution.refuse_residual("a search for positions" if self._hasty else "orbit sizes, and histories each")
        if (query.asks_counts or self._by == "games") and not solution.counted:
            raise endless(solution.game) if solution.loopy else MissingDataError(NO_COUNTS)
        if self._asks_moves:
            solution.game.rules()  # only rules tell the moves

    # Results ----------------------------------------------------------------------------------------------------------

    @property
    def found(self) -> list[int]:
        """The canonical states found so far."""
        states: list[int] = self._first()["state"].to_pylist()
        return states

    def all(self) -> FoundClasses:
        """Return everything that matches; not for hasty searches. Raises `TooLargeError` if it does not fit memory."""
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
                    best_names=None if best is None else tuple(game.format_move(code) for code in best),
                    **{name: row.get(name) for name in AS_THEY_ARE},
                )
            )
        return FoundClasses(tuple(found), self.matched, self.classes_seen)

    # The search -------------------------------------------------------------------------------------------------------

    def steps(self) -> Iterator[None]:
        """Continue, a short while at a time, until done."""
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
        """Search no more rows: the best so far will do."""
        self._hurries = True

    def _draw(self) -> Iterator[None]:
        """Draw rows at random until one matches."""
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
        """Whether the rest need not be searched."""
        return self._stops and self.matched >= self.limit

    def _judge(self, rows: pa.Table) -> Iterator[None]:
        """Keep matching classes, also by their moves, discarding all but the first now and then."""
        together = self._together if self._asks_moves else len(rows)
        for low in range(0, len(rows), together or 1):
            some = rows.slice(low, together)
            if self._asks_moves:
                some = self._with_moves(some)
                some = some.filter(self.query.matches(some))
            self.matched += len(some)
            if self._last is not None and self._last.is_valid:  # later ones must rank before the last
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
        """Return the first matches so far."""
        rows = self._first_of(self._kept, self.limit)
        self._kept = [rows]
        if self._by and self.limit and len(rows) == self.limit:
            self._last = ORDERS[self._by](rows.slice(self.limit - 1))[0]
        return rows

    def _first_of(self, tables: Sequence[pa.Table], most: int) -> pa.Table:
        """Return the first rows in the order wanted; the sort is stable."""
        rows = pa.concat_tables(tables, promote_options="default")
        if not self._by or not len(rows):
            return rows.slice(0, most)
        order = "descending" if self._descends else "ascending"
        places = pc.sort_indices(ORDERS[self._by](rows), sort_keys=[("", order)])  # stable, and nulls last
        return rows.take(places[:most]).combine_chunks()

    # Rows -------------------------------------------------------------------------------------------------------------

    def _pieces(self) -> Iterator[pa.Table]:
        """Yield rows that match except for their moves."""
        numbers = np.random.default_rng(self._seed)
        for tier in self._tiers:
            for table in tier.pieces(PIECE, self._columns):
                if self._hurries:
                    return
                self.classes_seen += len(table)
                drawn = column(numbers.random(len(table))) if self._by == "random" else None
                yield self._possible(table, tier.number, drawn)

    def _possible(self, table: pa.Table, tier: int, drawn: pa.Array | None = None) -> pa.Table:
        """Return rows of a tier that match as far as known, with counts of one type and, for some orders, a ``key``."""
        rows = {name: table[name].cast(WIDE) if name in COUNT_COLUMNS else table[name] for name in table.column_names}
        rows["tier"] = column(np.full(len(table), tier))
        if self._by in ("games", "random"):
            rows["key"] = games(rows) if self._by == "games" else drawn
        table = pa.table({name: each for name, each in rows.items() if name not in GAMES or name in self.query.columns})
        return table.filter(self.query.matches(table))

    def _with_moves(self, rows: pa.Table) -> pa.Table:
        """Add `OF_MOVES` to some rows, at least one."""
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
        """Yield, for batches of states of a tier, their numbers of moves, of moves that keep the value, and the codes
        of these.

        Compiled rules expand many classes at once, but loading the compiler takes about a second.
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
