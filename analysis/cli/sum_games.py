"""How the commands show sums, which are not played; see `turn_games` for games by turns."""

from __future__ import annotations

from analysis.cli.display import sum_tables as tables
from analysis.cli.display.printing import show as print_answer
from analysis.cli.progress import ProgressBar
from analysis.cli.reading import ShowOptions
from analysis.solution.storage.stored_games import refuse_options


def show(game: str, position: str | None, options: ShowOptions) -> None:
    """Print one position (None: the start) with its nimber, its parts and its moves."""
    from analysis.sums.sum_solving import find_solution

    given = {"seconds": options.seconds, "depth": options.depth, "evaluate": options.evaluation}
    refuse_options(game, **{name: value is not None for name, value in given.items()})
    with ProgressBar():
        solution = find_solution(game, symmetry=options.symmetry)
        found = solution[solution.start if position is None else position]
    print_answer(options.form, tables.position_answer(solution, found), wide=options.wide)


plan_answer = tables.plan_answer
