"""How large a game is: tiers counted as far as some seconds go, the others estimated from random games."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable

import numpy as np

from analysis.engine.engine import Engine, make_engine
from analysis.machine.time_limit import TimeLimit
from analysis.machine.workers import Progress, Stage, no_progress
from analysis.planning.counting import Counted, count_tiers
from analysis.planning.drift import Drift
from analysis.planning.formulas import exact_sizes
from analysis.planning.intervals import Sweeps, counted_sizes, guessed_sizes, totals
from analysis.planning.predecessors import Predecessors, seen_changes
from analysis.planning.sampling import Guess, OutOfTimeError, Sampler, Ways
from analysis.planning.sizes import MEASURED, GameSizes, Speed

LEAST_SHARE = 0.5
"""The share of the time that is left at least, however long the rules took to compile."""
TIMING = 0.1
"""The share of the time that is for finding out how fast tiers are found, where there is a formula."""
CLASSES_SHARE = 0.6
"""The share of the time that is for residual classes; the rest is for positions, of which there are more."""
COUNTING, SEEING, TRYING, LEARNING = 0.45, 0.05, 0.3, 0.15
"""Shares of the time that is left for counting tiers, for seeing changes, for a trial with checks, for learning."""
TRIAL, LEAST, MOST = 8, 8, 400
"""Positions in the population of a trial sweep, and of others."""
SWEEPS = 12
"""Sweeps that are wanted; more where there is time for the largest populations."""
MOST_SWEEPS = 40
EDGES = 300
"""Random moves into each tier from which is learnt."""
RETURNING = 0.5
"""Seconds in which rules return, also from bits that are no position."""
FEW_CHANGES, COVERED = 10_000, 0.8
"""Where there are more changes, or they cover less of the moves, ways into a position are not looked for."""
SURELY_COVERED = 0.98
"""Where changes cover less of the moves, ways into a position are missed, checked or not."""
RIGHT = 0.25
"""What checked ways are corrected by, at most, as a logarithm, where they are right."""
BENDS = {Ways.SEEN: (0.5, 1.5), Ways.TYPICAL: (0.0, 1.5)}
"""What share of its slope the drift may go on with."""


def find_sizes(engine: Engine, seconds: float, progress: Progress = no_progress, *, formulas: bool = True) -> GameSizes:
    """The sizes of a game from the engine's start on: by a formula, if there is one and ``formulas`` are wanted, with
    the speed of the first tiers; or else as `estimate_sizes` says. Of residual classes there are no more than
    positions.
    """
    if engine.whole is not None:
        return _classes_of(engine, engine.whole, seconds, progress, formulas)
    sizes = exact_sizes(engine) if formulas else None
    if sizes is None:
        return estimate_sizes(engine, seconds, progress)
    engine.prepare()
    return dataclasses.replace(sizes, speed=_speed(count_tiers(engine, TIMING * seconds, progress=progress)))


def _classes_of(engine: Engine, whole: Engine, seconds: float, progress: Progress, formulas: bool) -> GameSizes:
    """The sizes of residual classes, bounded by those of the game."""
    sizes = estimate_sizes(engine, CLASSES_SHARE * seconds, progress)
    if sizes.canonical.how == MEASURED:
        return sizes
    positions = make_engine(whole.game, start=whole.start, workers=engine.workers)
    return sizes.no_more_than(find_sizes(positions, (1 - CLASSES_SHARE) * seconds, progress, formulas=formulas))


def estimate_sizes(
    engine: Engine, seconds: float, progress: Progress = no_progress, most_tiers: int | None = None, seed: int = 0
) -> GameSizes:
    """The sizes of a game from the engine's start on, found in about so many ``seconds`` of one processor, by counting
    ``most_tiers`` at most. Raises `RulesError` where the rules fail.
    """
    began = time.monotonic()
    engine.prepare()
    now = time.monotonic()
    ends = max(began + seconds, now + LEAST_SHARE * seconds)
    counted = count_tiers(engine, COUNTING * (ends - now), most_tiers, progress)
    return sizes_beyond(engine, counted, ends, seed, progress)


def sizes_beyond(
    engine: Engine, counted: Counted, ends: float, seed: int = 0, progress: Progress = no_progress
) -> GameSizes:
    """The sizes of a game of which some tiers have been ``counted``, the others estimated until the clock
    `time.monotonic` says ``ends``. Raises `RulesError` where the rules fail.
    """
    sweeps = Sweeps([], Ways.CHECKED) if counted.complete else _sweeps(engine, counted, ends, seed, progress)
    positions, canonical, moves = totals(counted, sweeps)
    return GameSizes(
        positions,
        canonical,
        moves,
        (*(counted_sizes(tier) for tier in counted.tiers), *guessed_sizes(counted, sweeps)),
        _speed(counted),
    )


def _speed(counted: Counted) -> Speed:
    return Speed(sum(len(tier.states) for tier in counted.tiers), counted.seconds)


def _sweeps(engine: Engine, counted: Counted, ends: float, seed: int, progress: Progress) -> Sweeps:
    """Guesses of the tiers that were not counted, as many as there is time for."""
    if not counted.tiers:  # one tier with loops is the whole game
        return Sweeps([], Ways.CHECKED)
    generator = random.Random(seed)
    left = ends - time.monotonic()
    changes = seen_changes(engine.rules, engine.start, generator, SEEING * left)
    limit = TimeLimit(RETURNING)
    before = Predecessors(engine.rules, changes, _known(engine, counted), generator, limit)
    with limit():
        return _sweeps_in_some_way(engine, counted, before, generator, ends, progress)


def _sweeps_in_some_way(
    engine: Engine, counted: Counted, before: Predecessors, generator: random.Random, ends: float, progress: Progress
) -> Sweeps:
    """With the best knowledge of the ways into a position for which there is time."""

    def sampler(ways: Ways, share: float) -> Sampler:
        now = time.monotonic()
        return Sampler(engine, counted, before, generator, ways, now + share * (ends - now))

    patterned = before.coverage >= COVERED and before.changes <= FEW_CHANGES
    if patterned and before.coverage >= SURELY_COVERED and not engine.loopy:
        changes = before.changes
        cost = _cost(sampler(Ways.CHECKED, TRYING), Drift())
        patterned = before.changes == changes  # or else later tiers have others
        drift = None if cost is None else _learnt(sampler(Ways.CHECKED, LEARNING))
        right = drift is not None and before.reliable and abs(drift.level) <= RIGHT
        if cost is not None and patterned and right:
            return _repeat(sampler(Ways.CHECKED, 1.0), Drift, cost, progress)
    ways = Ways.SEEN if patterned else Ways.TYPICAL
    drift = _learnt(sampler(ways, LEARNING))
    if before.endless or drift is None:
        ways = Ways.TYPICAL
        drift = sampler(ways, 1.0).learn(0)
    cost = _cost(sampler(ways, 1.0), drift)
    if cost is None:
        return Sweeps([], ways)

    def varied() -> Drift:
        return drift.varied(generator.gauss(0, 1), generator.uniform(*BENDS[ways]))

    return dataclasses.replace(_repeat(sampler(ways, 1.0), varied, cost, progress), learnt=drift.level)


def _cost(sampler: Sampler, drift: Drift) -> float | None:
    """Seconds that a sweep takes for each position of its population, found by a small one; None where even that takes
    too long.
    """
    began = time.monotonic()
    try:
        sampler.sweep(TRIAL, drift)
    except OutOfTimeError:
        return None
    return (time.monotonic() - began) / TRIAL


def _learnt(sampler: Sampler) -> Drift | None:
    """The drift from as many moves as there is time for, if there is any."""
    drift = None
    for edges in (EDGES // 16, EDGES // 4, EDGES):
        try:
            drift = sampler.learn(edges)
        except OutOfTimeError:
            break
    return drift


def _repeat(sampler: Sampler, drift: Callable[[], Drift], cost: float, progress: Progress) -> Sweeps:
    """Several sweeps, with populations for which there is time; a position of one costs so many seconds."""
    left = sampler.ends - time.monotonic()
    size = int(min(MOST, max(LEAST, left / SWEEPS / cost)))
    found: list[dict[int, Guess]] = []
    try:
        while len(found) < MOST_SWEEPS:
            progress(Stage("estimating"), len(found), MOST_SWEEPS)
            found.append(sampler.sweep(size, drift()))
    except OutOfTimeError:
        pass
    return Sweeps(found, sampler.ways)


def _known(engine: Engine, counted: Counted) -> Callable[[int, int], bool | None]:
    """See `Predecessors`."""
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
