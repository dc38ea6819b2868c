"""Predict what it takes to solve a game of a known size: memory, disk and time, each as an interval; and decide how
large shards are, which depends on the memory of one task and never on how many tasks run at once.

Memory follows from the arrays of the passes, see `analysis.engine.plan`. Bytes of files and seconds were measured;
`benchmarks/planning_costs.py` measures them again and says how often the intervals hold.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...common.memory import Budget, readable, taken_bytes
from ...engine.columns import ONE_LIMB, PART, TALLIES
from ...engine.engine import Engine
from ...engine.plan import LIMB, STATE, Plan, likely_games, most_games, refuse_uncountable
from ...errors import TooLargeError
from ...solution.storage.store import Tables
from .sizes import GameSizes, Interval

SURE = 10.0
"""Bits by which random games may misjudge the number of games in either direction."""
SLOT = 16
"""The least bytes of a state in a hash table; at most twice as many."""
LINK = 6
"""Bytes of a move that is kept from counting histories until solving while there is room."""


class Span(NamedTuple):
    """An interval of a number."""

    low: float
    high: float

    def __add__(self, other: Span) -> Span:  # type: ignore[override]
        """Return the sum of both."""
        return Span(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Span) -> Span:  # type: ignore[override]
        """Return the product of both."""
        return Span(self.low * other.low, self.high * other.high)

    @property
    def middle(self) -> float:
        """The expected number: the geometric mean of the ends."""
        return math.sqrt(max(1.0, self.low) * self.high)

    def to_json(self) -> dict[str, int]:
        """Return the ends as integers, rounded outward."""
        return {"low": math.floor(self.low), "high": math.ceil(self.high)}


def _ends(interval: Interval) -> Span:
    return Span(interval.low, interval.high)


NOTHING = Span(0, 0)

LOOPY_STATE, HELD_MOVE, LISTED_MOVE = 6, Span(0.1, 5.0), Span(0.1, 9.0)
"""Bytes of a state and of a move, in memory and on the disk, of a tier in which play may return while it is solved,
besides the labels: moves that win at once leave no list.
"""
PAIRED = 1 << 22
"""Moves of a tier up to about which they take eight bytes each in memory."""
WAVES_STATE = 2.5
"""Bytes of such a state while waves spread in shards."""

LOADED = Span(0, 24 << 20)
"""Bytes of what a solve loads and of its buffers, besides the arrays."""

TIER_BYTES, COUNTED_TIER_BYTES = Span(2000, 6500), Span(500, 5000)
"""Bytes of a tier's files, whatever they contain, and what counts add."""
CLASS_BYTES = Span(0.6, 3.5)
"""Bytes of a class in the result, without counts."""
COUNT_BITS = {1: Span(0.45, 1.4), 2: Span(0.45, 3.0)}
"""Bytes of all counts of a class in the result, for each bit of the number of games, by limbs."""

SCRATCH_BYTES, ASKED_BYTES = Span(0.35, 2.0), Span(0, 2.0)
"""Bytes of a class in shards at the peak, without counts; and of a move of a class where moves lead to several tiers.
"""
SCRATCH_BITS = Span(0.2, 1.6)
"""Bytes of its histories and answers, for each bit of the number of games."""
SCRATCH_TIER_BYTES = Span(0, 10_000)
"""Bytes of a tier."""

EXPANDED = 1.0e-8
"""Processor seconds to follow a move, if no speed was measured."""
SOLVED = Span(0.3, 2.5)
"""The time to solve a class without counts, as a multiple of the time to find one in the first tiers."""
COUNTED, COUNTED_BY_LENGTH = Span(1.0, 2.2), Span(1.0, 9.0)
"""The same with counts, in games by plies and in others."""
SHARDED = Span(1.1, 4.0)
"""The time of a solve in shards, as a multiple of one in memory."""
WRITTEN = Span(2e-8, 5e-7)
"""Processor seconds of a class for its row of the tables."""
TIER_SECONDS, SHARD_SECONDS, SHARDS_SECONDS = Span(0.0005, 0.03), Span(0.005, 0.15), Span(0.005, 0.3)
"""Seconds of a tier for its files: of the result, in shards, and in shards where moves lead to several tiers."""
AT_ONCE = 0.5
"""The least share of its time that each worker after the first saves."""


