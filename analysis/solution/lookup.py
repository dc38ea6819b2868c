"""Look up arrays of moves in the solved tiers of a game."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
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

FEW = 500
"""States whose moves are looked up without the compiler."""

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
    if is_few(states):
        rows, codes, children = engine.moves_of(states)
        tiers = np.full(len(rows), tier + 1) if engine.by_ply else engine.tiers_of(children)
        return Edges(rows, codes, children, tiers)
    if engine.by_ply:
        rows, codes, children = engine.expand_moves(states)
        return Edges(rows, codes, children, np.full(len(rows), tier + 1))
    expanded = engine.expand_tiers(states).copied()
    rows = np.repeat(np.arange(len(states)), expanded.branching)
    return Edges(rows, expanded.codes, expanded.children, expanded.tiers)


def is_few(states: np.ndarray) -> bool:
    """Return whether these states are too few to load the compiler, which takes about a second."""
    return len(states) <= FEW and "numba" not in sys.modules


def _distinct_by(states: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    if is_few(states):
        return np.unique
    from ..engine.passes.forward_by_ply import sorted_distinct

    return sorted_distinct


def rows_together(engine: Engine) -> int:
    """Return how many states have their children looked up together."""
    return max(1, min(MOST_ROWS, MOST_CHILDREN // engine.rules.max_moves))


def known_moves(
    engine: Engine, tiers: Mapping[int, SolvedTier], tier: int, states: np.ndarray
) -> Iterator[tuple[slice, Edges, np.ndarray, np.ndarray]]:
    """Yield moves of some states of a tier, some rows at a time, with the values and remotenesses after them: each
    child is looked up once. Raises `StoreError` if one is not in its tier.
    """
    most = rows_together(engine)
    for low in range(0, len(states), most):
        together = states[low : low + most]
        chunks, distinct = engine.chunks(len(together)), _distinct_by(together)
        pieces: dict[int, list[np.ndarray]] = defaultdict(list)
        for rows in chunks:
            edges = expand(engine, tier, together[rows])
            for number, lead in edges.by_tier():
                pieces[number].append(distinct(edges.children[lead]))
        known = {}
        for number in sorted(pieces):
            if number not in tiers:
                raise StoreError(NOT_TOGETHER)
            children = distinct(np.concatenate(pieces.pop(number)))
            known[number] = children, *worths_in(tiers[number], children)
        for rows in chunks:
            edges = expand(engine, tier, together[rows])
            values, remoteness = np.empty(len(edges.rows), np.int16), np.empty(len(edges.rows), np.uint16)
            for number, lead in edges.by_tier():
                children, *worths = known[number]
                places = np.searchsorted(children, edges.children[lead])
                values[lead], remoteness[lead] = (each[places] for each in worths)
            yield slice(low + rows.start, low + rows.stop), edges, values, remoteness


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
