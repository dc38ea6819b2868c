"""What it takes to solve a game of a known size: memory, disk and time, each as the ends of an interval; and how large
shards are: what one task may hold in memory decides, never how many tasks run at once.

Memory follows from the arrays of the passes, as `analysis.engine.plan` has them. Bytes of files and seconds were
measured; `benchmarks/planning_costs.py` measures them again and says how often the intervals hold.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from analysis.engine.columns import PART, TALLIES
from analysis.engine.engine import Engine
from analysis.engine.plan import LIMB, STATE, Plan, likely_games, most_games, refuse_uncountable
from analysis.errors import TooLargeError
from analysis.machine.memory import Budget, readable, taken_bytes
from analysis.solution.storage.store import Tables
from analysis.solving.planning.sizes import GameSizes, Interval

SURE = 10.0
"""Bits by which random games may say too much or too little of the number of games."""
LOOPY_STATE, LOOPY_MOVE = 46, 8
"""Bytes of a state and of a move of a tier with loops while it is solved."""
SLOT = 16
"""Bytes of a state in a hash table, at least; at most twice as many."""
LINK = 6
"""Bytes of a move that is kept from counting histories to solving while there is room."""


class Span(NamedTuple):
    """From where to where a number lies."""

    low: float
    high: float

    def __add__(self, other: Span) -> Span:  # type: ignore[override]
        """The sum of both."""
        return Span(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Span) -> Span:  # type: ignore[override]
        """The product of both."""
        return Span(self.low * other.low, self.high * other.high)

    @property
    def middle(self) -> float:
        """What is expected: as many times the low end as the high end is times it."""
        return math.sqrt(max(1.0, self.low) * self.high)

    def to_json(self) -> dict[str, int]:
        """As integers, rounded outward."""
        return {"low": math.floor(self.low), "high": math.ceil(self.high)}


def _ends(interval: Interval) -> Span:
    return Span(interval.low, interval.high)


NOTHING = Span(0, 0)

LOADED = Span(0, 24 << 20)
"""Bytes of what a solve loads and of its buffers, beside the arrays."""

TIER_BYTES, COUNTED_TIER_BYTES = Span(2000, 6500), Span(500, 5000)
"""Of the files of a tier, whatever is in them, and what counts add."""
CLASS_BYTES = Span(0.6, 3.5)
"""Of a class in the result, without counts."""
COUNT_BITS = {1: Span(0.45, 1.4), 2: Span(0.45, 3.0)}
"""Of all counts of a class in the result, by limbs, for each bit of the number of games."""
TEXT_BYTES, MOVE_BYTES = Span(2, 14), Span(0.5, 4)
"""Of a class as text, and of a move of a class, in the tables that are made on request."""

SCRATCH_BYTES, ASKED_BYTES = Span(0.35, 2.0), Span(0, 2.0)
"""Of a class in shards at the peak, without counts; and of a move of a class where moves lead to several tiers."""
SCRATCH_BITS = Span(0.2, 1.6)
"""Of its histories and answers, for each bit of the number of games."""
SCRATCH_TIER_BYTES = Span(0, 10_000)
"""Of a tier."""

EXPANDED = 1.0e-8
"""Processor seconds in which a move is followed, where no speed was measured."""
SOLVED = Span(0.3, 2.2)
"""Times that solving a class takes, without counts, as long as counting one of the first tiers took."""
COUNTED, COUNTED_BY_LENGTH = Span(1.0, 2.2), Span(1.0, 9.0)
"""Times that, with counts, in a game by plies and in others."""
SHARDED = Span(1.1, 4.0)
"""Times a solve in memory that one in shards takes."""
CLUSTER = Span(1.0, 1.3)
"""Times that it takes on a cluster, scheduler and driver included, see benchmarks/cluster.py."""
WRITTEN = Span(2e-8, 5e-7)
"""Processor seconds of a class for its row of the tables."""
TIER_SECONDS, SHARD_SECONDS, SHARDS_SECONDS = Span(0.0005, 0.03), Span(0.005, 0.15), Span(0.005, 0.3)
"""Seconds of a tier for its files: of the result, and in shards; where moves lead to several tiers, too."""
AT_ONCE = 0.5
"""The share of its time that each worker after the first saves, at least."""


class Costs(NamedTuple):
    """What a solve takes. Bytes of memory are those that have to be free, as the passes ask for them, beside what the
    program itself takes; fewer are touched.
    """

    memory: Span
    """Where all tiers stay in memory."""
    writing: Span
    """Where each tier is written to a directory and dropped."""
    sharded: Span
    """In shards on the disk: from what it can be done with, slowly, to what one task has before there are several."""
    task: Span
    """Of that, what it cannot be done without."""
    scratch: Span
    """Bytes of disk at most at a time, beside the result, of a solve in shards."""
    directory: Span
    """Bytes of the result."""
    seconds: Span
    """In memory, into a directory."""
    sharded_seconds: Span
    worker_seconds: Span
    """Of all workers together that solve it in shards, on this machine or on a cluster."""


def costs_of(engine: Engine, sizes: GameSizes, tables: Tables, bits: Span | None = None) -> Costs:
    """What a game of this size takes, with counts if ``tables`` has them; ``bits`` are those of the number of games
    (None: as random games say). Raises `CountOverflowError` where games cannot be counted.
    """
    counts = tables.counts and not engine.loopy
    if counts and bits is None:
        refuse_uncountable(engine)
        likely = likely_games(engine) / math.log(2)
        bits = Span(max(0.0, likely - SURE), min(likely + SURE, most_games(engine) / math.log(2)))
    limbs = (1, 1) if bits is None else (1 if bits.low < 64 else 2, 1 if bits.high <= 64 else 2)
    in_memory, written = (
        Span(*(_memory(engine, _End.of(sizes, end), held, counts, limbs[end]) for end, held in enumerate(ways)))
        + LOADED
        for ways in ((True, True), (False, not engine.by_ply))  # tiers wait in memory that several others lead to
    )
    disk, scratch = _disk(engine, sizes, tables, counts, bits or NOTHING)
    times = _seconds(engine, sizes, counts)
    task = Span(*(_of_shards(engine, _End.of(sizes, end), counts) for end in (0, 1)))
    roomy = Span(task.low, _of_shards(engine, _End.of(sizes, 1), counts, ENOUGH))
    return Costs(in_memory, written, roomy, task, scratch, disk, *times)


class _End(NamedTuple):
    """The size of a game at the low or the high end."""

    total: float
    """Classes."""
    largest: float
    """Classes of the largest tier."""
    at_depth: float
    """The sum over classes of how many tiers there are up to theirs: as many plies may lead to it."""
    moves: float
    """Of classes."""
    high: bool
    """Which end it is."""

    @classmethod
    def of(cls, sizes: GameSizes, end: int) -> _End:
        """With ``end`` 0 the low one, with 1 the high one."""
        total, tiers = _ends(sizes.canonical)[end], [_ends(tier.canonical)[end] for tier in sizes.tiers]
        share = min(1.0, total / max(1, sum(tiers))) if tiers else 1.0
        moves = _ends(sizes.moves)[end] * total / max(1, _ends(sizes.positions)[end])
        if not tiers:
            return cls(total, total * end, total, moves, bool(end))
        depth = share * sum(number * size for number, size in enumerate(tiers, 1))
        return cls(total, min(total, max(tiers)), depth, moves, bool(end))


def _memory(engine: Engine, end: _End, in_memory: bool, counts: bool, limbs: int) -> float:
    """Bytes that the passes of a solve ask for, as their arrays take at the most."""
    plan = Plan(Budget(0), in_memory, len(TALLIES) if counts else 0, engine.workers.threads)
    scratch = engine.scratch_bytes(int(end.largest))
    backward = plan.peak(end.total, end.largest, limbs) + scratch
    if engine.loopy:
        of_tier, inside = LOOPY_STATE * end.largest, LOOPY_MOVE * end.moves * end.largest / max(1, end.total)
        return backward + of_tier + inside if end.high else STATE * end.total + of_tier + scratch
    if not counts:
        return backward
    if engine.by_ply:
        return backward + LINK * end.moves * end.high
    by_plies = LIMB * limbs * end.at_depth
    counting = 2 * by_plies + (STATE + SLOT * (1 + end.high)) * end.total + scratch
    return max(counting, backward + by_plies)


def _of_shards(engine: Engine, end: _End, counts: bool, times: float = 1) -> float:
    """Bytes of one task of a solve in shards, which has so many ``times`` what the smallest needs."""
    plies = 1 if engine.by_ply else max(1, int(end.at_depth / max(1, end.total)))
    least = TaskBytes.of(engine, counts=counts, plies=plies).least() * times
    return max(least, _memory(engine, end._replace(total=end.largest), False, False, 1)) if engine.loopy else least


def _disk(engine: Engine, sizes: GameSizes, tables: Tables, counts: bool, bits: Span) -> tuple[Span, Span]:
    """Bytes of the result, and of what lies beside it."""
    classes, tiers = _ends(sizes.canonical), max(1, len(sizes.tiers))
    moves = Span(*(_End.of(sizes, which).moves for which in (0, 1)))
    a_class, scratch, a_tier = CLASS_BYTES, SCRATCH_BYTES, TIER_BYTES
    if counts:
        shares = Span(COUNT_BITS[1 if bits.low < 64 else 2].low, COUNT_BITS[1 if bits.high <= 64 else 2].high)
        a_class += bits * shares * Span(1 / 8, 1 / 8)
        scratch += bits * SCRATCH_BITS * Span(1 / 8, 1 / 8)
        a_tier += COUNTED_TIER_BYTES
    if tables.text:
        a_class += TEXT_BYTES
    number, asked = Span(tiers, tiers), NOTHING if engine.by_ply else moves * ASKED_BYTES
    more = moves * MOVE_BYTES if tables.moves else NOTHING
    return classes * a_class + a_tier * number + more, classes * scratch + SCRATCH_TIER_BYTES * number + asked


def _seconds(engine: Engine, sizes: GameSizes, counts: bool) -> tuple[Span, Span, Span]:
    """How long it takes in memory, and in shards, and how long that is for all workers together."""
    classes = _ends(sizes.canonical)
    speed = sizes.speed
    if speed is not None and speed.classes and speed.seconds:
        a_class = speed.seconds / speed.classes
    else:
        a_class = EXPANDED * engine.rules.max_moves
    solving = classes * Span(a_class, a_class) * SOLVED
    if counts:
        solving *= COUNTED if engine.by_ply else COUNTED_BY_LENGTH
    writing, threads, tiers = classes * WRITTEN, engine.workers.threads, max(1, len(sizes.tiers))
    shared, number = Span(1 / threads, 1 / (1 + AT_ONCE * (threads - 1))), Span(tiers, tiers)
    a_tier = SHARD_SECONDS if engine.by_ply or engine.loopy else SHARDS_SECONDS
    in_memory = (solving + writing) * shared + TIER_SECONDS * number
    worked = solving * SHARDED + writing
    return in_memory, worked * shared + a_tier * number, (worked + a_tier * number) * CLUSTER


# Shards ---------------------------------------------------------------------------------------------------------------

LIMBS = 2
"""Of counts, while it is not known that one will do."""
LEAST_STATES = 1 << 12
"""A shard of fewer states is not worth its files."""
ENOUGH = 3
"""Times what the smallest shards need: a task has so much before there is one more at the same time."""
TABLE = 32
"""Bytes of a state in a hash table, at most."""
LABELS = 16
"""Bytes of a state's labels, and of its row while it is looked up."""
ROW = 24
"""Bytes of a row of ``positions/`` while it is written, but for counts."""
SLACK = 8 << 20
"""Bytes for what is not an array of the sizes below."""
MERGED, ASKED = 2, 2
"""States that are merged for each state of a shard, and different children, at most."""


