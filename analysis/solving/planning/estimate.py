"""Estimate how large a game is: count tiers for some seconds, and estimate the others from random games.

The constants of the intervals were chosen on some boards, named in `benchmarks/planning.py`, which shows how often the
intervals hold on others.
"""

from __future__ import annotations

import dataclasses
import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...engine.engine import Engine, make_engine
from ...machine.time_limit import TimeLimit
from ...machine.workers import Stage, tell_progress
from .sampling import (
    Correction,
    Counted,
    Guess,
    OutOfTimeError,
    Predecessors,
    Sampler,
    Ways,
    count_tiers,
    seen_changes,
)
from .sizes import (
    EXTRAPOLATED,
    GREATEST,
    GUESSED,
    MEASURED,
    GameSizes,
    Interval,
    Speed,
    TierSizes,
    bounded,
)

LEAST_SHARE = 0.5
"""The least share of the time that is left, however long the rules took to compile."""
CLASSES_SHARE = 0.6
"""The share of the time for residual classes; the rest is for positions, which are more numerous."""
COUNTING, SEEING, TRYING, LEARNING = 0.45, 0.05, 0.3, 0.15
"""Shares of the remaining time for counting tiers, for seeing changes, for a trial with checks, and for learning."""
TRIAL, LEAST, MOST = 8, 8, 400
"""Positions in the population of a trial sweep; the least and the most in others."""
SWEEPS, MOST_SWEEPS = 12, 40
"""Sweeps to make; up to the second if there is time for the largest populations."""
EDGES = 300
"""Random moves into each tier from which to learn."""
RETURNING = 0.5
"""Seconds within which rules return, even for bits that are no position."""
FEW_CHANGES, COVERED, SURELY_COVERED = 10_000, 0.8, 0.98
"""With more changes than this, or if they cover less of the moves, ways into a position are not looked for; if they
cover less than the last, some are missed, checked or not.
"""
RIGHT = 0.25
"""The greatest correction of checked ways, as a logarithm, if they are right."""

SIGMAS, TAIL = 3.0, 0.1
"""Standard errors of the mean to either side of an interval; if sweeps differ in their assumptions, it holds all of
them except for these shares at its ends.
"""
LOOPY = 0.3
"""Added for a loopy game, in which all states of a tier are assumed to be close to each other."""
DOUBT = {Ways.CHECKED: (0.1, 0.02), Ways.SEEN: (0.35, 0.05), Ways.TYPICAL: (1.3, 0.05)}
"""Further doubt, as a logarithm: in any case, and for each e-fold by which a game exceeds what was counted."""
FEW, HALVED = 1.35, 0.11
FEW_ABOVE, HALVED_ABOVE = 1.7, 0.2
"""Added to the latter if ways are not checked and hardly any tiers were counted; half of that for each such share of
the tiers. It is more at the high end, since what is learnt in few tiers tends to overlook ways that the rules see but
play does not reach, and at both ends of a loopy game.
"""
ENOUGH = 10
"""A tier is at most this part of all of them, even in a game of fewer tiers."""
STEP = 0.08
"""The part of what is learnt of a tier by which it may be wrong, in the same direction in all tiers."""
EXPECTED = 1.5
"""The factor by which `Game.expected_positions` may be wrong in either direction: four times what it is on boards whose
positions are published (6 x 7: 4.531985e12), and more than on the narrow ones that it misjudges most.
"""


def find_sizes(engine: Engine, seconds: float) -> GameSizes:
    """Return the sizes of a game from the engine's start on, by `estimate_sizes` and what the game itself expects.
    Residual classes are bounded by positions.
    """
    if engine.whole is not None:
        classes = estimate_sizes(engine, CLASSES_SHARE * seconds)
        if classes.canonical.how == MEASURED:
            return classes
        whole = make_engine(engine.whole.game, start=engine.whole.start, workers=engine.workers)
        return classes.no_more_than(find_sizes(whole, (1 - CLASSES_SHARE) * seconds))
    sizes = estimate_sizes(engine, seconds)
    return _as_expected(engine, sizes) if sizes.positions.how == EXTRAPOLATED else sizes


