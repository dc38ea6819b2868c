"""Look up single states, and arrays of moves, in the solved tiers of a game."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
import pyarrow as pa

from ..common.arguments import NATURAL
from ..engine.columns import column, move_schema
from ..engine.engine import Engine
from ..engine.tiers import NOT_TOGETHER, K, Record, SolvedTier, ValueRecord, worths_in
from ..errors import PositionError, StoreError
from .position import preference, worth_of

MOST_CHILDREN = 1 << 23
"""The most children looked up together, 64 MB: for these, tiers on disk are read once, in order."""

WHOLE_BYTES = 20
"""Bytes of a class whose state, value and remoteness are read whole, buffers included."""

MOST_ROWS = 1 << 20
"""The most states whose children are looked up together."""


K_co = TypeVar("K_co", bound=ValueRecord, covariant=True)


class Located(NamedTuple, Generic[K_co]):
    """A state's record and the index of its tier among all, ascending."""

    tier: int
    record: K_co


class StateRecords:
    """The records of states, looked up one by one in tiers in ascending order. If tiers are not plies, a state
    determines its tier.
    """

    def __init__(self, engine: Engine, tiers: Sequence[SolvedTier]) -> None:
        self.engine, self.tiers = engine, tiers
        self._index = {tier.number: index for index, tier in enumerate(tiers)}

    @overload
    def of(self, state: int) -> Record: ...

    @overload
    def of(self, state: int, kind: type[K]) -> K: ...

    def of(self, state: int, kind: Any = Record) -> Any:
        """Return the ``kind`` of record of a state, canonical or not, reading no other columns. Raises `PositionError`
        if play does not reach it.
        """
        return self.find(state, kind).record

    def tier(self, state: int) -> int:
        """Return the number of the tier that holds a state. Raises `PositionError`."""
        return self.tiers[self.find(state, ValueRecord).tier].number

    def holds(self, state: int) -> bool:
        """Return whether play reaches a state."""
        return self.locate(state, ValueRecord) is not None

    def with_moves(self, state: int, kind: type[K]) -> WithMoves[K]:
        """Return a state with its record, and its legal moves with a ``kind`` of record of the states after them.
        Raises `PositionError` if play does not reach it.
        """
        located = self.find(state, Record)
        tier = self.tiers[located.tier].number
        if not self.engine.ruled:
            return WithMoves(state, tier, located.record, () if located.record.terminal else None)
        children = [
            Child(move, child, self.child(child, located.tier, kind).record)
            for move, child in self.engine.rules.moves(state)
        ]
        mover = located.record.to_move
        children.sort(key=lambda child_of: preference(mover, worth_of(child_of.record), child_of.move))
        return WithMoves(state, tier, located.record, children)

    def find(self, state: int, kind: type[K]) -> Located[K]:
        """Return the ``kind`` of record of a state, and where it is. Raises `PositionError`."""
        located = self.locate(state, kind)
        if located is None:
            start = self.engine.game.format_position(self.engine.start)
            raise PositionError(f"{self._named(state, start)} is not reached from {start}")
        return located

    def _named(self, state: int, start: str) -> str:
        """Return an unreachable state in words; a number beyond the board may have no text as a position."""
        with contextlib.suppress(ArithmeticError, LookupError, TypeError, ValueError):
            text = self.engine.game.format_position(state)
            if state in NATURAL and text != start:
                return f"position {text}"
        return f"state {state}"

    def locate(self, state: int, kind: type[K]) -> Located[K] | None:
        """Return the same as `find`, or None if no tier holds the state."""
        if state not in NATURAL:
            return None
        canonical = self.engine.canonical(state)
        for index in self._likely(state, canonical):
            record = self._record(index, canonical, kind)
            if record is not None:
                return Located(index, record)
        require_canonical(self.engine)
        return None

    def _record(self, index: int, canonical: int, kind: type[K]) -> K | None:
        """Look up a canonical state in one tier."""
        record = self.tiers[index].lookup(canonical, kind)
        if record is not None and self.engine.game.worths is not None:
            record = dataclasses.replace(record, value=self.engine.game.worth(record.value))
        if isinstance(record, Record) and not self.engine.sized:
            record = dataclasses.replace(record, orbit_size=None)  # a file of nulls holds no number
        return record

    def _likely(self, state: int, canonical: int) -> Sequence[int]:
        """Return the tiers that may hold a state, first those whose first state has about as many bits set."""
        number = None if self.engine.by_ply else self.engine.tier(state)
        if number is not None:
            return [self._index[number]] if number in self._index else []
        bits = canonical.bit_count()
        return sorted(range(len(self.tiers)), key=lambda index: abs(self._bits[index] - bits))

    @functools.cached_property
    def _bits(self) -> list[int]:
        return [(tier.first_state or 0).bit_count() for tier in self.tiers]

    def child(self, state: int, parent: int, kind: type[K]) -> Located[K]:
        """Return the record of a state after a move from the tier with index ``parent``. Raises `StoreError`."""
        if self.engine.by_ply and parent + 1 < len(self.tiers):
            record = self._record(parent + 1, self.engine.canonical(state), kind)
            located = None if record is None else Located(parent + 1, record)
        else:
            located = self.locate(state, kind)
        if located is None:
            raise StoreError(NOT_TOGETHER)
        return located


def require_canonical(engine: Engine) -> None:
    """Raise `RulesNeededError` if only the rules can tell whether a state that is not found is the image of one."""
    if not engine.ruled and (engine.reduces or engine.group.order > 1):
        engine.game.rules()


class Child(NamedTuple, Generic[K_co]):
    """A legal move, the state after it in the rules' form, and its record."""

    move: int
    state: int
    record: K_co


class WithMoves(NamedTuple, Generic[K_co]):
    """A state with its record and its moves."""

    state: int
    tier: int
    """The number of the tier that holds it: the ply, if tiers are plies."""
    record: Record
    children: Sequence[Child[K_co]] | None
    """Best first for the mover; None without rules."""


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
