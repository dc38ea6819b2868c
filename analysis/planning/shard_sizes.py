"""How large shards are: what one task may hold in memory decides, never how many tasks run at once."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from analysis.engine.columns import PART, TALLIES
from analysis.engine.engine import Engine
from analysis.engine.plan import LIMB, STATE
from analysis.errors import TooLargeError
from analysis.machine.memory import readable, taken_bytes

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


@dataclasses.dataclass(frozen=True)
class ShardSizes:
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


def splitters(firsts: np.ndarray, weights: np.ndarray, ranges: int) -> list[int]:
    """States that cut sorted files into so many ``ranges`` of about equal length, if there are as many different ones:
    from the first state of each block int64[n] and its rows int64[n].
    """
    order = np.argsort(firsts, kind="stable")
    until = np.cumsum(weights[order])
    places = np.searchsorted(until, np.arange(1, ranges) * (until[-1] / ranges))
    found: list[int] = np.unique(firsts[order][places]).tolist()
    return [state for state in found if state > firsts.min()]
