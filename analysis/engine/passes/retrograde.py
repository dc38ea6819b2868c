"""A tier of a loopy game: values and remoteness by retrograde analysis within it.

Moves to later tiers are decided already. The moves that stay within the tier are kept as lists of parents, 8 bytes a
move while they are made; `kernels.loops` then works backward from what is decided. (The method is that of Thompson,
"Retrograde analysis of certain endgames", ICCA Journal 9(3), 1986; ties and draws are told apart in a second pass.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.engine.engine import Engine
from analysis.engine.kernels import loops as kernels
from analysis.engine.kernels.hash_table import HashTable
from analysis.engine.kernels.loops import Order, Parents, Survey
from analysis.engine.kernels.types import Labels
from analysis.engine.passes.children import SolvedTiers, build_table, find
from analysis.engine.passes.forward_by_ply import check_movers, check_payoffs
from analysis.engine.plan import Plan, table_bytes
from analysis.engine.tiers import Tier
from analysis.errors import TooLargeError

STATE_BYTES = 46
"""Bytes of a state while its tier is solved, besides its labels: what later tiers decide, where parents begin, where
they are being written, queue and bucket."""


def solve_loopy_tier(
    engine: Engine, tier: Tier, solved: SolvedTiers, leads: Sequence[int], plan: Plan, held: float
) -> None:
    """Label every state of a tier, while ``held`` bytes are taken by other things. Raises `TooLargeError`, and
    `RulesError` for a payoff other than -1, 0 and 1.
    """
    n = len(tier)
    plan.budget.require(held + n * STATE_BYTES + table_bytes(n), f"solving a tier of {n:,} states")
    solved.prepare(leads)
    survey = Survey(*(np.empty(n, kind) for kind in (np.uint8, np.uint8, np.uint16, np.uint16, np.uint16)))
    greatest, inside = _survey_tier(engine, tier, survey, solved, leads, plan, held)
    moves = sum(map(len, inside))
    needed = held + n * STATE_BYTES + 8 * moves
    plan.budget.require(needed, f"solving a tier of {n:,} states and {moves:,} moves within it")
    parents = find_parents(engine, survey.inner, inside)
    order = Order(np.empty(n, np.uint32), np.empty(n, np.int64), np.empty(greatest + 3, np.int64))
    engine.progress(f"retrograde analysis of tier {tier.number}", 0, None)
    if kernels.TOO_FAR in [kernels.decide(level, labels_of(tier), survey, parents, order) for level in (0, 1)]:
        raise TooLargeError(
            f"{engine.game.spec}: a position is more than {kernels.GREATEST:,} plies from the end, too far for a table"
        )


def _survey_tier(
    engine: Engine,
    tier: Tier,
    survey: Survey,
    solved: SolvedTiers,
    leads: Sequence[int],
    plan: Plan,
    held: float,
) -> tuple[int, list[np.ndarray]]:
    """The greatest remoteness met in later tiers, and the rows of all children within the tier, chunk by chunk."""
    n = len(tier)
    own = build_table(tier.states) if tier.number in leads else None

    def look(rows: slice) -> tuple[int, np.ndarray]:
        return _survey_chunk(engine, tier.chunk(rows), Survey(*(array[rows] for array in survey)), solved, leads, own)

    greatest, inside, moves = 0, [], 0
    for chunk_greatest, rows in engine.workers.map(look, engine.chunks(n)):
        greatest, moves = max(greatest, chunk_greatest), moves + len(rows)
        inside.append(rows)
        needed = held + n * STATE_BYTES + table_bytes(n) + 4 * moves
        plan.budget.require(needed, f"solving a tier of {n:,} states and {moves:,} moves within it")
    return greatest, inside


def _survey_chunk(
    engine: Engine, part: Tier, survey: Survey, solved: SolvedTiers, leads: Sequence[int], own: HashTable | None
) -> tuple[int, np.ndarray]:
    """Fill in what later tiers decide; return the greatest remoteness met there, and the rows of all children within
    the tier, uint32[moves].
    """
    expanded = engine.expand_tiers(part.states)
    check_payoffs(engine, part.states, expanded.branching, expanded.payoffs)
    check_movers(engine, part.states, expanded.movers)
    part.to_move[:], part.branching[:] = expanded.movers, expanded.branching
    inside = expanded.tiers == part.number
    later = solved.gather(expanded, [number for number in leads if number != part.number])
    greatest = kernels.survey(
        labels_of(part), expanded.payoffs, inside.view(np.uint8), later.value, later.remoteness, survey
    )
    if own is None:
        return greatest, np.empty(0, dtype=np.uint32)
    children = expanded.children if inside.all() else expanded.children[inside]
    return greatest, find(engine, children, own)


def labels_of(tier: Tier) -> Labels:
    """What the kernels take, and fill in, of a tier."""
    return Labels(tier.branching, tier.to_move, tier.value, tier.remoteness)


def find_parents(engine: Engine, inner: np.ndarray, rows: list[np.ndarray]) -> Parents:
    """Turn the lists of children, ``inner[i]`` of state ``i``, into lists of parents. ``rows`` are consumed."""
    first = np.zeros(len(inner) + 1, dtype=np.int64)
    for chunk in rows:
        kernels.count_parents(chunk, first)
    np.cumsum(first, out=first)
    parents, cursor = np.empty(int(first[-1]), dtype=np.uint32), first[:-1].copy()
    for number, of_chunk in enumerate(engine.chunks(len(inner))):
        kernels.note_parents(of_chunk.start, inner[of_chunk], rows[number], cursor, parents)
        rows[number] = rows[number][:0]
    return Parents(first, parents)
