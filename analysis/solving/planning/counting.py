"""Count the tiers of a game, one after another, for some seconds."""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np

from ...common.memory import Budget
from ...common.workers import Stage, tell_progress
from ...engine.engine import Engine
from ...engine.passes.forward_by_ply import EXACT, Run, refuse_any_repetition, refuse_negative, sorted_distinct
from ...engine.passes.forward_by_tier import Frontier, StateSet, check_tiers, sort_out, start_tier
from .sizes import MEASURED, Interval, TierSizes

MOST_STATES, LEAST_STATES, STATE_BYTES = 60_000_000, 10_000, 64
"""The most states of the counted tiers, which has to fit the memory; how many may be kept in any case; and the bytes of
one while they are counted, as copies and in a set.
"""


@dataclasses.dataclass
class Counted:
    """The tiers of which all states were found and all moves made, ascending."""

    tiers: list[TierSizes]
    states: list[np.ndarray]
    """Of each tier, int64[n]."""
    met: dict[int, np.ndarray]
    """The classes met in other tiers; empty if the whole game was counted."""
    speed: float
    """Processor seconds of a class in the fastest tier, since code may be compiled in others."""

    @property
    def complete(self) -> bool:
        """Whether this is the whole game."""
        return not self.met


def count_tiers(engine: Engine, seconds: float, most_tiers: int | None = None) -> Counted:
    """Count the first tiers of a game: all that can be counted within ``seconds``, or at most ``most_tiers``. Raises
    `RulesError` if the rules fail.
    """
    frontier, counted = Frontier(engine), Counted([], [], {}, math.inf)
    start = np.array([engine.canonical(engine.start)], dtype=np.int64)
    frontier.add(0 if engine.by_ply else start_tier(engine), Run(start))
    left, ends = min(MOST_STATES, max(LEAST_STATES, Budget.of_machine().limit // STATE_BYTES)), math.inf
    if engine.loopy:
        ends = time.monotonic() + seconds
    while frontier:
        number, run = frontier.take()
        began, states, sizes = time.process_time(), run.states, None
        if most_tiers is None or len(counted.tiers) < most_tiers:
            states, sizes = _count_tier(engine, number, states, frontier, ends, left)
        if sizes is None:
            counted.met = {number: states} | {tier: run.states for tier, run in frontier.take_all().items()}
            break
        counted.tiers.append(sizes)
        counted.states.append(states)
        counted.speed = min(counted.speed, (time.process_time() - began) / len(states))
        left -= len(states)
        tell_progress(Stage("counting"), sum(map(len, counted.states)), None)
        if ends == math.inf:  # the time of the first tier may be that of compiling
            ends = time.monotonic() + seconds
    if engine.by_ply and sum(map(len, counted.states)) <= EXACT:
        refuse_any_repetition(engine, counted.states)
    return counted


def _count_tier(
    engine: Engine, number: int, states: np.ndarray, frontier: Frontier, ends: float, most: int
) -> tuple[np.ndarray, TierSizes | None]:
    """Return all states of a tier of which these are known, and its sizes, None if time or room did not suffice. States
    in later tiers go into the frontier.
    """
    closed, fresh, pieces, positions, moves = None, states, list[np.ndarray](), 0, 0
    if engine.loopy:
        closed = StateSet(len(states))
        fresh = closed.add(states)
    while len(fresh):
        pieces.append(fresh)
        inside = [np.empty(0, dtype=np.int64)]
        for rows in engine.chunks(len(fresh)):
            if time.monotonic() > ends or frontier.waiting + sum(map(len, pieces)) > most:
                return np.concatenate([*pieces, *inside]), None
            branching, in_tier = _moves(engine, number, fresh[rows], frontier)
            orbits = engine.orbit_sizes(fresh[rows]).astype(np.int64)
            positions, moves = positions + int(orbits.sum()), moves + int((orbits * branching).sum())
            inside += [] if closed is None else [closed.add(in_tier)]
        fresh = np.concatenate(inside)
    whole = np.concatenate(pieces)
    sizes = (Interval(size, size, MEASURED) for size in (positions, len(whole), moves))
    return whole, TierSizes(number, *sizes)


def _moves(engine: Engine, number: int, states: np.ndarray, frontier: Frontier) -> tuple[np.ndarray, np.ndarray]:
    """Return how many moves each state of a tier has, int64[n], and the states that they lead to within the tier; put
    the others into the frontier.
    """
    if not engine.by_ply:
        expanded = engine.expand_tiers(states)
        check_tiers(engine, number, expanded)
        return expanded.branching.astype(np.int64), sort_out(number, expanded, frontier, set())
    rows, codes, children = engine.expand_moves(states)
    if len(children):
        if children.min() < 0:
            refuse_negative(engine, states[rows], codes, children)
        frontier.add(number + 1, Run(sorted_distinct(children)))
    return np.bincount(rows, minlength=len(states)), states[:0]
