"""What is recorded of a solved tier as a whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from analysis.engine.census import Census, PlyTotals, TierCensus, ValueTotals
from analysis.engine.columns import NEVER
from analysis.engine.integers import exact_sum
from analysis.engine.kernels.constants import CLASSES, DRAWN, MOVES, POSITIONS, TERMINAL, VALUE
from analysis.engine.tiers import Tier

FEW = 1 << 14
"""States that are counted by NumPy: a kernel would be faster, but for its compiler, which need not be loaded then."""


class SolvedTierStep(NamedTuple):
    """A solved tier, its totals, and all tiers that are held: among them those that its moves lead to."""

    tier: Tier
    totals: TierCensus
    held: Mapping[int, Tier]


def tier_totals(tier: Tier, payoffs: tuple[int, int], census: Census | None = None) -> TierCensus:
    """The totals of a solved tier; ``payoffs`` are the bounds of its game, ``census`` its census where it was taken."""
    census = census or count_positions(tier)
    values = None if payoffs[0] >= -1 and payoffs[1] <= 1 else _by_value(tier)
    if tier.histories is None:
        return TierCensus(tier.number, census.counts, census.by_remoteness, values=values)
    ended = games_ended(tier, tier.histories)
    plies = None if tier.by_plies is None else _by_ply(tier, tier.by_plies)
    return TierCensus(
        tier.number, census.counts, census.by_remoteness, exact_sum(tier.histories), ended, values=values, plies=plies
    )


def count_positions(tier: Tier) -> Census:
    """The counts of `TierCensus` for the rows of a tier."""
    ended = tier.remoteness[tier.remoteness != NEVER]
    found = Census.empty(1 + int(ended.max()) if len(ended) else 0)
    if len(tier) <= FEW:
        _count_few(tier, found)
    else:
        from analysis.engine.kernels.counting import census
        from analysis.engine.passes.retrograde import labels_of

        census(labels_of(tier), tier.orbit_size, found.counts, found.by_remoteness)
    return found


def _count_few(tier: Tier, found: Census) -> None:
    counts, orbits = found.counts, tier.orbit_size.astype(np.int64)
    drawn, over, sign = tier.remoteness == NEVER, tier.branching == 0, np.sign(tier.value)
    counts[[POSITIONS, CLASSES, MOVES, DRAWN]] = (
        orbits.sum(), len(tier), (orbits * tier.branching).sum(), orbits[drawn].sum()
    )  # fmt: skip
    np.add.at(counts, (VALUE + 1 + sign)[~drawn], orbits[~drawn])
    np.add.at(counts, (TERMINAL + 1 + sign)[over], orbits[over])
    np.add.at(found.by_remoteness, (tier.remoteness[~drawn], (1 + tier.to_move * sign)[~drawn]), orbits[~drawn])


def games_ended(tier: Tier, histories: np.ndarray) -> tuple[int, int, int]:
    """Complete games that end in the tier's states: won by O, tied, won by X. ``histories`` [n, limbs] are all that
    reach a state, or those of one length.
    """
    ended, sign = tier.branching == 0, np.sign(tier.value)
    o, tie, x = (exact_sum(histories[ended & (sign == s)]) for s in (-1, 0, 1))
    return o, tie, x


def _by_value(tier: Tier) -> tuple[ValueTotals, ...]:
    """Positions of each value, those of them that are terminal, and the games that end there."""
    found = []
    over = tier.branching == 0
    for value in np.unique(tier.value).tolist():
        rows = tier.value == value
        games = None if tier.histories is None else exact_sum(tier.histories[rows & over])
        terminal = int(tier.orbit_size[rows & over].sum(dtype=np.int64))
        found.append(ValueTotals(value, int(tier.orbit_size[rows].sum(dtype=np.int64)), terminal, games))
    return tuple(found)


def _by_ply(tier: Tier, by_plies: np.ndarray) -> tuple[PlyTotals, ...]:
    """The positions that occur at each ply, and the histories that lead there."""
    found = []
    labels = dataclasses.replace(tier, histories=None, tallies=None, by_plies=None)
    for ply in range(by_plies.shape[1]):
        histories = by_plies[:, ply]
        occurs = np.asarray(histories.any(axis=1))
        if occurs.any():
            counts = count_positions(labels.chunk(occurs)).counts
            found.append(PlyTotals(ply, counts, exact_sum(histories), games_ended(tier, histories)))
    return tuple(found)
