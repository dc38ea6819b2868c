"""All solved tiers of a game, and the way from a state, or from arrays of moves, to what is known there."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from analysis.engine.columns import MOVE_SCHEMA, NEVER, array, column, remoteness_numbers
from analysis.engine.engine import Engine
from analysis.engine.tiers import NOT_TOGETHER, K, Record, SolvedTier, Tier, ValueRecord
from analysis.errors import StoreError
from analysis.machine.memory import Budget
from analysis.solution.position import Worth

MOST_CHILDREN = 1 << 23
"""Children that are looked up together, 64 MB of them: for so many moves tiers on the disk are read once, in order."""

WHOLE_BYTES = 20
"""Bytes of a class whose state, value and remoteness are read whole, with what waits to be put in its place."""

PIECE = 1 << 16
"""Rows of a tier on the disk that are read at a time."""

SEEN_BYTES = 140
"""Bytes of a state in a list and a set of Python."""

MOST_ROWS = 1 << 20
"""States whose children are, whatever few moves they have."""


K_co = TypeVar("K_co", bound=ValueRecord, covariant=True)


class Located(NamedTuple, Generic[K_co]):
    """A state that is in a tier."""

    tier: int
    """The index of the tier, among all in ascending order."""
    record: K_co


class SolvedGame:
    """The tiers in ascending order. Where tiers are not plies, a state says itself which one it is in."""

    def __init__(self, engine: Engine, tiers: Sequence[SolvedTier]) -> None:
        self.engine = engine
        """The compiled rules and the symmetries that the tiers were made with."""
        self.tiers = tiers
        """The solved tiers, ascending: sorted canonical states and what is known of each, as arrays."""
        self._index = {tier.number: index for index, tier in enumerate(tiers)}

    def locate(self, state: int, kind: type[K]) -> Located[K] | None:
        """What a ``kind`` of record tells of a state, which need not be canonical; None where no tier holds it."""
        canonical = self.engine.canonical(state)
        for index in self._likely(state, canonical):
            record = self._record(index, canonical, kind)
            if record is not None:
                return Located(index, record)
        if not self.engine.ruled and (self.engine.reduces or self.engine.group.order > 1):
            self.engine.game.rules()  # may be an image of a class, which only they tell
        return None

    def worths(self, states: Iterable[int]) -> dict[int, Worth]:
        """What each of some states is worth that play from its start reaches; many at once take far less time than one
        by one.
        """
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
                found |= dict(zip(left[held].tolist(), map(Worth, values.tolist(), plies), strict=True))
                left = left[~held]
                if not len(left):
                    break
        return {state: found[name] for state, name in canonical.items() if name in found}

    def _record(self, index: int, canonical: int, kind: type[K]) -> K | None:
        """What one tier holds of a canonical state."""
        record = self.tiers[index].lookup(canonical, kind)
        if isinstance(record, Record) and not self.engine.sized:
            record = dataclasses.replace(record, orbit_size=None)  # a file of nulls holds no number
        return record

    def _likely(self, state: int, canonical: int) -> Sequence[int]:
        """The tiers that may hold a state, the likely ones first: those whose first state has about as many bits set,
        since most moves set one, so that a state on the disk is mostly found by the first row group that is read.
        """
        number = None if self.engine.by_ply else self.engine.tier(state)
        if number is not None:
            return [self._index[number]] if number in self._index else []
        bits = canonical.bit_count()
        return sorted(range(len(self.tiers)), key=lambda index: abs(self._bits[index] - bits))

    @functools.cached_property
    def _bits(self) -> list[int]:
        return [(tier.first_state or 0).bit_count() for tier in self.tiers]

    def child(self, state: int, parent: int, kind: type[K]) -> Located[K]:
        """What a ``kind`` of record tells of a state after a move from the tier with the index ``parent``. Raises
        `StoreError` where it is missing.
        """
        if self.engine.by_ply and parent + 1 < len(self.tiers):
            record = self._record(parent + 1, self.engine.canonical(state), kind)
            found = None if record is None else Located(parent + 1, record)
        else:
            found = self.locate(state, kind)
        if found is None:
            raise StoreError(NOT_TOGETHER)
        return found


def _seek(tier: SolvedTier, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which of some canonical states, sorted and each once, a tier holds, bool[n], and the values int16[m] and
    remotenesses uint16[m] of those that it does.
    """
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
    """A legal move, the state after it as the rules have it, and what is known of that."""

    move: int
    state: int
    record: K_co


class WithMoves(NamedTuple, Generic[K_co]):
    """A state with everything that is known of it, and with its moves."""

    state: int
    tier: int
    """The number of the tier that holds it: the ply, where tiers are plies."""
    record: Record
    children: Sequence[Child[K_co]] | None
    """Best first for the mover; None where there are no rules to tell them."""


