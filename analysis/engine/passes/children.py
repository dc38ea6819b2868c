"""What is known of the children of a chunk of states, wherever the solved tiers are that they belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from analysis.engine.engine import Engine
from analysis.engine.kernels.hash_table import HashTable, Links, number_children
from analysis.engine.kernels.states import ExpandedChunk
from analysis.engine.passes.links import build_table, find, link
from analysis.engine.plan import table_bytes
from analysis.engine.tiers import Tier


class Below(NamedTuple):
    """What the rows of `Links` point into: a solved tier, or what was gathered from several."""

    value: np.ndarray  # int16[n]
    remoteness: np.ndarray  # uint16[n]
    nimber: np.ndarray | None  # uint8[n], of an impartial game
    tallies: np.ndarray | None  # uint64[n, fields, limbs], where games are counted

    @classmethod
    def of(cls, tier: Tier) -> Below:
        """What is known of the states of a tier."""
        return cls(tier.value, tier.remoteness, tier.nimber, tier.tallies)


NO_STATES = build_table(np.empty(0, dtype=np.int64))
"""Where the children of the last ply are looked for: it has none."""


class SolvedTiers:
    """The solved tiers that are still needed, each with its hash table from the time it is first looked into."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.tiers: dict[int, Tier] = {}
        self._tables: dict[int, HashTable] = {}
        self._coming: tuple[int, Callable[[], HashTable]] | None = None

    def begin_table(self, tier: Tier) -> None:
        """Begin to make the table of a tier of a game by plies, which the tier before it will look into: it does not
        need the values, so it is made while these are found.
        """
        self._coming = tier.number, self._engine.workers.start(lambda: build_table(tier.states))

    def add(self, tier: Tier) -> None:
        """Hold a tier."""
        self.tiers[tier.number] = tier

    def drop(self, numbers: Iterable[int]) -> None:
        """Hold these tiers no longer."""
        for number in numbers:
            self.tiers.pop(number, None)
            self._tables.pop(number, None)

    def held_bytes(self, a_state: float) -> float:
        """Bytes of the tiers at so many a state, and of their tables, made or not."""
        return sum(a_state * len(tier) + table_bytes(len(tier)) for tier in self.tiers.values())

    def prepare(self, leads: Iterable[int]) -> None:
        """Make the tables of these tiers, as far as they are solved, before threads look into them."""
        if self._coming is not None and self._coming[0] in leads:
            self._tables[self._coming[0]] = self._coming[1]()
            self._coming = None
        for number in leads:
            if number in self.tiers and number not in self._tables:
                self._tables[number] = build_table(self.tiers[number].states)

    def link(self, part: Tier, leads: Sequence[int]) -> tuple[Links, Below]:
        """The children of a chunk of states whose moves lead to these tiers, and what is known of them."""
        engine, states = self._engine, part.states
        if engine.by_ply:
            return link(engine, states, self._tables[leads[0]] if leads else NO_STATES), self.next(part, leads)
        expanded = engine.expand_tiers(states)
        if len(leads) == 1:
            rows = find(engine, expanded.children, self._tables[leads[0]])
            return Links(expanded.branching, expanded.movers, expanded.payoffs, rows), self.next(part, leads)
        rows = np.empty(len(expanded.children), dtype=np.uint32)
        number_children(expanded.branching, expanded.children, rows)
        below = self.gather(expanded, leads, part.tallies)
        return Links(expanded.branching, expanded.movers, expanded.payoffs, rows), below

    def next(self, part: Tier, leads: Sequence[int]) -> Below:
        """The one tier that all moves lead to; the last ply has no moves, so any will do for it."""
        return Below.of(self.tiers[leads[0]] if leads else part)

    def gather(self, expanded: ExpandedChunk, leads: Sequence[int], tallies: np.ndarray | None = None) -> Below:
        """What is known of every child; ``tallies`` of any tier say what shape these have, None where they are not
        wanted.
        """
        moves, impartial = len(expanded.children), self._engine.rules.impartial
        found = Below(
            np.zeros(moves, dtype=np.int16),
            np.zeros(moves, dtype=np.uint16),
            np.zeros(moves, dtype=np.uint8) if impartial else None,
            None if tallies is None else np.zeros((moves, *tallies.shape[1:]), dtype=np.uint64),
        )
        for number in leads:
            places = np.flatnonzero(expanded.tiers == number)
            rows = find(self._engine, expanded.children[places], self._tables[number])
            for wanted, known in zip(found, Below.of(self.tiers[number]), strict=True):
                if wanted is not None:
                    wanted[places] = known[rows]  # type: ignore[index]
        return found
