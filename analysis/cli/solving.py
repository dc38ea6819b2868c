"""Solve games and check what is there: solve, plan, check, verify, clean."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

import analysis
from analysis.cli.app import (
    SOLVE,
    Answers,
    Dask,
    Game,
    Position,
    Symmetries,
    Symmetry,
    argument,
    command,
    fail,
    option,
    split,
)  # fmt: skip
from analysis.cli.display.parts import Answer, Paragraph
from analysis.cli.display.printing import symmetries_answer
from analysis.cli.kinds import kind_of
from analysis.cli.progress import ProgressBar
from analysis.errors import OptionError


@command("gametree solve mnk:rows=4,cols=4,k=4 --workers 2", SOLVE, waits=True)
def solve(
    game: Game,
    symmetry: Symmetries = None,
    out: Annotated[Path | None, option("--out DIR", "The directory; by default data/GAME.")] = None,
    force: Annotated[bool, option("--force", "Solve again what is there already.")] = False,
    moves: Annotated[bool, option("--moves", "Also a table of all moves.")] = False,
    text: Annotated[bool, option("--text", "Also the position as text in each row.")] = False,
    paths: Annotated[
        bool, option("--paths", "Also a table of all optimal paths; of more than 100 million with --anyway.")
    ] = False,
    no_counts: Annotated[bool, option("--no-counts", "Leave out histories, games and paths.")] = False,
    memory: Annotated[
        str | None,
        option("--memory SIZE", "What it may take in all, with its unit: 4GB, 500MB; by default what is free."),
    ] = None,
    sharded: Annotated[
        bool, option("--sharded", "Work on the disk, in shards, whatever fits in memory; what does not, does anyway.")
    ] = False,
    anyway: Annotated[
        bool, option("--anyway", "Begin also where it is not expected to fit, as `gametree plan` tells.")
    ] = False,
    scratch: Annotated[
        Path | None, option("--scratch DIR", "Where shards lie until it is solved; by default with the solution.")
    ] = None,
    dask: Dask = None,
) -> Answers:
    """Solve a game completely and store the solution as Parquet tables.

    What does not fit in memory is solved in shards on the disk; cut off, the same command goes on with it. What is not
    expected to fit there either is refused after some seconds.

    With bids for the move: bidding:game=tictactoe,chips=4.
    """
    from analysis.solving.cluster.running import on_dask

    tables = [name for name, wanted in (("moves", moves), ("text", text), ("paths", paths)) if wanted]
    output = analysis.Output(out, tables, force)
    symmetries = list(dict.fromkeys(split(symmetry) or ["geometric"]))
    if len(symmetries) > 1:
        if out is not None:
            raise OptionError(f"--out is one directory, and {', '.join(symmetries)} are solutions of their own")
        check_symmetries(game, symmetries)
    solved = []
    with analysis.running(memory=memory, scratch=scratch, sharded=sharded, anyway=anyway):
        for each in symmetries:
            began = time.perf_counter()
            with ProgressBar(), on_dask(dask):
                solution = analysis.solve(game, directory=output, symmetry=each, counts=not no_counts)
            solved.append((solution, time.perf_counter() - began))
    shown = kind_of(game).tables
    answer = shown.solve_answer(*solved[0]) if len(solved) == 1 else symmetries_answer(solved, shown.SIZES)
    yield answer


def check_symmetries(name: str, kinds: Sequence[str]) -> None:
    """Raise `OptionError`, `RulesError` or `SymmetryError` where a game cannot be solved with one of these kinds."""
    from analysis.engine.engine import make_engine

    game = analysis.load_game(name)
    for kind in kinds:
        make_engine(getattr(game, "base", game), symmetry=kind)


@command("gametree plan connect:rows=6,cols=7,k=4 --symmetry none", SOLVE, waits=True, pages=True)
def plan(
    game: Game,
    position: Position = None,
    seconds: Annotated[float, option("--seconds SECONDS", "What it may take to find out.")] = 20.0,
    symmetry: Symmetry = None,
    memory: Annotated[
        str | None, option("--memory SIZE", "What a solve may take in all, such as 4GB; by default what is free.")
    ] = None,
    out: Annotated[Path | None, option("--out DIR", "Where the solution would go; by default data/GAME.")] = None,
    scratch: Annotated[
        Path | None, option("--scratch DIR", "Where shards would lie; by default with the solution.")
    ] = None,
    formulas: Annotated[
        bool, option("--formulas/--no-formulas", "Use a formula for the size of a game, if there is one.")
    ] = True,
) -> Answers:
    """Tell what solving a game would take, before it is tried: how large it is, memory, disk and time.

    All numbers are intervals: exact where the family has a formula, measured where all positions are counted,
    extrapolated from random games beyond. The command to run is told, or why nothing fits.
    """
    from analysis.cli.display.solving_tables import plan_answer

    with analysis.running(scratch=scratch):
        found = analysis.plan(
            game,
            position=position,
            symmetry=symmetry or "geometric",
            seconds=seconds,
            memory=memory,
            directory=out,
            formulas=formulas,
        )
    yield plan_answer(found)


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
) -> Answers:
    """Check that a game keeps what the engine relies on; a Python file that is named is run."""
    from analysis.cli.display.solving_tables import check_answer

    report = analysis.check_game(game, games=games, seed=seed, seconds=seconds)
    yield check_answer(report, analysis.load_game(game))
    if not report.passed:
        raise typer.Exit(1)


@command("gametree verify data/tictactoe --workers 2", SOLVE, reads_solutions=True, waits=True, wide_tables=False)
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
) -> Answers:
    """Check a stored solution: every file, and every number against the rules and the numbers that it follows from."""
    given: dict[str, Any] = {"sample": sample, "share": share, "seed": seed, "tiers": tiers, "key": key}
    report = analysis.verify(directory, **given)
    row = report.to_json()
    drawn = [f"To draw the same random weights again: --key {row['key']}"] if row.get("key") and row["counts"] else []
    yield Answer(row, [row], [Paragraph(report.sentence()), *drawn])


@command("gametree clean data --dry-run", SOLVE)
def clean(
    directory: Annotated[
        Path | None,
        argument(
            "DIR", "A solution, a report or a folder of them; by default data, reports and the current directory's own."
        ),
    ] = None,
    dry_run: Annotated[bool, option("--dry-run", "Only say what there is.")] = False,
) -> Answers:
    """Remove what is left of work that was cut off by kill -9 or a loss of power.

    A solution that only had to be moved into place is completed. What is complete, in use, or not written by gametree
    is left alone.
    """
    from analysis.cli.display.solving_tables import clean_answer
    from analysis.machine.files import rules_folder
    from analysis.reports.page_files import STAGE
    from analysis.solution.storage.directory import SOLUTION
    from analysis.solution.storage.leftovers import DEPTH
    from analysis.solution.storage.leftovers import clean as clean_places
    from analysis.solution.storage.stored_games import DATA

    usual = ((DATA, DEPTH), (Path("reports"), DEPTH), (Path(), 0), (rules_folder(), 0))
    places = [(directory, DEPTH)] if directory else [(place, depth) for place, depth in usual if place.is_dir()]
    found = clean_places(places, (SOLUTION, STAGE), dry_run=dry_run)
    yield clean_answer(found, dry_run)
    if found.problems:
        more = f" (and {len(found.problems) - 1} more)" if len(found.problems) > 1 else ""
        fail(found.problems[0] + more, 1)
