"""Estimate the tiers that were not counted from random games that are weighted so that each position counts once.

Knuth (Estimating the efficiency of backtrack programs, 1975) weights a random path by the moves that it might have
taken instead, which counts paths. Divided at each step by the ways into the position (Pitt, A note on extending Knuth's
tree estimator to directed acyclic graphs, 1987) it counts positions. Here games start from positions of the tiers that
were counted, a population of them goes on tier by tier, and in each tier it is drawn again in proportion to weight
(systematic resampling): without that a few games would carry all the weight.
"""

from __future__ import annotations

import enum
import math
import random
import time
from collections import Counter
from typing import NamedTuple

import numpy as np

from analysis.engine.engine import Engine
from analysis.planning.counting import Counted, CountedTier
from analysis.planning.drift import Drift
from analysis.planning.predecessors import Predecessors

STEPS = 20
"""Random moves within a tier, at most, by which it is forgotten where the tier was entered."""
LOOKS = 8
"""States of a tier, met on such a walk, of which it is found how many moves enter the tier there."""
MOST_WEIGHT, MOST_LOG = 1e60, 100.0
"""What a position may stand for, and by what logarithm that may grow at once: far more than there are states."""
LEARNT = 24
"""Tiers, the last that were counted, from which is learnt by how much weights are wrong."""
SPARE = 2
"""States that are drawn for each move that is wanted: some have none into the tier."""


class Ways(enum.Enum):
    """What is taken for the ways into a position; the less is known of them, the more is learnt as `Drift`."""

    CHECKED = enum.auto()
    """Moves from positions that play reaches: what they are."""
    SEEN = enum.auto()
    """Moves from what the rules take for a position."""
    TYPICAL = enum.auto()
    """One: all positions of a tier are taken to have as many as each other."""


class Guess(NamedTuple):
    """What one sweep says of a tier."""

    positions: float
    canonical: float
    moves: float


class OutOfTimeError(Exception):
    """It takes too long, or checks do not find an answer."""


