"""What moves are worth to players."""

from __future__ import annotations

from typing import NamedTuple

from analysis.solution.position import Worth, preference


class JudgedMove(NamedTuple):
    """A legal move, and what the position after it is worth."""

    code: int
    worth: Worth | None
    """None where a search has shown another move to win, and of this one nothing yet."""
    optimal: bool
    """Whether it is known to keep the value."""


def best_first(moves: list[JudgedMove], side: int) -> list[JudgedMove]:
    """Moves in the order in which the side to move prefers them; see `position.preference`."""
    return sorted(moves, key=lambda move: preference(side, move.worth, move.code))
