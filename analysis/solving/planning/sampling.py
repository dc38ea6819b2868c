"""Count tiers one after another for some seconds, and follow random games through the others.

Knuth (Estimating the efficiency of backtrack programs, 1975) weights a random path by the moves that it might have
taken instead, which counts paths. Dividing at each step by the number of ways into a position (Pitt, A note on
extending Knuth's tree estimator to directed acyclic graphs, 1987) counts positions. Here a population of games starts
from the counted tiers and proceeds tier by tier, and the ways into a position are extrapolated from those, see `Ways`.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import random
import time
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from ...common.memory import Budget
from ...common.workers import Stage, tell_progress
from ...engine.engine import Engine
from ...engine.kernels.radix_sort import sorted_keys
from ...engine.passes.forward_by_ply import EXACT, Run, refuse_any_repetition, refuse_negative, sorted_distinct
from ...engine.passes.forward_by_tier import Frontier, StateSet, check_tiers, start_tier

MOST_STATES, STATE_BYTES = 60_000_000, 64
"""The most states kept of the counted tiers: half a gigabyte; and what a state takes while they are counted and games
are played from there, as copies and in a set, which has to fit the memory.
"""
LEAST_STATES = 10_000
"""How many may be kept in any case."""
MOST_WEIGHT = 1e60
"""The most positions that one may stand for: far more than there are states."""
SPARE = 2
"""States drawn for each wanted move, since some have none into the tier."""
MASK = (1 << 63) - 1
"""The bits of a state."""
ALIKE = 30
"""States of a tier with equally many marks from which all have."""
LOOKED_AT, MOST_MARKINGS, ROUNDED = 200, 1 << 20, 1 + 1e-9
"""States of a tier whose bits are looked at; numbers of marks to tell apart; and a factor for sums of floats."""
PLAYED = 0.1
"""Seconds of random games where there is no time for sweeps."""
STEEPEST = 1.5
"""The greatest power of the depth by which ways into a position grow: one way back for each earlier move, and more."""


# Counting -------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class CountedTier:
    """A tier of which all states were found and all moves made."""

    number: int
    states: np.ndarray  # int64[n], sorted
    positions: int
    moves: int
    leads: dict[int, int]
    """How many of the moves of its positions lead to each tier."""


@dataclasses.dataclass
class Counted:
    """The counted tiers, ascending, and the states in other tiers that their moves lead to."""

    tiers: list[CountedTier]
    frontier: dict[int, np.ndarray]
    """The classes met so far, sorted, by tier; empty if the whole game was counted."""
    met: dict[int, int]
    """The number of classes met in each tier that was not counted."""
    speed: float
    """Processor seconds of a class in the fastest tier, since code may be compiled in others."""
    loopy: bool = False
    """Whether moves may stay within a tier."""

    def entered(self) -> dict[int, int]:
        """Return how many moves lead to each tier from earlier counted ones."""
        moves: dict[int, int] = defaultdict(int)
        for tier in self.tiers:
            for later, number in tier.leads.items():
                moves[later] += number * (later != tier.number)
        return dict(moves)

    @property
    def complete(self) -> bool:
        """Whether this is the whole game."""
        return not self.frontier


class OutOfTimeError(Exception):
    """A sweep would take too long, or a tier, of which some classes were found."""

    def __init__(self, classes: int = 0) -> None:
        super().__init__()
        self.classes = classes


def count_tiers(engine: Engine, seconds: float, most_tiers: int | None = None) -> Counted:
    """Count the first tiers of a game: all that can be counted within ``seconds``, or at most ``most_tiers``. Raises
    `RulesError` if the rules fail.
    """
    ends, speed = time.monotonic() + seconds, math.inf
    frontier = Frontier(engine)
    start = np.array([engine.canonical(engine.start)], dtype=np.int64)
    frontier.add(0 if engine.by_ply else start_tier(engine), Run(start))
    tiers: list[CountedTier] = []
    rest: dict[int, np.ndarray] = {}
    met: dict[int, int] = {}
    held, most = 0, min(MOST_STATES, max(LEAST_STATES, Budget.of_machine().limit // STATE_BYTES))
    while frontier:
        number, (states, *_) = frontier.take()
        began = time.process_time()
        try:
            if most_tiers is not None and len(tiers) >= most_tiers:
                raise OutOfTimeError
            first = not tiers and not engine.loopy
            tier, children = _expanded(engine, number, states, math.inf if first else ends, most - held)
        except OutOfTimeError as error:
            rest = {number: states, **{each: run.states for each, run in frontier.take_all().items()}}
            met = {each: len(classes) for each, classes in rest.items()}
            met[number] = max(met[number], error.classes)
            break
        held += len(tier.states)
        tell_progress(Stage("counting"), held, None)
        for later, run in children.items():
            frontier.add(later, run)
        tiers.append(tier)
        speed = min(speed, (time.process_time() - began) / len(tier.states))
        if first:  # whose time may be that of compiling
            ends = time.monotonic() + seconds
    if engine.by_ply and held <= EXACT:
        refuse_any_repetition(engine, [tier.states for tier in tiers])
    return Counted(tiers, rest, met, speed, engine.loopy)


def _expanded(
    engine: Engine, number: int, states: np.ndarray, ends: float, most: int
) -> tuple[CountedTier, dict[int, Run]]:
    """Expand a tier of which these states are known; return it, with the states in later tiers that its moves lead to.
    Raises `OutOfTimeError`.
    """
    leads: dict[int, int] = defaultdict(int)
    later = Frontier(engine)
    pieces: list[np.ndarray] = []
    positions, moves, fresh = 0, 0, states
    inside_tier = StateSet(len(states)) if engine.loopy else None
    if inside_tier is not None:
        fresh = inside_tier.add(states)
    while len(fresh):
        inside = [np.empty(0, dtype=np.int64)]
        for rows in engine.chunks(len(fresh)):
            if time.monotonic() > ends or later.waiting + sum(map(len, pieces)) + len(fresh) > most:
                raise OutOfTimeError(inside_tier.count if inside_tier is not None else len(states))
            chunk = fresh[rows]
            branching, tiers, children = _moves(engine, number, chunk)
            orbits = engine.orbit_sizes(chunk).astype(np.int64)
            positions += int(orbits.sum())
            moves += int((orbits * branching).sum())
            edges = np.repeat(orbits, branching)
            for tier in np.unique(tiers).tolist():
                to_it = tiers == tier
                leads[tier] += int(edges[to_it].sum())
                if tier == number and inside_tier is not None:
                    inside.append(inside_tier.add(children[to_it]))
                else:
                    later.add(tier, Run(sorted_distinct(children[to_it])))
        pieces.append(fresh)
        fresh = np.concatenate(inside)
    whole = states if inside_tier is None else sorted_keys(np.concatenate(pieces)).copy()
    return CountedTier(number, whole, positions, moves, dict(leads)), later.take_all()


def _moves(engine: Engine, number: int, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the number of moves of each state, int64[n], and the tier and class after each move, int64[moves]."""
    if engine.by_ply:
        rows, codes, children = engine.expand_moves(states)
        if len(children) and children.min() < 0:
            refuse_negative(engine, states[rows], codes, children)
        return np.bincount(rows, minlength=len(states)), np.full(len(children), number + 1), children
    expanded = engine.expand_tiers(states)
    check_tiers(engine, number, expanded)
    return expanded.branching.astype(np.int64), expanded.tiers, expanded.children


