"""Search the tables of a solution for classes by what is known of them, a piece at a time and in bounded memory."""

from __future__ import annotations

import bisect
import itertools
import random
import sys
from collections.abc import Generator, Iterator, Sequence

import numpy as np

from analysis.engine.columns import COUNT_COLUMNS, plain
from analysis.engine.plain import MOST_CLASSES
from analysis.engine.tiers import SolvedTier, ValueRecord
from analysis.errors import MissingDataError, OptionError
from analysis.solution.class_fields import (
    BEST,
    FIELDS,
    KEEPING,
    MOVES,
    OF_MOVES,
    Known,
    chances_of,
    games_of,
    remoteness_of,
    two_limbs,
)
from analysis.solution.lookup import CODE_WORDS, code_bits, kept_moves, rows_together
from analysis.solution.paths import NO_COUNTS
from analysis.solution.position import worth_of
from analysis.solution.queries import Query
from analysis.solution.solution import Solution, endless
from analysis.wording import listed

PIECE = 1 << 14
"""Rows that are looked at between two chances to stop."""

CANDIDATES = 100_000
"""In haste, of the classes that a query in some order matches but for moves, so many at most have these looked up."""

TRIES = 200
"""Rows that are drawn, in the hope that one matches, before all are looked at."""

ORDERS = ("trap", "remoteness", "games", "random")
"""What classes may be ordered by, the greatest first; with ``-`` before it the least first."""

COLUMNS = ("state", "value", "remoteness_plies", "to_move", "terminal")
"""What is read of every class, and its orbit size where there is time."""

Rows = dict[str, np.ndarray]
"""Some classes: arrays of one length by column, as in `class_fields.Known`."""

Steps = Generator[None, None, bool]
"""Pieces of work; in the end whether nothing was left out."""


