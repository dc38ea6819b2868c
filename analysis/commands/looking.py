"""Look at games and their solutions: games, stats, paths, show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from analysis.commands import completion
from analysis.commands.app import (
    LOOK,
    Format,
    From,
    GameOrDir,
    Here,
    Position,
    Symmetry,
    Wide,
    Workers,
    argument,
    command,
    one_position,
    option,
    split,
    tell_left_out,
)  # fmt: skip
from analysis.commands.display.printing import Answer, check_format
from analysis.commands.display.printing import show as print_answer
from analysis.commands.kinds import ShowOptions, check_by_turns, kind_of
from analysis.commands.progress import ProgressBar
from analysis.commands.reading import in_all
from analysis.rules.counting import counting_from, first_number


@command("gametree games mnk", LOOK)
def games(
    names: Annotated[
        list[str] | None, argument("NAME...", "All that is known of these.", autocompletion=completion.games)
    ] = None,
    form: Format = "table",
) -> None:
    """List the games, or tell all of some: their parameters, sizes, what is known, and a specification to try."""
    from analysis.commands.display.solution_tables import games_answer
    from analysis.games.families import list_games

    print_answer(form, games_answer(list_games(split(names)), whole=bool(names)))


@command("gametree stats tictactoe tictactoe:misere=true", LOOK, reads_solutions=True, waits=True)
def stats(
    game: GameOrDir,
    others: Annotated[
        list[str] | None,
        argument("GAME_OR_DIR...", "Others to compare with it.", autocompletion=completion.games),
    ] = None,
    start: From = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Print all counts: positions, games, histories and paths, by ply, by length and by remoteness.

    Several games are one table: the totals of each, and how balanced it is. What --from names has to be a position of
    all of them.

    Of a bidding game: states, saddle points, values over states, and the least chips that X needs (these as CSV).
    """
    check_format(form)
    if others:
        print_answer(form, _side_by_side([game, *others], start, symmetry, workers), wide=wide)
        return
    kind = kind_of(game)
    with ProgressBar():
        solution = kind.find(game, position=start, symmetry=symmetry, workers=workers)
        answer = kind.tables.stats_answer(solution)
    print_answer(form, answer, wide=wide)


def _side_by_side(names: list[str], start: str | None, symmetry: str | None, workers: int | None) -> Answer:
    """The numbers of several games in one table."""
    from analysis.commands.display.sweep_tables import variant_row, variants_answer

    for name in names:
        check_by_turns(name, "a table of several games")
    start = in_all(names, start)
    rows = []
    with ProgressBar():
        for name in names:
            found = kind_of(name).find(name, position=start, symmetry=symmetry, workers=workers)
            rows.append(variant_row(found))
    return variants_answer(names, rows)


@command("gametree paths tictactoe --from 'XOX?O????' --format csv", LOOK, reads_solutions=True, waits=True)
def paths(
    game: GameOrDir,
    start: From = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
    count: Annotated[bool, option("--count", "Only how many there are.")] = False,
    limit: Annotated[int | None, option("--limit N", "At most the first N.", min=0)] = None,
    index: Annotated[int | None, option("--index N", "Only number N, counted from 0.", min=0)] = None,
    sample: Annotated[int | None, option("--sample N", "N drawn at random, each path equally likely.", min=0)] = None,
    seed: Annotated[int | None, option("--seed N", "Makes --sample reproducible.")] = None,
    shortest: Annotated[
        bool, option("--shortest", "Only those in which the winner also hurries and the loser delays.")
    ] = False,
    form: Annotated[
        str | None,
        option(
            "--format FORMAT",
            "text, json, csv, jsonl, parquet, markdown or latex; by default as FILE is called, else text.",
        ),
    ] = None,
    out: Annotated[Path | None, option("--out FILE", "Write to a file.")] = None,
) -> None:
    """Print the optimal paths: every game in which each move keeps the value, as its cells or move codes."""
    from analysis.exports.path_formats import Selection, export_paths, path_format
    from analysis.machine.files import check_writable
    from analysis.solving.find import find_paths

    form = path_format(form, out)
    selection = Selection(limit=limit, index=index, sample=sample, seed=seed, count=count)
    selection.check(form)
    if out is not None:
        check_writable(out)
    with ProgressBar():
        found = find_paths(
            game, position=start, shortest=shortest, counts=selection.needs_counts(form), symmetry=symmetry,
            workers=workers,
        )  # fmt: skip
    with counting_from(0 if out else first_number()), ProgressBar():
        export_paths(found, selection, form, out)


@command(
    "gametree show tictactoe 'XOX?O????'",
    LOOK,
    reads_solutions=True,
    waits=True,
    context_settings={"ignore_unknown_options": True},
)
def show(
    game: GameOrDir,
    position: Position = None,
    start: Here = None,
    seconds: Annotated[
        float | None,
        option(
            "--seconds SECONDS",
            "What the answer, or all of a file, may take; by default 10, for each position, where "
            "the game is not known to fit.",
        ),
    ] = None,
    depth: Annotated[
        int | None, option("--depth N", "Only search, N plies deep, or as deep as the seconds allow.", min=0)
    ] = None,
    evaluate: Annotated[
        str | None, option("--evaluate EVALUATION", "What leaves of that search count, e.g. lines or none.")
    ] = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Show one position: its value, the games through it, and every move, best first.

    The stored solution is read; else the game is solved, whole or from there, if that fits; else searches try to prove
    what the position is worth; else the game's evaluation guesses. The source says which, and whether it is exact.

    POSITION may also be a file, or - for standard input, with a position on each line, or as a column of CSV or JSON
    lines: a row each is printed, in the same order. What is no position is told by its line; the exit code is then 1.

    Of a bidding game the position is a state such as 'XO??X???? X=4 O=4 advantage=X': its value, the bids, the
    placements.
    """
    check_format(form)
    options, text = ShowOptions(symmetry, workers, depth, seconds, evaluate), one_position(position, start)
    kind = kind_of(game)
    if text is not None and kind.holds_positions(game, text):
        errors, bad, name = kind.show_all(game, text, options, form, wide=wide)
        if bad:
            tell_left_out(errors, bad, name)
        return
    with ProgressBar():
        answer = kind.show(game, text, options)
    print_answer(form, answer, wide=wide)
