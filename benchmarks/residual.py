"""What residual classes save, and what it costs to find them: ``python benchmarks/residual.py [GAME ...]``.

Each game is solved by its symmetries and by residual classes; all numbers that both tell are compared. All moves of all
classes are then expanded once more for their processor time: rules, and the form of the class that they lead to. The
seconds are processor time of a whole solve with counts in memory, everything compiled.
"""

from __future__ import annotations

import sys
import time

from common import Settings
from rich.console import Console

import analysis
from analysis.solution.solution import Solution

GAMES = (
    "tictactoe",
    "wild",
    "mnk:rows=4,cols=4,k=4",
    "mnk:rows=3,cols=5,k=3",
    "mnk:rows=3,cols=5,k=4",
    "mnk:rows=4,cols=4,k=3",
    "mnk:rows=3,cols=6,k=4",
    "wild:rows=3,cols=4,k=3",
    "wild:rows=2,cols=5,k=4",
    "notakto",
    "notakto:rows=4,cols=4,k=4",
    "notakto:rows=5,cols=5,k=5",
    "connect:rows=4,cols=4",
    "connect:rows=3,cols=6",
    "connect:rows=4,cols=5",
    "dots_and_boxes:rows=2,cols=3",
    "dots_and_boxes:rows=3,cols=3",
)
SAME = ("value", "remoteness_plies", "games", "games_by_length", "histories", "optimal_paths")


def main(games: list[str]) -> None:
    """Print the table. Raises `AssertionError` where a number differs."""
    settings = Settings(1, 1, False, Console(width=None if sys.stdout.isatty() else 140))
    columns = ("board, k", "classes", "residual", "gain", "ns a move", "residual", "seconds", "residual")
    settings.table("Residual classes beside those of the symmetries", columns, map(_row, games))


def _row(game: str) -> tuple[str, ...]:
    found = {kind: _solved(game, kind) for kind in ("geometric", "residual")}
    (whole, whole_seconds), (left, left_seconds) = found.values()
    one, other = (solution.statistics() for solution in (whole, left))
    wrong = [name for name in SAME if one[name] != other[name]]
    if wrong:
        raise AssertionError(
            f"{game}: {wrong[0]} is {other[wrong[0]]} by residual classes, and {one[wrong[0]]} without"
        )
    gain = whole.classes / left.classes
    classes = (f"{whole.classes:,}", f"{left.classes:,}", f"{gain:.1f}")
    return (
        game,
        *classes,
        *(f"{_a_move(each):.0f}" for each in (whole, left)),
        f"{whole_seconds:.2f}",
        f"{left_seconds:.2f}",
    )


def _solved(game: str, kind: str) -> tuple[Solution, float]:
    analysis.solve(game, symmetry=kind, workers=1).engine.classes.prepare()  # compiles
    began = time.process_time()
    return analysis.solve(game, symmetry=kind, workers=1), time.process_time() - began


def _a_move(solution: Solution) -> float:
    """Nanoseconds of processor time to expand a move."""
    engine, moves, seconds = solution.engine.classes, 0, 0.0
    for tier in solution.tiers:
        states = tier.states
        for rows in engine.chunks(len(states)):
            began = time.process_time()
            moves += len(engine.expand(states[rows]).children)
            seconds += time.process_time() - began
    return seconds / max(1, moves) * 1e9


if __name__ == "__main__":
    main(sys.argv[1:] or list(GAMES))
