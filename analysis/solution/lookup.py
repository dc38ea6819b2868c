"""All solved tiers of a game, and the way from a state, or from arrays of moves, to what is known there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from analysis.engine.columns import MOVE_SCHEMA, column
from analysis.engine.engine import Engine
from analysis.engine.tiers import NOT_TOGETHER, Record, SolvedTier
from analysis.errors import StoreError


class Found(NamedTuple):
    """A state that is in a tier."""

    tier: int
    """The index of the tier, among all in ascending order."""
    record: Record


class SolvedGame:
    """The tiers in ascending order. Where tiers are not plies, a state says itself which one it is in."""

    def __init__(self, engine: Engine, tiers: Sequence[SolvedTier]) -> None:
        self.engine, self.tiers = engine, tiers
        self._index = {tier.number: index for index, tier in enumerate(tiers)}

    def find(self, state: int) -> Found | None:
        """What is known of a state, which need not be canonical; None where no tier holds it."""
        canonical = self.engine.canonical(state)
        for index in range(len(self.tiers)) if self.engine.by_ply else self._own_tier(state):
            record = self.tiers[index].lookup(canonical)
            if record is not None:
                return Found(index, record)
        if not self.engine.ruled and (self.engine.reduces or self.engine.group.order > 1):
            self.engine.game.rules()  # may be an image of a class, which only they tell
        return None

    def _own_tier(self, state: int) -> Iterable[int]:
        number = self.engine.tier(state)
        if number is None:
            return range(len(self.tiers))
        return [self._index[number]] if number in self._index else []

    def child(self, state: int, parent: int) -> Found:
        """What is known of a state after a move from the tier with the index ``parent``. Raises `StoreError` where it
        is missing.
        """
        if self.engine.by_ply and parent + 1 < len(self.tiers):
            record = self.tiers[parent + 1].lookup(self.engine.canonical(state))
            found = None if record is None else Found(parent + 1, record)
        else:
            found = self.find(state)
        if found is None:
            raise StoreError(NOT_TOGETHER)
        return found


def every_state(engine: Engine, tiers: Sequence[SolvedTier]) -> Iterator[int]:
    """All states that play reaches, tier by tier and class by class or, where the rules make states canonical by
    themselves, in the order in which play comes to them.
    """
    if engine.ruled and not engine.reduces:
        for tier in tiers:
            for state in tier.states.tolist():
                yield from sorted({*engine.group.images(state)})
        return
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


def expand(engine: Engine, tier: int, states: np.ndarray) -> Edges:
    """The moves of some states of a tier; as many states as `Engine.chunk` at a time take little memory."""
    if engine.by_ply:
        rows, codes, children = engine.expand_moves(states)
        return Edges(rows, codes, children, np.full(len(rows), tier + 1))
    expanded = engine.expand_tiers(states).kept()
    rows = np.repeat(np.arange(len(states)), expanded.branching)
    return Edges(rows, expanded.codes, expanded.children, expanded.tiers)


def look_up(tiers: Mapping[int, SolvedTier], edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    """The values int16[m] and remotenesses uint16[m] of the children. ``tiers`` holds at least the tiers that the moves
    lead to. Raises `StoreError` where a child is not in its tier.
    """
    values = np.empty(len(edges.children), dtype=np.int16)
    remoteness = np.empty(len(edges.children), dtype=np.uint16)
    for number in np.unique(edges.tiers).tolist():
        lead = edges.tiers == number
        tier = tiers.get(number)
        places = find(tier, edges.children[lead])
        assert tier is not None
        values[lead], remoteness[lead] = tier.value[places], tier.remoteness[places]
    return values, remoteness


def find(tier: SolvedTier | None, states: np.ndarray) -> np.ndarray:
    """The rows of canonical states in their tier, int64[n]. Raises `StoreError` where one is not there."""
    places = np.minimum(np.searchsorted(tier.states, states), len(tier) - 1) if tier is not None else 0
    if tier is None or (tier.states[places] != states).any():
        raise StoreError(NOT_TOGETHER)
    return np.asarray(places)


def move_rows(
    engine: Engine, tier: int, states: np.ndarray, values: np.ndarray, below: Mapping[int, SolvedTier]
) -> pa.Table:
    """The moves of some states of a tier; ``below`` holds at least the tiers that they lead to."""
    pieces = []
    for chunk in engine.chunks(len(states)):
        edges = expand(engine, tier, states[chunk])
        optimal = look_up(below, edges)[0] == values[chunk][edges.rows]
        arrays = (states[chunk][edges.rows], edges.codes, edges.children, optimal)
        pieces.append(pa.table(list(map(column, arrays)), schema=MOVE_SCHEMA))
    return pa.concat_tables(pieces)