class Sampler:
    """Sweeps over the tiers that were not counted, until the time ``ends`` (of `time.monotonic`)."""

    def __init__(
        self, engine: Engine, counted: Counted, before: Predecessors, generator: random.Random, ways: Ways, ends: float
    ) -> None:
        self.engine, self.rules, self.counted, self.before = engine, engine.rules, counted, before
        self.generator, self.ways, self.ends = generator, ways, ends
        self._first = counted.tiers[0].number
        before.forget()

    # Ways into a position ---------------------------------------------------------------------------------------------

    def _entered(self, state: int, tier: int) -> tuple[int, float]:
        """A state for one that a move entered, and one over the ways into it. In a loopy game it is another that play
        within the tier gets to, and the states there are for each way into any of them.
        """
        met = self._walk(state, tier) if self.rules.loopy else [state]
        if self.ways is Ways.TYPICAL:
            return met[-1], 1.0
        looked = self.generator.sample(met, min(LOOKS, len(met)))
        checked = self.ways is Ways.CHECKED
        ways = sum(self.before.count(each, tier, checked=checked) for each in looked)
        return met[-1], len(looked) / max(1, ways)

    def _walk(self, state: int, tier: int) -> list[int]:
        """States of a tier, by random moves within it."""
        met = [state]
        for _ in range(STEPS):
            within = [child for _, child in self.rules.moves(met[-1]) if self._tier_of(child, tier) == tier]
            if not within:
                break
            met.append(self.generator.choice(within))
        return met

    def _tier_of(self, state: int, before: int) -> int:
        """The tier of a state after one of the tier ``before``."""
        if self.rules.tier is not None:
            return int(self.rules.tier(state))
        return before if self.rules.loopy else before + 1

    def learn(self, edges: int) -> Drift:
        """What the weights of tiers beyond have to be multiplied by: in the tiers that were counted, how large they are
        against what so many random moves into each say. Raises `OutOfTimeError`.
        """
        entered = self.counted.entered()
        tiers = self.counted.tiers[1:]
        logs = []
        for tier in ([each for each in tiers if each.positions > len(tiers)] or tiers)[-LEARNT:]:
            share = self._mean_share(tier, edges)
            if share is not None:
                said = entered[tier.number] * share
                logs.append((tier.number - self._first, math.log(tier.positions / said)))
        return Drift.fitted(logs)

    def _mean_share(self, tier: CountedTier, edges: int) -> float | None:
        """The mean of one over the ways into a position, over random moves into a tier that was counted."""
        if self.ways is Ways.TYPICAL:
            return 1.0
        shares = [self._entered(state, tier.number)[1] for state in self._edges(tier.number, edges)]
        return float(np.mean(shares)) if shares else None

    def _edges(self, wanted: int, number: int) -> list[int]:
        """The states after about so many random moves from earlier tiers that were counted to a tier."""
        sources = [each for each in self.counted.tiers if wanted in each.leads and each.number != wanted]
        chosen = Counter(
            self.generator.choices(range(len(sources)), [each.leads[wanted] for each in sources], k=number)
        )
        found: list[int] = []
        for row, times in chosen.items():
            self._check_time()
            drawn = self._draw(sources[row].states, SPARE * times)
            moves = [(sources[row].number, child) for state in drawn for _, child in self.rules.moves(state)]
            children = [child for before, child in moves if self._tier_of(child, before) == wanted]
            found += self.generator.choices(children, k=times) if children else []
        return found

    def _draw(self, states: np.ndarray, number: int) -> list[int]:
        """So many states of classes, each position with the same chance."""
        drawn = np.random.default_rng(self.generator.getrandbits(63))
        some = states[drawn.integers(len(states), size=4 * number)]
        orbits = self.engine.orbit_sizes(some).astype(float)
        return [int(state) for state in drawn.choice(some, number, p=orbits / orbits.sum())]

    def _check_time(self) -> None:
        unsure = self.before.endless if self.ways is Ways.SEEN else not self.before.reliable
        if time.monotonic() > self.ends or (unsure and self.ways is not Ways.TYPICAL):
            raise OutOfTimeError

    # Sweeps -----------------------------------------------------------------------------------------------------------

    def sweep(self, size: int, drift: Drift) -> dict[int, Guess]:
        """Guesses of all tiers that were not counted, by a population of so many positions. Raises `OutOfTimeError`."""
        waiting = self._begin(size, drift)
        found: dict[int, Guess] = {}
        while waiting:
            tier = min(waiting)
            population = self._resampled(waiting.pop(tier), size)
            positions = canonical = moves = 0.0
            children_each = max(1, size // len(population))
            for state, weight in population.items():
                self._check_time()
                positions += weight
                canonical += weight / self.engine.orbit_size(self.engine.canonical(state))
                options = self.rules.moves(state)
                moves += weight * len(options)
                if self.ways is not Ways.TYPICAL:
                    self.before.learn(state, options)
                later = list(dict.fromkeys(child for _, child in options))
                if self.rules.loopy:
                    later = [child for child in later if self._tier_of(child, tier) != tier]
                some = self.generator.sample(later, min(children_each, len(later)))
                for child in some:
                    self._add(waiting, child, self._tier_of(child, tier), weight * len(later) / len(some), drift)
            found[tier] = Guess(positions, canonical, moves)
        return found

    def _begin(self, size: int, drift: Drift) -> dict[int, dict[int, float]]:
        """Weighted positions that moves from the counted tiers lead to, by tier."""
        waiting: dict[int, dict[int, float]] = {}
        entered = {tier: moves for tier, moves in self.counted.entered().items() if tier in self.counted.frontier}
        first = min(entered)
        for number, moves in entered.items():
            if number == first and not self.rules.loopy:  # all of its positions are known
                states = self.counted.frontier[number]
                total = int(self.engine.orbit_sizes(states).sum(dtype=np.int64))
                for state in self._draw(states, size):
                    of_tier = waiting.setdefault(number, {})
                    of_tier[state] = of_tier.get(state, 0.0) + total / size
                continue
            children = self._edges(number, max(4, size * moves // sum(entered.values())))
            for child in children:
                self._add(waiting, child, number, moves / len(children), drift)
        return waiting

    def _add(self, waiting: dict[int, dict[int, float]], child: int, tier: int, weight: float, drift: Drift) -> None:
        """A position that so many moves lead to stands for so many positions less."""
        place, share = self._entered(child, tier)
        of_tier = waiting.setdefault(tier, {})
        stands_for = weight * share * math.exp(min(MOST_LOG, drift.at(tier - self._first)))
        of_tier[place] = min(MOST_WEIGHT, of_tier.get(place, 0.0) + stands_for)

    def _resampled(self, weights: dict[int, float], size: int) -> dict[int, float]:
        """So many of the positions at most, drawn in proportion to their weights, which add up to the same."""
        if len(weights) <= size:
            return weights
        total, offset, passed = sum(weights.values()), self.generator.random(), 0.0
        drawn: dict[int, float] = {}
        for state, weight in weights.items():
            passed += weight * size / total
            times = max(0, math.ceil(passed - offset))
            if times:
                drawn[state] = times * total / size
                offset += times
        return drawn