def every_state(engine: Engine, tiers: Sequence[SolvedTier], number: int) -> Iterator[int]:
    """All states that play reaches, so many in ``number``, tier by tier and class by class or, where the rules make
    states canonical by themselves, in the order in which play comes to them. Raises `TooLargeError` there if these do
    not fit memory.
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
    """Every move of some states of one tier, in their order and then ascending by code."""

    rows: np.ndarray  # int64[m], which of the states
    codes: np.ndarray  # uint8[m]
    children: np.ndarray  # int64[m], canonical
    tiers: np.ndarray  # int64[m], of the child

    def by_tier(self) -> Iterator[tuple[int, np.ndarray]]:
        """Each tier that they lead to, and which of them do, bool[m]."""
        for number in np.unique(self.tiers).tolist():
            yield number, self.tiers == number


def expand(engine: Engine, tier: int, states: np.ndarray) -> Edges:
    """The moves of some states of a tier; as many states as `Engine.chunk` at a time take little memory."""
    if engine.by_ply:
        rows, codes, children = engine.expand_moves(states)
        return Edges(rows, codes, children, np.full(len(rows), tier + 1))
    expanded = engine.expand_tiers(states).kept()
    rows = np.repeat(np.arange(len(states)), expanded.branching)
    return Edges(rows, expanded.codes, expanded.children, expanded.tiers)


class Children:
    """What is known of the children of some states, each of them looked up once."""

    def __init__(self, tiers: Mapping[int, SolvedTier], moves: Iterable[Edges]) -> None:
        """Of these ``moves``; ``tiers`` holds at least the tiers that they lead to. Raises `StoreError` where a child
        is not in its tier.
        """
        found: dict[int, list[np.ndarray]] = defaultdict(list)
        for edges in moves:
            for number, lead in edges.by_tier():
                found[number].append(_distinct(edges.children[lead]))
        self._known = {}
        for number in sorted(found):
            if number not in tiers:
                raise StoreError(NOT_TOGETHER)
            states = _distinct(np.concatenate(found.pop(number)))
            self._known[number] = states, *tiers[number].worths(states)

    def worths(self, edges: Edges) -> tuple[np.ndarray, np.ndarray]:
        """The values int16[m] and remotenesses uint16[m] after some of the moves."""
        values = np.empty(len(edges.children), dtype=np.int16)
        remoteness = np.empty(len(edges.children), dtype=np.uint16)
        for number, lead in edges.by_tier():
            states, *known = self._known[number]
            places = np.searchsorted(states, edges.children[lead])
            values[lead], remoteness[lead] = (each[places] for each in known)
        return values, remoteness


def _distinct(states: np.ndarray) -> np.ndarray:
    """The states, which are sorted in place, each once."""
    from analysis.engine.kernels.states import drop_repeats

    states.sort()
    return states[: drop_repeats(states)].copy()


def rows_together(engine: Engine) -> int:
    """How many states have their children looked up together."""
    return max(1, min(MOST_ROWS, MOST_CHILDREN // engine.rules.max_moves))


def known_moves(
    engine: Engine, tiers: Mapping[int, SolvedTier], tier: int, states: np.ndarray
) -> Iterator[tuple[slice, Edges, np.ndarray, np.ndarray]]:
    """The moves of some states of a tier, those of some rows at a time, and the values int16[m] and remotenesses
    uint16[m] after them; see `Children`.
    """
    most = rows_together(engine)
    for low in range(0, len(states), most):
        together = states[low : low + most]
        chunks = engine.chunks(len(together))
        children = Children(tiers, (expand(engine, tier, together[rows]) for rows in chunks))
        for rows in chunks:
            edges = expand(engine, tier, together[rows])
            yield slice(low + rows.start, low + rows.stop), edges, *children.worths(edges)


def whole(tiers: Sequence[SolvedTier]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The states int64[n], values int16[n] and remotenesses uint16[n] of all classes of some tiers, one tier after the
    other: `WHOLE_BYTES` each.
    """
    rows, done = sum(map(len, tiers)), 0
    states, values, remoteness = np.empty(rows, np.int64), np.empty(rows, np.int16), np.empty(rows, np.uint16)
    for tier in tiers:
        own = slice(done, done := done + len(tier))
        states[own], values[own], remoteness[own] = tier.states, tier.value, tier.remoteness
    return states, values, remoteness


def move_rows(
    engine: Engine, tier: int, states: np.ndarray, values: np.ndarray, below: Mapping[int, SolvedTier]
) -> pa.Table:
    """The moves of some states of a tier; ``below`` holds at least the tiers that they lead to."""
    pieces = []
    for rows, edges, after, _ in known_moves(engine, below, tier, states):
        arrays = (states[rows][edges.rows], edges.codes, edges.children, after == values[rows][edges.rows])
        pieces.append(pa.table(list(map(column, arrays)), schema=MOVE_SCHEMA))
    return pa.concat_tables(pieces)
