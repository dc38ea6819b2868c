"""Count tiers one after another, as far as some seconds go."""

from __future__ import annotations

import dataclasses
import math
import time
from collections import defaultdict

import numpy as np

from analysis.engine.engine import Engine
from analysis.engine.passes.forward_by_ply import EXACT, refuse_any_repetition, refuse_negative, sorted_distinct
from analysis.engine.passes.forward_by_tier import Frontier, StateSet, check_tiers, start_tier
from analysis.machine.workers import Stage, tell_progress

STATES = 60_000_000
"""States that are kept at most: half a gigabyte."""


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
    """The tiers that were counted, ascending, and what their moves lead to in tiers that were not."""

    tiers: list[CountedTier]
    frontier: dict[int, np.ndarray]
    """By tier, the classes met so far, sorted; nothing where the whole game was counted."""
    met: dict[int, int]
    """How many classes were met of each tier that was not counted."""
    seconds: float
    """Of processor time."""
    loopy: bool = False
    """Whether moves may stay within a tier."""

    def entered(self) -> dict[int, int]:
        """How many moves lead to each tier from earlier ones that were counted."""
        moves: dict[int, int] = defaultdict(int)
        for tier in self.tiers:
            for later, number in tier.leads.items():
                moves[later] += number * (later != tier.number)
        return dict(moves)

    @property
    def complete(self) -> bool:
        """Whether that is the whole game."""
        return not self.frontier


class _OutOfTimeError(Exception):
    """A tier would take too long, of which some classes were found."""

    def __init__(self, found: int = 0) -> None:
        super().__init__()
        self.found = found


def count_tiers(engine: Engine, seconds: float, most_tiers: int | None = None) -> Counted:
    """The first tiers of a game: all that can be counted in so many ``seconds`` or, at most, so many tiers. Raises
    `RulesError` where the rules fail.
    """
    ends, began = time.monotonic() + seconds, time.process_time()
    frontier = Frontier(engine)
    frontier.add(0 if engine.by_ply else start_tier(engine), np.array([engine.canonical(engine.start)], dtype=np.int64))
    tiers: list[CountedTier] = []
    rest: dict[int, np.ndarray] = {}
    met: dict[int, int] = {}
    held = 0
    while frontier:
        number, states = frontier.take()
        try:
            if most_tiers is not None and len(tiers) >= most_tiers:
                raise _OutOfTimeError
            first = not tiers and not engine.loopy
            tier, children = _expanded(engine, number, states, math.inf if first else ends, STATES - held)
        except _OutOfTimeError as error:
            rest = {number: states, **frontier.take_all()}
            met = {each: len(found) for each, found in rest.items()}
            met[number] = max(met[number], error.found)
            break
        held += len(tier.states)
        tell_progress(Stage("counting"), held, None)
        for later, found in children.items():
            frontier.add(later, found)
        tiers.append(tier)
    if engine.by_ply and held <= EXACT:
        refuse_any_repetition(engine, [tier.states for tier in tiers])
    return Counted(tiers, rest, met, time.process_time() - began, engine.loopy)


def _expanded(
    engine: Engine, number: int, states: np.ndarray, ends: float, most: int
) -> tuple[CountedTier, dict[int, np.ndarray]]:
    """A tier of which these states are known, with what its moves lead to in later tiers. Raises `_OutOfTimeError`."""
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
                    later.add(tier, sorted_distinct(children[to_it]))
        pieces.append(fresh)
        fresh = np.concatenate(inside)
    whole = states if known is None else np.sort(np.concatenate(pieces))
    return CountedTier(number, whole, positions, moves, dict(leads)), later.take_all()


def _moves(engine: Engine, number: int, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How many moves each state has int64[n], and of each move the tier and the class that it leads to int64[moves]."""
    if engine.by_ply:
        rows, codes, children = engine.expand_moves(states)
        if len(children) and children.min() < 0:
            refuse_negative(engine, states[rows], codes, children)
        return np.bincount(rows, minlength=len(states)), np.full(len(children), number + 1), children
    expanded = engine.expand_tiers(states)
    check_tiers(engine, number, expanded)
    return expanded.branching.astype(np.int64), expanded.tiers, expanded.children