class Costs(NamedTuple):
    """What a solve takes. Bytes of memory are those that must be free, as the passes ask for them, besides the program
    itself; fewer are touched.
    """

    memory: Span
    """Bytes of memory if all tiers stay there."""
    writing: Span
    """Bytes of memory if each tier is written to a directory and dropped."""
    task: Span
    """Bytes of memory of one task in shards on the disk, with which it is slow; more allows several tasks at once."""
    scratch: Span
    """Peak bytes on the disk besides the result, of a solve in shards."""
    directory: Span
    """Bytes of the result."""
    seconds: Span
    """Seconds in memory, into a directory."""
    sharded_seconds: Span
    """Seconds in shards."""

    @property
    def disk(self) -> Span:
        """Bytes on the disk of a solve in shards, at the peak."""
        return self.scratch + self.directory


def costs_of(engine: Engine, sizes: GameSizes, tables: Tables, bits: Span | None = None) -> Costs:
    """Predict what a game of this size takes, with counts if ``tables`` has them; ``bits`` are those of the number of
    games (None: as random games say). Raises `CountOverflowError` if the games cannot be counted.
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
        for ways in ((True, True), (False, not engine.by_ply))  # tiers that several others lead to wait in memory
    )
    disk, scratch = _disk(engine, sizes, tables, counts, bits or NOTHING)
    times = _seconds(engine, sizes, counts)
    task = Span(*(_of_shards(engine, _End.of(sizes, end), counts) for end in (0, 1)))
    return Costs(in_memory, written, task, scratch, disk, *times)


class _End(NamedTuple):
    """The size of a game at the low or high end."""

    total: float
    """Classes."""
    largest: float
    """Classes of the largest tier."""
    at_depth: float
    """The sum over classes of the number of tiers up to theirs, which bounds the plies that lead to them."""
    moves: float
    """Moves of classes."""
    high: bool
    """Whether it is the high end."""

    @property
    def listed(self) -> float:
        """Bytes of the moves of the largest tier, if play may return in it."""
        return LISTED_MOVE[self.high] * self.moves * self.largest / max(1, self.total)

    @classmethod
    def of(cls, sizes: GameSizes, end: int) -> _End:
        """Return the low end (``end`` 0) or the high one (1)."""
        total, tiers = _ends(sizes.classes)[end], [_ends(tier.classes)[end] for tier in sizes.tiers]
        share = min(1.0, total / max(1, sum(tiers))) if tiers else 1.0
        moves = _ends(sizes.moves)[end] * total / max(1, _ends(sizes.positions)[end])
        if not tiers:
            return cls(total, total * end, total, moves, bool(end))
        depth = share * sum(number * size for number, size in enumerate(tiers, 1))
        return cls(total, min(total, max(tiers)), depth, moves, bool(end))


def _memory(engine: Engine, end: _End, in_memory: bool, counts: bool, limbs: int) -> float:
    """Return the bytes that the passes of a solve ask for, at most."""
    plan = Plan(Budget(0), in_memory, len(TALLIES) if counts else 0, engine.workers.threads, not engine.loopy)
    scratch = engine.scratch_bytes(int(end.largest))
    backward = plan.peak(end.total, end.largest, limbs) + scratch
    if engine.loopy:
        moves = end.moves * end.largest / max(1, end.total)
        inside = HELD_MOVE[end.high] * moves + 4 * min(moves, PAIRED) * end.high
        of_tier = LOOPY_STATE * end.largest + inside
        return backward + of_tier if end.high else STATE * end.total + of_tier + scratch
    if not counts:
        return backward
    if engine.by_ply:
        return backward + LINK * end.moves * end.high
    by_plies = LIMB * limbs * end.at_depth
    counting = 2 * by_plies + (STATE + SLOT * (1 + end.high)) * end.total + scratch
    return max(counting, backward + by_plies)


def _of_shards(engine: Engine, end: _End, counts: bool) -> float:
    """Return the bytes of the smallest task of a solve in shards."""
    plies = 1 if engine.by_ply else max(1, int(end.at_depth / max(1, end.total)))
    least = TaskBytes.of(engine, counts=counts, plies=plies).least()
    return max(least, WAVES_STATE * end.largest) if engine.loopy else least


def _disk(engine: Engine, sizes: GameSizes, tables: Tables, counts: bool, bits: Span) -> tuple[Span, Span]:
    """Return the bytes of the result, and of the temporary files."""
    classes, tiers = _ends(sizes.classes), max(1, len(sizes.tiers))
    low, high = (_End.of(sizes, which) for which in (0, 1))
    moves = Span(low.moves, high.moves)
    a_class, scratch, a_tier = CLASS_BYTES, SCRATCH_BYTES, TIER_BYTES
    if counts:
        shares = Span(COUNT_BITS[1 if bits.low < 64 else 2].low, COUNT_BITS[1 if bits.high <= 64 else 2].high)
        a_class += bits * shares * Span(1 / 8, 1 / 8)
        scratch += bits * SCRATCH_BITS * Span(1 / 8, 1 / 8)
        a_tier += COUNTED_TIER_BYTES
    number, asks = Span(tiers, tiers), NOTHING if engine.by_ply else moves * ASKED_BYTES
    if engine.loopy:
        asks += Span(low.listed, high.listed)
    return classes * a_class + a_tier * number, classes * scratch + SCRATCH_TIER_BYTES * number + asks


def _seconds(engine: Engine, sizes: GameSizes, counts: bool) -> tuple[Span, Span]:
    """Return the seconds in memory and in shards."""
    classes = _ends(sizes.classes)
    a_class = sizes.speed or EXPANDED * engine.rules.max_moves
    solving = classes * Span(a_class, a_class) * SOLVED
    if counts:
        solving *= COUNTED if engine.by_ply else COUNTED_BY_LENGTH
    writing, threads, tiers = classes * WRITTEN, engine.workers.threads, max(1, len(sizes.tiers))
    shared, number = Span(1 / threads, 1 / (1 + AT_ONCE * (threads - 1))), Span(tiers, tiers)
    a_tier = SHARD_SECONDS if engine.by_ply or engine.loopy else SHARDS_SECONDS
    in_memory = (solving + writing) * shared + TIER_SECONDS * number
    worked = solving * SHARDED + writing
    return in_memory, worked * shared + a_tier * number


# Shards ---------------------------------------------------------------------------------------------------------------

LIMBS = 2
"""Limbs of counts, unless the rules bound the number of games."""
LEAST_STATES = 1 << 12
"""The least states of a shard that is worth its files."""
ENOUGH = 3
"""The memory of a task before another runs at the same time, as a multiple of what the smallest shards need."""
TABLE = 32
"""The most bytes of a state in a hash table."""
LABELS = 16
"""Bytes of a state's labels, and of its row while it is looked up."""
ROW = 24
"""Bytes of a row of ``positions/`` while it is written, except for counts."""
SLACK = 8 << 20
"""Bytes for what is not an array of the sizes below."""
MERGED, ASKED = 2, 2
"""The most states to merge, and the most distinct children, for each state of a shard."""


