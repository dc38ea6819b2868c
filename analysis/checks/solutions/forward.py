"""What follows from the start of a game: what is reached at all, and what occurs at each ply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from analysis.checks.solutions.derived import census
from analysis.checks.solutions.digits import WIDTH, carried, exact_total, from_limbs
from analysis.checks.solutions.frontier import Frontier
from analysis.checks.solutions.ledgers import NEXT, REACHED, UNREACHED, Ledger
from analysis.checks.solutions.replay import Positions
from analysis.checks.solutions.room import Room
from analysis.checks.solutions.stored_rows import TierRows

COUNTS = 10
"""Numbers of a `census`."""
ZEROS = [0] * (COUNTS + 4)
ONE = from_limbs(np.ones((1, 1), dtype=np.uint64))
"""The number 1, as digits."""


def mark_reached(
    positions: Positions, tiers: Mapping[int, TierRows], ledgers: Mapping[int, Ledger], at_a_time: Callable[[int], int]
) -> None:
    """Mark which states moves lead to from those that are marked as `NEXT`: in a loopy game others may lead to each
    other. Of a tier ``at_a_time`` rows are looked at together.
    """
    for number in sorted(tiers):  # no move lowers it
        while _follow(positions, tiers, ledgers, number, at_a_time(number)):
            pass


def _follow(
    positions: Positions, tiers: Mapping[int, TierRows], ledgers: Mapping[int, Ledger], number: int, rows: int
) -> bool:
    """Follow the moves of all states of a tier that are marked as `NEXT`; whether there were any."""
    tier, any_found = tiers[number], False
    for begin in range(0, len(tier), rows):
        size = min(rows, len(tier) - begin)
        waiting = np.flatnonzero(ledgers[number].marks(begin, size) == NEXT)
        if not len(waiting):
            continue
        any_found = True
        ledgers[number].mark(begin, size, waiting, REACHED)
        children = np.unique(positions.expand(tier.at(begin + waiting, ["state"]).states).children)
        numbers = positions.tiers(children, 0)
        for later in np.unique(numbers).tolist():
            own = children[numbers == later]
            for places, stored in tiers[later].holding(own, ["state"]):
                found, _ = stored.find(own[places])
                marks = ledgers[later].marks(stored.begin, len(stored))
                ledgers[later].mark(stored.begin, len(stored), found[marks[found] == UNREACHED], NEXT)
    return any_found


def totals_by_ply(positions: Positions, tiers: Mapping[int, TierRows], room: Room) -> dict[int, list[dict[str, Any]]]:
    """What occurs at each ply, tier by tier, by following all move sequences from the start ply by ply."""
    found: dict[int, list[dict[str, Any]]] = {number: [] for number in tiers}
    frontier, ply = Frontier(room.states()), 0
    frontier.add(positions.least(np.array([positions.rules.start], dtype=np.int64)), ONE)
    while len(frontier):
        following, of_ply = Frontier(room.states()), dict[int, list[int]]()
        for states, histories in frontier.merged(room.rows(positions.rules.max_moves)):
            expanded, numbers = positions.expand(states), positions.tiers(states, 0)
            for number in np.unique(numbers).tolist():
                own = np.flatnonzero(numbers == number)
                totals = _totals(tiers[number], states[own], expanded.branching[own], histories[own])
                of_ply[number] = [one + other for one, other in zip(totals, of_ply.get(number, ZEROS), strict=True)]
            children, place = np.unique(expanded.children, return_inverse=True)
            sums = np.zeros((len(children), WIDTH), dtype=np.uint64)
            np.add.at(sums, place, histories[expanded.rows])
            following.add(children, carried(sums))
        for number, totals in of_ply.items():
            found[number].append(
                {"ply": ply, "counts": totals[:COUNTS], "histories": totals[COUNTS], "ended": totals[COUNTS + 1 :]}
            )
        frontier, ply = following, ply + 1
    return found


def _totals(tier: TierRows, states: np.ndarray, branching: np.ndarray, histories: np.ndarray) -> list[int]:
    """What the totals hold of some states: counts, histories, and those that end with O's win, a tie and X's win."""
    value, remoteness, orbit = np.zeros((3, len(states)), dtype=np.int64)
    for places, stored in tier.holding(states, ["state", "value", "remoteness_plies", "orbit_size"]):
        rows, _ = stored.find(states[places])
        value[places], remoteness[places] = stored.value[rows], stored.remoteness[rows]
        orbit[places] = stored["orbit_size"][rows]
    over, sign = branching == 0, np.sign(value)
    ended = [exact_total(histories[over & (sign == s)]) for s in (-1, 0, 1)]
    return [*census(orbit, branching, value, remoteness), exact_total(histories), *ended]
