"""What the statistics of a solved bidding game are made of: counts over the boards and states of each tier."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.bidding.bidding_induction import SolvedBoards
from analysis.bidding.exact_values import value_json
from analysis.bidding.kernels.saddles import NO_BID

COUNTS = ("boards", "classes", "terminal_X", "terminal_O", "terminal_tie", "states", "saddle", "mixed", "rounded")


@dataclasses.dataclass(frozen=True)
class BiddingTotals:
    """Counts of one tier. All but ``classes`` count boards that differ by a symmetry apart; a state is a board where
    the game goes on, a split of the chips, and a holder of the advantage.
    """

    tier: int
    """Stones on the board since the start."""
    boards: int
    classes: int
    terminal_X: int  # noqa: N815 - named as the outcomes are
    terminal_O: int  # noqa: N815
    terminal_tie: int
    states: int
    saddle: int
    """States with an optimal bid without chance for both sides."""
    mixed: int
    """The other states."""
    rounded: int
    """States whose value is known as a double only."""
    values: tuple[dict[str, Any], ...]
    """``value``, ``value_exact`` and ``states``, ascending."""

    @classmethod
    def of(cls, solved: SolvedBoards) -> BiddingTotals:
        """The counts of a solved tier."""
        boards = solved.boards
        orbits = boards.orbit_sizes.astype(np.int64)
        x, o, tie = (int(orbits[boards.over & (np.sign(boards.payoffs) == sign)].sum()) for sign in (1, -1, 0))
        weights = orbits[boards.playing][:, None]
        states = int(weights.sum()) * solved.ranks.shape[1]
        mixed = int(((solved.x_bids == NO_BID) * weights).sum())
        by_rank = np.zeros(len(solved.table), np.int64)
        for weight in np.unique(weights).tolist():  # boards of one orbit size at a time, so that all are integers
            ranks = solved.ranks[weights[:, 0] == weight].ravel()
            by_rank += weight * np.bincount(ranks, minlength=len(by_rank))
        rows = [{**value_json(v), "states": n} for v, n in zip(solved.table, by_rank.tolist(), strict=True)]
        rounded = sum(row["states"] for row in rows if row["value_exact"] is None)
        sizes = boards.number, int(orbits.sum()), len(boards)
        return cls(*sizes, x, o, tie, states, states - mixed, mixed, rounded, tuple(rows))

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, for the manifest."""
        return {**dataclasses.asdict(self), "values": list(self.values)}

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> BiddingTotals:
        """The inverse of `to_json`."""
        return cls(**{**row, "values": tuple(row["values"])})


def total(totals: Sequence[BiddingTotals], name: str) -> int:
    """The sum of one of `COUNTS` over all tiers."""
    return sum(getattr(row, name) for row in totals)


def by_value(totals: Sequence[BiddingTotals]) -> list[dict[str, Any]]:
    """One row for each value that states have, ascending."""
    found: Counter[tuple[float, str | None]] = Counter()
    for row in totals:
        for entry in row.values:
            found[entry["value"], entry["value_exact"]] += entry["states"]
    order = sorted(found, key=lambda key: (key[0], key[1] is None))
    return [{"value": value, "value_exact": exact, "states": found[value, exact]} for value, exact in order]