def _as_expected(engine: Engine, sizes: GameSizes) -> GameSizes:
    """Return these sizes with as many positions as the game itself expects, if it does."""
    expected = engine.game.expected_positions() if engine.start == engine.rules.start else None
    if expected is None:
        return sizes
    total, order = sum(expected), engine.group.order
    low, high = int(total / EXPECTED), math.ceil(total * EXPECTED)
    counted = [tier for tier in sizes.tiers if tier.positions.how == MEASURED]
    positions = Interval(low, high, EXTRAPOLATED).within(sum(tier.positions.low for tier in counted))
    classes = Interval(low // order, high // order, EXTRAPOLATED).within(sum(tier.canonical.low for tier in counted))
    moves = sizes.moves.up_to(high * engine.rules.max_moves).within(low - 1)  # one leads to each but the start
    most = TierSizes(0, positions, classes, moves)
    tiers = tuple(TierSizes(tier.number, *bounded(tier, most)) for tier in sizes.tiers)
    return GameSizes(positions, classes, moves, tiers, sizes.speed)


def estimate_sizes(engine: Engine, seconds: float, most_tiers: int | None = None, seed: int = 0) -> GameSizes:
    """Estimate the sizes of a game from the engine's start on, within about ``seconds`` on one processor, counting at
    most ``most_tiers``. Raises `RulesError` if the rules fail.
    """
    began = time.monotonic()
    engine.prepare()
    now = time.monotonic()
    ends = max(began + seconds, now + LEAST_SHARE * seconds)
    counted = count_tiers(engine, COUNTING * (ends - now), most_tiers)
    return sizes_beyond(engine, counted, ends, seed)


@dataclasses.dataclass(frozen=True)
class Sweeps:
    """The guesses of several sweeps about the tiers that were not counted, and what they assumed about ways into a
    position.
    """

    found: Sequence[dict[int, Guess]]
    ways: Ways
    learnt: float = 0.0
    """The correction of weights per tier, as a logarithm, learnt from counted tiers."""


def sizes_beyond(engine: Engine, counted: Counted, ends: float, seed: int = 0) -> GameSizes:
    """Return the sizes of a game of which some tiers have been ``counted``; the others are estimated until
    `time.monotonic` reaches ``ends``. Raises `RulesError` if the rules fail.
    """
    sweeps = Sweeps([], Ways.CHECKED)
    if not counted.complete and counted.tiers:  # else one tier with loops is the whole game
        generator = random.Random(seed)
        changes = seen_changes(engine.rules, engine.start, generator, SEEING * (ends - time.monotonic()))
        limit = TimeLimit(RETURNING)
        before = Predecessors(engine.rules, changes, _known(engine, counted), generator, limit)
        with limit():
            sweeps = _sweeps(engine, counted, before, generator, ends)
    found = [(tier.number, (tier.positions, len(tier.states), tier.moves)) for tier in counted.tiers]
    tiers = [TierSizes(number, *(Interval(size, size, MEASURED) for size in sizes)) for number, sizes in found]
    positions, canonical, moves = totals = _totals(counted, tiers, sweeps)
    speed = Speed(sum(len(tier.states) for tier in counted.tiers), counted.seconds)
    return GameSizes(positions, canonical, moves, (*tiers, *_guessed_sizes(counted, sweeps, totals)), speed)


# Sweeps ---------------------------------------------------------------------------------------------------------------


def _sweeps(engine: Engine, counted: Counted, before: Predecessors, generator: random.Random, ends: float) -> Sweeps:
    """Guess the tiers that were not counted as often as time allows, with the best knowledge of ways into a position
    that it allows.
    """

    def sampler(ways: Ways, share: float) -> Sampler:
        now = time.monotonic()
        return Sampler(engine, counted, before, generator, ways, now + share * (ends - now))

    patterned = before.coverage >= COVERED and len(before.changes) <= FEW_CHANGES
    if patterned and before.coverage >= SURELY_COVERED and not engine.loopy:
        changes = len(before.changes)
        cost = _cost(sampler(Ways.CHECKED, TRYING), 0.0)
        patterned = len(before.changes) == changes  # or else later tiers have others
        learnt = None if cost is None else _learnt(sampler(Ways.CHECKED, LEARNING))
        right = learnt is not None and before.reliable and abs(learnt.level) <= RIGHT
        if cost is not None and patterned and right:
            return Sweeps(_repeat(sampler(Ways.CHECKED, 1.0), lambda: 0.0, cost), Ways.CHECKED)
    ways = Ways.SEEN if patterned else Ways.TYPICAL
    learnt = _learnt(sampler(ways, LEARNING))
    if before.endless or learnt is None:
        ways = Ways.TYPICAL
        learnt = sampler(ways, 1.0).learn(0)
    level, error = learnt
    cost = _cost(sampler(ways, 1.0), level)
    if cost is None:
        return Sweeps([], ways)
    found = _repeat(sampler(ways, 1.0), lambda: level + error * generator.gauss(0, 1), cost)
    return Sweeps(found, ways, level)


def _cost(sampler: Sampler, level: float) -> float | None:
    """Return the seconds of a sweep per position of its population, measured by a small one; None if even that takes
    too long.
    """
    began = time.monotonic()
    try:
        sampler.sweep(TRIAL, level)
    except OutOfTimeError:
        return None
    return (time.monotonic() - began) / TRIAL


def _learnt(sampler: Sampler) -> Correction | None:
    """Return the correction from as many moves as there is time for, if there is any."""
    learnt = None
    for edges in (EDGES // 16, EDGES // 4, EDGES):
        try:
            learnt = sampler.learn(edges)
        except OutOfTimeError:
            break
    return learnt


def _repeat(sampler: Sampler, level: Callable[[], float], cost: float) -> list[dict[int, Guess]]:
    """Make several sweeps with populations for which there is time; a position of one takes ``cost`` seconds."""
    left = sampler.ends - time.monotonic()
    size = int(min(MOST, max(LEAST, left / SWEEPS / cost)))
    found: list[dict[int, Guess]] = []
    try:
        while len(found) < MOST_SWEEPS:
            tell_progress(Stage("estimating"), len(found), MOST_SWEEPS)
            found.append(sampler.sweep(size, level()))
    except OutOfTimeError:
        pass
    return found


def _known(engine: Engine, counted: Counted) -> Callable[[int, int], bool | None]:
    """Return the function ``known`` of `Predecessors`."""
    tiers = {tier.number: tier.states for tier in counted.tiers}
    first = 0 if engine.by_ply else counted.tiers[0].number
    if engine.by_ply:
        tiers |= counted.frontier
    last = max(tiers)

    def known(state: int, depth: int) -> bool | None:
        if depth > last or depth < first:
            return None if depth > last else False
        states = tiers.get(depth)
        if states is None:
            return False
        canonical = engine.canonical(state)
        row = int(np.searchsorted(states, canonical))
        return bool(row < len(states) and states[row] == canonical)

    return known


# Intervals ------------------------------------------------------------------------------------------------------------


def _guessed_sizes(counted: Counted, sweeps: Sweeps, totals: Sequence[Interval]) -> list[TierSizes]:
    """Return the sizes of the other tiers, ascending."""
    doubt, nothing = _doubt(counted, sweeps), Guess(0.0, 0.0, 0.0)
    sizes = []
    for tier in sorted({tier for sweep in sweeps.found for tier in sweep}):
        guesses = [sweep.get(tier, nothing) for sweep in sweeps.found]
        found = [_interval(numbers, doubt) for numbers in zip(*guesses, strict=True)]
        met = counted.met.get(tier, 0)
        bounds = zip(found, (met, met, 0), totals, strict=True)  # there are at least as many positions as classes met
        sizes.append(TierSizes(tier, *(each.within(least, total.high) for each, least, total in bounds)))
    return sizes


def _totals(counted: Counted, tiers: Sequence[TierSizes], sweeps: Sweeps) -> list[Interval]:
    """Return the positions, classes and moves of all tiers, some of which were counted."""
    sums = [sum(getattr(tier, name).low for tier in tiers) for name in ("positions", "canonical", "moves")]
    if counted.complete:
        return [Interval(number, number, MEASURED) for number in sums]
    met = sum(len(tier.states) for tier in counted.tiers) + sum(counted.met.values())
    leasts = max(sums[0], met), max(sums[1], met), sums[2]
    if not sweeps.found:
        return [Interval(least, GREATEST, EXTRAPOLATED) for least in leasts]
    doubt, found = _doubt(counted, sweeps), []
    for part, (number, least) in enumerate(zip(sums, leasts, strict=True)):
        rest = _interval([sum(guess[part] for guess in sweep.values()) for sweep in sweeps.found], doubt)
        low, high = (min(GUESSED, max(least, number + end)) for end in (rest.low, rest.high))
        found.append(Interval(low, high, EXTRAPOLATED))
    return found


class _Doubt(NamedTuple):
    """How far sweeps are trusted."""

    below: float
    """The logarithm of the factor by which all of them may be too high."""
    above: float
    """The same for too low."""
    varied: bool
    """Whether they differ in their assumptions."""
    any_low: bool
    """Whether they may say far too much about a game that fills up."""


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
    """Return the interval of a number from guesses of it."""
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
