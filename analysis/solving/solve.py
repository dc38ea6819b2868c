"""Solve a game in memory."""

from __future__ import annotations

from analysis.engine.engine import make_engine, resting
from analysis.games.families import load_game
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, Workers, no_progress
from analysis.rules.game import HasRules
from analysis.rules.positions import read_position
from analysis.solution.solution import Solution
from analysis.solving.outlook import Outlook
from analysis.solving.passes import compiled_passes, solve_if_small, start_tallies, summarize
from analysis.storage.store import Tables


def solve(
    game: str | HasRules,
    *,
    position: str | None = None,
    symmetry: str = "geometric",
    counts: bool = True,
    workers: int | None = None,
    anyway: bool = False,
    progress: Progress = no_progress,
) -> Solution:
    """Solve a game completely, in memory.

    ``game`` is a specification such as ``mnk:rows=4,cols=4,k=4`` or a `Game`; ``position`` a position to start from
    instead of the game's own start (plies, histories and symmetries are then those of the game from there);
    ``symmetry`` one of ``geometric``, ``full``, ``none`` and ``residual``; ``workers`` defaults to all processors.
    Raises `SpecError`, `PositionError`, `OptionError`, `SymmetryError`, `RulesError`, and `TooLargeError` where memory
    is not expected to do or, begun ``anyway``, surely does not.

    >>> solve("mnk:rows=2,cols=2,k=2").value
    1
    """
    game = load_game(game)
    start = None if position is None else read_position(game, position)
    with Workers(workers) as pool:
        engine = make_engine(game, symmetry=symmetry, start=start, workers=pool, progress=progress)
        steps = solve_if_small(engine.classes, counts)
        if steps is None:
            outlook = Outlook(engine.classes, Tables(counts), Budget.of_machine(), True, anyway)
            steps = list(compiled_passes(engine.classes, counts, outlook))
        steps.reverse()
        tiers = [step.tier for step in steps]
        summary = summarize(engine, [step.totals for step in steps], start_tallies(tiers[0]))
        return Solution(resting(engine), tiers, summary)
