"""What `proving` finds, apart from it: to search takes the compiler."""

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


class Proof(NamedTuple):
    """What a position with moves has been shown to be worth."""

    worth: Worth
    moves: list[JudgedMove]
    """Best first. Some moves that keep the value are optimal; where others win all there is to win, or the time was
    over, nothing may be known of a move.
    """
    nodes: int
    """Nodes that were searched."""
