"""Solve games, and check rules and solutions: solve, plan, check, new, verify."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ..common.wording import in_words
from ..games.writing import LIKE
from . import completion
from .app import (
    KINDS,
    SOLVE,
    Answers,
    Dask,
    From,
    Game,
    Symmetry,
    argument,
    command,
    option,
)  # fmt: skip
from .display.parts import Paragraph, answer
from .progress import ProgressBar
from .reading import tables_of


@command("gametree solve mnk:rows=4,cols=4,k=4 --workers 2", SOLVE, "format", "wide", "workers", "map", "progress")
def solve(
    game: Game,
    symmetry: Annotated[
        str | None,
        option(
            "--symmetry KIND",
            "geometric (rotations and reflections; the default), full (all automorphisms of the winning lines, where "
            "there are lines), none, or residual (positions with the same game left to play are one class).",
            autocompletion=completion.one_of(KINDS),
        ),
    ] = None,
    out: Annotated[Path | None, option("--out DIR", "The directory; by default data/GAME.")] = None,
    force: Annotated[
        bool,
        option("--force", "Solve again even if a solution is stored, and clear an unfinished solve of something else."),
    ] = False,
    moves: Annotated[bool, option("--moves", "Also write a table of all moves.")] = False,
    text: Annotated[bool, option("--text", "Also write the position as text in each row.")] = False,
    paths: Annotated[
        bool, option("--paths", "Also write a table of all optimal paths; more than 100 million need --anyway.")
    ] = False,
    no_counts: Annotated[bool, option("--no-counts", "Leave out histories, games and paths.")] = False,
    memory: Annotated[
        str | None,
        option("--memory SIZE", "Memory limit, with its unit: 4GB, 500MB; by default all that is free."),
    ] = None,
    sharded: Annotated[
        bool, option("--sharded", "Solve in shards on the disk even if the game fits in memory.")
    ] = False,
    anyway: Annotated[
        bool, option("--anyway", "Start even if the game is not expected to fit (see `gametree plan`).")
    ] = False,
    scratch: Annotated[
        Path | None, option("--scratch DIR", "Directory for shards while solving; by default with the solution.")
    ] = None,
    dask: Dask = None,
) -> Answers:
    """Solve a game completely and store the solution as Parquet tables.

    A game that does not fit in memory is solved in shards on the disk; after an interruption the same command resumes
    it. If it is not expected to fit there either, it is refused after some seconds.
    """
    from .. import Output, running, solve
    from ..solving.cluster.running import on_dask

    tables = [name for name, wanted in (("moves", moves), ("text", text), ("paths", paths)) if wanted]
    output = Output(out, tables, force)
    began = time.perf_counter()
    with running(memory=memory, scratch=scratch, sharded=sharded, anyway=anyway), ProgressBar(), on_dask(dask):
        solution = solve(game, directory=output, symmetry=symmetry or "geometric", counts=not no_counts)
    summary = tables_of(game).solve_answer(solution, time.perf_counter() - began)
    yield summary


@command(
    "gametree plan connect:rows=6,cols=7,k=4 --symmetry none", SOLVE, "format", "wide", "workers", "map", "progress"
)
def plan(
    game: Game,
    start: From = None,
    seconds: Annotated[float, option("--seconds SECONDS", "Time limit for planning.")] = 20.0,
    symmetry: Symmetry = None,
    memory: Annotated[
        str | None, option("--memory SIZE", "Memory limit of the solve, such as 4GB; by default all that is free.")
    ] = None,
    out: Annotated[Path | None, option("--out DIR", "Directory for the solution; by default data/GAME.")] = None,
    scratch: Annotated[
        Path | None, option("--scratch DIR", "Directory for shards; by default with the solution.")
    ] = None,
) -> Answers:
    """Predict the cost of solving a game: its size, and the memory, disk and time it takes.

    All numbers are intervals: measured if all positions are counted, otherwise extrapolated from those
    counted. The command to run is printed, or why nothing fits.
    """
    from .. import plan, running
    from .display.solving_tables import plan_answer

    with running(scratch=scratch):
        predicted = plan(
            game,
            start=start,
            symmetry=symmetry or "geometric",
            seconds=seconds,
            memory=memory,
            directory=out,
        )
    yield plan_answer(predicted)


@command("gametree check mygame.py:MyGame --games 1000", SOLVE, "format", "wide", "map", "progress")
def check(
    game: Game,
    games: Annotated[int, option("--games N", "Number of random games.")] = 200,
    seed: Annotated[int, option("--seed N", "Seed of the random games.")] = 0,
    seconds: Annotated[
        float,
        option("--seconds SECONDS", "Time limit of each function for one position, to find endless loops."),
    ] = 10.0,
    like: Annotated[
        str | None,
        option("--like GAME", "Compare it, position by position, with another form of it, such as a compiled one."),
    ] = None,
    every: Annotated[
        bool,
        option("--all", "Prove for every position what the rules promise, which takes as long as solving the game."),
    ] = False,
) -> Answers:
    """Check that a game keeps the contract of the engine; naming a Python file runs it."""
    from .. import check_game
    from .display.solving_tables import check_answer

    report = check_game(game, games=games, seed=seed, seconds=seconds, like=like, every=every)
    yield check_answer(report)
    if not report.passed:
        raise typer.Exit(1)


@command("gametree new mygame --like tictactoe", SOLVE, "format")
def new(
    name: Annotated[str, argument("NAME", "The file of the game, such as mygame or games/mygame.py.")],
    like: Annotated[
        str, option("--like GAME", f"What to start from: {in_words([*LIKE])}.", autocompletion=completion.one_of(LIKE))
    ] = "tictactoe",
    fast: Annotated[bool, option("--fast", "Write rules over whole numbers, which are compiled.")] = False,
) -> Answers:
    """Start a new game: write its file and a test, in plain Python or, with --fast, in compiled rules."""
    from ..games.writing import write_game
    from .display.solving_tables import new_answer

    yield new_answer(*write_game(name, like, fast=fast))


@command("gametree verify data/tictactoe --workers 2", SOLVE, "format", "workers", "game", "progress")
def verify(
    directory: Annotated[Path, argument("DIR", "The directory of a solution.")],
    share: Annotated[
        float | None, option("--share SHARE", "Check only a share of the classes, drawn at random, such as 0.01.")
    ] = None,
    seed: Annotated[int | None, option("--seed N", "Seed of --share; by default 0.")] = None,
    tiers: Annotated[
        str | None, option("--tiers A..B", "Check only these tiers, so that several machines can share the work.")
    ] = None,
    key: Annotated[
        str | None, option("--key HEX", "Use the same random weights as the run that printed this key.")
    ] = None,
) -> Answers:
    """Check a stored solution: every file, and every number against the rules and the numbers it follows from."""
    from .. import verify

    choices: dict[str, Any] = {"share": share, "seed": seed, "tiers": tiers, "key": key}
    report = verify(directory, **choices)
    key = getattr(report, "key", None) if getattr(report, "counts", False) else None
    drawn = [f"To draw the same random weights again: --key {key}"] if key else []
    yield answer(report, [Paragraph(report.sentence()), *drawn])
