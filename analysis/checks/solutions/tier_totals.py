"""The totals of a tier, derived batch by batch, as the manifest should have them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from analysis.checks.solutions.derived import Derived
from analysis.checks.solutions.digits import exact_total, from_limbs
from analysis.checks.solutions.kernels.deriving import add_census
from analysis.checks.solutions.stored_rows import StoredRows
from analysis.engine.columns import NEVER


class Census:
    """The counts that the totals hold of some states, see `kernels.census`."""

    def __init__(self, orbit: np.ndarray, branching: np.ndarray, movers: np.ndarray, value: np.ndarray,
                 remoteness: np.ndarray) -> None:  # fmt: skip
        most = int(remoteness[remoteness != NEVER].max(initial=-1))
        self.counts, self.by_remoteness = np.zeros(10, dtype=np.int64), np.zeros((most + 1, 3), dtype=np.int64)
        add_census(orbit.astype(np.int64), branching, movers, value, remoteness, self.counts, self.by_remoteness)


class Part(NamedTuple):
    """What some rows add to the totals of a tier."""

    census: Census
    histories: int
    ended: list[int]  # games that O wins, that are tied, that X wins
    values: dict[int, list[int]]  # positions, those that are terminal, and games that end, by value


class TierTotals:
    """Sums over rows of a tier."""

    def __init__(self, number: int, counted: bool, payoffs: tuple[int, int]) -> None:
        self.number, self._counted = number, counted
        self._by_value = payoffs[0] < -1 or payoffs[1] > 1
        self._counts = np.zeros(10, dtype=np.int64)
        self._by_remoteness = np.zeros((NEVER, 3), dtype=np.int64)
        self._values: dict[int, list[int]] = {}
        self._histories, self._ended = 0, [0, 0, 0]

    def of(self, rows: StoredRows, derived: Derived) -> Part:
        """What some rows add."""
        orbit, over, sign = rows["orbit_size"], derived.over, np.sign(derived.value)
        expanded = derived.expanded
        census = Census(orbit, expanded.branching, expanded.movers, derived.value, derived.remoteness)
        ended, total = [0, 0, 0], 0
        values: dict[int, list[int]] = {}
        digits = from_limbs(rows.limbs("histories")) if self._counted else np.zeros((len(rows), 0), dtype=np.uint64)
        if self._counted:
            total = exact_total(digits)
            ended = [exact_total(digits[over & (sign == s)]) for s in (-1, 0, 1)]
        for value in np.unique(derived.value).tolist() if self._by_value else []:
            own = derived.value == value
            positions, terminal = (int(orbit[which].sum(dtype=np.int64)) for which in (own, own & over))
            values[value] = [positions, terminal, exact_total(digits[own & over])]
        return Part(census, total, ended, values)

    def add(self, part: Part) -> None:
        """Add what some rows add."""
        self._counts += part.census.counts
        self._by_remoteness[: len(part.census.by_remoteness)] += part.census.by_remoteness
        self._histories += part.histories
        self._ended = [one + other for one, other in zip(self._ended, part.ended, strict=True)]
        for value, sums in part.values.items():
            own = self._values.get(value, [0, 0, 0])
            self._values[value] = [one + other for one, other in zip(own, sums, strict=True)]

    def as_recorded(self) -> dict[str, Any]:
        """As in the manifest, but for those by ply."""
        most = np.flatnonzero(self._by_remoteness.any(axis=1)).max(initial=-1)
        names = ("positions", "terminal", "games")
        values = [
            {"value": value, **dict(zip(names, sums if self._counted else [*sums[:2], None], strict=True))}
            for value, sums in sorted(self._values.items())
        ]
        return {
            "tier": self.number,
            "counts": self._counts.tolist(),
            "by_remoteness": self._by_remoteness[: most + 1].tolist(),
            "histories": self._histories if self._counted else None,
            "ended": self._ended if self._counted else None,
            "values": values if self._by_value else None,
        }
