"""Families that are solved as sums of parts only: `SumGame` takes them."""

from __future__ import annotations

import dataclasses

from analysis.errors import SpecError
from analysis.rules.game import Game, Rules


@dataclasses.dataclass(frozen=True)
class OnlySums(Game):
    """A family without `rules`, whose positions may be of any kind and size."""

    def rules(self) -> Rules:
        """Raise `SpecError`."""
        raise SpecError(f"{self.spec} is solved as a sum of its parts: write sum:{self.spec}")
