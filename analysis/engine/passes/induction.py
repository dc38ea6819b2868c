"""Backward pass: find value and remoteness of every state, and the counts that are found likewise.

v(s) is the payoff if the game is over; otherwise the greatest v of the children on the first player's turn and the
least on the second's. Tiers are solved from the last to the first, and only those that moves of earlier ones lead to
are held.

A tier in which play may return is solved by retrograde analysis within it, see `loops`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...common.workers import Stage, tell_progress
from ..census import SolvedTierStep, TierCensus, tier_totals
from ..columns import TALLIES, widen
from ..engine import Engine
from ..kernels import CLASSES, varints
from ..kernels import counting as kernels
from ..kernels.hash_table import Links, PackedLinks
from ..plan import LIMB, STATE, Plan, no_limit
from ..tiers import Tier
from .children import Below, SolvedTiers
from .forward_by_ply import Reached, check_movers, check_payoffs, refuse
from .histories import Histories
from .loops import label_tier

LABEL_TYPES = (np.int8, np.int16, np.uint16, np.uint8)
"""The types of mover, value, remoteness and branching."""


def solve_tiers(engine: Engine, reached: Reached, histories: Histories | None, plan: Plan) -> Iterator[SolvedTierStep]:
    """Yield all tiers solved, the last first. ``reached`` and ``histories`` are consumed: each tier's arrays are
    dropped from the lists once it is solved.
    """
    sizes = reached.sizes
    todo = sum(sizes)
    kept = sum(links.nbytes for links in reached.links if links is not None)
    by_plies, limbs = 0, 1
    if histories is not None:
        limbs = histories.limbs
        by_plies = sum(array.nbytes for array in histories.by_plies or ())
    scratch = engine.scratch_bytes(max(sizes))
    plan.budget.require(plan.backward(sizes, limbs) + kept + by_plies + scratch, f"solving {todo:,} states")
    done = 0
    solved, last_needed = SolvedTiers(engine), _last_needed(reached)
    while reached.states:
        number, states, leads = reached.numbers.pop(), reached.states.pop(), reached.leads.pop()
        links = reached.links.pop()
        tier = _unsolved(engine, number, states, histories, links)
        if not engine.by_ply:
            held = STATE * (todo - done) + by_plies + solved.held_bytes(plan.solved(limbs)) + scratch
            plan.budget.require(held + plan.solved(limbs) * len(tier), f"solving a tier of {len(tier):,} states")
        if engine.loopy:
            what = f"solving a tier of {len(tier):,} states"

            def require(more: int, held: float = held, what: str = what) -> None:
                plan.budget.require(held + more, what)

            totals = solve_loopy_tier(engine, tier, solved, leads, require)
        else:
            if links is None:
                solved.prepare(leads)
            if engine.by_ply and number > 0 and reached.links[-1] is None:
                solved.begin_table(tier)
            totals = solve_tier(engine, tier, solved, leads, links, (done, todo))
        links = None
        done += len(tier)
        solved.add(tier)
        yield SolvedTierStep(tier, totals, solved.tiers)
        solved.drop(last_needed.get(number, ()))
    tell_progress("solving", todo, todo)


def _last_needed(reached: Reached) -> dict[int, list[int]]:
    """Return, for each tier, those that no tier before it leads to, which are not needed once it is solved. A tier that
    only leads to itself is not needed beyond itself.
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


def _unsolved(
    engine: Engine, number: int, states: np.ndarray, histories: Histories | None, links: PackedLinks | None
) -> Tier:
    if histories is None:
        return unsolved_tier(engine, number, states, links=links)
    by_plies = histories.by_plies.pop() if histories.by_plies is not None else None
    return unsolved_tier(engine, number, states, widen(histories.arrays.pop(), histories.limbs), by_plies, links)


def unsolved_tier(
    engine: Engine,
    number: int,
    states: np.ndarray,
    histories: np.ndarray | None = None,
    by_plies: np.ndarray | None = None,
    links: PackedLinks | None = None,
) -> Tier:
    """Return a tier, or a part of one, with room for its labels, which begin as the arrays of its ``links``, if these
    are kept.
    """
    to_move, value, remoteness, branching = (np.empty(len(states), kind) for kind in LABEL_TYPES)
    if links is not None:
        branching, to_move, value = links[:3]
    tier = Tier(
        number, engine.by_ply, states, to_move, value, remoteness, branching,
        _orbit_sizes(engine, states) if engine.sized else None,
        np.empty(len(states), np.uint8) if engine.rules.impartial else None,
    )  # fmt: skip
    if histories is not None:
        tier.histories, tier.by_plies = histories, by_plies
    return tier


