"""Represent the size of a game, as far as it is known before solving."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from ...common.wording import OPEN

MEASURED, EXTRAPOLATED, BOUNDED = "measured", "extrapolated", "bounded"
"""How a number was found: by counting, from the counted tiers, or not at all, so that only bounds of it are known."""
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
    """The size of a whole game."""

    positions: Interval
    classes: Interval
    moves: Interval
    tiers: tuple[TierSizes, ...]
    """Ascending; not all if only bounds of the game are known."""
    speed: float | None = None
    """Processor seconds to find a class on this machine, by the passes of a solve; None if too few were found."""

    def within(self, least: int, positions: int, classes: int, moves: int = GREATEST) -> GameSizes:
        """Return these sizes, of ``least`` classes or more and at most these numbers."""
        return dataclasses.replace(
            self,
            positions=self.positions.within(least, positions),
            classes=self.classes.within(least, classes),
            moves=self.moves.within(0, moves),
        )
