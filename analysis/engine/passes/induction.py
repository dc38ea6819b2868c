"""Backward pass: value and remoteness of every state, and the counts that go the same way.

v(s) = the payoff where the game is over; otherwise the greatest v of the children on the first player's turn and the
least on the second's. Tiers are solved from the last to the first, and only those are held that moves of earlier ones
lead to. The tiers of loopy games are left to `retrograde`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from analysis.engine.census import Census, SolvedTierStep, count_positions, tier_totals
from analysis.engine.columns import TALLIES, widen
from analysis.engine.engine import Engine
from analysis.engine.kernels import counting as kernels
from analysis.engine.kernels.constants import CLASSES
from analysis.engine.kernels.hash_table import Links
from analysis.engine.passes.children import Below, SolvedTiers
from analysis.engine.passes.forward_by_ply import Reached, check_movers, check_payoffs, refuse
from analysis.engine.passes.histories import Histories
from analysis.engine.passes.retrograde import solve_loopy_tier
from analysis.engine.plan import STATE, Plan
from analysis.engine.tiers import Tier

LABEL_TYPES = (np.int8, np.int16, np.uint16, np.uint8)
"""Of mover, value, remoteness and branching."""


def solve_tiers(engine: Engine, reached: Reached, histories: Histories | None, plan: Plan) -> Iterator[SolvedTierStep]:
    """All tiers, the last first. ``reached`` and ``histories`` are consumed: each tier's arrays are dropped from the
    lists once it is solved.
    """
    sizes = reached.sizes
    todo = sum(sizes)
    kept = histories.link_bytes if histories is not None else 0
    limbs = histories.limbs if histories is not None else 1
    by_plies = sum(array.nbytes for array in histories.by_plies or ()) if histories is not None else 0
    scratch = engine.scratch_bytes(max(sizes))
    plan.budget.require(plan.backward(sizes, limbs) + kept + by_plies + scratch, f"solving {todo:,} states")
    done = 0
    solved, last_needed = SolvedTiers(engine), _last_needed(reached)
    while reached.states:
        number, states, leads = reached.numbers.pop(), reached.states.pop(), reached.leads.pop()
        tier = _prepare(engine, number, states, histories)
        links = histories.links.pop() if histories is not None else None
        if not engine.by_ply:
            held = STATE * (todo - done) + by_plies + solved.held_bytes(plan.solved(limbs)) + scratch
            plan.budget.require(held + plan.solved(limbs) * len(tier), f"solving a tier of {len(tier):,} states")
        if engine.loopy:
            solve_loopy_tier(engine, tier, solved, leads, plan, held)
            census = _census(engine, tier)
        else:
            census = _solve_tier(engine, tier, solved, leads, links, (done, todo))
        done += len(tier)
        solved.add(tier)
        yield SolvedTierStep(tier, tier_totals(tier, engine.rules.payoffs, census), solved.tiers)
        solved.drop(last_needed.get(number, ()))
    engine.progress("solving", todo, todo)


def _last_needed(reached: Reached) -> dict[int, list[int]]:
    """For each tier, those that no tier before it leads to: they are not needed once it is solved. A tier that nothing
    leads to but itself is not needed beyond itself.
    """
    first: dict[int, int] = {}
    for number, leads in zip(reached.numbers, reached.leads, strict=True):
        for lead in leads:
            first.setdefault(lead, number)
        first.setdefault(number, number)
    dropped: dict[int, list[int]] = {}
    for number, by in first.items():
        dropped.setdefault(by, []).append(number)
    return dropped


def _prepare(engine: Engine, number: int, states: np.ndarray, histories: Histories | None) -> Tier:
    to_move, value, remoteness, branching = (np.empty(len(states), kind) for kind in LABEL_TYPES)
    tier = Tier(
        number, engine.by_ply, states, to_move, value, remoteness, branching, engine.orbit_sizes(states),
        np.empty(len(states), np.uint8) if engine.rules.impartial else None,
    )  # fmt: skip
    if histories is not None:
        tier.histories = widen(histories.arrays.pop(), histories.limbs)
        tier.by_plies = histories.by_plies.pop() if histories.by_plies is not None else None
        tier.tallies = np.zeros((len(states), len(TALLIES), histories.limbs), dtype=np.uint64)
    return tier


def _solve_tier(
    engine: Engine,
    tier: Tier,
    solved: SolvedTiers,
    leads: list[int],
    kept: list[Links] | None,
    done_of: tuple[int, int],
) -> Census:
    """Fill in a tier of a game without loops, chunk by chunk."""
    if not kept:
        solved.prepare(leads)
        if engine.by_ply and tier.number > 0:
            solved.begin_table(tier)

    def solve_chunk(number_and_rows: tuple[int, slice]) -> Census:
        number, rows = number_and_rows
        part = tier.chunk(rows)
        links, below = (kept[number], solved.next(part, leads)) if kept else solved.link(part, leads)
        part.to_move[:], part.branching[:] = links.movers, links.branching
        label_chunk(engine, part, links, below)
        if part.tallies is not None:
            kernels.tally(
                links.branching, part.value, part.remoteness, links.rows,
                below.value, below.remoteness, below.tallies, part.tallies,
            )  # fmt: skip
        return count_positions(part)

    census = Census.empty()
    done, todo = done_of
    for part in engine.workers.map(solve_chunk, enumerate(engine.chunks(len(tier)))):
        census += part
        engine.progress("solving", done + int(census.counts[CLASSES]), todo)
    return census


def label_chunk(engine: Engine, part: Tier, links: Links, below: Below) -> None:
    """Value, remoteness and nimber of a chunk from those of the children. Raises `RulesError` for a payoff out of
    bounds, and for an impartial game whose end is not lost for the player to move.
    """
    check_payoffs(engine, part.states, links.branching, links.payoffs)
    check_movers(engine, part.states, links.movers)
    kernels.label(links, below.value, below.remoteness, part.value, part.remoteness)
    if part.nimber is not None:
        assert below.nimber is not None
        wrong = (links.branching == 0) & (links.payoffs * links.movers >= 0)
        words = ": in an impartial game the player who cannot move loses, but here does not"
        refuse(engine, wrong, part.states, lambda row: words)
        kernels.find_nimbers(links.branching, links.rows, below.nimber, part.nimber)


def _census(engine: Engine, tier: Tier) -> Census:
    parts = engine.workers.map(lambda rows: count_positions(tier.chunk(rows)), engine.chunks(len(tier)))
    return sum(parts, start=Census.empty())
