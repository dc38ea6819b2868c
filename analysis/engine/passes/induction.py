"""Backward pass: find value and remoteness of every state, and the counts that are found likewise.

v(s) is the payoff if the game is over; otherwise the greatest v of the children on the first player's turn and the
least on the second's. Tiers are solved from the last to the first, and only those that moves of earlier ones lead to
are held.

A tier of a loopy game is solved by retrograde analysis within it. Moves to later tiers are already decided. The moves
within the tier are stored as lists of parents, 8 bytes a move while they are made; `kernels.loops` then works backward
from what is decided. (The method is that of Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9(3),
1986; ties and draws are distinguished in a second pass.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...common.workers import Stage, tell_progress
from ...errors import TooLargeError
from ..census import SolvedTierStep, TierCensus, labels_of, tier_totals
from ..columns import TALLIES, widen
from ..engine import Engine
from ..kernels import CLASSES, loops
from ..kernels import counting as kernels
from ..kernels.hash_table import HashTable, Links
from ..kernels.loops import DecidingOrder, Parents, Survey
from ..plan import LIMB, STATE, Plan, table_bytes
from ..tiers import Tier
from .children import Below, SolvedTiers, build_table, find
from .forward_by_ply import Reached, check_movers, check_payoffs, refuse
from .histories import Histories

LABEL_TYPES = (np.int8, np.int16, np.uint16, np.uint8)
"""The types of mover, value, remoteness and branching."""

STATE_BYTES = 46
"""Bytes of a state while its tier is solved, besides its labels: what later tiers decide, where its parents begin,
where they are being written, queue and bucket.
"""


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
            totals = solve_loopy_tier(engine, tier, solved, leads, plan, held)
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
    engine: Engine, number: int, states: np.ndarray, histories: Histories | None, links: Links | None
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
    links: Links | None = None,
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
    kept: Links | None,
    done_of: tuple[int, int],
) -> TierCensus:
    """Fill in a tier of a game without loops, or a part of one, chunk by chunk; return its totals. ``solved`` is
    prepared for the tiers that its moves lead to, unless links are ``kept``; ``done_of`` says how many of all states
    are done.
    """

    def solve_chunk(number_and_rows: tuple[int, slice]) -> TierCensus:
        number, rows = number_and_rows
        part = tier.chunk(rows)
        links, below = (ready[number], solved.next(part, leads)) if ready else solved.link(part, leads)
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
    ready = None if kept is None else kept.chunks(engine.chunks(len(tier)))
    totals = None
    for part in engine.workers.map(solve_chunk, enumerate(engine.chunks(len(tier)))):
        totals = part if totals is None else totals + part
        tell_progress(Stage("solving", tier.number), done + int(totals.counts[CLASSES]), todo)
    assert totals is not None
    return totals


def room_for_tallies(engine: Engine, n: int, limbs: int, below: Sequence[Tier]) -> np.ndarray:
    """Return zeros for the tallies of ``n`` states: numbers of 16 or 32 bits if those of the most moves into the tiers
    ``below`` add up to no more, but none smaller than there.
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
    engine: Engine, tier: Tier, solved: SolvedTiers, leads: Sequence[int], plan: Plan, held: float
) -> TierCensus:
    """Label every state of a tier, while other data take ``held`` bytes; return its totals. Raises `TooLargeError`, and
    `RulesError` for a payoff other than -1, 0 and 1.
    """
    n, inside, greatest, moves = len(tier), list[np.ndarray](), 0, 0

    def require(needed: int) -> None:
        what = f"solving a tier of {n:,} states and {moves:,} moves within it"
        plan.budget.require(held + n * STATE_BYTES + needed, what)

    require(table_bytes(n))
    solved.prepare(leads)
    survey = Survey(*(np.empty(n, kind) for kind in (np.uint8, np.uint8, np.uint16, np.uint16, np.uint16)))
    own = build_table(tier.states) if tier.number in leads else None

    def look(rows: slice) -> tuple[int, np.ndarray]:
        return _survey_chunk(engine, tier.chunk(rows), Survey(*(array[rows] for array in survey)), solved, leads, own)

    for of_chunk, rows in engine.workers.map(look, engine.chunks(n)):
        greatest, moves = max(greatest, of_chunk), moves + len(rows)
        inside.append(rows)
        require(table_bytes(n) + 4 * moves)
    own = None
    require(8 * moves)
    parents = find_parents(engine, survey.inner, inside)
    order = DecidingOrder(np.empty(n, np.uint32), np.empty(n, np.int64), np.empty(greatest + 3, np.int64))
    tell_progress(f"retrograde analysis of tier {tier.number}", 0, None)
    if loops.TOO_FAR in [loops.decide(level, labels_of(tier), survey, parents, order) for level in (0, 1)]:
        raise TooLargeError(
            f"{engine.game.spec}: a position is more than {loops.GREATEST:,} plies from the end, too far for a table"
        )
    first, *others = engine.workers.map(
        lambda rows: tier_totals(tier.chunk(rows), engine.rules.payoffs), engine.chunks(n)
    )
    return sum(others, start=first)


def _survey_chunk(
    engine: Engine, part: Tier, survey: Survey, solved: SolvedTiers, leads: Sequence[int], own: HashTable | None
) -> tuple[int, np.ndarray]:
    """Fill in what later tiers decide; return the greatest remoteness there, and the rows of all children within the
    tier, uint32[moves].
    """
    expanded = engine.expand_tiers(part.states)
    check_payoffs(engine, part.states, expanded.branching, expanded.payoffs)
    check_movers(engine, part.states, expanded.movers)
    part.to_move[:], part.branching[:] = expanded.movers, expanded.branching
    inside = expanded.tiers == part.number
    later = solved.gather(expanded, [number for number in leads if number != part.number])
    greatest = loops.survey(
        labels_of(part), expanded.payoffs, inside.view(np.uint8), later.value, later.remoteness, survey
    )
    if own is None:
        return greatest, np.empty(0, dtype=np.uint32)
    children = expanded.children if inside.all() else expanded.children[inside]
    return greatest, find(engine, children, own)


def find_parents(engine: Engine, inner: np.ndarray, rows: list[np.ndarray]) -> Parents:
    """Turn the lists of children, ``inner[i]`` of state ``i``, into lists of parents. ``rows`` are consumed."""
    first = np.zeros(len(inner) + 1, dtype=np.int64)
    for chunk in rows:
        loops.count_parents(chunk, first)
    np.cumsum(first, out=first)
    parents, cursor = np.empty(int(first[-1]), dtype=np.uint32), first[:-1].copy()
    for number, of_chunk in enumerate(engine.chunks(len(inner))):
        loops.note_parents(of_chunk.start, inner[of_chunk], rows[number], cursor, parents)
        rows[number] = rows[number][:0]
    return Parents(first, parents)
