"""Represent the size of a game, as far as it is known before solving."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from ...common.wording import OPEN

MEASURED, EXTRAPOLATED, BOUNDED = "measured", "extrapolated", "bounded"
"""How a number was found: by counting, from random games, or not at all, so that only bounds of it are known."""
GREATEST = OPEN
"""The greatest number of states."""


class Interval(NamedTuple):
    """An interval that contains a number."""

    low: int
    high: int
    how: str
    """`MEASURED`, `EXTRAPOLATED` or `BOUNDED`."""

    @property
    def open(self) -> bool:
        """Whether nothing is known but bounds."""
        return self.how == BOUNDED

    def within(self, least: int, most: int = GREATEST) -> Interval:
        """Return the part of it from ``least``, which was counted, to ``most``; if there is none, just these bounds."""
        most = max(least, most)
        if self.low > most or self.high < least:
            return Interval(least, most, BOUNDED)
        return Interval(max(least, self.low), min(most, self.high), self.how)

    def holds(self, number: int) -> bool:
        """Return whether a number lies in it."""
        return self.low <= number <= self.high


@dataclasses.dataclass(frozen=True)
class TierSizes:
    """The size of one tier."""

    number: int
    positions: Interval
    classes: Interval
    moves: Interval
    """Moves of all positions."""


@dataclasses.dataclass(frozen=True)
class GameSizes:
    """The size of a whole game; ``tiers`` are ascending, if they are known one by one."""

    positions: Interval
    classes: Interval
    moves: Interval
    tiers: tuple[TierSizes, ...]
    speed: float | None = None
    """Processor seconds to find a class on this machine, by the passes of a solve; None if too few were found."""

    def at_least(self, classes: int) -> GameSizes:
        """Return these sizes, given that this many classes were found since."""
        return dataclasses.replace(self, positions=self.positions.within(classes), classes=self.classes.within(classes))

    def no_more_than(self, positions: int, classes: int, moves: int) -> GameSizes:
        """Return these sizes, and those of each tier, up to these bounds."""

        def bounded(sizes: GameSizes | TierSizes) -> tuple[Interval, Interval, Interval]:
            parts = sizes.positions.within(0, positions), sizes.classes.within(0, classes)
            return *parts, sizes.moves.within(0, moves)

        tiers = tuple(TierSizes(tier.number, *bounded(tier)) for tier in self.tiers)
        return GameSizes(*bounded(self), tiers, self.speed)