# Sampling -------------------------------------------------------------------------------------------------------------


class Ways(NamedTuple):
    """How many positions a move into a tier stands for, on average: one over the number of ways into a position. Of the
    tier at a depth below the first, the logarithm is ``level + slope * log(depth / last)``.
    """

    level: float
    slope: float
    last: float
    """The depth of the last counted tier."""

    def share(self, depth: float) -> float:
        """Return the positions for each move into a tier."""
        return math.exp(self.level + self.slope * math.log(max(1.0, depth) / self.last))


def learnt(counted: Counted) -> Ways:
    """Return the ways into positions as they grew in the later half of the counted tiers."""
    entered, tiers = counted.entered(), counted.tiers[1:]
    first = counted.tiers[0].number
    points = [(each.number - first, each.positions / entered[each.number]) for each in tiers if each.number in entered]
    points = points[len(points) // 2 :]
    if len(points) < 3:
        return Ways(0.0, 0.0, 1.0)
    last = float(points[-1][0])
    x, y = (np.log(np.array(column, dtype=float)) for column in zip(*points, strict=True))
    slope, level = np.polyfit(x - math.log(last), y, 1)
    return Ways(float(level), float(np.clip(slope, -STEEPEST, STEEPEST)), last)


class Guess(NamedTuple):
    """What one sweep says of a tier."""

    positions: float
    classes: float
    moves: float


class StateBits:
    """Which bits differ between the states that were seen, and how many marks of each kind a tier has."""

    def __init__(self, engine: Engine) -> None:
        self._group, self._cells, self._planes = engine.group, engine.rules.cells, engine.rules.planes
        self._ones = self._zeros = self._shared = 0
        self._marks: dict[int | None, dict[tuple[int, ...], int]] = defaultdict(Counter)

    def see(self, state: int, tier: int | None = None) -> None:
        """Take note of a state, of this tier if it is not to be counted."""
        self._ones |= state
        self._zeros |= ~state
        board = (1 << self._cells) - 1
        for plane in range(1, self._planes):
            self._shared |= state & state >> plane * self._cells & (1 << (self._planes - plane) * self._cells) - 1
        if tier is not None:
            marks = tuple((state >> plane * self._cells & board).bit_count() for plane in range(self._planes))
            self._marks[tier][marks] += 1

    def most(self, tier: int | None = None) -> tuple[int, int]:
        """Return how many states, and classes of them, differ in no other bits. Marks that share no cell are ways to
        mark a board; of a ``tier`` whose states all have equally many, only those with as many.
        """
        ones, zeros = (
            functools.reduce(int.__or__, self._group.images(seen & MASK)) for seen in (self._ones, self._zeros)
        )
        bits, varying = self._planes * self._cells, ones & zeros  # and what symmetries take them to
        board, others = (varying & (1 << bits) - 1).bit_count(), 1 << (varying >> bits).bit_count()
        if self._shared or not board or (self._cells + 1) ** self._planes > MOST_MARKINGS:
            return others << board, others << board
        marks = self._marks.get(tier, {})
        alike = len(marks) == 1 and sum(marks.values()) >= ALIKE
        ways = (table[next(iter(marks))] if alike else table.sum() for table in self._markings)
        positions, classes = (min(others << board, math.ceil(number * others * ROUNDED)) for number in ways)
        return positions, classes

    @functools.cached_property
    def _markings(self) -> tuple[np.ndarray, np.ndarray]:
        """The ways to mark the cells and their classes, see `Group.markings`."""
        return self._group.markings(self._cells, self._planes)


class Sampler:
    """Makes sweeps over the tiers that were not counted, until `time.monotonic` reaches ``ends``."""

    def __init__(self, engine: Engine, counted: Counted, generator: random.Random, ends: float) -> None:
        self.engine, self.rules, self.counted = engine, engine.rules, counted
        self.generator, self.ends = generator, ends
        self.bits = StateBits(engine)
        self.bits.see(engine.start)
        for states in (*(tier.states for tier in counted.tiers), *counted.frontier.values()):
            for state in states[:: -(-len(states) // LOOKED_AT)].tolist():
                self.bits.see(state)

    def play(self) -> bool:
        """Play random games for `PLAYED` seconds, to see states; return whether one has come to its end."""
        ended, state, ends = False, self.engine.start, time.monotonic() + PLAYED
        while time.monotonic() < ends:
            self.bits.see(state)
            moves = self.rules.moves(state)
            ended |= not moves
            state = self.generator.choice(moves)[1] if moves else self.engine.start
        return ended

    def sweep(self, size: int, ways: Ways) -> dict[int, Guess]:
        """Guess all tiers that were not counted, by a population of about ``size`` positions. Raises
        `OutOfTimeError`.
        """
        waiting = self._begin(size, ways)
        guesses: dict[int, Guess] = {}
        while waiting:
            tier = min(waiting)
            population = waiting.pop(tier)
            positions = classes = moves = 0.0
            children_each = max(1, size // len(population))
            for state, weight in population.items():
                if time.monotonic() > self.ends:
                    raise OutOfTimeError
                self.bits.see(state, tier)
                positions += weight
                classes += weight / self.engine.orbit_size(self.engine.canonical(state))
                options = self.rules.moves(state)
                moves += weight * len(options)
                children = [(child, self._tier_of(child, tier)) for _, child in options]
                children = [each for each in children if each[1] != tier]  # where some moves of a loopy game stay
                some = self.generator.sample(children, min(children_each, len(children)))
                for child, later in some:
                    self._add(waiting, child, later, weight * len(children) / len(some), ways)
            guesses[tier] = Guess(positions, classes, moves)
        return guesses

    def _begin(self, size: int, ways: Ways) -> dict[int, dict[int, float]]:
        """Return weighted positions that moves from the counted tiers lead to, by tier."""
        waiting: dict[int, dict[int, float]] = {}
        entered = {tier: moves for tier, moves in self.counted.entered().items() if tier in self.counted.frontier}
        first = min(entered)
        for number, moves in entered.items():
            if number == first and not self.rules.loopy:  # all of its positions are known
                states = self.counted.frontier[number]
                total = int(self.engine.orbit_sizes(states).sum(dtype=np.int64))
                of_tier = Counter(self._draw(states, size))
                waiting[number] = {state: times * total / size for state, times in of_tier.items()}
                continue
            children = self._edges(number, max(4, size * moves // sum(entered.values())))
            for child in children:
                self._add(waiting, child, number, moves / len(children), ways)
        return waiting

    def _add(self, waiting: dict[int, dict[int, float]], child: int, tier: int, moves: float, ways: Ways) -> None:
        """Add a position to which so many ``moves`` lead."""
        of_tier = waiting.setdefault(tier, {})
        stands_for = moves * ways.share(tier - self.counted.tiers[0].number)
        of_tier[child] = min(MOST_WEIGHT, of_tier.get(child, 0.0) + stands_for)

    def _tier_of(self, state: int, before: int) -> int:
        """Return the tier of a state that follows one of the tier ``before``."""
        if self.rules.tier is not None:
            return int(self.rules.tier(state))
        return before if self.rules.loopy else before + 1

    def _edges(self, wanted: int, number: int) -> list[int]:
        """Return the states after about ``number`` random moves from earlier counted tiers into the tier ``wanted``."""
        sources = [each for each in self.counted.tiers if wanted in each.leads and each.number != wanted]
        weights = [each.leads[wanted] for each in sources]
        states: list[int] = []
        for row, times in Counter(self.generator.choices(range(len(sources)), weights, k=number)).items():
            drawn = self._draw(sources[row].states, SPARE * times)
            moves = [(sources[row].number, child) for state in drawn for _, child in self.rules.moves(state)]
            children = [child for before, child in moves if self._tier_of(child, before) == wanted]
            states += self.generator.choices(children, k=times) if children else []
        return states

    def _draw(self, states: np.ndarray, number: int) -> list[int]:
        """Draw ``number`` states of these classes, each position with the same chance."""
        drawn = np.random.default_rng(self.generator.getrandbits(63))
        some = states[drawn.integers(len(states), size=4 * number)]
        orbits = self.engine.orbit_sizes(some).astype(float)
        return [int(state) for state in drawn.choice(some, number, p=orbits / orbits.sum())]
