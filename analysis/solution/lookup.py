"""Look up arrays of moves in the solved tiers of a game."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..engine.columns import column, move_schema
from ..engine.engine import Engine
from ..engine.tiers import NOT_TOGETHER, SolvedTier, worths_in
from ..errors import StoreError

MOST_CHILDREN = 1 << 23
"""The most children looked up together, 64 MB: for these, tiers on disk are read once, in order."""

WHOLE_BYTES = 20
"""Bytes of a class whose state, value and remoteness are read whole, buffers included."""

MOST_ROWS = 1 << 20
"""The most states whose children are looked up together."""


class Edges(NamedTuple):
    """Every move of some states of one tier, by state and then by code."""

    rows: np.ndarray  # int64[m], which of the states
    codes: np.ndarray  # uint16[m]
    children: np.ndarray  # int64[m], canonical
    tiers: np.ndarray  # int64[m], of the child

    def by_tier(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield each tier that moves lead to, and which moves lead there, bool[m]."""
        for number in np.unique(self.tiers).tolist():
            yield number, self.tiers == number


def expand(engine: Engine, tier: int, states: np.ndarray) -> Edges:
    """Return the moves of some states of a tier; `Engine.chunk` states at a time take little memory."""
    if engine.by_ply:
        rows, codes, children = engine.expand_moves(states)
        return Edges(rows, codes, children, np.full(len(rows), tier + 1))
    expanded = engine.expand_tiers(states).copied()
    rows = np.repeat(np.arange(len(states)), expanded.branching)
    return Edges(rows, expanded.codes, expanded.children, expanded.tiers)


class Children:
    """The worths of the children of some states, each child looked up once."""

    def __init__(self, tiers: Mapping[int, SolvedTier], moves: Iterable[Edges]) -> None:
        """Look up the children of ``moves`` in ``tiers``. Raises `StoreError` if a child is not in its tier."""
        from ..engine.passes.forward_by_ply import sorted_distinct  # not without the kernels

        states_by_tier: dict[int, list[np.ndarray]] = defaultdict(list)
        for edges in moves:
            for number, lead in edges.by_tier():
                states_by_tier[number].append(sorted_distinct(edges.children[lead]))
        self._known = {}
        for number in sorted(states_by_tier):
            if number not in tiers:
                raise StoreError(NOT_TOGETHER)
            states = sorted_distinct(np.concatenate(states_by_tier.pop(number)))
            self._known[number] = states, *worths_in(tiers[number], states)

    def worths(self, edges: Edges) -> tuple[np.ndarray, np.ndarray]:
        """Return the values int16[m] and remotenesses uint16[m] after some of the moves."""
        values = np.empty(len(edges.children), dtype=np.int16)
        remoteness = np.empty(len(edges.children), dtype=np.uint16)
        for number, lead in edges.by_tier():
            states, *known = self._known[number]
            places = np.searchsorted(states, edges.children[lead])
            values[lead], remoteness[lead] = (each[places] for each in known)
        return values, remoteness


def rows_together(engine: Engine) -> int:
    """Return how many states have their children looked up together."""
    return max(1, min(MOST_ROWS, MOST_CHILDREN // engine.rules.max_moves))


def known_moves(
    engine: Engine, tiers: Mapping[int, SolvedTier], tier: int, states: np.ndarray
) -> Iterator[tuple[slice, Edges, np.ndarray, np.ndarray]]:
    """Yield moves of some states of a tier, some rows at a time, with the values and remotenesses after them."""
    most = rows_together(engine)
    for low in range(0, len(states), most):
        together = states[low : low + most]
        chunks = engine.chunks(len(together))
        children = Children(tiers, (expand(engine, tier, together[rows]) for rows in chunks))
        for rows in chunks:
            edges = expand(engine, tier, together[rows])
            yield slice(low + rows.start, low + rows.stop), edges, *children.worths(edges)


def whole(tiers: Sequence[SolvedTier]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return states, values int16[n] and remotenesses uint16[n] of all classes of tiers, `WHOLE_BYTES` each."""
    rows, done = sum(map(len, tiers)), 0
    states, values, remoteness = np.empty(rows, np.int64), np.empty(rows, np.int16), np.empty(rows, np.uint16)
    for tier in tiers:
        own = slice(done, done := done + len(tier))
        states[own], values[own], remoteness[own] = tier.states, tier.value, tier.remoteness
    return states, values, remoteness


def move_rows(
    engine: Engine, tier: int, states: np.ndarray, values: np.ndarray, below: Mapping[int, SolvedTier]
) -> pa.Table:
    """Return the moves of some states of a tier; ``below`` holds at least the tiers that they lead to."""
    pieces, kind = [], engine.rules.code_kind
    for rows, edges, after, _ in known_moves(engine, below, tier, states):
        codes, optimal = edges.codes.astype(kind), after == values[rows][edges.rows]
        arrays = (states[rows][edges.rows], codes, edges.children, optimal)
        pieces.append(pa.table(list(map(column, arrays)), schema=move_schema(kind)))
    return pa.concat_tables(pieces)
