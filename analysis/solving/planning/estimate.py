"""Estimate how large a game is: count tiers for some seconds, and follow random games through the others.

One thing must be guessed: how many ways lead into a position of a tier that was not counted. They are taken to grow as
they did in the counted tiers, and, in every second sweep, by half that power; an interval holds what both say, and a
doubt that grows with the part that was not counted. `benchmarks/planning.py` shows how often the intervals hold.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import random
import statistics
import time
from collections.abc import Sequence

from ...common.workers import Stage, tell_progress
from ...engine.engine import Engine, make_engine
from ...engine.plan import refuse_more_positions
from .sampling import Counted, Guess, OutOfTimeError, Sampler, count_tiers, learnt
from .sizes import BOUNDED, EXTRAPOLATED, GREATEST, MEASURED, GameSizes, Interval, TierSizes

LEAST_SHARE = 0.5
"""The least share of the time that is left, however long the rules took to compile."""
CLASSES_SHARE = 0.6
"""The share of the time for residual classes; the rest is for positions, which are more numerous."""
COUNTING = 0.5
"""The share of the time for counting tiers."""
TRIAL, LEAST, MOST = 8, 8, 400
"""Positions in the population of a trial sweep; the least and the most in others."""
SWEEPS, MOST_SWEEPS = 12, 40
"""Sweeps to make; up to the second if there is time for the largest populations."""
FEW = 6
"""Counted tiers below which nothing is learnt from them, so that only bounds are known."""
TIMED = 1000
"""Counted classes from which the time that one takes is known."""
SIGMAS = 3.0
"""Standard errors of the mean to either side of an interval."""
DOUBT, FEWER, GROWTH, LOOPY = 0.2, 4.0, 0.15, 0.5
"""Further doubt, as a logarithm: in any case, divided by the number of counted tiers, for each e-fold by which a game
exceeds what was counted, and for a loopy game, in which all states of a tier are assumed to be close to each other.
"""
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
        if classes.classes.how == MEASURED:
            return classes
        whole = make_engine(engine.whole.game, start=engine.whole.start, workers=engine.workers)
        of_whole = find_sizes(whole, (1 - CLASSES_SHARE) * seconds)
        positions = of_whole.positions.high
        return classes.no_more_than(positions, positions, of_whole.moves.high)
    sizes = estimate_sizes(engine, seconds)
    return sizes if sizes.positions.how == MEASURED else _as_expected(engine, sizes)


def _as_expected(engine: Engine, sizes: GameSizes) -> GameSizes:
    """Return these sizes with as many positions as the game itself expects, if it does."""
    expected = engine.game.expected_positions() if engine.start == engine.rules.start else None
    if expected is None:
        return sizes
    total, order = sum(expected), engine.group.order
    low, high = int(total / EXPECTED), math.ceil(total * EXPECTED)
    counted = [tier for tier in sizes.tiers if tier.positions.how == MEASURED]
    positions = Interval(low, high, EXTRAPOLATED).within(sum(tier.positions.low for tier in counted))
    classes = Interval(low // order, high // order, EXTRAPOLATED).within(sum(tier.classes.low for tier in counted))
    moves = sizes.moves.within(low - 1, high * engine.rules.max_moves)  # one leads to each but the start
    bounded = sizes.no_more_than(positions.high, classes.high, moves.high)
    return dataclasses.replace(bounded, positions=positions, classes=classes, moves=moves)


def estimate_sizes(engine: Engine, seconds: float, most_tiers: int | None = None, seed: int = 0) -> GameSizes:
    """Estimate the sizes of a game from the engine's start on, within about ``seconds`` on one processor, counting at
    most ``most_tiers``. Raises `RulesError` if the rules fail.
    """
    began = time.monotonic()
    engine.prepare()
    now = time.monotonic()
    ends = max(began + seconds, now + LEAST_SHARE * seconds)
    return sizes_beyond(engine, count_tiers(engine, COUNTING * (ends - now), most_tiers), ends, seed)


def sizes_beyond(engine: Engine, counted: Counted, ends: float, seed: int = 0) -> GameSizes:
    """Return the sizes of a game of which some tiers have been ``counted``; the others are estimated until
    `time.monotonic` reaches ``ends``. Raises `RulesError` if the rules fail.
    """
    tiers = [(tier.number, (tier.positions, len(tier.states), tier.moves)) for tier in counted.tiers]
    known = [sum(column) for column in zip(*(sizes for _, sizes in tiers), strict=True)] or [0, 0, 0]
    refuse_more_positions(engine, known[0])
    measured = [TierSizes(number, *(Interval(size, size, MEASURED) for size in sizes)) for number, sizes in tiers]
    speed = counted.speed if known[1] >= TIMED else None
    if counted.complete:
        positions, classes, moves = (Interval(number, number, MEASURED) for number in known)
        return GameSizes(positions, classes, moves, tuple(measured), speed)
    sampler = Sampler(engine, counted, random.Random(seed), ends)
    sweeps = _sweeps(sampler) if tiers else []
    interval = functools.partial(_interval, _doubt(counted, sweeps) if len(tiers) >= FEW else None)
    met = known[1] + sum(counted.met.values())
    leasts = max(known[0], met), max(known[1], met), known[2]
    rest = [[sum(guess[part] for guess in sweep.values()) for sweep in sweeps] for part in range(len(known))]
    most, of_tiers = _bounds(sampler, sorted({tier for sweep in sweeps for tier in sweep}))
    if of_tiers:
        rests = map(sum, zip(*of_tiers.values(), strict=True))
        most = [min(whole, number + some) for whole, number, some in zip(most, known, rests, strict=True)]
    positions, classes, moves = totals = list(map(interval, rest, known, leasts, most))
    guessed, nothing = [], Guess(0.0, 0.0, 0.0)
    for number, bounds in of_tiers.items():
        parts = zip(*(sweep.get(number, nothing) for sweep in sweeps), strict=True)
        least = counted.met.get(number, 0)  # there are at least as many positions as classes met
        ends_of = map(interval, parts, (0, 0, 0), (least, least, 0), map(min, bounds, (total.high for total in totals)))
        guessed.append(TierSizes(number, *ends_of))
    return GameSizes(positions, classes, moves, (*measured, *guessed), speed)


def _bounds(sampler: Sampler, tiers: Sequence[int]) -> tuple[Sequence[int], dict[int, Sequence[int]]]:
    """Return bounds of positions, classes and moves, of the game and of the ``tiers`` that sweeps came to: those of the
    rules, and of the states like those seen, if there were sweeps or random games came to an end.
    """
    rules = sampler.rules
    known = bool(tiers) or sampler.play() or rules.loopy

    def bounds(tier: int | None) -> tuple[int, int, int]:
        like = sampler.bits.most(tier) if known else (GREATEST, GREATEST)
        positions, classes = (min(GREATEST, rules.most_positions or GREATEST, number) for number in like)
        return positions, classes, min(GREATEST, positions * rules.max_moves)

    return bounds(None), {tier: bounds(tier) for tier in tiers}


def _sweeps(sampler: Sampler) -> list[dict[int, Guess]]:
    """Guess the tiers that were not counted as often as time allows, by either assumption in turn."""
    growing = learnt(sampler.counted)
    assumptions = [growing, growing._replace(slope=growing.slope / 2)]
    sweeps: list[dict[int, Guess]] = []
    try:
        began = time.monotonic()
        sampler.sweep(TRIAL, growing)
        cost = (time.monotonic() - began) / TRIAL
        size = int(min(MOST, max(LEAST, (sampler.ends - time.monotonic()) / SWEEPS / cost)))
        while len(sweeps) < MOST_SWEEPS:
            tell_progress(Stage("estimating"), len(sweeps), MOST_SWEEPS)
            sweeps.append(sampler.sweep(size, assumptions[len(sweeps) % 2]))
    except OutOfTimeError:
        pass
    return sweeps if len(sweeps) > 1 else []


def _doubt(counted: Counted, sweeps: Sequence[dict[int, Guess]]) -> float:
    """Return the logarithm of the factor by which all sweeps may be wrong in one direction."""
    rest = statistics.fmean([sum(guess.positions for guess in sweep.values()) for sweep in sweeps] or [0.0])
    growth = math.log1p(rest / max(1, sum(tier.positions for tier in counted.tiers)))
    return DOUBT + FEWER / max(1, len(counted.tiers)) + LOOPY * counted.loopy + GROWTH * growth


def _interval(doubt: float | None, guesses: Sequence[float], known: int, least: int, most: int) -> Interval:
    """Return the interval of a number, between two bounds, from what is ``known`` of it and ``guesses`` of the rest, of
    which every second one has the same assumption; just the bounds without guesses, or without a measure of doubt.
    """
    if doubt is None or not guesses:
        return Interval(least, max(least, most), BOUNDED)
    lows, highs = [], []
    for some in (guesses[::2], guesses[1::2]):
        mean = statistics.fmean(some)
        several = len(some) > 1 and mean > 0
        error = doubt + (SIGMAS * statistics.stdev(some) / mean / math.sqrt(len(some)) if several else 1.0)
        lows.append(mean / math.exp(error))
        highs.append(mean * math.exp(error))
    high = math.ceil(min(GREATEST, max(1.0, *highs)))
    return Interval(known + int(min(lows)), known + high, EXTRAPOLATED).within(least, most)
