"""How the commands show sums; `turn_games` has the same functions for games by turns."""

from __future__ import annotations

from typing import Any, NoReturn

from analysis.cli.display import sum_tables as tables
from analysis.cli.display.printing import show as print_answer
from analysis.cli.progress import ProgressBar
from analysis.cli.reading import PlayOptions, ShowOptions
from analysis.games.families import load_game
from analysis.solution.storage.stored_games import refuse_options, refuse_other_kinds


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


def match(game: str, a: str, b: str, terms: Any, effort: Any) -> NoReturn:
    """Raise `SpecError` or `OptionError`: sums are not played."""
    _refuse(game)


def set_up(name: str, options: PlayOptions, console: Any = None) -> NoReturn:
    """Raise `SpecError` or `OptionError`: sums are not played."""
    _refuse(name)


def _refuse(game: str) -> NoReturn:
    refuse_other_kinds(game)
    load_game(game).rules()
    raise AssertionError(game)
