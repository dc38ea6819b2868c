"""Find positions by what is known of them, and moves that are hard to answer: find, traps."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from analysis.commands import completion
from analysis.commands.app import (
    LEVELS,
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
)
from analysis.commands.display.printing import check_format, show
from analysis.commands.kinds import check_by_turns, kind_of
from analysis.commands.progress import ProgressBar
from analysis.errors import OptionError
from analysis.wording import some

ORDERS = ("trap", "remoteness", "games", "random")


@command(
    "gametree find tictactoe 'value=tie and only_move and remoteness>=5' --order trap",
    LOOK,
    reads_solutions=True,
    waits=True,
)
def find(
    game: GameOrDir,
    query: Annotated[
        str, argument("QUERY", "Such as 'value=tie and only_move and remoteness>=7'; by default all classes.")
    ] = "",
    order: Annotated[
        str | None,
        option(
            "--order ORDER",
            "The greatest first, with - before it the least: trap (the chance to err), remoteness, games (from there "
            "on) or random; by default by tier and state.",
            autocompletion=completion.one_of(ORDERS),
        ),
    ] = None,
    limit: Annotated[int, option("--limit N", "Print at most the first N; all that match are counted.", min=0)] = 20,
    seed: Annotated[int | None, option("--seed N", "Makes random reproducible.")] = None,
    start: From = None,
    symmetry: Symmetry = None,
    workers: Workers = None,
    sheet: Annotated[
        Path | None, option("--sheet FILE", "Also write puzzles to print, .html or .pdf, solutions on the last page.")
    ] = None,
    per_page: Annotated[int | None, option("--per-page N", "With --sheet: puzzles on a page; by default 6.")] = None,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Find the classes of positions that a query matches: puzzles, only moves, long wins.

    A query joins terms by and, or, not and parentheses. A term compares a field by = != < <= > >=: to_move (X, O),
    value (a number, X, O, tie, draw, or win or loss for the side to move), remoteness, ply or tier, moves, keeping (how
    many of them keep the value), best_move (one of these), trap (the share of those that do not: 0.5, 7/8, 50%),
    orbit_size, games, histories, optimal_paths, nimber; only_move (several moves, one keeps the value) and terminal
    stand alone.

    All of the solution is searched, whatever its size; a line on standard error says how many match.
    """
    check_format(form)
    check_by_turns(game, "find")
    if sheet is None and per_page is not None:
        raise OptionError("--per-page is for a sheet of puzzles; add --sheet FILE")
    if sheet is not None:
        from analysis.reports.puzzle_sheet import PER_PAGE, check_sheet, write_sheet

        per_page = PER_PAGE if per_page is None else per_page
        check_sheet(sheet, per_page, limit)
    from analysis.commands.display.finding_tables import found_answer
    from analysis.solution.queries import Query
    from analysis.solving.find import named_game

    asked = Query(named_game(game), query)  # a wrong one is refused before anything is solved
    with ProgressBar():
        solution = kind_of(game).find(
            game,
            position=start,
            symmetry=symmetry,
            counts=asked.asks_counts or order in ("games", "-games"),
            workers=workers,
        )
        found = solution.find(query, order=order, limit=limit, seed=seed)
        if sheet is not None and per_page is not None:
            own = solution.classes.game
            written = write_sheet(sheet, own, found, title=query, per_page=per_page)
    show(form, found_answer(solution, found, query, order), wide=wide)
    sys.stdout.flush()
    printed = "" if len(found) == found.matched else f"; {len(found):,} printed, --limit prints more"
    matched = f"{found.matched:,} {'matches' if found.matched == 1 else 'match'}"
    seen = some(found.classes_seen, "class", "classes")
    print(f"gametree: {seen} looked at, {matched}{printed}", file=sys.stderr)
    if sheet is not None:
        left = f"; {written.left_out:,} with nothing to find left out" if written.left_out else ""
        told = f"{some(written.puzzles, 'puzzle')} on {some(written.pages, 'page')}, the solutions on the last{left}"
        print(f"gametree: {written.path}: {told}", file=sys.stderr)


@command(
    "gametree traps tictactoe 'X???O????' --against greedy",
    LOOK,
    reads_solutions=True,
    waits=True,
    context_settings={"ignore_unknown_options": True},
)
def traps(
    game: GameOrDir,
    position: Position = None,
    start: Here = None,
    against: Annotated[
        str,
        option("--against LEVEL", f"Who replies: {LEVELS}", autocompletion=completion.one_of(completion.LEVELS)),
    ] = "random",
    symmetry: Symmetry = None,
    workers: Workers = None,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Show which moves keep the value and leave the opponent most room to err.

    Of each: how many replies keep the value, how likely the level that replies chooses another (exactly, nothing is
    played), and what that loses on average and at most. And for each side the longest line in which it has several
    moves, and one alone keeps the value, every time.
    """
    check_format(form)
    check_by_turns(game, "traps")
    from analysis.commands.display.finding_tables import traps_answer
    from analysis.playing.traps import find_traps
    from analysis.solving.find import named_game

    chosen = one_position(position, start)
    with ProgressBar():
        found = find_traps(game, chosen, against=against, symmetry=symmetry, workers=workers)
    show(form, traps_answer(found, named_game(game)), wide=wide)
