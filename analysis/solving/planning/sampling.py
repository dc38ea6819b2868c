"""Count tiers one after another for some seconds, and estimate the others from random games, weighted so that each
position counts once.

Knuth (Estimating the efficiency of backtrack programs, 1975) weights a random path by the moves that it might have
taken instead, which counts paths. Dividing at each step by the number of ways into the position (Pitt, A note on
extending Knuth's tree estimator to directed acyclic graphs, 1987) counts positions. Here games start from positions of
the counted tiers, and a population of them proceeds tier by tier.

Rules say what follows a position, not what precedes it. A move changes some bits of a state, and random games show
which changes occur: the bits that are set and those that are cleared. Predecessors of a state are sought among the
states without such a change, and kept if the rules have a move from there to the state, and play gets there.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ...engine.engine import Engine
from ...engine.kernels.radix_sort import sorted_keys
from ...engine.passes.forward_by_ply import EXACT, Run, refuse_any_repetition, refuse_negative, sorted_distinct
from ...engine.passes.forward_by_tier import Frontier, StateSet, check_tiers, start_tier
from ...machine.time_limit import OvertimeError, TimeLimit
from ...machine.workers import Stage, tell_progress
from ...rules.game import ONGOING, Rules

MOST_STATES = 60_000_000
"""The most states kept of the counted tiers: half a gigabyte."""
GAMES, PLIES = 200, 1000
"""Random games that are played to see changes, and the most plies of each."""
MOST_CHANGES = 20_000
"""The most frequent changes that are tried."""
LOOKED_AT = 100
"""Positions examined on the way back to a known one before a position counts as unreached."""
GIVEN_UP, AT_LEAST = 0.01, 3
"""The share of checks without an answer up to which they are trusted, and how many may have none in any case."""
KEPT = 400_000
"""Positions for which results are remembered."""
MOST_WEIGHT, MOST_LOG = 1e60, 100.0
"""The most that a position may stand for, and the most by which that may grow at once, as a logarithm: far more than
there are states.
"""
LEARNT = 24
"""The number of last counted tiers from which the error of weights is learnt."""
SPARE = 2
"""States drawn for each wanted move, since some have none into the tier."""


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
    seconds: float
    """Processor seconds."""
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


class _OutOfTimeError(Exception):
    """A tier, of which some classes were found, would take too long."""

    def __init__(self, found: int = 0) -> None:
        super().__init__()
        self.found = found


def count_tiers(engine: Engine, seconds: float, most_tiers: int | None = None) -> Counted:
    """Count the first tiers of a game: all that can be counted within ``seconds``, or at most ``most_tiers``. Raises
    `RulesError` if the rules fail.
    """
    ends, began = time.monotonic() + seconds, time.process_time()
    frontier = Frontier(engine)
    start = np.array([engine.canonical(engine.start)], dtype=np.int64)
    frontier.add(0 if engine.by_ply else start_tier(engine), Run(start))
    tiers: list[CountedTier] = []
    rest: dict[int, np.ndarray] = {}
    met: dict[int, int] = {}
    held = 0
    while frontier:
        number, (states, *_) = frontier.take()
        try:
            if most_tiers is not None and len(tiers) >= most_tiers:
                raise _OutOfTimeError
            first = not tiers and not engine.loopy
            tier, children = _expanded(engine, number, states, math.inf if first else ends, MOST_STATES - held)
        except _OutOfTimeError as error:
            rest = {number: states, **{each: run.states for each, run in frontier.take_all().items()}}
            met = {each: len(found) for each, found in rest.items()}
            met[number] = max(met[number], error.found)
            break
        held += len(tier.states)
        tell_progress(Stage("counting"), held, None)
        for later, found in children.items():
            frontier.add(later, found)
        tiers.append(tier)
        if first:  # whose time may be that of compiling
            ends, began = time.monotonic() + seconds, time.process_time()
    if engine.by_ply and held <= EXACT:
        refuse_any_repetition(engine, [tier.states for tier in tiers])
    return Counted(tiers, rest, met, time.process_time() - began, engine.loopy)


def _expanded(
    engine: Engine, number: int, states: np.ndarray, ends: float, most: int
) -> tuple[CountedTier, dict[int, Run]]:
    """Expand a tier of which these states are known; return it, with the states in later tiers that its moves lead to.
    Raises `_OutOfTimeError`.
    """
    leads: dict[int, int] = defaultdict(int)
    later = Frontier(engine)
    pieces: list[np.ndarray] = []
    positions, moves, fresh = 0, 0, states
    known = StateSet(len(states)) if engine.loopy else None
    if known is not None:
        fresh = known.add(states)
    while len(fresh):
        inside = [np.empty(0, dtype=np.int64)]
        for rows in engine.chunks(len(fresh)):
            if time.monotonic() > ends or later.waiting + sum(map(len, pieces)) + len(fresh) > most:
                raise _OutOfTimeError(known.count if known is not None else len(states))
            chunk = fresh[rows]
            branching, tiers, children = _moves(engine, number, chunk)
            orbits = engine.orbit_sizes(chunk).astype(np.int64)
            positions += int(orbits.sum())
            moves += int((orbits * branching).sum())
            edges = np.repeat(orbits, branching)
            for tier in np.unique(tiers).tolist():
                to_it = tiers == tier
                leads[tier] += int(edges[to_it].sum())
                if tier == number and known is not None:
                    inside.append(known.add(children[to_it]))
                else:
                    later.add(tier, Run(sorted_distinct(children[to_it])))
        pieces.append(fresh)
        fresh = np.concatenate(inside)
    whole = states if known is None else sorted_keys(np.concatenate(pieces)).copy()
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


class Change(NamedTuple):
    """What a move does to the bits of a state."""

    set: int
    cleared: int
    code: int

    @classmethod
    def of(cls, state: int, code: int, child: int) -> Change:
        """Return the change that a move makes."""
        return cls(child & ~state, state & ~child, code)


def seen_changes(rules: Rules, start: int, generator: random.Random, seconds: float) -> Counter[Change]:
    """Count how often each change occurs among the moves of all positions of some random games."""
    found: Counter[Change] = Counter()
    ends = time.monotonic() + seconds
    for _ in range(GAMES):
        state = start
        for _ in range(PLIES):
            moves = rules.moves(state)
            if not moves or time.monotonic() > ends:
                break
            found.update(Change.of(state, *move) for move in moves)
            state = generator.choice(moves)[1]
    return found


class Predecessors:
    """Finds predecessors of a position by the changes that were seen.

    ``known(state, depth)`` says whether play reaches a state of a counted tier, and returns None for later ones;
    ``depth`` is the ply of the state in a game by plies, else its tier. A ``limit`` of time guards the rules at each
    state.
    """

    def __init__(
        self,
        rules: Rules,
        changes: Counter[Change],
        known: Callable[[int, int], bool | None],
        generator: random.Random,
        limit: TimeLimit,
    ) -> None:
        self.rules, self._known, self._generator, self._limit = rules, known, generator, limit
        self.coverage = 1 - sum(count == 1 for count in changes.values()) / max(1, sum(changes.values()))
        """The share of moves that make one of the seen changes (Good and Turing's estimate, from those seen once)."""
        self.changes = dict.fromkeys(change for change, _ in changes.most_common(MOST_CHANGES))
        """The changes that are tried."""
        self._arrays = self._made_arrays()
        self._reached: dict[int, bool] = {}
        self._counts: dict[tuple[int, bool], int] = {}
        self.endless = False
        """Whether the rules did not return for bits that are no position."""
        self._asked = self._given_up = 0
        """Positions asked about whether play gets there, and those without an answer."""

    @property
    def reliable(self) -> bool:
        """Whether nearly all checks found an answer."""
        return not self.endless and self._given_up <= max(AT_LEAST, GIVEN_UP * self._asked)

    def learn(self, state: int, moves: list[tuple[int, int]]) -> None:
        """From now on, also try the changes that the moves of a state make."""
        before = len(self.changes)
        if before < MOST_CHANGES:
            self.changes.update(dict.fromkeys(Change.of(state, *move) for move in moves))
            if len(self.changes) > before:
                self._arrays = self._made_arrays()

    def _made_arrays(self) -> np.ndarray:
        return np.array([*self.changes], dtype=np.int64).reshape(-1, 3).T

    def count(self, child: int, depth: int, *, checked: bool) -> int:
        """Return from how many positions a move leads to a position: from those that play reaches or, if not
        ``checked``, from all that the rules take for positions.
        """
        key = child, checked
        if key not in self._counts:
            if len(self._counts) > KEPT:
                self._counts.clear()
            before = dict(self._candidates(child, depth))
            self._counts[key] = sum(self._is_reached(*each) for each in before.items()) if checked else len(before)
        return self._counts[key]

    def _candidates(self, child: int, depth: int) -> Iterator[tuple[int, int]]:
        """Yield the states with a move to a child, and their depths, in any order, whether or not play gets there."""
        made, cleared, codes = self._arrays
        fits = ((made & ~child) | (cleared & child)) == 0
        found = list(zip((made[fits] ^ cleared[fits] ^ child).tolist(), codes[fits].tolist(), strict=True))
        self._generator.shuffle(found)
        for parent, code in found:
            before = self._depth_if_before(parent, code, child, depth)
            if before is not None:
                yield parent, before

    def _depth_if_before(self, parent: int, code: int, child: int, depth: int) -> int | None:
        """Return the depth of some bits if they are a position from which a move leads to a child; for other bits the
        rules may fail in any way, or never return.
        """
        rules = self.rules
        if parent < 0 or self.endless:
            return None
        self._limit.start()
        try:
            before = depth - 1 if rules.tier is None else int(rules.tier(parent))
            if (rules.tier is not None and not 0 <= before < depth) or rules.outcome(parent) != ONGOING:
                return None
            codes = [0] * (rules.max_moves + 1)
            leads = code in codes[: rules.legal_moves(parent, codes)] and rules.play(parent, code) == child
            return before if leads else None
        except Exception:  # the rules may fail in any way on what is no position
            return None
        except OvertimeError:
            self.endless = True
            return None
        finally:
            self._limit.stop()

    def _is_reached(self, state: int, depth: int) -> bool:
        """Return whether some way back from a state ends at one that is known to be reached, by depth-first search."""
        self._asked += 1
        if len(self._reached) > KEPT:
            self._reached.clear()
        left = LOOKED_AT
        trail = [(state, iter([(state, depth)]))]
        while trail:
            node, alternatives = trail[-1]
            place, at = next(alternatives, (-1, 0))
            if place < 0:
                trail.pop()
                self._reached[node] = False
                continue
            answer = self._reached.get(place)
            if answer is None:
                answer = self._known(place, at)
            if answer:
                self._reached.update((passed, True) for passed, _ in trail)
                return True
            left -= 1
            if left < 0:
                self._given_up += 1
                self._reached[state] = False
                return False
            if answer is None:
                trail.append((place, self._candidates(place, at)))
        return False


class Ways(enum.Enum):
    """What counts as a way into a position; the less is known of these ways, the more is learnt as a `Correction`."""

    CHECKED = enum.auto()
    """Moves from positions that play reaches: exact."""
    SEEN = enum.auto()
    """Moves from whatever the rules take for a position."""
    TYPICAL = enum.auto()
    """One: all positions of a tier are assumed to have equally many."""


class Correction(NamedTuple):
    """The logarithm of the factor that corrects the weights of a tier, as in the counted tiers."""

    level: float = 0.0
    error: float = 0.0
    """One standard error."""


class Guess(NamedTuple):
    """What one sweep says of a tier."""

    positions: float
    canonical: float
    moves: float


class OutOfTimeError(Exception):
    """A sweep takes too long, or checks do not find an answer."""


class Sampler:
    """Makes sweeps over the tiers that were not counted, until `time.monotonic` reaches ``ends``."""

    def __init__(
        self, engine: Engine, counted: Counted, before: Predecessors, generator: random.Random, ways: Ways, ends: float
    ) -> None:
        self.engine, self.rules, self.counted, self.before = engine, engine.rules, counted, before
        self.generator, self.ways, self.ends = generator, ways, ends

    # Ways into a position ---------------------------------------------------------------------------------------------

    def _share(self, state: int, tier: int) -> float:
        """Return one over the number of ways into a state."""
        if self.ways is Ways.TYPICAL:
            return 1.0
        return 1 / max(1, self.before.count(state, tier, checked=self.ways is Ways.CHECKED))

    def _tier_of(self, state: int, before: int) -> int:
        """Return the tier of a state that follows one of the tier ``before``."""
        if self.rules.tier is not None:
            return int(self.rules.tier(state))
        return before if self.rules.loopy else before + 1

    def learn(self, edges: int) -> Correction:
        """Return the factor that corrects the weights of later tiers: the size of each counted tier, relative to what
        this many random moves into it suggest. Raises `OutOfTimeError`.
        """
        entered = self.counted.entered()
        tiers = self.counted.tiers[1:]
        tiers = ([each for each in tiers if each.positions > len(tiers)] or tiers)[-LEARNT:]
        logs = []
        for tier in tiers:
            states = [] if self.ways is Ways.TYPICAL else self._edges(tier.number, edges)
            shares = [self._share(state, tier.number) for state in states]
            if shares or self.ways is Ways.TYPICAL:
                said = entered[tier.number] * (float(np.mean(shares)) if shares else 1.0)
                logs.append((tier.number - self.counted.tiers[0].number, math.log(tier.positions / said)))
        last = logs[len(logs) // 2 :]
        if len(last) < 4:
            values = [value for _, value in last] or [0.0]
            return Correction(float(np.mean(values)), float(np.std(values)))
        x, y = np.log([tier + 1.0 for tier, _ in last]), np.array([value for _, value in last])
        line = np.polyfit(x - x[-1], y, 1)
        squares = float(((y - np.polyval(line, x - x[-1])) ** 2).sum())
        return Correction(float(line[1]), math.sqrt(squares / (len(last) - 2) / len(last)))

    def _edges(self, wanted: int, number: int) -> list[int]:
        """Return the states after about ``number`` random moves from earlier counted tiers into the tier ``wanted``."""
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
        """Draw ``number`` states of these classes, each position with the same chance."""
        drawn = np.random.default_rng(self.generator.getrandbits(63))
        some = states[drawn.integers(len(states), size=4 * number)]
        orbits = self.engine.orbit_sizes(some).astype(float)
        return [int(state) for state in drawn.choice(some, number, p=orbits / orbits.sum())]

    def _check_time(self) -> None:
        unsure = self.before.endless if self.ways is Ways.SEEN else not self.before.reliable
        if time.monotonic() > self.ends or (unsure and self.ways is not Ways.TYPICAL):
            raise OutOfTimeError

    # Sweeps -----------------------------------------------------------------------------------------------------------

    def sweep(self, size: int, level: float) -> dict[int, Guess]:
        """Guess all tiers that were not counted, by a population of about ``size`` positions, multiplying weights in
        each tier by the factor whose logarithm is ``level``. Raises `OutOfTimeError`.
        """
        waiting = self._begin(size, level)
        found: dict[int, Guess] = {}
        while waiting:
            tier = min(waiting)
            population = waiting.pop(tier)
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
                    self._add(waiting, child, self._tier_of(child, tier), weight * len(later) / len(some), level)
            found[tier] = Guess(positions, canonical, moves)
        return found

    def _begin(self, size: int, level: float) -> dict[int, dict[int, float]]:
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
                self._add(waiting, child, number, moves / len(children), level)
        return waiting

    def _add(self, waiting: dict[int, dict[int, float]], child: int, tier: int, weight: float, level: float) -> None:
        """Add a position, which stands for fewer positions the more moves lead to it."""
        of_tier = waiting.setdefault(tier, {})
        stands_for = weight * self._share(child, tier) * math.exp(min(MOST_LOG, level))
        of_tier[child] = min(MOST_WEIGHT, of_tier.get(child, 0.0) + stands_for)