def _orbit_sizes(engine: Engine, states: np.ndarray) -> np.ndarray:
    sizes = np.empty(len(states), np.uint16)

    def fill(rows: slice) -> None:
        sizes[rows] = engine.orbit_sizes(states[rows])

    engine.workers.run(fill, engine.chunks(len(states)))
    return sizes


def solve_tier(
    engine: Engine,
    tier: Tier,
    solved: SolvedTiers,
    leads: Sequence[int],
    kept: PackedLinks | None,
    done_of: tuple[int, int],
) -> TierCensus:
    """Fill in a tier of a game without loops, or a part of one, chunk by chunk; return its totals. ``solved`` is
    prepared for the tiers that its moves lead to, unless links are ``kept``; ``done_of`` says how many of all states
    are done.
    """

    def solve_chunk(number_and_rows: tuple[int, slice]) -> TierCensus:
        number, rows = number_and_rows
        part = tier.chunk(rows)
        if kept is None:
            links, below = solved.link(part, leads)
        else:
            links, below = unpacked(engine, kept, number, rows), solved.next(part, leads)
        part.to_move[:], part.branching[:] = links.movers, links.branching
        label_chunk(engine, part, links, below)
        if part.tallies is not None:
            assert below.tallies is not None
            kernels.TALLY[below.tallies.dtype.type, part.tallies.dtype.type](
                links.branching, part.value, part.remoteness, links.rows,
                below.value, below.remoteness, below.tallies, part.tallies,
            )  # fmt: skip
        return tier_totals(part, engine.rules.payoffs)

    done, todo = done_of
    if tier.histories is not None:
        below = [solved.tiers[lead] for lead in leads]
        tier.tallies = room_for_tallies(engine, len(tier), tier.histories.shape[1], below)
    totals = None
    for part in engine.workers.map(solve_chunk, enumerate(engine.chunks(len(tier)))):
        totals = part if totals is None else totals + part
        tell_progress(Stage("solving", tier.number), done + int(totals.counts[CLASSES]), todo)
    assert totals is not None
    return totals


def unpacked(engine: Engine, kept: PackedLinks, number: int, rows: slice) -> Links:
    """Return the links of a chunk. Their rows are the calling thread's scratch, valid until its next call."""
    branching = kept.branching[rows]
    found = engine.workers.scratch("rows", int(branching.sum(dtype=np.int64)), np.uint32)
    varints.read_rows(branching, kept.data[number], found)
    return Links(branching, kept.movers[rows], kept.payoffs[rows], found)


def room_for_tallies(engine: Engine, n: int, limbs: int, below: Sequence[Tier]) -> np.ndarray:
    """Return zeros for the tallies of ``n`` states: of 16 or 32 bits if
    that holds the largest tally ``below`` times the greatest number of moves, and never narrower than those.
    """
    counted = [tier.tallies for tier in below if tier.tallies is not None]
    size = max((numbers.itemsize for numbers in counted), default=2) if limbs == 1 else LIMB
    if size < LIMB:
        parts = (numbers[rows] for numbers in counted for rows in engine.chunks(len(numbers)))
        most = engine.rules.max_moves * int(max(engine.workers.map(np.max, parts), default=1))
        size = max(size, np.min_scalar_type(most).itemsize)
    return np.zeros((n, len(TALLIES), limbs), f"u{size}")


def label_chunk(engine: Engine, part: Tier, links: Links, below: Below) -> None:
    """Find value, remoteness and nimber of a chunk from those of the children. Raises `RulesError` for a payoff out of
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


def solve_loopy_tier(
    engine: Engine, tier: Tier, solved: SolvedTiers, leads: Sequence[int], require: Callable[[int], None] = no_limit
) -> TierCensus:
    """Label every state of a tier; return its totals. ``require`` is told the bytes of what that holds besides the tier
    itself. Raises `TooLargeError`, and `RulesError` for a payoff other than -1, 0 and 1.
    """
    require(0)
    label_tier(engine, tier, solved.tiers, leads, require)
    return totals_of(engine, tier)


def totals_of(engine: Engine, tier: Tier) -> TierCensus:
    """Return the totals of a labelled tier, or of a part."""
    chunks = engine.chunks(len(tier))
    first, *others = engine.workers.map(lambda rows: tier_totals(tier.chunk(rows), engine.rules.payoffs), chunks)
    return sum(others, start=first)
