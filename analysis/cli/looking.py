"""Look at games and their solutions: games, stats, paths, show, find."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ..common.wording import with_count
from ..common.workers import tell_progress
from ..errors import GametreeError, OptionError
from . import completion
from .app import (
    LOOK,
    READS,
    Answers,
    Format,
    From,
    GameOrDir,
    Position,
    Symmetry,
    Wide,
    argument,
    command,
    option,
    split,
)  # fmt: skip
from .display.parts import Answer
from .display.printing import check_format
from .progress import ProgressBar, writing
from .reading import ShowOptions, in_all, tables_of

if TYPE_CHECKING:
    pass

LOG = logging.getLogger("gametree")


@command("gametree games mnk", LOOK, "format")
def games(
    names: Annotated[
        list[str] | None, argument("NAME...", "Describe these games in full.", autocompletion=completion.games)
    ] = None,
) -> Answers:
    """List the games, or describe some in full: parameters, sizes, known results, and a specification to try.

    Where OpenSpiel is installed, those of its games that can be solved are listed too.
    """
    from .. import list_games
    from ..games.programs.open_spiel import list_open_spiel
    from .display.solution_tables import games_answer

    yield games_answer(list_games(split(names)), [] if names else list_open_spiel(), whole=bool(names))


@command("gametree stats 'mnk:rows=3,cols=1..5,k=3'", LOOK, "format", "wide", *READS)
def stats(
    game: GameOrDir,
    others: Annotated[
        list[str] | None,
        argument("GAME_OR_DIR...", "Others to compare with the first.", autocompletion=completion.games),
    ] = None,
    start: From = None,
    symmetry: Symmetry = None,
) -> Answers:
    """Print all counts: positions, games, histories and paths, by ply, length and remoteness.

    Several games become one table: the totals of each, and how balanced it is. Ranges and lists stand for several, such
    as 'mnk:rows=3,cols=1..5,k=3|4'. The position of --from must exist in all of them.

    For a bidding game: states, saddle points, and values over states.
    """
    from .. import find_solution
    from ..games.ranges import games_of

    names = [name for pattern in (game, *(others or ())) for name in games_of(pattern)]
    if others or names != [game]:
        yield _side_by_side(names, start, symmetry, ranged=len(names) > 1 + len(others or ()))
        return
    numbers = tables_of(game).stats_answer(find_solution(game, start=start, symmetry=symmetry))
    yield numbers


def _side_by_side(names: list[str], start: str | None, symmetry: str | None, *, ranged: bool) -> Answer:
    """Return the numbers of several games in one table; those in a range that are no games are logged and left out."""
    from .. import find_solution
    from ..solution.storage.stored_games import refuse_other_kinds
    from ..solving.find import named_game
    from .display.variants_tables import variant_row, variants_answer

    for name in names:
        refuse_other_kinds(name)
    valid = [] if ranged else names
    for name in names if ranged else ():
        try:
            named_game(name).rules()
        except GametreeError as error:
            LOG.warning(f"{name} is left out: {error}")
        else:
            valid.append(name)
    if not valid:
        raise OptionError("no game of this range can be played")
    start, rows = in_all(valid, start), []
    for number, name in enumerate(valid):
        tell_progress(name, number, len(valid))
        rows.append(variant_row(find_solution(name, start=start, symmetry=symmetry)))
    return variants_answer(valid, rows)


@command("gametree paths tictactoe --from 'XOX?O????' --format csv", LOOK, *READS)
def paths(
    game: GameOrDir,
    start: From = None,
    symmetry: Symmetry = None,
    count: Annotated[bool, option("--count", "Print only the number of paths.")] = False,
    limit: Annotated[int | None, option("--limit N", "Print at most the first N.", min=0)] = None,
    index: Annotated[int | None, option("--index N", "Print only path number N, from 0.", min=0)] = None,
    sample: Annotated[int | None, option("--sample N", "Print N random paths, all equally likely.", min=0)] = None,
    seed: Annotated[int | None, option("--seed N", "Seed of --sample.")] = None,
    shortest: Annotated[
        bool, option("--shortest", "Print only paths in which the winner hurries and the loser delays.")
    ] = False,
    form: Annotated[
        str | None,
        option(
            "--format FORMAT",
            "text, json, csv, jsonl, parquet, markdown or latex; by default from the suffix of FILE, text without one.",
        ),
    ] = None,
    out: Annotated[Path | None, option("--out FILE", "Write to a file.")] = None,
) -> None:
    """Print the optimal paths: every game in which each move keeps the value, as its cells or move codes."""
    from .. import find_solution
    from ..common.files import check_writable
    from ..reports.exports.paths import Selection, export_paths, path_format
    from ..solution.counts import endless
    from ..solving.find import named_game

    form = path_format(form, out)
    selection = Selection(limit=limit, index=index, sample=sample, seed=seed, count=count)
    selection.check(form)
    if out is not None:
        check_writable(out)
    if not shortest and (loaded := named_game(game)).rules().loopy:
        raise endless(loaded, drawn=False)
    counts = selection.needs_counts(form)
    with ProgressBar():
        solution = find_solution(game, start=start, symmetry=symmetry, counts=counts, holding=True)
        selected = solution.optimal_paths(start, shortest=shortest)
    if selected.over:
        LOG.info(f"the game is over in {selected.start}: the only path has no move")
    with writing(out):
        export_paths(selected, selection, form, out)


@command("gametree show tictactoe 'XOX?O????'", LOOK, *READS, context_settings={"ignore_unknown_options": True})
def show(
    game: GameOrDir,
    position: Position = None,
    seconds: Annotated[
        float | None,
        option(
            "--seconds SECONDS",
            "Time limit for the answer, or for a whole file; by default 10 per position, if the game is not "
            "known to fit.",
        ),
    ] = None,
    depth: Annotated[
        int | None, option("--depth N", "Only search, N plies deep or as deep as the seconds allow.", min=0)
    ] = None,
    evaluate: Annotated[
        str | None, option("--evaluate NAME", "Evaluation of the leaves of that search, e.g. lines or none.")
    ] = None,
    symmetry: Symmetry = None,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Show one position: its value, the games from it, and every move, best first.

    Reads the stored solution; else solves the game, from its start or from the position, if that fits; else searches
    for a proof of the value; else uses the game's evaluation. The source says which, and whether the answer is exact.

    POSITION may also be a file, or - for standard input, with one position per line, or in a column of CSV or JSON
    lines: one row each is printed, in the same order. Invalid positions are reported with their line, and the exit code
    is then 1.

    For a bidding game the position is a state such as 'XO??X???? X=4 O=4 advantage=X': its value, the bids, the
    placements.
    """
    from . import showing

    check_format(form)
    showing.show(game, position, ShowOptions(symmetry, depth, seconds, evaluate, form, wide))