class ShardSizes(NamedTuple):
    """The most that one task of a tier deals with."""

    merged: int
    """States that are read to be merged, those of several files that are the same included."""
    states: int
    """States of a shard."""
    asks: int
    """Different children of a shard's states."""


class TaskBytes(NamedTuple):
    """What a task holds, in bytes."""

    fixed: float
    a_state: float
    """For each state of its shard, as merging, expanding or solving it need most."""
    written: float
    """For each state besides, while its part of the tables is written: of `PART` states at most."""

    @classmethod
    def of(cls, engine: Engine, *, counts: bool, plies: int) -> TaskBytes:
        """With histories of so many ``plies``, if there are ``counts``."""
        a_limb = LIMB * LIMBS * counts
        histories, of_children, tallies = a_limb * plies, a_limb * (plies + 1), a_limb * len(TALLIES)
        merging = MERGED * (3 * STATE + 2 * histories)
        expanding = MERGED * (STATE + histories) + ASKED * max(3 * STATE, STATE + TABLE + of_children)
        solving = STATE + LABELS + histories + a_limb + tallies + ASKED * (STATE + TABLE + LABELS + tallies)
        fixed = SLACK + engine.scratch_bytes(engine.chunk)
        return cls(fixed, max(merging, expanding, solving), 2 * (ROW + a_limb + tallies))

    def least(self, states: int = LEAST_STATES) -> float:
        """With the smallest shards, of a tier of at most so many states."""
        return self.fixed + min(states, LEAST_STATES) * (self.a_state + self.written)


def shard_sizes(engine: Engine, task_bytes: float, *, counts: bool, plies: int, most: int = LEAST_STATES) -> ShardSizes:
    """The sizes with which a task of a tier of at ``most`` so many states holds at most ``task_bytes``; histories are
    of so many ``plies``. Raises `TooLargeError` where these are too few.
    """
    task = TaskBytes.of(engine, counts=counts, plies=plies)
    least = task.least(most)
    if task_bytes < least:
        raise TooLargeError(
            f"one task of {engine.game.spec} needs about {readable(least)}, and {readable(max(0, task_bytes))} "
            f"are free for it; the program itself takes {readable(taken_bytes())}: give more --memory"
        )
    states = int((task_bytes - task.fixed) // (task.a_state + task.written))
    if states > PART:
        states = max(PART, int((task_bytes - task.fixed - PART * task.written) // task.a_state))
    return ShardSizes(MERGED * states, states, ASKED * states)
