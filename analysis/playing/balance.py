"""The totals of a solved game in one flat row, and how balanced the game is: what `stats` compares several games by."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from .levels import Level

if TYPE_CHECKING:
    from ..solution.position import Move
    from ..solution.solution import Solution
    from .chain import Ends

MOST_CLASSES = 1_000_000
"""The most classes for which random play is evaluated: some seconds, and some gigabytes."""


def numbers_of(statistics: dict[str, Any]) -> dict[str, Any]:
    """Select the totals among the statistics of a solution."""
    return {name: number for name, number in statistics.items() if name != "game" and "by_" not in name}


def first_moves(solution: Solution) -> tuple[Move, ...]:
    """Return the moves of the start, if there are rules."""
    return solution[solution.start].moves if solution.engine.ruled else ()


def balance_of(solution: Solution) -> dict[str, float | None]:
    """Measure how balanced a game is: ``games_x_share`` is the share of games won by the first player; ``random_x``,
    ``random_o`` and ``random_tie`` the probabilities of outcomes under random play, None for loopy games, for more than
    `MOST_CLASSES` classes, or if memory is short; ``blunder_start`` the share of first moves that lose value, None if
    the game is over at the start. Without rules only the first is known.

    >>> import analysis
    >>> balance_of(analysis.solve("hex:n=2"))["blunder_start"]
    0.5
    """
    stats, moves = solution.statistics(), first_moves(solution)
    chances: list[float | None] = [None] * 3
    if not solution.loopy and solution.engine.ruled and solution.classes <= MOST_CLASSES:
        with contextlib.suppress(MemoryError):  # including TooLargeError
            chances = [float(chance) for chance in _random_play(solution).won]
    return {
        "games_x_share": stats["games_x"] / stats["games"] if stats["games"] else None,
        **dict(zip(("random_x", "random_o", "random_tie"), chances, strict=True)),
        "blunder_start": sum(not move.optimal for move in moves) / len(moves) if moves else None,
    }


def _random_play(solution: Solution) -> Ends:
    """Return how games end if all moves are equally likely."""
    from .expectation import chains  # slow to import
    from .simulation import LevelView

    view = LevelView.of(solution.game, solution.engine.start, symmetry="geometric")
    (chain,) = chains(view, (Level("random"), Level("random")), [0])
    return chain.ends(solution.classes)
