"""The numbers of a solution that stand in one row: totals, and how balanced the game is."""

from __future__ import annotations

from typing import Any

from analysis.machine.workers import Progress, Workers, no_progress
from analysis.playing.expectation import Graph
from analysis.playing.simulation import Pairing, SolvedArrays
from analysis.solution.position import Move
from analysis.solution.solution import Solution

MOST_CLASSES = 1_000_000
"""Classes up to which random play is worked out: some seconds, and some 100 MB."""


def numbers_of(statistics: dict[str, Any]) -> dict[str, Any]:
    """Those of a solution's statistics that are columns of a sweep."""
    same = (
        "value", "remoteness_plies", "positions", "canonical", "symmetry_order", "moves", "histories", "optimal_paths",
        "quotient_paths", "games_up_to_symmetry",
    )  # fmt: skip
    games = statistics["games"] or dict.fromkeys(("X", "O", "tie", "total"))
    ended = statistics["terminal"] or dict.fromkeys(("X", "O", "tie"))  # residual classes do not tell
    return {
        **{name: statistics[name] for name in same},
        **{f"terminal_{name.lower()}": number for name, number in ended.items()},
        **{f"games_{name.lower()}": number for name, number in games.items()},
    }


def first_moves(solution: Solution) -> tuple[Move, ...]:
    """The moves of the start, as far as rules tell."""
    return solution[solution.start].moves if solution.engine.ruled else ()


def balance_of(solution: Solution, progress: Progress = no_progress) -> dict[str, float | None]:
    """How balanced a game is, as doubles: ``games_x_share`` of its games is won by the first player; both at random end
    it with the chances ``random_x``, ``random_o`` and ``random_tie``, None for a game with loops or more than
    `MOST_CLASSES` classes, or where memory does not do; ``blunder_start`` of the first moves lose value, None where the
    game is over at the start. Without rules there are only games. ``progress`` is told how far it is.

    >>> import analysis
    >>> balance_of(analysis.solve("hex:n=2"))["blunder_start"]
    0.5
    """
    games, moves = solution.statistics()["games"], first_moves(solution)
    return {
        "games_x_share": games["X"] / games["total"] if games else None,
        **dict(zip(("random_x", "random_o", "random_tie"), _random_play(solution, progress), strict=True)),
        "blunder_start": sum(not move.optimal for move in moves) / len(moves) if moves else None,
    }


def _random_play(solution: Solution, progress: Progress) -> list[float] | list[None]:
    """The chances of X, of O and of a tie where both players move at random."""
    pairing = Pairing.of("random", "random")
    assert pairing is not None
    if solution.loopy or not solution.engine.ruled or solution.canonical > MOST_CLASSES:
        return [None] * 3
    try:
        arrays = SolvedArrays.solved(solution, solution.engine.start)
        with Workers(1) as pool:
            graph = Graph.build(arrays, pairing, pool, progress)
        return [float(chance) for chance in graph.play(0, solution.canonical, progress).won]
    except MemoryError:  # TooLargeError among them
        return [None] * 3
