"""Find the children of a chunk of states: their rows in later tiers, looked up whenever a pass needs them or kept if
there is room, and their values and counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...errors import RulesError, TooLargeError
from ..engine import Engine
from ..kernels import MISSING
from ..kernels import hash_table as kernels
from ..kernels.hash_table import HashTable, Links
from ..kernels.radix_sort import sorted_keys
from ..kernels.states import ExpandedChunk, drop_repeats
from ..plan import table_bits, table_bytes
from ..tiers import Tier

SUSPICIOUS = 8
"""After this many failed seeds, check whether a state occurs twice: one in 10,000 tables needs a second seed."""

LARGEST_TIER = (1 << 32) - 2
"""Rows are 32-bit numbers, and 0 is an empty slot."""


def build_table(states: np.ndarray) -> HashTable:
    """Make the table of a tier, or of several. Raises `TooLargeError` for more than `LARGEST_TIER` states, and
    `RulesError` if a state occurs twice.
    """
    if len(states) > LARGEST_TIER:
        raise TooLargeError(f"a tier has {len(states):,} states, but a table holds at most {LARGEST_TIER:,}")
    bits = table_bits(len(states))
    slots = np.zeros(1 << bits, dtype=np.uint64)
    for seed in itertools.count():
        if kernels.insert(states, seed, slots, bits) == 0:
            return HashTable(slots, seed, bits)
        if seed == SUSPICIOUS and drop_repeats(sorted_keys(states.copy())) < len(states):
            raise RulesError("a state occurs at two plies: its rules need a tier(state), or loopy=True")
        slots[:] = 0
    raise AssertionError("unreachable")


def link(engine: Engine, states: np.ndarray, table: HashTable) -> Links:
    """Expand a chunk of states and look up all children in the next tier's table. ``rows`` is the calling thread's
    scratch, valid until its next call.
    """
    moves = engine.expand(states)
    rows = engine.workers.scratch("rows", len(states) * engine.rules.max_moves, np.uint32)[: len(moves.children)]
    return Links(moves.branching, moves.movers, moves.payoffs, find(engine, moves.children, table, rows))


def find(engine: Engine, states: np.ndarray, table: HashTable, rows: np.ndarray | None = None) -> np.ndarray:
    """Return the rows of states in the table of their tier, uint32[n], written into ``rows`` if given."""
    rows = np.empty(len(states), dtype=np.uint32) if rows is None else rows
    if kernels.find(states, table, rows) == MISSING:
        raise not_found(engine)
    return rows


def not_found(engine: Engine) -> RulesError:
    """Return the error for a child that the forward pass did not find."""
    return RulesError(
        f"{engine.game.spec}: a position after a move was not found again: symmetries are not a group, or play() or "
        "canonical() is not deterministic; `gametree check` looks for an example"
    )


class Below(NamedTuple):
    """The solved states that the rows of `Links` refer to: a tier, or data gathered from several."""

    value: np.ndarray  # int16[n]
    remoteness: np.ndarray  # uint16[n]
    nimber: np.ndarray | None  # uint8[n], of an impartial game
    tallies: np.ndarray | None  # uint64[n, fields, limbs] or narrower, where games are counted

    @classmethod
    def of(cls, tier: Tier) -> Below:
        """Return the values and counts of the states of a tier."""
        return cls(tier.value, tier.remoteness, tier.nimber, tier.tallies)


NO_STATES = build_table(np.empty(0, dtype=np.int64))
"""The table for the children of the last ply, which has none."""


class SolvedTiers:
    """The solved tiers that are still needed, with their hash tables once these are needed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.tiers: dict[int, Tier] = {}
        self._tables: dict[int, HashTable] = {}
        self._coming: tuple[int, Callable[[], HashTable]] | None = None

    def begin_table(self, tier: Tier) -> None:
        """Begin to make the table of a tier of a game by plies, for the tier before it. The table does not need the
        values, so it is made while these are found.
        """
        self._coming = tier.number, self._engine.workers.start(lambda: build_table(tier.states))

    def add(self, tier: Tier) -> None:
        """Add a tier."""
        self.tiers[tier.number] = tier

    def drop(self, numbers: Iterable[int]) -> None:
        """Drop these tiers."""
        for number in numbers:
            self.tiers.pop(number, None)
            self._tables.pop(number, None)

    def held_bytes(self, a_state: float) -> float:
        """Return the bytes of the tiers, with this many per state, and of their tables, made or not; a loopy game needs
        none.
        """
        tables = 0 if self._engine.loopy else sum(map(table_bytes, map(len, self.tiers.values())))
        return a_state * sum(map(len, self.tiers.values())) + tables

    def prepare(self, leads: Iterable[int]) -> None:
        """Make the tables of these tiers, as far as they are solved, before threads use them."""
        if self._coming is not None and self._coming[0] in leads:
            self._tables[self._coming[0]] = self._coming[1]()
            self._coming = None
        for number in leads:
            if number in self.tiers and number not in self._tables:
                self._tables[number] = build_table(self.tiers[number].states)

    def link(self, part: Tier, leads: Sequence[int]) -> tuple[Links, Below]:
        """Return the children of a chunk of states whose moves lead to these tiers, and their values and counts."""
        engine, states = self._engine, part.states
        if engine.by_ply:
            return link(engine, states, self._tables[leads[0]] if leads else NO_STATES), self.next(part, leads)
        expanded = engine.expand_tiers(states)
        if len(leads) == 1:
            rows = find(engine, expanded.children, self._tables[leads[0]])
            return Links(expanded.branching, expanded.movers, expanded.payoffs, rows), self.next(part, leads)
        rows = np.empty(len(expanded.children), dtype=np.uint32)
        kernels.number_children(expanded.branching, expanded.children, rows)
        below = self.gather(expanded, leads, part.tallies)
        return Links(expanded.branching, expanded.movers, expanded.payoffs, rows), below

    def next(self, part: Tier, leads: Sequence[int]) -> Below:
        """Return the one tier that all moves lead to; the last ply has no moves, so any tier will do."""
        return Below.of(self.tiers[leads[0]] if leads else part)

    def gather(self, expanded: ExpandedChunk, leads: Sequence[int], tallies: np.ndarray | None = None) -> Below:
        """Gather the values and counts of every child; the ``tallies`` of any tier give the shape of the counts, None
        for no counts.
        """
        moves, impartial = len(expanded.children), self._engine.rules.impartial
        below = Below(
            np.zeros(moves, dtype=np.int16),
            np.zeros(moves, dtype=np.uint16),
            np.zeros(moves, dtype=np.uint8) if impartial else None,
            None if tallies is None else np.zeros((moves, *tallies.shape[1:]), tallies.dtype),
        )
        for number in leads:
            places = np.flatnonzero(expanded.tiers == number)
            rows = find(self._engine, expanded.children[places], self._tables[number])
            for gathered, solved in zip(below, Below.of(self.tiers[number]), strict=True):
                if gathered is not None:
                    gathered[places] = solved[rows]  # type: ignore[index]
        return below
