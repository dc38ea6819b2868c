"""What solve, stats and show do for bidding games, in which both players bid at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from commands.app import progress_bar


def is_bidding(name: str) -> bool:
    """Whether a GAME or GAME_OR_DIR names a bidding game, or the directory of one's solution."""
    from analysis.bidding.kind import is_bidding

    return is_bidding(name)


def refuse_options(game: str, given: dict[str, bool]) -> None:
    """Raise `OptionError` for an option that is for other games."""
    from analysis.errors import OptionError

    for option, there in given.items():
        if there:
            raise OptionError(f"{option} is not for bidding games such as {game}; leave it out")


def require_depth(evaluation: str | None) -> None:
    """Raise `OptionError` for an evaluation where nothing is searched."""
    from analysis.errors import OptionError

    if evaluation is not None:
        raise OptionError(f"--evaluate {evaluation} is for searches to a depth; add --depth D")


def solve(game: str, out: Path | None, form: str, **options: Any) -> None:
    """``gametree solve bidding:...``."""
    from analysis.bidding.solving import bidding_to_directory
    from analysis.display import bidding as display
    from analysis.display import tables

    began = time.perf_counter()
    with progress_bar() as progress:
        solution, was_there = bidding_to_directory(game, out, **options, progress=progress)
    seconds = time.perf_counter() - began
    row = display.solve_row(solution, seconds)
    tables.show(form, data=row, rows=[row], table=display.solve_summary(solution, was_there, seconds))


def stats(game: str, form: str, **options: Any) -> None:
    """``gametree stats``; as CSV the least chips for each total."""
    from analysis.bidding.solving import find_bidding
    from analysis.display import bidding as display
    from analysis.display import tables

    with progress_bar() as progress:
        solution = find_bidding(game, **options, progress=progress)
        found = solution.statistics()
    tables.show(form, data=found, rows=found["least_chips"], table=display.stats_tables(solution, found))


def show(game: str, state: str, form: str, *, depth: int | None, evaluation: str | None) -> None:
    """``gametree show``; as CSV one row for each legal bid of each side."""
    from analysis.bidding.solving import find_bidding, named_bidding, search_bidding
    from analysis.display import bidding as display
    from analysis.display import tables

    with progress_bar() as progress:
        if depth is not None:
            solution = search_bidding(named_bidding(game), state, depth, evaluation=evaluation, progress=progress)
        else:
            require_depth(evaluation)
            solution = find_bidding(game, progress=progress)
    found = solution[state]
    rows, table = display.bid_rows(found), display.position_tables(found)
    tables.show(form, data=found.to_json(), rows=rows, table=table, columns=display.BID_COLUMNS)
