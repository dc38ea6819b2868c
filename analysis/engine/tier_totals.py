"""What is recorded of a solved tier as a whole."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from analysis.engine.census import Census, PlyTotals, TierCensus, ValueTotals
from analysis.engine.integers import exact_sum
from analysis.engine.tiers import Tier


class SolvedTierStep(NamedTuple):
    """A solved tier, its totals, and all tiers that are held: among them those that its moves lead to."""

    tier: Tier
    totals: TierCensus
    held: Mapping[int, Tier]


def tier_totals(tier: Tier, payoffs: tuple[int, int], census: Census | None = None) -> TierCensus:
    """The totals of a solved tier; ``payoffs`` are the bounds of its game, ``census`` its census where it was taken."""
    census = census or tier.census()
    values = None if payoffs[0] >= -1 and payoffs[1] <= 1 else _by_value(tier)
    if tier.histories is None:
        return TierCensus(tier.number, census.counts, census.by_remoteness, values=values)
    ended = games_ended(tier, tier.histories)
    plies = None if tier.by_plies is None else _by_ply(tier, tier.by_plies)
    return TierCensus(
        tier.number, census.counts, census.by_remoteness, exact_sum(tier.histories), ended, values=values, plies=plies
    )


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
            counts = labels.chunk(occurs).census().counts
            found.append(PlyTotals(ply, counts, exact_sum(histories), games_ended(tier, histories)))
    return tuple(found)
