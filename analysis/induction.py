"""Backward pass: value and remoteness of every state, and the counts that go the same way.

v(s) = the payoff where the game is over; otherwise the greatest v of the children on the first player's turn and the
least on the second's. Tiers are solved from the last to the first, so only one solved tier is needed at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from analysis.count import Histories, games_ended, tally_chunk, tally_fields
from analysis.engine import Engine
from analysis.integers import exact_sum, widen
from analysis.kernels import induction as kernels
from analysis.kernels.census import CLASSES
from analysis.links import Links, Table, build_table, link
from analysis.plan import Plan
from analysis.tiers import Tier, Totals, no_census


def solve_tiers(
    engine: Engine, tiers: list[np.ndarray], histories: Histories | None, plan: Plan
) -> Iterator[tuple[Tier, Totals]]:
    """Solved tiers with their totals, the last ply first. ``tiers`` and ``histories`` are consumed: each tier's arrays
    are dropped from the lists once it is solved.
    """
    plies, todo = len(tiers), sum(map(len, tiers))
    kept = histories.link_bytes if histories is not None else 0
    limbs = histories.limbs if histories is not None else 1
    sizes = [len(tier) for tier in tiers]
    scratch = engine.scratch_bytes(max(sizes))
    plan.budget.require(plan.backward(sizes, limbs) + kept + scratch, f"solving {todo:,} states")
    done = 0
    below = _prepare(engine, plies, np.empty(0, dtype=np.int64), histories)
    while tiers:
        tier = _prepare(engine, len(tiers) - 1, tiers.pop(), histories)
        totals = _solve_tier(engine, tier, below, plies, histories, (done, todo))
        done += len(tier)
        yield tier, totals
        below = tier
    engine.progress("solving", todo, todo)


def _prepare(engine: Engine, ply: int, states: np.ndarray, histories: Histories | None) -> Tier:
    tier = Tier.empty(ply, states, engine.orbit_sizes(states))
    if histories is not None:
        reached = histories.arrays.pop() if len(states) else np.empty((0, 1), dtype=np.uint64)
        tier.histories = widen(reached, histories.limbs)
        tier.tallies = np.zeros((len(states), tally_fields(engine), histories.limbs), dtype=np.uint64)
    return tier


def _solve_tier(
    engine: Engine, tier: Tier, below: Tier, plies: int, histories: Histories | None, done_of: tuple[int, int]
) -> Totals:
    kept = histories.links.pop() if histories is not None else None
    table = None if kept else build_table(below.states)

    def solve_chunk(number_and_rows: tuple[int, slice]) -> tuple[np.ndarray, np.ndarray]:
        number, rows = number_and_rows
        part = tier.chunk(rows)
        links = kept[number] if kept else _link(engine, part, table)
        part.fill_from(links)
        label_chunk(part, links, below)
        if part.tallies is not None:
            tally_chunk(part, links, below)
        return part.census(plies)

    counts, by_remoteness = no_census(plies)
    done, todo = done_of
    for part in engine.workers.map(solve_chunk, enumerate(engine.chunks(len(tier)))):
        counts, by_remoteness = counts + part[0], by_remoteness + part[1]
        engine.progress("solving", done + int(counts[CLASSES]), todo)
    if tier.histories is None:
        return Totals(tier.ply, counts, by_remoteness)
    return Totals(tier.ply, counts, by_remoteness, exact_sum(tier.histories), games_ended(tier))


def _link(engine: Engine, part: Tier, table: Table | None) -> Links:
    assert table is not None
    return link(engine, part.states, table)


def label_chunk(part: Tier, links: Links, below: Tier) -> None:
    """Value and remoteness of a chunk from those of the next tier."""
    kernels.label(
        links.branching, links.movers, links.payoffs, links.rows, below.value, below.remoteness,
        part.value, part.remoteness,
    )  # fmt: skip
