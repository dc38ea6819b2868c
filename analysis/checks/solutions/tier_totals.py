"""The totals of a tier, derived batch by batch, as the manifest should have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.checks.solutions.derived import Derived, census
from analysis.checks.solutions.digits import exact_total
from analysis.checks.solutions.stored_rows import StoredRows
from analysis.engine.columns import NEVER


class TierTotals:
    """Sums over the rows of a tier that were seen so far."""

    def __init__(self, number: int, counted: bool, payoffs: tuple[int, int]) -> None:
        self.number, self._counted = number, counted
        self._by_value = payoffs[0] < -1 or payoffs[1] > 1
        self._counts = [0] * 10
        self._by_remoteness = np.zeros((NEVER, 3), dtype=np.int64)
        self._values: dict[int, list[int]] = {}
        self._histories, self._ended = 0, [0, 0, 0]

    def add(self, rows: StoredRows, derived: Derived) -> None:
        """Add some rows."""
        orbit, over, sign = rows["orbit_size"].astype(np.int64), derived.over, np.sign(derived.value)
        counts = census(orbit, derived.branching, derived.value, derived.remoteness)
        self._counts = [one + other for one, other in zip(self._counts, counts, strict=True)]
        ends = derived.remoteness != NEVER
        np.add.at(self._by_remoteness, (derived.remoteness[ends], (1 + derived.mover * sign)[ends]), orbit[ends])
        histories = rows["histories"] if self._counted else np.zeros((len(rows), 0), dtype=np.uint64)
        self._histories += exact_total(histories)
        for place, s in enumerate((-1, 0, 1)):
            self._ended[place] += exact_total(histories[over & (sign == s)])
        for value in np.unique(derived.value).tolist() if self._by_value else []:
            own = derived.value == value
            sums = self._values.setdefault(value, [0, 0, 0])
            sums[0] += int(orbit[own].sum())
            sums[1] += int(orbit[own & over].sum())
            sums[2] += exact_total(histories[own & over])

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
            "counts": self._counts,
            "by_remoteness": self._by_remoteness[: most + 1].tolist(),
            "histories": self._histories if self._counted else None,
            "ended": self._ended if self._counted else None,
            "values": values if self._by_value else None,
        }