class ShardSizes(NamedTuple):
    """Limits on one task of a tier."""

    merged: int
    """States read to be merged, counting those in several files more than once."""
    states: int
    """States of a shard."""
    asks: int
    """Distinct children of a shard's states."""


class TaskBytes(NamedTuple):
    """The bytes that a task holds."""

    fixed: float
    a_state: float
    """For each state of its shard: what merging, expanding and solving it need at most."""
    written: float
    """In addition for each state while its part of the tables is written, of `PART` states at most."""

    @classmethod
    def of(cls, engine: Engine, *, counts: bool, plies: int) -> TaskBytes:
        """Return the bytes with histories of this many ``plies``, if there are ``counts``."""
        limbs = 1 if most_games(engine) < math.log(ONE_LIMB) else LIMBS
        a_limb = LIMB * limbs * counts
        histories, of_children, tallies = a_limb * plies, a_limb * (plies + 1), a_limb * len(TALLIES)
        merging = MERGED * (3 * STATE + 2 * histories)
        expanding = MERGED * (STATE + histories) + ASKED * max(3 * STATE, STATE + TABLE + of_children)
        solving = STATE + LABELS + histories + a_limb + tallies + ASKED * (STATE + TABLE + LABELS + tallies)
        fixed = SLACK + engine.scratch_bytes(engine.chunk)
        return cls(fixed, max(merging, expanding, solving), 2 * (ROW + a_limb + tallies))

    def least(self, states: int = LEAST_STATES) -> float:
        """Return the bytes with the smallest shards, of a tier of at most ``most`` states."""
        return self.fixed + min(states, LEAST_STATES) * (self.a_state + self.written)


def shard_sizes(engine: Engine, task_bytes: float, *, counts: bool, plies: int, most: int = LEAST_STATES) -> ShardSizes:
    """Return the sizes with which a task of a tier of at ``most`` this many states holds at most ``task_bytes``;
    histories have this many ``plies``. Raises `TooLargeError` if the bytes are too few.
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
