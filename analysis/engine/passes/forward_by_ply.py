"""Forward pass: find the canonical states of every tier that play can reach from the start.

A tier is expanded chunk by chunk. Each chunk's children are sorted and freed of duplicates by comparing neighbours
(sorting int64 keys is vectorised; ``numpy.unique`` was 150 times slower), which gives sorted runs. The runs are then
merged range by range: the same range of keys is cut out of every run, joined, sorted again and freed of duplicates.
Every range is its own task, so both steps use all threads, and nothing depends on how many there are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from analysis.engine.columns import NEVER
from analysis.engine.engine import Engine
from analysis.engine.kernels.states import drop_repeats
from analysis.engine.plan import FINDING, STATE, Plan
from analysis.errors import RulesError, TooLargeError
from analysis.machine.workers import tell_progress

SAMPLE = 256
"""States of a tier that are looked for in the tiers before it."""

EXACT = 1 << 20
"""In a game of up to this many states, all are looked for."""

RANGE = 1 << 18
"""The approximate keys that one merge task sorts: 2 MB, which stays in the cache."""


@dataclasses.dataclass
class Reached:
    """The result of the forward pass: every tier that play can reach. In a game by plies, tier ``i`` has number
    ``i``.
    """

    numbers: list[int]  # ascending
    states: list[np.ndarray]  # per tier int64[n], sorted
    leads: list[list[int]]
    """The tiers that each tier's moves lead to."""

    @property
    def sizes(self) -> list[int]:
        """The number of states in each tier."""
        return [len(tier) for tier in self.states]


def forward_by_ply(engine: Engine, plan: Plan) -> Reached:
    """Find all tiers of a game by plies, each a sorted array int64[n] of canonical states; tier 0 is the start.

    Raises `TooLargeError` as soon as the solve is known not to fit: before it starts if the game gives its number of
    positions, otherwise from the states found so far. Raises `RulesError` if a state is found to occur at two plies.
    """
    positions = engine.game.expected_positions() if engine.start == engine.rules.start else None
    expected = None if positions is None else [number / engine.group.order for number in positions]
    if expected is not None:
        total = f"{float(f'{sum(expected):.1e}'):,.0f}"  # two significant digits, since it is an estimate
        plan.budget.require(plan.backward(expected), f"{engine.game.spec} has about {total} classes: a solution")
    tiers = [np.array([engine.canonical(engine.start)], dtype=np.int64)]
    while len(tiers[-1]):
        plan.budget.require(plan.backward([len(tier) for tier in tiers]), f"a solution of {engine.game.spec}")
        tiers.append(next_tier(engine, plan, tiers, None if expected is None else sum(expected)))
        _refuse_repetition(engine, tiers)
        refuse_too_long(engine, len(tiers) - 1)
    found = sum(map(len, tiers))
    tell_progress(FINDING, found, found)
    tiers.pop()
    if found <= EXACT:
        refuse_any_repetition(engine, tiers)
    return Reached(list(range(len(tiers))), tiers, [[ply + 1] for ply in range(len(tiers) - 1)] + [[]])


def refuse_too_long(engine: Engine, plies: int) -> None:
    """Raise `TooLargeError` if a game may be longer than the greatest remoteness."""
    if plies >= NEVER:
        raise TooLargeError(f"{engine.game.spec} has games of {NEVER:,} plies or more, which the tables do not hold")


