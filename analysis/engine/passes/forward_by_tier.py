"""Forward pass of games whose tiers are not plies: moves may skip tiers and, in loopy games, stay within one.

Tiers are taken in ascending order, so a tier is complete when its turn comes. In a loopy game its states are then
closed under the moves within it, by breadth-first search with a hash set.
"""

from __future__ import annotations

import functools

import numpy as np

from ...common.memory import trim_memory
from ...common.workers import tell_progress
from ...errors import RulesError
from ..engine import Engine
from ..kernels.hash_table import absorb
from ..kernels.radix_sort import sorted_keys
from ..kernels.states import ExpandedChunk, of_tier
from ..plan import FINDING, STATE, Plan, refuse_too_long, table_bits, table_bytes
from .forward_by_ply import (
    Reached,
    Run,
    check_payoffs,
    join,
    refuse,
    refuse_negative,
    sorted_distinct,
)

MANY_RUNS = 64
"""The most sorted runs that wait for a tier before they are merged."""

MANY_STATES = 1 << 20
"""States of a tier beyond which what was freed is worth returning to the system."""

DEEPEST_TIER = 1 << 31
"""Tier numbers are below this."""


class Frontier:
    """The tiers reached so far, with the sorted runs of states found in each."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._runs: dict[int, list[Run]] = {}
        self.waiting = 0
        """States in all runs."""
        self.largest = 0
        """The most states in the runs of one tier: while these are merged, there are two more copies of them."""

    def __bool__(self) -> bool:
        return bool(self._runs)

    def add(self, tier: int, run: Run) -> None:
        """Keep a run of states of a tier."""
        runs = self._runs.setdefault(tier, [])
        runs.append(run)
        self.waiting += len(run.states)
        self.largest = max(self.largest, _states_in(runs))
        if len(runs) == MANY_RUNS:
            self._merge(tier)

    def compact(self) -> None:
        """Merge the runs of every tier."""
        for tier in self._runs:
            self._merge(tier)

    def _merge(self, tier: int) -> None:
        runs = self._runs[tier]
        self._runs[tier] = [join(self._engine, runs)]
        self.waiting += _states_in(self._runs[tier]) - _states_in(runs)

    def take(self) -> tuple[int, Run]:
        """Remove and return the least tier, and its states."""
        number = min(self._runs)
        runs = self._runs.pop(number)
        self.waiting -= _states_in(runs)
        return number, join(self._engine, runs)

    def take_all(self) -> dict[int, Run]:
        """Remove and return the states of every tier."""
        return dict(self.take() for _ in range(len(self._runs)))


def _states_in(runs: list[Run]) -> int:
    return sum(len(run.states) for run in runs)


def forward_by_tier(engine: Engine, plan: Plan) -> Reached:
    """Find all tiers that play can reach, each a sorted array int64[n] of canonical states. Raises `TooLargeError` as
    soon as the solve is known not to fit, and `RulesError`, naming a position and a move, if a move lowers the tier or,
    in a game that is not loopy, keeps it.
    """
    frontier = Frontier(engine)
    frontier.add(start_tier(engine), Run(np.array([engine.canonical(engine.start)], dtype=np.int64)))
    reached = Reached([], [], [], [])
    count = largest = 0
    while frontier:
        number, run = frontier.take()
        leads: set[int] = set()
        states = complete_tier(engine, plan, number, run.states, count, frontier, leads)
        count, largest = count + len(states), max(largest, len(states))
        reached.numbers.append(number)
        if not engine.loopy:
            refuse_too_long(engine, len(reached.numbers) - 1)
        reached.states.append(states)
        reached.leads.append(sorted(leads))
        reached.links.append(None)
        plan.budget.require(plan.peak(count, largest), f"a solution of {engine.game.spec}")
        tell_progress(FINDING, count, None)
    tell_progress(FINDING, count, count)
    return reached


def start_tier(engine: Engine) -> int:
    """Return the tier of the start. Raises `RulesError` for an invalid one."""
    tier = engine.tier(engine.start)
    assert tier is not None
    if not 0 <= tier < DEEPEST_TIER:
        position = engine.game.format_position(engine.start)
        raise RulesError(f"position {position}, the start, has the tier {tier}; tiers are from 0 to 2**31 - 1")
    return tier


def _expand(engine: Engine, states: np.ndarray, rows: slice) -> ExpandedChunk:
    return engine.expand_tiers(states[rows]).copied()


def check_tiers(engine: Engine, number: int, expanded: ExpandedChunk) -> None:
    """Refuse a move that does not lead to a later tier."""
    check_payoffs(engine, expanded.states, expanded.branching, expanded.payoffs)
    if len(expanded.tiers) == 0:
        return
    if expanded.children.min() < 0:
        parents = np.repeat(expanded.states, expanded.branching)
        refuse_negative(engine, parents, expanded.codes, expanded.children)
    least = number if engine.loopy else number + 1
    wrong = (expanded.tiers < least) | (expanded.tiers >= DEEPEST_TIER)
    if wrong.any():
        rule = "at least as great" if engine.loopy else "greater (or loopy=True)"

        def say(row: int) -> str:
            move, tier = engine.game.format_move(int(expanded.codes[row])), expanded.tiers[row]
            return f", move {move}: the tier goes from {number} to {tier}; it has to be {rule}, and below 2**31"

        refuse(engine, wrong, np.repeat(expanded.states, expanded.branching), say)


def sort_out(number: int, expanded: ExpandedChunk, frontier: Frontier, leads: set[int]) -> np.ndarray:
    """Put children in later tiers into the frontier; return those in the tier itself, including duplicates."""
    in_tier = np.empty(0, dtype=np.int64)
    if len(expanded.tiers) == 0:
        return in_tier
    least, greatest = int(expanded.tiers.min()), int(expanded.tiers.max())
    for tier in _distinct(expanded.tiers, least, greatest):
        states = expanded.children
        if least < greatest:
            some = np.empty(len(states), np.int64)
            states = some[: of_tier(expanded.tiers, tier, states, some, np.empty(0, np.uint32))]
        leads.add(tier)
        if tier == number:
            in_tier = states
        else:
            frontier.add(tier, Run(sorted_distinct(states)))
    return in_tier


def _distinct(tiers: np.ndarray, least: int, greatest: int) -> list[int]:
    """Return the distinct numbers, ascending; by counting if they are close together, which is ten times faster."""
    if greatest - least >= len(tiers):
        return sorted_distinct(tiers.copy()).tolist()
    return (least + np.flatnonzero(np.bincount(tiers - least))).tolist()


def complete_tier(
    engine: Engine, plan: Plan, number: int, states: np.ndarray, earlier: int, frontier: Frontier, leads: set[int]
) -> np.ndarray:
    """Return a tier, sorted, given its known states; in a loopy game it includes all states that moves within it reach
    from them. Children in later tiers go into the frontier; ``earlier`` states were in earlier tiers.
    """
    bytes_held = STATE * earlier + engine.scratch_bytes(len(states))
    closed = StateSet(len(states)) if engine.loopy else None
    fresh = states if closed is None else closed.add(states)
    pieces = [fresh]
    while len(fresh):
        inside = [np.empty(0, dtype=np.int64)]
        expand = functools.partial(_expand, engine, fresh)
        for done, expanded in enumerate(engine.workers.map(expand, engine.chunks(len(fresh)))):
            check_tiers(engine, number, expanded)
            in_tier = sort_out(number, expanded, frontier, leads)
            counted, tier_bytes = done * engine.chunk, float(STATE * len(states))
            if closed is not None:
                counted, tier_bytes = closed.count, closed.bytes_with(len(in_tier)) + 3 * STATE * closed.count
                inside.append(closed.add(in_tier))
            tell_progress(FINDING, earlier + counted, None)
            plan.ahead(earlier + counted)
            size = bytes_held + tier_bytes + STATE * (frontier.waiting + 2 * frontier.largest)
            plan.budget.require(size, f"finding the positions of {engine.game.spec}")
        fresh = np.concatenate(inside)
        pieces.append(fresh)
    if closed is None:
        return states
    closed, states = None, np.concatenate(pieces)  # the table and the pieces go before there is room to sort
    pieces.clear()
    if len(states) > MANY_STATES:
        trim_memory()
    return sorted_keys(states).copy()


class StateSet:
    """A growing set of states."""

    def __init__(self, expected: int) -> None:
        self.count = 0
        self._bits = table_bits(expected + expected // 4 + 1)
        self._slots = np.zeros(1 << self._bits, dtype=np.int64)

    def bytes_with(self, more: int) -> float:
        """Return the bytes held while this many more states are added: if it must grow, two tables and the states."""
        if 2 * (self.count + more) <= len(self._slots):
            return self._slots.nbytes
        return self._slots.nbytes + STATE * self.count + table_bytes(self.count + more)

    def add(self, states: np.ndarray) -> np.ndarray:
        """Insert states; return those that were not yet in the set, each once."""
        if 2 * (self.count + len(states)) > len(self._slots):
            states = sorted_distinct(states.copy())
            self._reserve(self.count + len(states))
        new = np.empty(len(states), dtype=np.int64)
        n = absorb(states, self._slots, self._bits, new, 0)
        self.count += n
        return new[:n].copy()

    def _reserve(self, size: int) -> None:
        bits = table_bits(size)
        if bits <= self._bits:
            return
        old, self._bits = self._slots[self._slots != 0] - 1, bits
        self._slots = np.zeros(1 << bits, dtype=np.int64)
        absorb(old, self._slots, bits, np.empty(len(old), dtype=np.int64), 0)
