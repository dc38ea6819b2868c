"""Estimate how large a game is: count tiers for some seconds, and extrapolate how their growth slows down.

An interval never leaves the bounds of the rules, of the bits of a state and of the ways to mark a board, and never says
less than was counted. `benchmarks/planning.py` shows how often the intervals hold.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import random
import time
from collections.abc import Sequence

import numpy as np

from ...engine.engine import Engine, make_engine
from ...engine.plan import refuse_more_positions
from .counting import Counted, count_tiers
from .sizes import BOUNDED, EXTRAPOLATED, GREATEST, MEASURED, GameSizes, Interval, TierSizes

CLASSES_SHARE = 0.6
"""The share of the time for residual classes; the rest is for positions, which are more numerous."""
FEW = 6
"""Counted tiers below which nothing is extrapolated from them."""
TIMED = 1000
"""Counted classes from which the time that one takes is known."""
EXPECTED = 1.5
"""The factor by which `Game.expected_positions` may be wrong in either direction: four times what it is on boards whose
positions are published (6 x 7: 4.531985e12), and more than on the narrow ones that it misjudges most.
"""
TIMES, SIGMAS, DOUBT = 3.0, 2.0, 6.0
"""The factor by which the growth may slow down more or less than in the counted tiers, standard errors of it, and the
logarithm of a factor of every further tier, divided by the number of counted ones.
"""
MOST_TIERS = 5000
"""Tiers to extrapolate at most."""
PLAYED, LOOKED_AT = 0.1, 200
"""Seconds of random games to see states, and states of each counted tier to look at."""
MOST_MARKINGS, ROUNDED = 1 << 20, 1 + 1e-9
"""Numbers of marks to tell apart, and a factor for sums of floats."""


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
        return classes.within(0, of_whole.positions.high, of_whole.positions.high, of_whole.moves.high)
    sizes = estimate_sizes(engine, seconds)
    expected = engine.game.expected_positions() if engine.start == engine.rules.start else None
    if expected is None or sizes.positions.how == MEASURED:
        return sizes
    low, high = int(sum(expected) / EXPECTED), math.ceil(sum(expected) * EXPECTED)
    order = engine.group.order
    return dataclasses.replace(
        sizes,
        positions=Interval(low, high, EXTRAPOLATED).within(sizes.positions.low),
        classes=Interval(low // order, high // order, EXTRAPOLATED).within(sizes.classes.low),
        moves=Interval(low - 1, high * engine.rules.max_moves, EXTRAPOLATED),  # one leads to each but the start
    )


def estimate_sizes(engine: Engine, seconds: float, most_tiers: int | None = None) -> GameSizes:
    """Estimate the sizes of a game from the engine's start on, counting at most ``most_tiers`` within about
    ``seconds``, besides compiling the rules. Raises `RulesError` if the rules fail.
    """
    engine.prepare()
    return sizes_beyond(engine, count_tiers(engine, seconds, most_tiers))


def sizes_beyond(engine: Engine, counted: Counted) -> GameSizes:
    """Return the sizes of a game of which some tiers have been counted. Raises `RulesError` if the rules fail."""
    tiers = counted.tiers
    columns = [[getattr(tier, name).low for tier in tiers] for name in ("positions", "classes", "moves")]
    totals = [sum(column) for column in columns]
    refuse_more_positions(engine, totals[0])
    speed = counted.speed if totals[1] >= TIMED else None
    if counted.complete:
        positions, classes, moves = (Interval(total, total, MEASURED) for total in totals)
        return GameSizes(positions, classes, moves, tuple(tiers), speed)
    met = {number: len(classes) for number, classes in counted.met.items()}
    more = sum(met.values())
    leasts = totals[0] + more, totals[1] + more, totals[2]  # there are at least as many positions as classes
    most = _bounds(engine, counted)
    curves = [extrapolated(column) if len(tiers) >= FEW else [] for column in columns]
    if not all(curves):
        positions, classes, moves = (Interval(low, high, BOUNDED) for low, high in zip(leasts, most, strict=True))
        return GameSizes(positions, classes, moves, tuple(tiers), speed)
    whole = []
    for total, curve, least, greatest in zip(totals, curves, leasts, most, strict=True):
        low, high = (total + math.ceil(rest) for rest in np.sum(curve, axis=0))
        whole.append(Interval(low, high, EXTRAPOLATED).within(least, greatest))
    step, further = tiers[-1].number - tiers[-2].number, []
    for number, ends in enumerate(itertools.zip_longest(*curves, fillvalue=(0.0, 0.0)), 1):
        tier = tiers[-1].number + step * number
        sizes = [Interval(int(low), math.ceil(high), EXTRAPOLATED) for low, high in ends]
        leasts = met.get(tier, 0), met.get(tier, 0), 0
        further.append(TierSizes(tier, *map(Interval.within, sizes, leasts, (total.high for total in whole))))
    positions, classes, moves = whole
    return GameSizes(positions, classes, moves, (*tiers, *further), speed)


def extrapolated(sizes: Sequence[int]) -> list[tuple[float, float]]:
    """Return the least and the greatest size of each further tier, if the logarithm of the growth goes on falling as in
    the later half of these tiers; nothing if it did not clearly fall there, so that no end is in sight.

    >>> [f"{low:.0f} to {high:.0f}" for low, high in extrapolated([1, 9, 36, 84, 126, 126, 84])]
    ['5 to 95', '0 to 40', '0 to 15', '0 to 5']
    """
    logs = np.log(np.maximum(sizes, 1))
    growth = (logs[2:] - logs[:-2]) / 2  # of two tiers, since players may differ
    growth = growth[-max(3, (len(growth) + 1) // 2) :]
    (bend, level), covariance = np.polyfit(np.arange(1 - len(growth), 1), growth, 1, cov=True)
    error, doubt, curves = SIGMAS * np.sqrt(np.diag(covariance)), DOUBT / len(sizes), []
    for side, factor in ((-1, TIMES), (1, 1 / TIMES)):
        falls = factor * bend + side * error[0]
        tiers = np.arange(1, MOST_TIERS)
        curve = logs[-1] + (level + bend + side * error[1]) * tiers + falls * tiers * (tiers + 1) / 2
        ended = np.flatnonzero(curve < 0)
        if bend >= 0 or falls >= 0 or not len(ended) or curve.max() > math.log(GREATEST):
            return []
        curves.append(np.exp(curve[: ended[0]] + side * doubt).tolist())
    return list(itertools.zip_longest(*curves, fillvalue=0.0))


def _bounds(engine: Engine, counted: Counted) -> tuple[int, int, int]:
    """Return bounds of positions, classes and moves: of the rules, and of the states that differ in the same bits as
    those counted and those of random games, if one came to an end.
    """
    rules, like = engine.rules, (GREATEST, GREATEST)
    states = [some[:: -(-len(some) // LOOKED_AT)] for some in (*counted.states, *counted.met.values())]
    played, ended = _played(engine)
    if ended or rules.loopy:
        like = states_like(engine, np.concatenate([*states, played]))
    positions, classes = (min(GREATEST, rules.most_positions or GREATEST, number) for number in like)
    return positions, classes, min(GREATEST, positions * rules.max_moves)


def _played(engine: Engine) -> tuple[np.ndarray, bool]:
    """Return states of random games of `PLAYED` seconds, and whether one came to its end."""
    generator, ends, states, ended = random.Random(0), time.monotonic() + PLAYED, [engine.start], False
    while time.monotonic() < ends:
        moves = engine.rules.moves(states[-1])
        ended |= not moves
        states.append(generator.choice(moves)[1] if moves else engine.start)
    return np.array(states, np.int64), ended


def states_like(engine: Engine, states: np.ndarray) -> tuple[int, int]:
    """Return how many states, and classes of them, differ in no other bits than these; where no marks share a cell, no
    more than there are ways to mark the board.
    """
    group, cells, planes = engine.group, engine.rules.cells, engine.rules.planes
    bits = planes * cells
    seen = (int(np.bitwise_or.reduce(some)) & GREATEST for some in (states, ~states))
    ones, zeros = (functools.reduce(int.__or__, group.images(some)) for some in seen)
    varying = ones & zeros  # and what symmetries take them to
    board, others = (varying & (1 << bits) - 1).bit_count(), 1 << (varying >> bits).bit_count()
    marks = [states >> plane * cells & (1 << cells) - 1 for plane in range(planes)]
    shared = any((first & second).any() for first, second in itertools.combinations(marks, 2))
    if shared or not board or (cells + 1) ** planes > MOST_MARKINGS:
        return others << board, others << board
    positions, classes = (math.ceil(ways.sum() * others * ROUNDED) for ways in group.markings(cells, planes))
    return min(others << board, positions), min(others << board, classes)
