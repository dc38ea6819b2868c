"""Count the positions of a tier; all statistics of a solution follow from these counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..common.arguments import INT64
from .columns import NEVER, exact_sum
from .kernels import CLASSES, DRAWN, ENTRIES, MOVES, POSITIONS, TERMINAL, VALUE
from .tiers import Tier

if TYPE_CHECKING:
    from .kernels.types import Labels

FEW = 1 << 12
"""Up to this number, states are counted by NumPy: a kernel is faster, but would need its compiler."""


class Summable:
    """Counts over some rows of a tier, which can be added up. What is None in one is None in the sum; the first field
    of `TierCensus`, `ValueTotals` and `PlyTotals`, their number or value, is not added.
    """

    def __add__(self, other: Self) -> Self:
        fields = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        keys = {name: getattr(self, name) for name in fields[:1] if name in ("tier", "ply", "value")}
        return type(self)(**keys, **{f: _sum(getattr(self, f), getattr(other, f)) for f in fields if f not in keys})


def _sum(first: Any, second: Any) -> Any:
    if first is None or second is None:
        return None
    if isinstance(first, np.ndarray):
        shorter, longer = sorted((first, second), key=len)
        total = longer.copy()
        total[: len(shorter)] += shorter
        return total
    if not isinstance(first, tuple):
        return first + second
    if not any(isinstance(row, Summable) for row in first + second):
        return tuple(a + b for a, b in zip(first, second, strict=True))
    rows: dict[int, Any] = {}
    for row in first + second:
        key = row.value if isinstance(row, ValueTotals) else row.ply
        rows[key] = rows[key] + row if key in rows else row
    return tuple(row for _, row in sorted(rows.items()))


@dataclasses.dataclass(frozen=True)
class PlyTotals(Summable):
    """Counts over the positions of one tier that occur at one ply, in a game whose tiers are not plies."""

    ply: int
    counts: np.ndarray  # int64[ENTRIES], see kernels.census
    histories: int
    ended: tuple[int, int, int]  # games that end at this ply: won by O, tied, won by X


@dataclasses.dataclass(frozen=True)
class ValueTotals(Summable):
    """The positions of one tier that have one value; ``games`` are those that end there, None if nothing was
    counted.
    """

    value: int
    positions: int
    terminal: int
    games: int | None


@dataclasses.dataclass(frozen=True)
class TierCensus(Summable):
    """Counts over the positions of one tier. ``ended`` and ``histories`` are None if nothing was counted."""

    tier: int
    counts: np.ndarray  # int64[ENTRIES], see kernels.census
    by_remoteness: np.ndarray  # int64[plies, 3]: positions the mover loses, ties, wins
    histories: int | None = None
    ended: tuple[int, int, int] | None = None  # games that end in this tier: won by O, tied, won by X
    values: tuple[ValueTotals, ...] | None = None
    """By value, ascending; None if payoffs are -1, 0 and 1, which ``counts`` distinguish."""
    plies: tuple[PlyTotals, ...] | None = None
    """By ply, if the tier is not the ply and histories are counted."""

    def to_json(self) -> dict[str, Any]:
        """Return plain numbers, for the manifest."""
        return dataclasses.asdict(self, dict_factory=_plain)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TierCensus:
        """Invert `to_json`."""
        kinds = {"values": ValueTotals, "plies": PlyTotals}
        rows = {name: data[name] and [_from_plain(kind, row) for row in data[name]] for name, kind in kinds.items()}
        return _from_plain(cls, data | rows)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TierCensus) and self.to_json() == other.to_json()


def _from_plain(kind: Any, data: dict[str, Any]) -> Any:
    """Make counts from plain numbers."""
    shapes = {"counts": (-1,), "by_remoteness": (-1, 3)}
    arrays = {name: np.array(data[name], np.int64).reshape(shape) for name, shape in shapes.items() if name in data}
    tuples = {name: tuple(value) for name, value in data.items() if isinstance(value, list) and name not in shapes}
    return kind(**data | arrays | tuples)


def _plain(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields}


_COUNTS = [INT64, ENTRIES]
TOTALS_FORM = {
    "tier": range(1 << 31),
    "counts": _COUNTS,
    "by_remoteness": [[INT64, 3]],
    "histories": (int, None),
    "ended": ([int, 3], None),
    "values": ([{"value": int, "positions": int, "terminal": int, "games": (int, None)}], None),
    "plies": ([{"ply": int, "counts": _COUNTS, "histories": int, "ended": [int, 3]}], None),
}
"""The form of `TierCensus` as JSON."""


class SolvedTierStep(NamedTuple):
    """A solved tier, its totals, and all tiers in memory, including those that its moves lead to."""

    tier: Tier
    totals: TierCensus
    held: Mapping[int, Tier]


def tier_totals(tier: Tier, payoffs: tuple[int, int]) -> TierCensus:
    """Return the totals of a solved tier, or of part of one; ``payoffs`` are the bounds of its game."""
    values = None if payoffs[0] >= -1 and payoffs[1] <= 1 else _by_value(tier)
    census = dataclasses.replace(count_positions(tier), values=values)
    if tier.histories is None:
        return census
    ended, histories = games_ended(tier, tier.histories), exact_sum(tier.histories)
    plies = None if tier.by_plies is None else _by_ply(tier, tier.by_plies)
    return dataclasses.replace(census, histories=histories, ended=ended, plies=plies)


def count_positions(tier: Tier) -> TierCensus:
    """Count the rows of a tier, but not by value, history and ply."""
    longest = int(tier.remoteness.max(initial=0))
    if longest == NEVER:
        longest = int(tier.remoteness.max(initial=0, where=tier.remoteness != NEVER))
    sums = TierCensus(tier.number, np.zeros(ENTRIES, np.int64), np.zeros((1 + longest, 3), np.int64))
    if len(tier) <= FEW:
        _count_few(tier, sums)
    else:
        from .kernels.counting import census

        census(labels_of(tier), _orbits(tier), sums.counts, sums.by_remoteness)
    return sums


def labels_of(tier: Tier) -> Labels:
    """Return the fields of a tier that kernels read and fill in."""
    from .kernels.types import Labels

    return Labels(tier.branching, tier.to_move, tier.value, tier.remoteness)


def _orbits(tier: Tier) -> np.ndarray:
    """Return the orbit sizes, or ones if they are unknown, so that classes are counted."""
    return np.ones(len(tier), np.uint16) if tier.orbit_size is None else tier.orbit_size


def _count_few(tier: Tier, sums: TierCensus) -> None:
    counts, orbits = sums.counts, _orbits(tier).astype(np.int64)
    drawn, over, sign = tier.remoteness == NEVER, tier.branching == 0, np.sign(tier.value)
    counts[[POSITIONS, CLASSES, MOVES, DRAWN]] = (
        orbits.sum(), len(tier), (orbits * tier.branching).sum(), orbits[drawn].sum()
    )  # fmt: skip
    np.add.at(counts, (VALUE + 1 + sign)[~drawn], orbits[~drawn])
    np.add.at(counts, (TERMINAL + 1 + sign)[over], orbits[over])
    np.add.at(sums.by_remoteness, (tier.remoteness[~drawn], (1 + tier.to_move * sign)[~drawn]), orbits[~drawn])


def games_ended(tier: Tier, histories: np.ndarray) -> tuple[int, int, int]:
    """Count complete games that end in the tier's states: won by O, tied, won by X. ``histories`` [n, limbs] are all
    that reach a state, or those of one length.
    """
    ended = np.flatnonzero(tier.branching == 0)
    histories, sign = histories[ended], np.sign(tier.value[ended])
    o, tie, x = (exact_sum(histories[sign == s]) for s in (-1, 0, 1))
    return o, tie, x


def _by_value(tier: Tier) -> tuple[ValueTotals, ...]:
    """For each value, count its positions, its terminal positions, and the games that end there."""
    totals = []
    over, orbits = tier.branching == 0, _orbits(tier)
    for value in np.unique(tier.value).tolist():
        rows = tier.value == value
        games = None if tier.histories is None else exact_sum(tier.histories[rows & over])
        terminal = int(orbits[rows & over].sum(dtype=np.int64))
        totals.append(ValueTotals(value, int(orbits[rows].sum(dtype=np.int64)), terminal, games))
    return tuple(totals)


def _by_ply(tier: Tier, by_plies: np.ndarray) -> tuple[PlyTotals, ...]:
    """Count the positions that occur at each ply, and the histories that lead there."""
    totals = []
    labels = dataclasses.replace(tier, histories=None, tallies=None, by_plies=None)
    for ply in range(by_plies.shape[1]):
        histories = by_plies[:, ply]
        occurs = np.asarray(histories.any(axis=1))
        if occurs.any():
            counts = count_positions(labels.chunk(occurs)).counts
            totals.append(PlyTotals(ply, counts, exact_sum(histories), games_ended(tier, histories)))
    return tuple(totals)
