"""Check games and stored solutions: check, verify."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.commands.app import Format, Game, command, progress_bar
from analysis.commands.bidding_games import is_bidding


@command("gametree check mygame.py:MyGame --games 1000")
def check(
    game: Game,
    games: Annotated[int, typer.Option("--games", metavar="N", help="How many games are played at random.")] = 200,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Other games for another number.")] = 0,
    form: Format = "table",
) -> None:
    """Check that a game keeps what the engine relies on; a Python file that is named is run."""
    from analysis import check_game
    from analysis.commands.display import check_tables as check_tables
    from analysis.commands.display import printing as display

    display.check_format(form)
    with progress_bar() as progress:
        report = check_game(game, games=games, seed=seed, progress=progress)
    rows = check_tables.check_rows(report)
    display.show(form, data=report.to_json(), rows=rows, table=check_tables.check_tables(report))
    if not report.passed:
        raise typer.Exit(1)


@command("gametree verify data/tictactoe")
def verify(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a solution.")],
    form: Format = "table",
) -> None:
    """Check a stored solution: every file, and every number derived again from the rules by other means."""
    from analysis import verify as verify_directory
    from analysis import verify_bidding
    from analysis.commands.display import printing as display

    display.check_format(form)
    check: Callable[..., Any] = verify_bidding if is_bidding(str(directory)) else verify_directory
    with progress_bar() as progress:
        report = check(directory, progress=progress)
    row = report.to_json()
    display.show(form, data=row, rows=[row], table=[report.sentence()])
