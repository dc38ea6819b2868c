"""Search the tables of a solution for classes by what is known of them, a piece at a time and in bounded memory."""

from __future__ import annotations

import bisect
import dataclasses
import itertools
import random
from collections.abc import Generator, Iterator, Mapping, Sequence

import numpy as np

from analysis.engine.columns import NEVER, plain
from analysis.engine.tiers import SolvedTier, ValueRecord
from analysis.errors import MissingDataError, OptionError
from analysis.solution.paths import NO_COUNTS
from analysis.solution.position import worth_of
from analysis.solution.solution import Solution, endless
from analysis.wording import listed

PIECE = 1 << 14
"""Rows that are looked at between two chances to stop."""

CANDIDATES = 100_000
"""Of the classes that a query in some order matches but for its moves, which are looked up last: so many at most."""

MOST = 1000
"""Classes that are found, at most."""

TRIES = 200
"""Rows that are drawn, in the hope that one matches, before all are looked at."""

ORDERS = ("remoteness", "games", "random")
"""What classes may be ordered by, the greatest first; with ``-`` before it the least first."""

_COLUMNS = ("value", "remoteness_plies", "to_move", "terminal")
_GAMES = ("games_x", "games_o", "games_tie")

Steps = Generator[None, None, bool]
"""Some milliseconds of work each; in the end whether nothing was left out."""


