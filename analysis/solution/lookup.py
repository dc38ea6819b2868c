"""All solved tiers of a game, and the way from a state to what is known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
        return None

    def _own_tier(self, state: int) -> list[int]:
        index = self._index.get(self.engine.tier(state))
        return [] if index is None else [index]

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
