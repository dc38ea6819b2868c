"""What a match is played by, and what it, a best response and an audit may take."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from analysis.machine.arguments import checked


@dataclasses.dataclass(frozen=True)
class Effort:
    """What may be taken to find something out."""

    seconds: float | None = None
    """What ``depth:N`` may take for a move (default: whatever N plies take), or an audit for judging."""
    symmetry: str | None = None
    """Those that a solution is made with, or read."""


@dataclasses.dataclass(frozen=True)
class Terms:
    """How many games a match has, and how they are played."""

    games: int = 1000
    swap: bool = False
    """Whether the levels change sides after every game."""
    seed: int | None = None
    """Makes the same games again (default: another one each time)."""
    position: str | None = None
    """Where games start (default: at the start)."""
    max_plies: int = 1000
    """Plies after which a game is given up as unfinished."""
    out: str | Path | None = None
    """A file for all games."""

    @property
    def keeps(self) -> bool:
        """Whether the moves of the games are wanted."""
        return self.out is not None


Effort.__init__ = checked(Effort.__init__)  # type: ignore[method-assign]
Terms.__init__ = checked(Terms.__init__)  # type: ignore[method-assign]
NO_LIMITS, USUAL_TERMS = Effort(), Terms()
