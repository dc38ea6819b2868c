"""The terms of a match, and limits on the effort of a match, best response or audit."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..rules.positions import Place


@dataclasses.dataclass(frozen=True)
class Effort:
    """Limits on what may be spent to find something out."""

    seconds: float | None = None
    """Limit for a move of ``depth:N`` (processor time, default: none) or of a bot (default: 5), or for judging an
    audit (processor time)."""
    symmetry: str | None = None
    """The symmetries of the solution to make or read."""


@dataclasses.dataclass(frozen=True)
class Terms:
    """How many games a match has, and how they are played."""

    games: int = 1000
    swap: bool = False
    """Whether the levels change sides after every game."""
    seed: int | None = None
    """Repeats the same games (default: different ones each time)."""
    start: Place | None = None
    """The position where games begin (default: the start)."""
    max_plies: int = 1000
    """Plies after which a game is abandoned as unfinished."""
    out: str | Path | None = None
    """A file for all games."""
    judged: bool = False
    """Whether the moves of the games are judged by a solution."""

    @property
    def keeps(self) -> bool:
        """Whether the moves of the games are kept."""
        return self.judged or self.out is not None


NO_LIMITS, USUAL_TERMS = Effort(), Terms()
