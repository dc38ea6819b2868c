"""Solve games and look at their solutions: games, solve, stats, paths, show."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.commands import bidding_games
from analysis.commands.app import Format, From, Game, GameOrDir, Symmetry, Threads, command, progress_bar
from analysis.commands.bidding_games import is_bidding, refuse_options


@command("gametree games --format json")
def games(form: Format = "table") -> None:
    """List the games, their parameters and a specification to try."""
    from analysis import list_games
    from analysis.commands.display import printing as display

    found = list_games()
    rows = [{key: game[key] for key in ("name", "description", "sizes", "known", "example")} for game in found]
    display.show(form, data=found, rows=rows, table=display.games_table(found))


@command("gametree solve mnk:rows=4,cols=4,k=4 --threads 2")
def solve(
    game: Game,
    symmetry: Symmetry = None,
    threads: Threads = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The directory; by default data/GAME.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Solve again what is there already.")] = False,
    moves: Annotated[bool, typer.Option("--moves", help="Also a table of all moves.")] = False,
    text: Annotated[bool, typer.Option("--text", help="Also the position as text in each row.")] = False,
    paths: Annotated[bool, typer.Option("--paths", help="Also a table of all optimal paths.")] = False,
    no_counts: Annotated[bool, typer.Option("--no-counts", help="Leave out histories, games and paths.")] = False,
    form: Format = "table",
) -> None:
    """Solve a game completely and store the solution as Parquet tables.

    With bids for the move: bidding:game=tictactoe,chips=4.
    """
    from analysis import Tables, solve_to_directory
    from analysis.commands.display import printing as display

    display.check_format(form)
    if is_bidding(game):
        refuse_options(game, {"--moves": moves, "--paths": paths, "--no-counts": no_counts})
        bidding_games.solve(game, out, form, symmetry=symmetry or "geometric", text=text, force=force, threads=threads)
        return
    tables = Tables(counts=not no_counts, moves=moves, text=text, paths=paths)
    began = time.perf_counter()
    with progress_bar() as progress:
        solution, was_there = solve_to_directory(
            game, out, symmetry=symmetry or "geometric", tables=tables, force=force, threads=threads, progress=progress
        )
    seconds = time.perf_counter() - began
    row = display.solve_row(solution, seconds)
    display.show(form, data=row, rows=[row], table=display.solve_summary(solution, was_there, seconds))


@command("gametree stats mnk:rows=3,cols=4,k=3 --format json")
def stats(
    game: GameOrDir,
    start: From = None,
    symmetry: Symmetry = None,
    threads: Threads = None,
    form: Format = "table",
) -> None:
    """Print all counts: positions, games, histories and paths, by ply, by length and by remoteness.

    Of a bidding game: states, saddle points, values over states, and the least chips that X needs (these as CSV).
    """
    from analysis import find_solution
    from analysis.commands.display import printing as display

    display.check_format(form)
    if is_bidding(game):
        bidding_games.stats(game, form, position=start, symmetry=symmetry, threads=threads)
        return
    with progress_bar() as progress:
        solution = find_solution(game, position=start, symmetry=symmetry, threads=threads, progress=progress)
    found = solution.statistics()
    rows = found["by_ply"] if solution.by_ply else found["by_tier"]
    display.show(form, data=found, rows=rows, table=display.stats_tables(solution, found))


@command("gametree paths tictactoe --from 'XOX?O????' --format csv")
def paths(
    game: GameOrDir,
    start: From = None,
    count: Annotated[bool, typer.Option("--count", help="Only how many there are.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", min=0, help="At most the first N.")] = None,
    index: Annotated[
        int | None, typer.Option("--index", metavar="I", min=0, help="Only number I, counted from 0.")
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", metavar="N", min=0, help="N drawn at random, each path equally likely.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="S", help="Makes --sample reproducible.")] = None,
    shortest: Annotated[
        bool, typer.Option("--shortest", help="Only those in which the winner also hurries and the loser delays.")
    ] = False,
    form: Annotated[str, typer.Option("--format", help="text, json, csv, jsonl or parquet.")] = "text",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Print the optimal paths: every game in which each move keeps the value, as its cells or move codes."""
    from analysis import find_paths
    from analysis.exports.path_formats import Selection, export_paths

    selection = Selection(limit=limit, index=index, sample=sample, seed=seed, count=count)
    selection.check(form)
    with progress_bar() as progress:
        found = find_paths(
            game, position=start, shortest=shortest, counts=selection.needs_counts(form), progress=progress
        )
    signal.signal(signal.SIGINT, signal.default_int_handler)  # from here on there may be a file to tidy up
    export_paths(found, selection, form, out)


@command("gametree show tictactoe 'XOX?O????'", context_settings={"ignore_unknown_options": True})
def show(
    game: GameOrDir,
    position: Annotated[str, typer.Argument(metavar="POSITION", help="As the game writes it, e.g. 'XOX?O????'.")],
    depth: Annotated[
        int | None,
        typer.Option("--depth", metavar="D", min=0, help="Search D plies deep instead of solving the game."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="Search deeper and deeper for so long, to D at most.")
    ] = None,
    evaluate: Annotated[
        str | None,
        typer.Option("--evaluate", metavar="NAME", help="What leaves of a search count, e.g. lines or none."),
    ] = None,
    form: Format = "table",
) -> None:
    """Show one position: its value, the games through it, and every move, best first.

    Of a bidding game the position is a state such as 'XO??X???? X=4 O=4 advantage=X': its value, the bids, the
    placements.
    """
    from analysis import find_solution
    from analysis.commands.display import printing as display

    display.check_format(form)
    if is_bidding(game):
        refuse_options(game, {"--seconds": seconds is not None})
        bidding_games.show(game, position, form, depth=depth, evaluation=evaluate)
        return
    if depth is not None or seconds is not None or evaluate is not None:
        show_advice(game, position, form, depth=depth, seconds=seconds, evaluation=evaluate)
        return
    with progress_bar() as progress:
        solution = find_solution(game, progress=progress)
    found = solution[position]
    rows = found.to_json()["moves"]
    display.show(
        form,
        data=found.to_json(),
        rows=rows,
        table=display.position_tables(solution, found),
        columns=display.MOVE_COLUMNS,
    )


def show_advice(game: str, position: str, form: str, **limits: Any) -> None:
    """``gametree show --depth`` or ``--seconds``."""
    from analysis.commands.display import printing as display
    from analysis.commands.display import pruning_tables as pruning_tables
    from analysis.search.advice import MOVE_COLUMNS as COLUMNS
    from analysis.search.advice import advise

    with progress_bar() as progress:
        advice = advise(game, position, **limits, progress=progress)
    data, table = advice.to_json(), pruning_tables.advice_tables(advice)
    display.show(form, data=data, rows=data["moves"], table=table, columns=COLUMNS)
