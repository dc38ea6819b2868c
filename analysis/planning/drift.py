"""By how much a step into the next tier is wrong in the tiers that were counted, and hence beyond."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

CERTAIN = 2.0
"""A slope of fewer standard errors is none."""


@dataclasses.dataclass(frozen=True)
class Drift:
    """The logarithm of what the weights of a tier have to be multiplied by: a line over the logarithm of the tier,
    through the last half of the tiers from which it was learnt.
    """

    level: float = 0.0
    slope: float = 0.0
    center: float = 0.0
    """The logarithm of the last tier from which it was learnt, at which it has the level."""
    error: float = 0.0
    """Of the level: one standard error."""

    @classmethod
    def fitted(cls, logs: Sequence[tuple[int, float]]) -> Drift:
        """From its value at some tiers, ascending.

        >>> drift = Drift.fitted([(t, 2 - math.log(t + 1)) for t in range(3, 11)])
        >>> round(drift.at(99), 6) == round(2 - math.log(100), 6)
        True
        """
        last = logs[len(logs) // 2 :]
        if not last:
            return cls()
        x, y = np.log([tier + 1.0 for tier, _ in last]), np.array([value for _, value in last])
        if len(last) < 4:
            return cls(float(y.mean()), 0.0, float(x[-1]), float(y.std()))
        spread = float(((x - x.mean()) ** 2).sum())
        slope = float(((x - x.mean()) * y).sum()) / spread
        left = y - y.mean() - slope * (x - x.mean())
        noise = math.sqrt(float((left**2).sum()) / (len(last) - 2))
        if abs(slope) < CERTAIN * noise / math.sqrt(spread):
            slope = 0.0
        at_end = float(y.mean() + slope * (x[-1] - x.mean()))
        return cls(at_end, slope, float(x[-1]), noise / math.sqrt(len(last)))

    def at(self, tier: int) -> float:
        """At a tier beyond those from which it was learnt."""
        return self.level + self.slope * (math.log(tier + 1.0) - self.center)

    def varied(self, sigmas: float, bend: float) -> Drift:
        """One that might be the true one: off by so many standard errors, and with this share of the slope."""
        last = self.level + sigmas * self.error
        return dataclasses.replace(self, level=last, slope=bend * self.slope)
