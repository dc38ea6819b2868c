"""What positions and moves are worth."""

from __future__ import annotations

from typing import NamedTuple

from analysis.engine.columns import NEVER


class Worth(NamedTuple):
    """What is known of a position: its value, the first player's payoff under optimal play, and its remoteness."""

    value: int
    remoteness_plies: int | None
    """None for a draw, and where it is not known."""
    known_remoteness: bool = True


class JudgedMove(NamedTuple):
    """A legal move, the state after it, and what that is worth."""

    code: int
    child: int
    value: int | None
    """None where a search has shown another move to win, and of this one nothing yet."""
    remoteness_plies: int | None
    """Of the state after the move."""
    optimal: bool
    """Whether it is known to keep the value."""
    known_remoteness: bool = True
    """Whether nothing but a draw is without remoteness."""


def best_first(moves: list[JudgedMove], side: int) -> list[JudgedMove]:
    """Moves in the order in which the side to move prefers them; see `position.preference`."""
    return sorted(moves, key=lambda move: _preference(move, side))


def _preference(move: JudgedMove, side: int) -> tuple[bool, int, int, int]:
    value = side * (move.value or 0)
    plies = NEVER if move.remoteness_plies is None else move.remoteness_plies
    return move.value is None, -value, plies if value >= 0 else -plies, move.code
