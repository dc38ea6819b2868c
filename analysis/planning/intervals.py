"""Intervals from what several sweeps say. Their constants were chosen on some boards, which `benchmarks/planning.py`
names; it shows how often the intervals hold on others.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from analysis.planning.counting import Counted, CountedTier
from analysis.planning.sampling import Guess, Ways
from analysis.planning.sizes import EXTRAPOLATED, GREATEST, MEASURED, Interval, TierSizes

SIGMAS, TAIL = 3.0, 0.1
"""An interval has so many standard errors of the mean to either side; where sweeps differ in what they assume, it holds
all of them but such shares at its ends."""
LOOPY = 0.3
"""That is added for a loopy game, in which all states of a tier are taken to be near to each other."""
DOUBT = {Ways.CHECKED: (0.1, 0.02), Ways.SEEN: (0.35, 0.05), Ways.TYPICAL: (1.3, 0.05)}
"""By how much more, as a logarithm: in any case, and for each e-fold that a game is larger than what was counted."""
FEW, HALVED = 1.35, 0.11
FEW_ABOVE, HALVED_ABOVE = 1.7, 0.2
"""What is added to the latter, where ways are not checked, if the tiers that were counted are none of all; a half of
that for each such share of the tiers. It is more at the high end, since what is learnt in few tiers rather misses the
ways that the rules see and play does not reach, and at both ends of a loopy game."""
ENOUGH = 10
"""A tier is at most such a part of all of them, in a game of fewer tiers too."""
STEP = 0.08
"""The part of what is learnt of a tier by which it may be wrong, in all tiers in the same direction."""
GUESSED = GREATEST - 1
"""A guess is no more: the greatest number stands for none."""
PARTS = ("positions", "canonical", "moves")
"""What is counted of a tier, in the order of `Guess`."""


@dataclasses.dataclass(frozen=True)
class Sweeps:
    """What several sweeps say of the tiers that were not counted, and what they took for the ways into a position."""

    found: Sequence[dict[int, Guess]]
    ways: Ways
    learnt: float = 0.0
    """By what logarithm weights were corrected in each tier, as was learnt from those that were counted."""


def counted_sizes(tier: CountedTier) -> TierSizes:
    """The sizes of a tier that was counted."""
    numbers = (tier.positions, len(tier.states), tier.moves)
    return TierSizes(tier.number, *(Interval(number, number, MEASURED) for number in numbers))


def guessed_sizes(counted: Counted, sweeps: Sweeps) -> list[TierSizes]:
    """The sizes of the other tiers, ascending."""
    doubt, nothing, most = _doubt(counted, sweeps), Guess(0.0, 0.0, 0.0), totals(counted, sweeps)
    sizes = []
    for tier in sorted({tier for sweep in sweeps.found for tier in sweep}):
        guesses = [sweep.get(tier, nothing) for sweep in sweeps.found]
        found = [_interval([guess[part] for guess in guesses], doubt) for part in range(3)]
        met = counted.met.get(tier, 0)
        bounds = zip(found, (met, met, 0), most, strict=True)  # classes that were met are as many positions at least
        sizes.append(TierSizes(tier, *(each.within(least, total.high) for each, least, total in bounds)))
    return sizes


def totals(counted: Counted, sweeps: Sweeps) -> list[Interval]:
    """Positions, classes and moves of all tiers."""
    return [_total(counted, sweeps, part) for part in range(3)]


def _total(counted: Counted, sweeps: Sweeps, part: int) -> Interval:
    sure = sum(getattr(counted_sizes(tier), PARTS[part]).low for tier in counted.tiers)
    if counted.complete:
        return Interval(sure, sure, MEASURED)
    met = sum(len(tier.states) for tier in counted.tiers) + sum(counted.met.values())
    least = sure if PARTS[part] == "moves" else max(sure, met)
    if not sweeps.found:
        return Interval(least, GREATEST, EXTRAPOLATED)
    rest = _interval([sum(guess[part] for guess in sweep.values()) for sweep in sweeps.found], _doubt(counted, sweeps))
    low, high = (min(GUESSED, max(least, sure + end)) for end in (rest.low, rest.high))
    return Interval(low, high, EXTRAPOLATED)


class _Doubt(NamedTuple):
    """How much sweeps are trusted."""

    below: float
    """The logarithm of the factor by which all of them may be too high."""
    above: float
    """And too low."""
    varied: bool
    """Whether they differ in what they assume."""
    any_low: bool
    """Whether they may say far too much, of a game that fills up."""


def _doubt(counted: Counted, sweeps: Sweeps) -> _Doubt:
    known = sum(tier.positions for tier in counted.tiers)
    rest = statistics.fmean([sum(guess.positions for guess in sweep.values()) for sweep in sweeps.found] or [0.0])
    growth, checked = math.log1p(rest / max(1, known)), sweeps.ways is Ways.CHECKED
    always, each = DOUBT[sweeps.ways]
    always += LOOPY * counted.loopy
    few_below = few_above = 0.0
    if not checked:
        others = {tier for sweep in sweeps.found for tier in sweep}
        share = len(counted.tiers) / max(ENOUGH, len(counted.tiers) + len(others))
        few_above = FEW_ABOVE * 0.5 ** (share / HALVED_ABOVE)
        few_below = few_above if counted.loopy else FEW * 0.5 ** (share / HALVED)
        always += STEP * abs(sweeps.learnt) * len(others) if sweeps.ways is Ways.SEEN else 0.0
    below, above = (always + (each + few) * growth for few in (few_below, few_above))
    return _Doubt(below, above, not checked, sweeps.ways is Ways.TYPICAL)


def _interval(numbers: Sequence[float], doubt: _Doubt) -> Interval:
    """Where a number lies of which these are guesses."""
    mean = statistics.fmean(numbers)
    if mean <= 0:
        return Interval(0, 1, EXTRAPOLATED)
    error = 1.0 if len(numbers) < 2 else SIGMAS * statistics.stdev(numbers) / mean / math.sqrt(len(numbers))
    logs = [math.log(mean) - error, math.log(mean) + error]
    if doubt.varied:
        least, most = np.quantile(numbers, (TAIL, 1 - TAIL))
        logs = [min(logs[0], math.log(max(least, 1e-9))), max(logs[1], math.log(max(most, 1e-9)))]
    low, high = (math.exp(min(100.0, end)) for end in (logs[0] - doubt.below, logs[1] + doubt.above))
    return Interval(0 if doubt.any_low else int(min(GUESSED, low)), int(min(GUESSED, math.ceil(high))), EXTRAPOLATED)