@dataclasses.dataclass(frozen=True)
class Query:
    """Which classes are wanted; None and False where it does not matter."""

    to_move: int | None = None
    """+1 the first player, -1 the second: classes where the game goes on."""
    value: int | None = None
    outcome: str | None = None
    """``X`` or ``O``, who wins; ``tie`` or, where play need not end, ``draw``."""
    remoteness_plies: range | None = None
    tier: range | None = None
    """Of a game whose tiers are plies, the plies."""
    only_move: bool = False
    """Classes with several moves of which one alone keeps the value."""

    def among(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        """bool[n]: which rows match, but for their moves, by their values, remotenesses (`NEVER` where there is none),
        players to move, and whether the game is over.
        """
        value, plies, mover, over = (columns[name] for name in _COLUMNS)
        wanted = np.ones(len(value), np.bool_)
        if self.to_move is not None or self.only_move:
            wanted &= ~over
        if self.to_move is not None:
            wanted &= mover == self.to_move
        if self.value is not None:
            wanted &= value == self.value
        if self.outcome in ("X", "O"):
            wanted &= value > 0 if self.outcome == "X" else value < 0
        elif self.outcome is not None:
            wanted &= (value == 0) & ((plies == NEVER) == (self.outcome == "draw"))
        if self.remoteness_plies is not None:
            wanted &= (plies >= self.remoteness_plies.start) & (plies < self.remoteness_plies.stop) & (plies != NEVER)
        return wanted

    def fits_moves(self, solution: Solution, state: int) -> bool:
        """Whether the moves of a class that matches but for these do so too."""
        if not self.only_move:
            return True
        look = solution.look(state, ValueRecord)
        keeping = [child for child in look.children or () if child.record.value == look.record.value]
        return len(keeping) == 1 < len(look.children or ())

    def matches(self, solution: Solution, state: int) -> bool:
        """Whether a single class, by its canonical state, matches."""
        record = solution.lookup(state)
        row = (record.value, worth_of(record).plies, record.to_move, record.terminal)
        fits = self.among({name: np.array([field]) for name, field in zip(_COLUMNS, row, strict=True)})
        return bool(fits[0]) and self.fits_moves(solution, state)


class Search:
    """The classes of a solution that a query matches: follow `steps` as far as there is time, then read ``found``.

    >>> import analysis
    >>> search = Search(analysis.solve("tictactoe"), Query(to_move=-1, outcome="tie", only_move=True), order="games")
    >>> for _ in search.steps():
    ...     pass
    >>> search.complete, [search.solution.game.format_position(state) for state in search.found[:2]]
    (True, ['X????????', 'XOX??????'])
    """

    def __init__(
        self, solution: Solution, query: Query, *, order: str | None = None, limit: int = 20, seed: int | None = None
    ) -> None:
        """At most ``limit`` of them, the first in this ``order`` or, without one, by tier and by state.

        An order is one of `ORDERS`: by ``remoteness`` (draws come last), by the complete ``games`` from there on (as
        far as 53 bits tell them apart), or ``random``, each as likely as any other, the same for the same ``seed``.
        Raises `OptionError` for an order or a number that there is not, and `MissingDataError` for an order by games
        where these were not counted.
        """
        self.solution, self.query, self.limit = solution, query, limit
        self.found: list[int] = []
        """Their canonical states."""
        self.complete = False
        """Whether there are no others or, of as many as were wanted, none that come before these."""
        self.classes_seen = 0
        """How many classes were looked at."""
        self._by, self._descends = (order or "").removeprefix("-"), not (order or "").startswith("-")
        self._seed, self._hurries = seed, False
        if not 0 <= limit <= MOST:
            raise OptionError(f"{limit} positions cannot be found at once; ask for 0 to {MOST:,}")
        if order is not None and self._by not in ORDERS:
            raise OptionError(f"there is no order {order!r}; there is {listed(ORDERS)}")
        if self._by == "games" and not solution.counted:
            raise endless(solution.game) if solution.loopy else MissingDataError(NO_COUNTS)
        if query.only_move:
            solution.game.rules()  # which alone tell the moves

    def steps(self) -> Iterator[None]:
        """Go on, some milliseconds at a time, until it is done."""
        if self._by == "random" and self.limit == 1:
            self.complete = yield from self._drawn()
        if not self.complete:
            self.complete = yield from (self._ordered() if self._by else self._as_they_come())

    def hurry(self) -> None:
        """Look at no more rows: the best of those that were looked at will do."""
        self._hurries = True

    def _as_they_come(self) -> Steps:
        for states, _ in self._pieces():
            for state in states.tolist():
                if len(self.found) == self.limit:
                    return True
                if self.query.fits_moves(self.solution, state):
                    self.found.append(state)
                if self.query.only_move:
                    yield
            yield
        return not self._hurries

    def _ordered(self) -> Steps:
        """The first so far are kept, more of them where their moves are looked at in the end."""
        most = CANDIDATES if self.query.only_move else self.limit
        states, keys, seen = np.empty(0, np.int64), np.empty(0), 0
        for new, new_keys in self._pieces():
            states, keys, seen = np.concatenate([states, new]), np.concatenate([keys, new_keys]), seen + len(new)
            if len(states) > 2 * most + PIECE:
                states, keys = _first(states, keys, most)
            yield
        for state in _first(states, keys, most)[0].tolist():
            if len(self.found) == self.limit:
                return not self._hurries
            if self.query.fits_moves(self.solution, state):
                self.found.append(state)
            yield
        return not self._hurries and (not self.query.only_move or seen <= most)

    def _drawn(self) -> Steps:
        """One row after the other is drawn until one matches."""
        numbers, tiers = random.Random(self._seed), self._tiers()
        ends = list(itertools.accumulate(map(len, tiers)))
        for _ in range(TRIES if tiers else 0):
            row = numbers.randrange(ends[-1])
            place = bisect.bisect_right(ends, row)
            state = tiers[place].state_at(row - ends[place] + len(tiers[place]))
            self.classes_seen += 1
            if self.query.matches(self.solution, state):
                self.found.append(state)
                return True
            yield
        return False

    def _pieces(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The states of rows that match but for their moves, and their keys: the least comes first."""
        names = ["state", *_COLUMNS, *(_GAMES if self._by == "games" else ())]
        numbers = np.random.default_rng(self._seed)
        for tier in self._tiers():
            for table in tier.pieces(PIECE, names):
                if self._hurries:
                    return
                self.classes_seen += len(table)
                columns = {name: plain(table[name]) for name in names}
                chosen = self.query.among(columns)
                keys = numbers.random(len(table)) if self._by == "random" else self._keys(columns)
                yield columns["state"][chosen], keys[chosen]

    def _tiers(self) -> Sequence[SolvedTier]:
        wanted = self.query.tier
        return [tier for tier in self.solution.tiers if wanted is None or tier.number in wanted]

    def _keys(self, columns: Mapping[str, np.ndarray]) -> np.ndarray:
        sign = -1.0 if self._descends else 1.0
        if self._by == "games":
            return sign * np.sum([_floats(columns[name]) for name in _GAMES], axis=0)
        plies = columns["remoteness_plies"]
        return np.where(plies == NEVER, np.inf, sign * plies)


def _floats(counts: np.ndarray) -> np.ndarray:
    """Counts of one limb or two as numbers of 53 bits."""
    numbers = counts.astype(np.float64)
    return numbers if numbers.ndim == 1 else numbers[:, 0] + numbers[:, 1] * 2.0**64


def _first(states: np.ndarray, keys: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The first by their keys, of equal ones those that came first."""
    order = np.argsort(keys, kind="stable")[:most]
    return states[order], keys[order]
