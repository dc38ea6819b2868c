"""All solved tiers of a game, and look-ups of states and arrays of moves in them."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from ..common.arguments import NATURAL
from ..common.memory import Budget
from ..engine.columns import MOVE_SCHEMA, NEVER, array, column, remoteness_numbers
from ..engine.engine import Engine
from ..engine.tiers import NOT_TOGETHER, K, Record, SolvedTier, Tier, ValueRecord
from ..errors import StoreError
from .position import Worth

MOST_CHILDREN = 1 << 23
"""Children looked up together, 64 MB of them: for these, tiers on disk are read once, in order."""

WHOLE_BYTES = 20
"""Bytes of a class whose state, value and remoteness are read whole, buffers included."""

PIECE = 1 << 16
"""Rows of a tier on disk read at a time."""

SEEN_BYTES = 140
"""Bytes of a state in a Python list and set."""

MOST_ROWS = 1 << 20
"""The most states whose children are looked up together."""


K_co = TypeVar("K_co", bound=ValueRecord, covariant=True)


class Located(NamedTuple, Generic[K_co]):
    """A state's record and the index of its tier among all, ascending."""

    tier: int
    record: K_co


class SolvedGame:
    """The tiers in ascending order. If tiers are not plies, a state determines its own."""

    def __init__(self, engine: Engine, tiers: Sequence[SolvedTier]) -> None:
        self.engine = engine
        """The compiled rules and the symmetries that the tiers were made with."""
        self.tiers = tiers
        """The solved tiers, ascending: sorted canonical states and their columns, as arrays."""
        self._index = {tier.number: index for index, tier in enumerate(tiers)}

    def locate(self, state: int, kind: type[K]) -> Located[K] | None:
        """Return the ``kind`` of record of a state, canonical or not; None if no tier holds it."""
        if state not in NATURAL:
            return None
        canonical = self.engine.canonical(state)
        for index in self._likely(state, canonical):
            record = self._record(index, canonical, kind)
            if record is not None:
                return Located(index, record)
        if not self.engine.ruled and (self.engine.reduces or self.engine.group.order > 1):
            self.engine.game.rules()  # only rules can tell whether it is an image of a class
        return None

    def worths(self, states: Iterable[int]) -> dict[int, Worth]:
        """Return the worths of those states that play reaches; many together are much faster than one by one."""
        canonical = {state: self.engine.canonical(state) for state in states}
        alike: dict[tuple[int, ...], set[int]] = defaultdict(set)
        for state, name in canonical.items():
            alike[tuple(self._likely(state, name))].add(name)
        found: dict[int, Worth] = {}
        for tiers, names in alike.items():
            left = np.array(sorted(names), dtype=np.int64)
            for index in tiers:
                held, values, remoteness = _seek(self.tiers[index], left)
                plies = (None if number == NEVER else number for number in remoteness.tolist())
                shown = map(self.engine.game.worth, values.tolist())
                found |= dict(zip(left[held].tolist(), map(Worth, shown, plies), strict=True))
                left = left[~held]
                if not len(left):
                    break
        return {state: found[name] for state, name in canonical.items() if name in found}

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
            found = None if record is None else Located(parent + 1, record)
        else:
            found = self.locate(state, kind)
        if found is None:
            raise StoreError(NOT_TOGETHER)
        return found


def _seek(tier: SolvedTier, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return which canonical states (sorted, distinct) a tier holds, bool[n], their values and remotenesses."""
    held = np.zeros(len(states), dtype=bool)
    if isinstance(tier, Tier):
        places = np.minimum(np.searchsorted(tier.states, states), len(tier) - 1)
        held = tier.states[places] == states
        return held, tier.value[places[held]], tier.remoteness[places[held]]
    values, remoteness = [np.empty(0, np.int16)], [np.empty(0, np.uint16)]
    for piece in tier.pieces(PIECE, ("state", "value", "remoteness_plies"), states):
        stored = array(piece["state"])
        low, high = np.searchsorted(states, stored[0]), np.searchsorted(states, stored[-1], side="right")
        places = np.searchsorted(stored, states[low:high])
        here = stored[places] == states[low:high]
        held[low:high] = here
        values.append(array(piece["value"])[places[here]])
        remoteness.append(remoteness_numbers(piece["remoteness_plies"])[places[here]])
    return held, np.concatenate(values), np.concatenate(remoteness)


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


def every_state(engine: Engine, tiers: Sequence[SolvedTier], number: int) -> Iterator[int]:
    """Yield all ``number`` reachable states, by tier and class or, if the rules have their own canonical(), in order of
    discovery. In that case raises `TooLargeError` if they do not fit memory.
    """
    if engine.ruled and not engine.reduces:
        for tier in tiers:
            for piece in tier.pieces(engine.chunk, ["state"]):
                for state in piece["state"].to_pylist():
                    yield from sorted({*engine.group.images(state)})
        return
    Budget.of_machine().require(SEEN_BYTES * number, f"going through {number:,} positions")
    seen, waiting = {engine.start}, [engine.start]
    for state in waiting:  # grows as it goes
        yield state
        new = {child for _, child in engine.rules.moves(state)} - seen
        seen |= new
        waiting += sorted(new)


class Edges(NamedTuple):
    """Every move of some states of one tier, by state and then by code."""

    rows: np.ndarray  # int64[m], which of the states
    codes: np.ndarray  # uint8[m]
    children: np.ndarray  # int64[m], canonical
    tiers: np.ndarray  # int64[m], of the child

    def by_tier(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield each tier that the moves lead to, and which of them do, bool[m]."""
        for number in np.unique(self.tiers).tolist():
            yield number, self.tiers == number


def expand(engine: Engine, tier: int, states: np.ndarray) -> Edges:
    """Return the moves of some states of a tier; `Engine.chunk` states at a time take little memory."""
    if engine.by_ply:
        rows, codes, children = engine.expand_moves(states)
        return Edges(rows, codes, children, np.full(len(rows), tier + 1))
    expanded = engine.expand_tiers(states).kept()
    rows = np.repeat(np.arange(len(states)), expanded.branching)
    return Edges(rows, expanded.codes, expanded.children, expanded.tiers)


class Children:
    """The worths of the children of some states, each child looked up once."""

    def __init__(self, tiers: Mapping[int, SolvedTier], moves: Iterable[Edges]) -> None:
        """Look up the children of ``moves`` in ``tiers``. Raises `StoreError` if a child is not in its tier."""
        from ..engine.passes.forward_by_ply import sorted_distinct  # not without the kernels

        found: dict[int, list[np.ndarray]] = defaultdict(list)
        for edges in moves:
            for number, lead in edges.by_tier():
                found[number].append(sorted_distinct(edges.children[lead]))
        self._known = {}
        for number in sorted(found):
            if number not in tiers:
                raise StoreError(NOT_TOGETHER)
            states = sorted_distinct(np.concatenate(found.pop(number)))
            self._known[number] = states, *tiers[number].worths(states)

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
    pieces = []
    for rows, edges, after, _ in known_moves(engine, below, tier, states):
        arrays = (states[rows][edges.rows], edges.codes, edges.children, after == values[rows][edges.rows])
        pieces.append(pa.table(list(map(column, arrays)), schema=MOVE_SCHEMA))
    return pa.concat_tables(pieces)