class Search:
    """The classes of a solution that a query matches: follow `steps` as far as there is time, then read ``found``.

    >>> import analysis
    >>> search = Search(analysis.solve("tictactoe"), Query("to_move=O and value=tie and only_move"), order="games")
    >>> for _ in search.steps():
    ...     pass
    >>> search.complete, [search.solution.game.format_position(state) for state in search.found[:2]]
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
        come last), by the complete ``games`` from there on (as far as 53 bits tell them apart), or ``random``, each as
        likely as any other, the same for the same ``seed``. All classes are looked at, and those that match counted;
        one that is ``hasty`` does no more than finding some takes, and one class after the other, so that all of its
        steps are short. Raises `OptionError` for an order, a number or a field that there is not, and
        `MissingDataError` for counts that are not there.
        """
        self.solution, self.query, self.limit = solution, query, limit
        self.complete = False
        """Whether there are no others or, of as many as were wanted, none that come before these."""
        self.classes_seen = 0
        """How many classes were looked at."""
        self.matched = 0
        """How many of these match."""
        self._by, self._descends = (order or "").removeprefix("-"), not (order or "").startswith("-")
        self._seed, self._hasty, self._hurries = seed, hasty, False
        if limit < 0:
            raise OptionError(f"{limit} positions cannot be found; ask for 0 or more")
        if order is not None and self._by not in ORDERS:
            raise OptionError(f"there is no order {order!r}; there is {listed(ORDERS)}, each also with - before it")
        self._asks_moves = query.asks_moves or self._by == "trap"
        self._check()
        self._moves_last = hasty and self._asks_moves and self._by not in ("", "trap")
        self._stops = hasty and (self._by == "" or self._moves_last)
        self._together = 1 if hasty else rows_together(solution.engine) if self._asks_moves else PIECE
        self._tiers = [tier for tier in solution.tiers if query.possible({"tier": np.array([tier.number])}, 1)[0]]
        self._by_number = {tier.number: tier for tier in solution.tiers}
        self.classes_to_see = sum(map(len, self._tiers))
        """How many classes there are to look at."""
        self._kept, self._count = list[Rows](), 0
        self._last: float | None = None
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
        rows = self._first()
        return rows["state"].tolist() if rows else []

    def rows(self) -> Rows:
        """All that is known of them, after a search that was not hasty: the columns of `COLUMNS`, ``orbit_size`` and
        ``tier`` and, where there are rules, `OF_MOVES`. None at all where nothing is found.
        """
        rows = self._first()
        return self._with_moves(rows, best=True) if rows and self.solution.engine.ruled and BEST not in rows else rows

    # The search -------------------------------------------------------------------------------------------------------

    def steps(self) -> Iterator[None]:
        """Go on, a short while at a time, until it is done."""
        if self._by == "random" and self.limit == 1 and self._hasty:
            self.complete = yield from self._drawn()
        if not self.complete:
            self.complete = yield from (self._best_first() if self._moves_last else self._as_they_come())

    def hurry(self) -> None:
        """Look at no more rows: the best of those that were looked at will do."""
        self._hurries = True

    def _as_they_come(self) -> Steps:
        """All rows, one piece after the other; the moves of many classes are looked up together."""
        waiting, count = list[Rows](), 0
        for rows in self._pieces():
            if _size(rows):
                waiting.append(rows)
                count += _size(rows)
            if count >= self._together:
                yield from self._judged(_joined(waiting))
                waiting, count = [], 0
            if self._enough:
                return True
            yield
        yield from self._judged(_joined(waiting))
        return self._enough or not self._hurries

    def _best_first(self) -> Steps:
        """The first so far are kept, more of them than are wanted, and their moves are looked up in the end."""
        best, count, seen = list[Rows](), 0, 0
        for rows in self._pieces():
            best.append(rows)
            count, seen = count + _size(rows), seen + _size(rows)
            if count > 2 * CANDIDATES + PIECE:
                best, count = [_first(_joined(best), CANDIDATES)], CANDIDATES
            yield
        yield from self._judged(_first(_joined(best), CANDIDATES))
        return not self._hurries and (self._enough or seen <= CANDIDATES)

    def _drawn(self) -> Steps:
        """One row after the other is drawn until one matches."""
        numbers, tiers = random.Random(self._seed), self._tiers
        ends = list(itertools.accumulate(map(len, tiers)))
        for _ in range(TRIES if tiers else 0):
            row = numbers.randrange(ends[-1])
            place = bisect.bisect_right(ends, row)
            state = tiers[place].state_at(row - ends[place] + len(tiers[place]))
            self.classes_seen += 1
            yield from self._judged(self._possible(self._row(state, tiers[place])))
            if self.found:
                return True
            yield
        return False

    @property
    def _enough(self) -> bool:
        """Whether what comes later need not be looked at."""
        return self._stops and self._count >= self.limit

    def _judged(self, rows: Rows) -> Iterator[None]:
        """Keep those of some classes that match, also by their moves."""
        low = 0
        while low < _size(rows) and not self._enough:
            together = self._together if self._asks_moves else _size(rows)
            some = _chosen(rows, slice(low, low + together))
            low += together
            if self._asks_moves:
                some = self._with_moves(some, best=BEST in self.query.columns)
                some = self._possible(some if self._by != "trap" else some | {"key": self._keys(some)})
            self._keep(some)
            yield

    def _keep(self, rows: Rows) -> None:
        """Keep those that match, and now and then the first of them only."""
        self.matched += _size(rows)
        if self._last is not None:  # what comes later has to be before the last
            rows = _chosen(rows, rows["key"] < self._last)
        if self.limit and _size(rows):
            self._kept.append(rows)
            self._count += _size(rows)
        if self._count > 2 * self.limit + PIECE:
            self._first()

    def _first(self) -> Rows:
        """The first that match so far."""
        rows = _first(_joined(self._kept), self.limit)
        self._kept, self._count = [rows], _size(rows)
        if rows and self._count == self.limit:
            self._last = float(rows["key"][-1])
        return rows

    # Rows -------------------------------------------------------------------------------------------------------------

    def _pieces(self) -> Iterator[Rows]:
        """Rows that match but for their moves."""
        names = self._columns()
        numbers = np.random.default_rng(self._seed)
        for tier in self._tiers:
            for table in tier.pieces(PIECE, names):
                if self._hurries:
                    return
                self.classes_seen += len(table)
                rows = {name: plain(table[name]) for name in names}
                rows |= {
                    name: two_limbs(rows[name]) for name in COUNT_COLUMNS if name in rows
                }  # tables of tiers differ
                rows["tier"] = np.full(len(table), tier.number)
                rows["key"] = numbers.random(len(table)) if self._by == "random" else self._keys(rows)
                yield self._possible(rows)

    def _columns(self) -> list[str]:
        """The columns of the tables that are read."""
        more = {*self.query.columns, *(FIELDS["games"].columns if self._by == "games" else ())}
        always = COLUMNS if self._hasty else (*COLUMNS, "orbit_size")
        return [*always, *sorted(more - {*always, "tier", *OF_MOVES})]

    def _row(self, state: int, tier: SolvedTier) -> Rows:
        """A single class."""
        record = self.solution.lookup(state)
        found = {"state": state, "remoteness_plies": worth_of(record).plies}
        rows = {name: np.array([found.get(name, getattr(record, name, None))]) for name in self._columns()}
        for name in COUNT_COLUMNS & rows.keys():
            rows[name] = np.array([[int(rows[name][0]) >> shift & _LIMB for shift in (0, 64)]], np.uint64)
        return rows | {"tier": np.array([tier.number]), "key": np.zeros(1)}

    def _possible(self, rows: Rows) -> Rows:
        """Those that match, as far as it is known."""
        return _chosen(rows, self.query.possible(rows, _size(rows)))

    def _with_moves(self, rows: Rows, *, best: bool) -> Rows:
        """How many moves they have and how many keep the value, besides all else, and the ``best`` if these are
        wanted.
        """
        moves, keeping = np.empty((2, _size(rows)), np.int64)
        bits = np.zeros((_size(rows), CODE_WORDS), np.uint64)
        if not self._compiles():
            looks = (self.solution.look(state, ValueRecord) for state in rows["state"].tolist())
            for row, look in enumerate(looks):
                children = look.children or ()
                kept = np.array([child.move for child in children if child.record.value == look.record.value], np.int64)
                moves[row], keeping[row] = len(children), len(kept)
                bits[row] = code_bits(np.zeros_like(kept), kept, 1)
            return rows | {MOVES: moves, KEEPING: keeping, BEST: bits}
        for number in np.unique(rows["tier"]).tolist():
            of = np.flatnonzero(rows["tier"] == number)
            states, values, found = rows["state"][of], rows["value"][of], bits[of] if best else None
            moves[of], keeping[of] = kept_moves(self.solution.engine, self._by_number, number, states, values, found)
            if found is not None:
                bits[of] = found
        return rows | {MOVES: moves, KEEPING: keeping} | ({BEST: bits} if best else {})

    def _compiles(self) -> bool:
        """Whether compiled rules expand many classes at once: to load the compiler takes about a second."""
        return not self._hasty and (self.solution.canonical > MOST_CLASSES or "numba" in sys.modules)

    def _keys(self, known: Known) -> np.ndarray:
        """The least comes first."""
        sign = -1.0 if self._descends else 1.0
        if self._by == "games":
            counts = games_of(known).astype(np.float64)
            return sign * (counts[:, 0] + counts[:, 1] * 2.0**64)
        if self._by == "trap" and MOVES not in known:
            return np.zeros(len(known["value"]))
        of = {"remoteness": remoteness_of, "trap": chances_of}.get(self._by)
        keys = np.zeros(len(known["value"])) if of is None else sign * of(known)
        return np.where(np.isnan(keys), np.inf, keys)


_LIMB = (1 << 64) - 1


def _size(rows: Rows) -> int:
    return len(rows["state"]) if rows else 0


def _chosen(rows: Rows, chosen: slice | np.ndarray) -> Rows:
    return {name: array[chosen] for name, array in rows.items()}


def _joined(rows: Sequence[Rows]) -> Rows:
    """Rows one after the other."""
    some = [each for each in rows if each]
    return {name: np.concatenate([each[name] for each in some]) for name in some[0]} if some else {}


def _first(rows: Rows, most: int) -> Rows:
    """The first by their keys, of equal ones those that came first."""
    return _chosen(rows, np.argsort(rows["key"], kind="stable")[:most]) if rows else {}
