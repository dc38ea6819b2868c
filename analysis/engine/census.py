"""Counts over the positions of a tier, from which all statistics of a solution are made."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from analysis.engine.kernels.constants import ENTRIES


@dataclasses.dataclass(frozen=True)
class Census:
    """Counts over some rows of a tier, as in `TierCensus`; sums of them are counts over more rows."""

    counts: np.ndarray  # int64[ENTRIES], see kernels.census
    by_remoteness: np.ndarray  # int64[plies, 3]: positions the mover loses, ties, wins

    @classmethod
    def empty(cls, plies: int = 0) -> Census:
        """The counts of no rows, with room for remotenesses below ``plies``."""
        return cls(np.zeros(ENTRIES, dtype=np.int64), np.zeros((plies, 3), dtype=np.int64))

    def __add__(self, other: Census) -> Census:
        less, more = sorted((self.by_remoteness, other.by_remoteness), key=len)
        table = more.copy()
        table[: len(less)] += less
        return Census(self.counts + other.counts, table)


@dataclasses.dataclass(frozen=True)
class PlyTotals:
    """Counts over the positions of one tier that occur at one ply, in a game whose tiers are not plies."""

    ply: int
    counts: np.ndarray  # int64[ENTRIES], see kernels.census
    histories: int
    ended: tuple[int, int, int]  # games that end at this ply: won by O, tied, won by X


@dataclasses.dataclass(frozen=True)
class ValueTotals:
    """Positions of one tier that have one value; ``games`` are those that end in it, None where nothing was counted."""

    value: int
    positions: int
    terminal: int
    games: int | None


@dataclasses.dataclass(frozen=True)
class TierCensus:
    """Counts over the positions of one tier. ``ended`` and ``histories`` are None where nothing was counted."""

    tier: int
    counts: np.ndarray  # int64[ENTRIES], see kernels.census
    by_remoteness: np.ndarray  # int64[plies, 3]: positions the mover loses, ties, wins
    histories: int | None = None
    ended: tuple[int, int, int] | None = None  # games that end in this tier: won by O, tied, won by X
    values: tuple[ValueTotals, ...] | None = None
    """By value, ascending; None where payoffs are -1, 0 and 1, which ``counts`` tell apart."""
    plies: tuple[PlyTotals, ...] | None = None
    """By ply, where the tier is not the ply and histories are counted."""

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, for the manifest."""
        return {name: _plain(value) for name, value in vars(self).items()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TierCensus:
        """The inverse of `to_json`."""
        values, plies = data["values"], data["plies"]
        return cls(
            data["tier"],
            np.array(data["counts"], dtype=np.int64),
            np.array(data["by_remoteness"], dtype=np.int64).reshape(-1, 3),
            data["histories"],
            None if data["ended"] is None else tuple(data["ended"]),
            None if values is None else tuple(ValueTotals(**row) for row in values),
            None if plies is None else tuple(_ply_totals(**row) for row in plies),
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TierCensus) and self.to_json() == other.to_json()


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, PlyTotals | ValueTotals):
        return {name: _plain(each) for name, each in vars(value).items()}
    return value


def _ply_totals(ply: int, counts: list[int], histories: int, ended: list[int]) -> PlyTotals:
    o, tie, x = ended
    return PlyTotals(ply, np.array(counts, dtype=np.int64), histories, (o, tie, x))


TOTALS_KEYS = {f.name for f in dataclasses.fields(TierCensus)}
"""The keys of `TierCensus` as JSON."""
