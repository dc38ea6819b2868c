"""What random games tell of a solve before its passes come to it: that counts do not fit the tables, or states the
memory. Nothing is refused that could have been done: both bounds fail once in `DOUBT` times at most.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Sequence

import numpy as np

from analysis.engine.columns import GREATEST
from analysis.engine.engine import Engine
from analysis.engine.plan import Plan
from analysis.errors import CountOverflowError, GametreeError
from analysis.rules.game import Rules

DOUBT = 1e9

PATIENCE = 0.5
"""Seconds that games are played for that are one by one."""
FIRST = 6
"""Games of each kind after which it is told whether the number of games comes near to the greatest."""
NEAR = 1e8
"""A mean below the greatest number divided by this is far from it."""
LOOKED_AT = 32
"""Moves of a position, at most, of which one is chosen by what may follow."""
EAGERNESS = 4.0
"""How much more often moves are chosen after which there are more: a power of how many there are."""

WALKS = 1 << 16
MANY = 1 << 23
"""States that are found before it is asked whether the rest will fit: some seconds of work."""


def refuse_uncountable(engine: Engine, seed: int = 0) -> None:
    """Raise `CountOverflowError` for a game of so many games that they cannot be counted.

    Knuth (Estimating the efficiency of backtrack programs, 1975): in a game played at random, the product of one over
    the probability of each move has the number of games as its mean, however the moves are chosen. By Markov's
    inequality a mean of several such products is `DOUBT` times too great once in that many times at most, and by Doob's
    so is the greatest of all means on the way, so that any game may be the last. Moves are chosen evenly, and such as
    leave many moves: where few games are long, these are nearly all there are.
    """
    if (engine.rules.max_plies or math.inf) * math.log(max(2, engine.rules.max_moves)) <= math.log(GREATEST):
        return
    generator, ends = random.Random(seed), time.monotonic() + PATIENCE
    kinds: list[list[float]] = [[], []]
    wanted = math.log(GREATEST) + math.log(len(kinds) * DOUBT)
    try:
        for number in itertools.count(1):
            means = []
            for eager, found in enumerate(kinds):
                found.append(_log_of_games(engine.rules, engine.start, generator, ends, eager=bool(eager)))
                means.append(_log_of_mean(found))
                if means[-1] > wanted:
                    raise CountOverflowError(
                        f"{engine.game.spec} has more than {GREATEST:.0e} games, which the tables do not hold (random "
                        f"games say 10^{means[-1] / math.log(10):.0f} or more); solve with --no-counts"
                    )
            far = number >= FIRST and max(means) < math.log(GREATEST / NEAR)
            if far or time.monotonic() > ends:
                return
    except CountOverflowError:
        raise
    except GametreeError:  # the passes name the position where the rules fail
        return


def _log_of_games(rules: Rules, start: int, generator: random.Random, ends: float = math.inf, *, eager: bool) -> float:
    """The logarithm of the product of one over the probabilities of the moves of a random game; of 0 for one that goes
    on when time ``ends``, which keeps the bound: wrong rules may have games without an end.
    """
    product, moves = 0.0, rules.moves(start)
    while moves:
        if time.monotonic() > ends:
            return -math.inf
        product += math.log(len(moves))
        if not eager:
            moves = rules.moves(generator.choice(moves)[1])
            continue
        some = moves if len(moves) <= LOOKED_AT else generator.sample(moves, LOOKED_AT)
        after = [rules.moves(child) for _, child in some]
        weights = [(len(each) + 0.01) ** EAGERNESS for each in after]
        chosen = generator.choices(range(len(some)), weights)[0]
        product += math.log(sum(weights) / weights[chosen] / len(some))
        moves = after[chosen]
    return product


def _log_of_mean(logs: Sequence[float]) -> float:
    greatest = max(logs)
    if greatest == -math.inf:
        return greatest
    return greatest + math.log(sum(math.exp(each - greatest) for each in logs) / len(logs))


class LookAhead:
    """Asks once, when `MANY` states are found, whether what is still to come will fit."""

    def __init__(self, engine: Engine, plan: Plan) -> None:
        self.engine, self.plan, self._looked = engine, plan, False

    def look(self, found: int) -> None:
        """Raise `TooLargeError` if so many states are ``found`` and a solution cannot fit."""
        if found >= MANY and not self._looked:
            self._looked = True
            refuse_large(self.engine, self.plan)


def refuse_large(engine: Engine, plan: Plan) -> None:
    """Raise `TooLargeError` where so many different states are met at random that a solution cannot fit."""
    sizes = [size for size in least_sizes(engine).values() if size]
    if sizes:
        total = float(f"{sum(sizes):.1e}")
        plan.budget.require(
            plan.backward(sizes), f"{engine.game.spec} has at least {total:,.0f} classes (random games say): a solution"
        )


def least_sizes(engine: Engine, walks: int = WALKS, seed: int = 0) -> dict[int, float]:
    """States that each tier has at least, by its number: a bound by birthdays, from so many random games.

    Of ``t`` states drawn independently from ``n``, in whatever shares, all are different with a probability of at most
    exp(-t (t - 1) / 2 n), which even shares reach (Munford, A note on the uniformity assumption in the birthday
    problem, 1977). Games pass a tier once at most, and independently. Loopy games have no such bound: they may return.
    """
    if engine.loopy:
        return {}
    generator = np.random.default_rng(seed)
    passed: dict[int, list[np.ndarray]] = {}
    states, tier = np.full(walks, engine.canonical(engine.start), dtype=np.int64), 0
    while len(states):
        engine.progress("looking ahead", 0, None)
        states, tiers = _step(engine, states, generator, tier := tier + 1)
        for number in np.unique(tiers).tolist():
            passed.setdefault(number, []).append(states[tiers == number])
    doubt = math.log(DOUBT * max(1, len(passed)))
    return {number: _least(np.concatenate(found), doubt) for number, found in passed.items()}


def _step(engine: Engine, states: np.ndarray, generator: np.random.Generator, ply: int) -> tuple[np.ndarray, ...]:
    """After one random move from each state where the game goes on: the states int64[m] and their tiers int64[m]."""
    after: list[tuple[np.ndarray, np.ndarray]] = [(np.empty(0, np.int64), np.empty(0, np.int64))]
    for rows in engine.chunks(len(states)):
        branching, children, tiers = _moves(engine, np.ascontiguousarray(states[rows]), ply)
        goes_on = branching > 0
        first = np.cumsum(branching) - branching
        chosen = (first + (generator.random(len(branching)) * branching).astype(np.int64))[goes_on]
        after.append((children[chosen], tiers[chosen]))
    return tuple(np.concatenate(each) for each in zip(*after, strict=True))


def _moves(engine: Engine, states: np.ndarray, ply: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How many moves each state has, and what each leads to: states and tiers."""
    if engine.by_ply:
        rows, _, children = engine.expand_moves(states)
        return np.bincount(rows, minlength=len(states)), children, np.full(len(children), ply)
    expanded = engine.expand_tiers(states)
    return expanded.branching.astype(np.int64), expanded.children, expanded.tiers


def _least(states: np.ndarray, doubt: float) -> float:
    """The bound from states in the order in which they were drawn: how many come before the first repetition."""
    order = np.argsort(states, kind="stable")
    again = order[1:][states[order][1:] == states[order][:-1]]
    different = int(again.min()) if len(again) else len(states)
    return different * (different - 1) / 2 / doubt
