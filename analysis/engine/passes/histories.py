"""Count histories exactly, forward.

If tiers are not plies they are counted by length, since a position may be reached after different numbers of moves.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from analysis.engine.columns import GREATEST, ONE_LIMB, TWO_LIMBS, exact_sum, widen
from analysis.engine.engine import Engine
from analysis.engine.kernels import counting as kernels
from analysis.engine.kernels.hash_table import Links
from analysis.engine.passes.children import build_table, find, link
from analysis.engine.passes.forward_by_ply import Reached
from analysis.engine.plan import LIMB, STATE, Plan, table_bytes
from analysis.errors import CountOverflowError
from analysis.machine.workers import tell_progress

KEEP_SHARE = 0.25
"""The share of the memory budget for links kept from the forward to the backward pass, which then need not expand all
states and look up all children again.
"""


@dataclasses.dataclass(frozen=True)
class Histories:
    """The result of the forward count, for the backward pass."""

    arrays: list[np.ndarray]  # per tier uint64[n, limbs], per orbit
    limbs: int
    """Limbs that hold every count of the game: no count exceeds the number of complete games."""
    links: list[list[Links] | None]
    """The links of each tier, by chunk; None if there was no room to keep them."""
    by_plies: list[np.ndarray] | None = None
    """Histories of each tier by length, uint64[n, plies, limbs], if tiers are not plies."""


def count_histories(engine: Engine, tiers: list[np.ndarray], plan: Plan, *, greatest: int = GREATEST) -> Histories:
    """Count the move sequences from the start that reach each orbit of a game by plies. Raises `CountOverflowError`,
    naming the tier, for more than ``greatest``, and `TooLargeError`.
    """
    arrays = [np.ones((1, 1), dtype=np.uint64)]
    links: list[list[Links] | None] = []
    games = kept = 0
    states = sum(map(len, tiers))
    room = min(KEEP_SHARE * plan.budget.limit, plan.budget.limit - plan.backward([len(tier) for tier in tiers]))
    for ply, tier in enumerate(tiers):
        tell_progress("counting histories", sum(map(len, tiers[:ply])), states)
        below = tiers[ply + 1] if ply + 1 < len(tiers) else np.empty(0, dtype=np.int64)
        own = len(tier) * (4 + 4 * engine.rules.max_moves)  # at most, as links
        room -= own
        held = STATE * states + sum(array.nbytes for array in arrays) + kept + own
        kept_here: list[Links] | None = [] if room > 0 else None
        reached, ended = _histories_below(engine, tier, below, arrays[-1], plan, held, kept_here)
        games += ended
        if games + exact_sum(reached) > greatest:
            raise CountOverflowError(
                f"at ply {ply + 1} there are more than {greatest:,} histories; solve with --no-counts"
            )
        arrays.append(reached)
        links.append(kept_here)
        kept += sum(part.nbytes for part in kept_here or ())
    return Histories(arrays[:-1], 1 if games < ONE_LIMB else 2, links)


def _histories_below(
    engine: Engine,
    states: np.ndarray,
    below: np.ndarray,
    histories: np.ndarray,
    plan: Plan,
    held: float,
    kept: list[Links] | None,
) -> tuple[np.ndarray, int]:
    """Return the histories of the next tier, and how many end in this one; add its links to ``kept``. Every thread adds
    its chunks to its own array, and then these are summed; there are fewer threads if memory is short.
    """
    most = exact_sum(histories) * engine.rules.max_moves  # no sum below can be greater
    if most >= TWO_LIMBS:
        raise CountOverflowError("there are more histories than 128 bits can count; solve with --no-counts")
    limbs = 1 if most < ONE_LIMB else 2
    array_bytes, held = 8 * limbs * len(below), held + table_bytes(len(below)) + engine.scratch_bytes(len(states))
    chunks = engine.chunks(len(states))
    affordable = int((plan.budget.limit - held) // max(1, array_bytes))
    threads = max(1, min(engine.workers.threads, len(chunks), affordable))
    plan.budget.require(held + threads * array_bytes, f"counting the histories of {len(below):,} states")
    table = build_table(below)

    links_of: dict[int, Links] = {}

    def work(first: int) -> tuple[np.ndarray, int]:
        reached, ended = np.zeros((len(below), limbs), dtype=np.uint64), 0
        for number in range(first, len(chunks), threads):
            rows = chunks[number]
            links = link(engine, states[rows], table)
            kernels.spread(histories[rows], links.branching, links.rows, reached)
            ended += exact_sum(histories[rows][links.branching == 0])
            if kept is not None:
                links_of[number] = links.compact()
        return reached, ended

    (total, ended), *others = engine.workers.map(work, range(threads))
    for reached, more in others:
        kernels.add_histories(total, reached)
        ended += more
    if kept is not None:
        kept += [links_of[number] for number in range(len(chunks))]
    return widen(total, 1) if exact_sum(total) < ONE_LIMB else total, ended


class _NeedsTwoLimbsError(Exception):
    """A number of histories is 2**64 or more."""


def count_tiered_histories(engine: Engine, reached: Reached, plan: Plan, *, greatest: int = GREATEST) -> Histories:
    """Count the move sequences of each length that reach each orbit. No game is longer than the number of tiers. Raises
    `CountOverflowError` for more than ``greatest`` games, and `TooLargeError`.
    """
    for limbs in (1, 2):
        try:
            by_plies, ended = _by_plies(engine, reached, plan, limbs)
            arrays = [summed(array) for array in by_plies]
        except _NeedsTwoLimbsError:
            continue
        games = sum(exact_sum(array[over]) for array, over in zip(arrays, ended, strict=True))
        if games > greatest:
            break
        fitting = 1 if games < ONE_LIMB else 2
        by_plies = [widen(array, fitting) for array in by_plies]
        return Histories([widen(array, fitting) for array in arrays], fitting, [None] * len(arrays), by_plies)
    raise CountOverflowError(f"{engine.game.spec} has more than {greatest:,} games; solve with --no-counts")


def _by_plies(engine: Engine, reached: Reached, plan: Plan, limbs: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the histories of each tier, uint64[n, plies, limbs], since at most ``i`` moves lead to a state of tier
    ``i``; and whether the game is over, bool[n].
    """
    sizes = reached.sizes
    size = LIMB * limbs * sum(n * (i + 1) for i, n in enumerate(sizes))
    tables = STATE * sum(sizes) + sum(map(table_bytes, sizes)) + engine.scratch_bytes(max(sizes))
    plan.budget.require(2 * size + tables, f"counting the histories of {engine.game.spec} by length")
    arrays = [np.zeros((n, i + 1, limbs), dtype=np.uint64) for i, n in enumerate(sizes)]
    arrays[0][0, 0, 0] = 1
    index = {number: i for i, number in enumerate(reached.numbers)}
    tables_of = {number: build_table(states) for number, states in zip(reached.numbers, reached.states, strict=True)}
    ended = [np.zeros(n, dtype=bool) for n in sizes]
    for i, states in enumerate(reached.states):
        tell_progress("counting histories", sum(sizes[:i]), sum(sizes))
        for chunk in engine.chunks(len(states)):
            expanded = engine.expand_tiers(states[chunk])
            ended[i][chunk] = expanded.branching == 0
            parents = chunk.start + np.repeat(np.arange(len(expanded.states)), expanded.branching)
            for number in reached.leads[i]:
                moves = np.flatnonzero(expanded.tiers == number)
                rows = find(engine, expanded.children[moves], tables_of[number])
                children = arrays[index[number]]
                if kernels.spread_plies(arrays[i], parents[moves], rows, children, 1) == kernels.OVERFLOW:
                    raise _NeedsTwoLimbsError
    return arrays, ended


def summed(by_plies: np.ndarray) -> np.ndarray:
    """Return histories of all lengths, uint64[n, limbs], from those by length, uint64[n, plies, limbs]."""
    total = by_plies[:, 0].copy()
    for ply in range(1, by_plies.shape[1]):
        if kernels.add_histories(total, np.ascontiguousarray(by_plies[:, ply])) == kernels.OVERFLOW:
            raise _NeedsTwoLimbsError
    return total