def _refuse_repetition(engine: Engine, tiers: list[np.ndarray]) -> None:
    """Refuse rules by which states recur at another ply, as far as some states of the last tier show it."""
    last = tiers[-1][:: max(1, len(tiers[-1]) // SAMPLE)]
    for ply, tier in enumerate(tiers[:-1]):
        again = last[tier[np.minimum(np.searchsorted(tier, last), len(tier) - 1)] == last]
        if len(again):
            raise _repetition(engine, again[0], [ply, len(tiers) - 1])


def next_tier(engine: Engine, plan: Plan, tiers: list[np.ndarray], expected: float | None) -> np.ndarray:
    """Return the sorted canonical children of the last of the tiers."""
    states, found = tiers[-1], sum(map(len, tiers))
    chunks = engine.chunks(len(states))
    held = found * STATE + engine.scratch_bytes(len(states))
    runs: list[np.ndarray] = []
    keys = 0
    for run in engine.workers.map(lambda rows: sorted_distinct(engine.expand(states[rows])), chunks):
        runs.append(run)
        keys += len(run)
        expanded = min(len(runs) * engine.chunk, len(states))
        tell_progress(FINDING, found - len(states) + expanded, expected)
        plan.ahead(found)
        likely = keys * len(chunks) / len(runs)  # in all runs, if the rest of the tier resembles its beginning
        copies = 1 if len(chunks) == 1 else 3  # the runs, their merged ranges, and these joined
        plan.budget.require(held + copies * STATE * likely, f"expanding a tier of {len(states):,} states")
    following = merge(engine, runs)
    if len(following) and following[0] < 0:
        rows, codes, children = engine.expand_moves(states)
        refuse_negative(engine, states[rows], codes, children)
    return following


def refuse_any_repetition(engine: Engine, tiers: list[np.ndarray]) -> None:
    """Refuse rules of a small game in which any state recurs at another ply."""
    states = np.sort(np.concatenate(tiers))
    again = np.flatnonzero(np.diff(states) == 0)
    if len(again):
        raise _repetition(engine, states[again[0]], [p for p, tier in enumerate(tiers) if states[again[0]] in tier])


def _repetition(engine: Engine, state: int, plies: list[int]) -> RulesError:
    position = engine.game.format_position(int(state))
    return RulesError(
        f"position {position} occurs after {plies[0]} and after {plies[1]} plies; such rules need a tier(state) that "
        "rises with every move, or loopy=True where play can return to a position"
    )


def refuse(engine: Engine, wrong: np.ndarray, states: np.ndarray, say: Callable[[int], str]) -> None:
    """Raise `RulesError` at the first of the states that is ``wrong``, with the words of ``say`` about its row."""
    rows = np.flatnonzero(wrong)
    if len(rows):
        position = engine.game.format_position(int(states[rows[0]]))
        raise RulesError(f"position {position}{say(int(rows[0]))}")


def refuse_negative(engine: Engine, parents: np.ndarray, codes: np.ndarray, children: np.ndarray) -> None:
    """Raise `RulesError`, naming the position and the move, if a child is no state."""

    def say(row: int) -> str:
        move = engine.game.format_move(int(codes[row]))
        return f", move {move}: play() gives {children[row]}; a state is from 0 to 2**63 - 1"

    refuse(engine, children < 0, parents, say)


def merge(engine: Engine, runs: list[np.ndarray]) -> np.ndarray:
    """Return the distinct keys of sorted runs, sorted."""
    if len(runs) == 1:
        return runs[0]
    ranges = 1 + sum(map(len, runs)) // RANGE
    sample = np.sort(np.concatenate([run[:: max(1, RANGE // 256)] for run in runs]))
    splitters = sample[np.linspace(0, len(sample), ranges, endpoint=False).astype(np.int64)[1:]]
    cuts = [np.concatenate(([0], np.searchsorted(run, splitters), [len(run)])) for run in runs]

    def merge_range(r: int) -> np.ndarray:
        return sorted_distinct(np.concatenate([run[cut[r] : cut[r + 1]] for run, cut in zip(runs, cuts, strict=True)]))

    return np.concatenate(list(engine.workers.map(merge_range, range(ranges))))


def sorted_distinct(keys: np.ndarray) -> np.ndarray:
    """Return the distinct keys, sorted; ``keys`` is sorted in place."""
    keys.sort()
    return keys[: drop_repeats(keys)].copy()  # a copy, to give back the rest of the buffer


def check_movers(engine: Engine, states: np.ndarray, movers: np.ndarray) -> None:
    """Raise `RulesError` if neither player is to move."""
    wanted = "it is +1 or -1, also at the end"
    refuse(engine, np.abs(movers) != 1, states, lambda row: f": to_move() gives {movers[row]}; {wanted}")


def check_payoffs(engine: Engine, states: np.ndarray, branching: np.ndarray, payoffs: np.ndarray) -> None:
    """Raise `RulesError` if a game ends with a payoff outside the bounds that its rules give."""
    least, greatest = engine.rules.payoffs
    if len(payoffs) == 0 or (least <= payoffs.min() and payoffs.max() <= greatest):
        return

    def say(row: int) -> str:
        payoff = engine.rules.outcome(int(states[row]))
        return f" has the payoff {payoff}, outside the bounds {least} to {greatest} in its rules (payoffs=)"

    refuse(engine, (branching == 0) & ((payoffs < least) | (payoffs > greatest)), states, say)
