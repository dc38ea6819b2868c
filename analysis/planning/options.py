"""What a plan is about, and how long it may take."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

from analysis.errors import OptionError
from analysis.machine.files import check_writable

SECONDS = 20.0
"""What a plan takes, about, unless told otherwise."""


@dataclasses.dataclass(frozen=True)
class PlanOptions:
    """What `analysis.plan` takes beside the game. Raises `OptionError` for ``seconds`` that are no time,
    and `StoreError` for places that cannot be written.
    """

    symmetry: str = "geometric"
    seconds: float = SECONDS
    workers: int | None = None
    memory: int | str | None = None
    """What a solve may take: bytes, or a text such as 4GB."""
    directory: str | Path | None = None
    """Where the solution would go."""
    scratch: str | Path | None = None
    """Where shards would lie."""
    formulas: bool = True
    """Whether a formula for the size may be used."""

    def __post_init__(self) -> None:
        if not 0 < self.seconds < math.inf:
            raise OptionError(f"{self.seconds:g} seconds are no time to plan; give more than 0")
        for place in (self.directory, self.scratch):
            if place is not None:
                check_writable(Path(place), folder=True)

    @property
    def words(self) -> tuple[str, ...]:
        """Those that a solve takes too, as the command line has them."""
        named = (("out", self.directory), ("scratch", self.scratch), ("memory", self.memory), ("workers", self.workers))
        return tuple(word for name, value in named if value is not None for word in (f"--{name}", str(value)))
