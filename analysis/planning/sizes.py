"""How large a game is, as far as that is known before it is solved."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from analysis.wording import OPEN

EXACT, MEASURED, EXTRAPOLATED = "exact", "measured", "extrapolated"
"""How a number was found: by a formula; by counting all of it; from random games."""
GREATEST = OPEN
"""States there may be at all."""


class Interval(NamedTuple):
    """Where a number lies."""

    low: int
    high: int
    how: str
    """`EXACT`, `MEASURED` or `EXTRAPOLATED`."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree plan --format json`` prints it."""
        return self._asdict()

    @property
    def open(self) -> bool:
        """Whether there is no guess of the high end."""
        return self.high >= GREATEST

    def up_to(self, bound: int) -> Interval:
        """The part of it up to a bound, from 0 on where it was guessed to lie above."""
        if self.how == MEASURED or self.high <= bound:
            return self
        return Interval(self.low if self.low <= bound else 0, bound, self.how)

    def within(self, least: int, most: int = GREATEST) -> Interval:
        """The part of it that is no less and no more; ``least`` was counted, and is right where there is none."""
        return Interval(max(least, min(self.low, most)), max(least, min(self.high, most)), self.how)

    def holds(self, number: int) -> bool:
        """Whether a number lies in it."""
        return self.low <= number <= self.high


@dataclasses.dataclass(frozen=True)
class TierSizes:
    """The size of one tier."""

    number: int
    positions: Interval
    canonical: Interval
    """Classes of positions."""
    moves: Interval
    """Of all positions."""


@dataclasses.dataclass(frozen=True)
class Speed:
    """How fast tiers were found on this machine, by the passes of a solve."""

    classes: int
    """That were expanded."""
    seconds: float
    """Of processor time."""


@dataclasses.dataclass(frozen=True)
class GameSizes:
    """The size of a whole game; ``tiers`` in ascending order, where they are known one by one."""

    positions: Interval
    canonical: Interval
    moves: Interval
    tiers: tuple[TierSizes, ...]
    speed: Speed | None = None
    """None where next to nothing was expanded."""

    def at_least(self, classes: int) -> GameSizes:
        """These sizes where so many classes were found since."""
        return dataclasses.replace(
            self, positions=self.positions.within(classes), canonical=self.canonical.within(classes)
        )

    def no_more_than(self, whole: GameSizes) -> GameSizes:
        """These sizes, bounded by those of the game of whose positions these are classes."""
        of_tier = {tier.number: tier for tier in whole.tiers}
        tiers = (
            TierSizes(tier.number, *_bounded(tier, of_tier[tier.number])) if tier.number in of_tier else tier
            for tier in self.tiers
        )
        return GameSizes(*_bounded(self, whole), tuple(tiers), self.speed)


def _bounded(sizes: GameSizes | TierSizes, whole: GameSizes | TierSizes) -> tuple[Interval, Interval, Interval]:
    most = whole.positions.high
    return sizes.positions.up_to(most), sizes.canonical.up_to(most), sizes.moves.up_to(whole.moves.high)
