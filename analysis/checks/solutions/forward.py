"""What follows from the start of a game: what is reached at all, and what occurs at each ply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from analysis.checks.solutions.ascending import different
from analysis.checks.solutions.digits import WIDTH, carried, exact_total, from_limbs
from analysis.checks.solutions.frontier import Frontier
from analysis.checks.solutions.kernels.expanding import ReplayedMoves
from analysis.checks.solutions.ledgers import NEXT, REACHED, Ledger
from analysis.checks.solutions.replay import Positions
from analysis.checks.solutions.room import Room
from analysis.checks.solutions.stored_rows import TierRows
from analysis.checks.solutions.tier_totals import Census
from analysis.machine.workers import Workers

COUNTS = 10
"""Numbers of a `census`."""
ZEROS = [0] * (COUNTS + 4)
ONE = from_limbs(np.ones((1, 1), dtype=np.uint64))
"""The number 1, as digits."""


def mark_reached(
    positions: Positions, tiers: Mapping[int, TierRows], ledgers: Mapping[int, Ledger], rows: int, workers: Workers
) -> None:
    """Mark which states moves lead to from those that are marked as `NEXT`: in a loopy game others may lead to each
    other. Of a tier so many ``rows`` are looked at together.
    """
    for number in sorted(tiers):  # no move lowers it
        while _follow(positions, tiers, ledgers, number, rows, workers):
            pass


def _follow(
    positions: Positions,
    tiers: Mapping[int, TierRows],
    ledgers: Mapping[int, Ledger],
    number: int,
    rows: int,
    workers: Workers,
) -> bool:
    """Follow the moves of all states of a tier that are marked as `NEXT`; whether there were any."""
    tier, any_found = tiers[number], False
    for begin in range(0, len(tier), rows):
        size = min(rows, len(tier) - begin)
        waiting = np.flatnonzero(ledgers[number].marks(begin, size) == NEXT)
        if not len(waiting):
            continue
        any_found = True
        ledgers[number].mark(begin + waiting, REACHED)
        children = different(positions.expand(tier.span(begin, size, ["state"]).states[waiting]).children)
        numbers = positions.tiers(children, 0)
        for later in np.unique(numbers).tolist():
            found = tiers[later].holding(children[numbers == later], ["state"], workers)
            if found is not None:
                ledgers[later].mark_new(found[1])
    return any_found


def totals_by_ply(
    positions: Positions, tiers: Mapping[int, TierRows], room: Room, workers: Workers
) -> dict[int, list[dict[str, Any]]]:
    """What occurs at each ply, tier by tier, by following all move sequences from the start ply by ply."""
    found: dict[int, list[dict[str, Any]]] = {number: [] for number in tiers}
    frontier, ply = Frontier(room.states()), 0
    frontier.add(positions.least(np.array([positions.rules.start], dtype=np.int64)), ONE)
    while len(frontier):
        following, of_ply = Frontier(room.states()), dict[int, list[int]]()
        for states, histories in frontier.merged(room.batch(positions.rules.max_moves)):
            expanded, numbers = positions.expand(states), positions.tiers(states, 0)
            for number in np.unique(numbers).tolist():
                own = np.flatnonzero(numbers == number)
                totals = _totals(tiers[number], states[own], expanded, own, histories[own], workers)
                of_ply[number] = [one + other for one, other in zip(totals, of_ply.get(number, ZEROS), strict=True)]
            children, place = np.unique(expanded.children, return_inverse=True)
            sums = np.zeros((len(children), WIDTH), dtype=np.uint64)
            parents = np.repeat(np.arange(len(states)), expanded.branching)
            np.add.at(sums, place, histories[parents])
            following.add(children, carried(sums))
        for number, totals in of_ply.items():
            found[number].append(
                {"ply": ply, "counts": totals[:COUNTS], "histories": totals[COUNTS], "ended": totals[COUNTS + 1 :]}
            )
        frontier, ply = following, ply + 1
    return found


def _totals(
    tier: TierRows, states: np.ndarray, expanded: ReplayedMoves, own: np.ndarray, histories: np.ndarray,
    workers: Workers,
) -> list[int]:  # fmt: skip
    """What the totals hold of some states, which ascend: counts, histories, and those that end with O's win, a tie and
    X's win. ``own`` are their places among those that were expanded.
    """
    found = tier.holding(states, ["state", "value", "remoteness_plies", "orbit_size"], workers)
    assert found is not None
    stored, branching = found[0], expanded.branching[own]
    value, remoteness = stored.value.astype(np.int64), stored.remoteness.astype(np.int64)
    counts = Census(stored["orbit_size"], branching, expanded.movers[own], value, remoteness).counts.tolist()
    over, sign = branching == 0, np.sign(value)
    ended = [exact_total(histories[over & (sign == s)]) for s in (-1, 0, 1)]
    return [*counts, exact_total(histories), *ended]
