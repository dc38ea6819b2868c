"""Check games and stored solutions: check, verify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analysis.commands.app import SOLVE, Format, Game, Wide, Workers, argument, command, option
from analysis.commands.display.printing import Answer, Paragraph, check_format, show
from analysis.commands.kinds import kind_of
from analysis.commands.progress import ProgressBar


@command("gametree check mygame.py:MyGame --games 1000", SOLVE, waits=True)
def check(
    game: Game,
    games: Annotated[int, option("--games N", "How many games are played at random.")] = 200,
    seed: Annotated[int, option("--seed N", "Other games for another number.")] = 0,
    seconds: Annotated[
        float,
        option(
            "--position-seconds SECONDS", "What the functions may take for a position; an endless loop is then told."
        ),
    ] = 10.0,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Check that a game keeps what the engine relies on; a Python file that is named is run."""
    from analysis.checks.rules.suite import check_game
    from analysis.commands.display.check_tables import check_answer

    check_format(form)
    with ProgressBar() as progress:
        report = check_game(game, games=games, seed=seed, seconds=seconds, progress=progress)
    show(form, check_answer(report), wide=wide)
    if not report.passed:
        raise typer.Exit(1)


@command("gametree verify data/tictactoe --workers 2", SOLVE, reads_solutions=True, waits=True)
def verify(
    directory: Annotated[Path, argument("DIR", "The directory of a solution.")],
    sample: Annotated[int | None, option("--sample N", "Check so many classes only, drawn at random.")] = None,
    share: Annotated[float | None, option("--share SHARE", "Check a share of the classes only, such as 0.01.")] = None,
    seed: Annotated[int | None, option("--seed N", "Other classes for another number; by default 0.")] = None,
    tiers: Annotated[
        str | None, option("--tiers A..B", "Check these tiers only, by themselves; so may others, on other machines.")
    ] = None,
    key: Annotated[
        str | None, option("--key HEX", "Draw the same random weights as the run that printed this.")
    ] = None,
    workers: Workers = None,
    form: Format = "table",
) -> None:
    """Check a stored solution: every file, and every number against the rules and the numbers that it follows from."""
    check_format(form)
    given = {"sample": sample, "share": share, "seed": seed, "tiers": tiers, "key": key}
    with ProgressBar() as progress:
        report = kind_of(str(directory)).verify(directory, given, workers, progress)
    row = report.to_json()
    drawn = [f"To draw the same random weights again: --key {row['key']}"] if row.get("key") and row["counts"] else []
    show(form, Answer(row, [row], [Paragraph(report.sentence()), *drawn]))