ORDERS = ("errs", "remoteness", "games", "random")


@command(
    "gametree find tictactoe 'value=tie and only_move and remoteness_plies>=5' --order errs",
    LOOK,
    "format",
    "wide",
    *READS,
)
def find(
    game: GameOrDir,
    query: Annotated[
        str,
        argument("QUERY", "A query such as 'value=tie and only_move and remoteness_plies>=7'; by default all classes."),
    ] = "",
    order: Annotated[
        str | None,
        option(
            "--order ORDER",
            "Greatest first, or with a leading - least first: errs, remoteness, games "
            "(from there on) or random; by default by tier and state.",
            autocompletion=completion.one_of(ORDERS),
        ),
    ] = None,
    limit: Annotated[int, option("--limit N", "Print at most the first N; all matches are counted.", min=0)] = 20,
    seed: Annotated[int | None, option("--seed N", "Seed of a random order.")] = None,
    start: From = None,
    symmetry: Symmetry = None,
) -> Answers:
    """Find the classes of positions that match a query: puzzles, only moves, long wins.

    A query joins terms with and, or, not and parentheses. A term compares a column of the tables by = != < <= > >=:
    to_move (X, O), value (a number, X, O, tie, draw, or win or loss for the side to move, also where the game is over),
    remoteness_plies, ply or tier, orbit_size, nimber, histories (of the class), games_x, games_o, games_tie,
    optimal_paths, shortest_paths, state; or games (all of them), moves, keeping (how many keep the value), best_move
    (one of these), errs (the share of those that do not: 0.5, 7/8). only_move (several moves, one keeps the value) and
    terminal are terms by themselves.

    The whole solution is searched, whatever its size; a line on standard error gives the number of matches.
    """
    from .. import find_solution
    from ..engine.columns import COUNT_COLUMNS
    from ..solution.queries import Query
    from ..solving.find import named_game
    from .display.solution_tables import found_answer

    parsed = Query(named_game(game), query)  # an invalid one is refused before anything is solved
    counts = not parsed.columns.isdisjoint(COUNT_COLUMNS) or order in ("games", "-games")
    solution = find_solution(game, start=start, symmetry=symmetry, counts=counts)
    matches = solution.find(query, order=order, limit=limit, seed=seed)
    yield found_answer(solution, matches)
    sys.stdout.flush()
    printed = "" if len(matches) == matches.matched else f"; {len(matches):,} printed, --limit prints more"
    matched = f"{matches.matched:,} {'matches' if matches.matched == 1 else 'match'}"
    looked_at = with_count(matches.classes_seen, "class", "classes")
    print(f"gametree: {looked_at} looked at, {matched}{printed}", file=sys.stderr)
