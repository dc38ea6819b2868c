"""The command line: parse, call one library function, print. All heavy imports wait until a command needs them."""

from __future__ import annotations

import functools
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from analysis.errors import GametreeError
from analysis.terminal import discard_output, interruptible

app = typer.Typer(
    help="Solve two-player games completely: every position, its value, every count, every optimal path.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

GAME = (
    "A game, such as tictactoe or mnk:rows=4,cols=4,k=4; `gametree games` lists them. "
    "Or one of your own, path/to/file.py:Name:param=3: this runs the file."
)
Game = Annotated[str, typer.Argument(metavar="GAME", help=GAME)]
GameOrDir = Annotated[
    str, typer.Argument(metavar="GAME_OR_DIR", help="A game such as tictactoe, or the directory of a solution.")
]
Format = Annotated[str, typer.Option("--format", help="table, json or csv.")]
From = Annotated[
    str | None, typer.Option("--from", metavar="POSITION", help="Start from here, e.g. 'XOX?O????', row by row.")
]
SYMMETRY = "geometric (rotations and reflections; the default), full (all automorphisms of the winning lines) or none."
Symmetry = Annotated[str | None, typer.Option("--symmetry", help=SYMMETRY)]
Threads = Annotated[int | None, typer.Option("--threads", min=1, help="Threads; by default as many as processors.")]


def command(example: str, **settings: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command: its example ends the help; what the library refuses becomes one line and an exit code."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def run(*args: Any, **options: Any) -> None:
            try:
                function(*args, **options)
                sys.stdout.flush()
            except GametreeError as error:
                fail(str(error), error.exit_code, error.excerpt)
            except MemoryError:
                fail("out of memory; try a smaller board, fewer --threads or --no-counts", 1)
            except BrokenPipeError:  # the reader has seen enough
                discard_output()
                raise typer.Exit(0) from None
            except OSError as error:
                discard_output()
                fail(f"cannot write standard output: {error.strerror or error}", 1)
            except KeyboardInterrupt:
                fail("interrupted", 130)

        epilog = "Example:  " + example
        app.command(function.__name__, epilog=epilog, **settings)(run)
        return run

    return register


def split(names: list[str] | None) -> list[str] | None:
    """Names that were given apart by commas, in one option or in several."""
    return None if names is None else [name.strip() for text in names for name in text.split(",") if name.strip()]


def fail(message: str, code: int, excerpt: str = "") -> NoReturn:
    """One line on standard error, below it the lines of the user's file that it is about, and the exit code."""
    print(f"gametree: {' '.join(message.split())}" + f"\n\n{excerpt}" * bool(excerpt), file=sys.stderr)
    raise typer.Exit(code)


def progress_bar() -> Any:
    """A bar on standard error; what draws it is loaded when it is needed."""
    from analysis.display.progress_bar import ProgressBar

    return ProgressBar()


@command("gametree games --format json")
def games(form: Format = "table") -> None:
    """List the games, their parameters and a specification to try."""
    from analysis import list_games
    from analysis.display import tables as display

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
    """Solve a game completely and store the solution as Parquet tables."""
    from analysis import Tables, solve_to_directory
    from analysis.display import tables as display

    display.check_format(form)
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
    """Print all counts: positions, games, histories and paths, by ply, by length and by remoteness."""
    from analysis import find_solution
    from analysis.display import tables as display

    display.check_format(form)
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
    from analysis.path_formats import Selection, export_paths

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
    """Show one position: its value, the games through it, and every move, best first."""
    from analysis import find_solution
    from analysis.display import tables as display

    display.check_format(form)
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
    from analysis.display import pruning as pruning_tables
    from analysis.display import tables as display
    from analysis.search.advice import MOVE_COLUMNS as COLUMNS
    from analysis.search.advice import advise

    with progress_bar() as progress:
        advice = advise(game, position, **limits, progress=progress)
    data, table = advice.to_json(), pruning_tables.advice_tables(advice)
    display.show(form, data=data, rows=data["moves"], table=table, columns=COLUMNS)


@command("gametree prune tictactoe --algorithms alphabeta,mtdf --order natural --order best")
def prune(
    target: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GAME|TREE",
            help="A game, or an explicit tree: a file (node-link JSON or '((3 12 8) (2 4 6))'), - or the tree itself.",
        ),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="POSITION", help="Search from here; of a tree, the node.")
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            "--algorithm",
            "-a",
            metavar="NAMES",
            help="Which searches, apart by commas: minimax, minimax_memo, alphabeta, alphabeta_failhard, "
            "alphabeta_table, negascout, mtdf, sss, dual (these are the default), iterative, pns, dfpn; or all.",
        ),
    ] = None,
    orders: Annotated[
        list[str] | None,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="natural, reverse, centre-first, permutation:402681357, random:SEED, killer, history, best, worst or "
            "least. May be repeated, like --window and --symmetry.",
        ),
    ] = None,
    random_orders: Annotated[
        str | None,
        typer.Option("--orders", metavar="random:N", help="The distribution over N random orders (random:N:SEED)."),
    ] = None,
    windows: Annotated[
        list[str] | None, typer.Option("--window", metavar="WINDOW", help="full, value or null:B (is it at least B?).")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Cut where alpha > beta only: the classic slip.")] = False,
    symmetry: Annotated[
        list[str] | None,
        typer.Option("--symmetry", help="Tables keyed by classes: none (the default), geometric or full."),
    ] = None,
    table_entries: Annotated[
        int | None, typer.Option("--table-entries", metavar="N", help="Tables of N positions; by default unlimited.")
    ] = None,
    replacement: Annotated[
        str, typer.Option("--replacement", help="What a full table keeps: new, old, deep or two-deep.")
    ] = "deep",
    guess: Annotated[int, typer.Option("--guess", metavar="F", help="The first guess of mtdf.")] = 0,
    depth: Annotated[
        str | None,
        typer.Option("--depth", metavar="D", help="Plies to search; 1..8 or 2,4,6 tabulate the growth."),
    ] = None,
    evaluate: Annotated[
        str | None, typer.Option("--evaluate", metavar="NAME", help="What leaves count, e.g. lines; else 0 or payoffs.")
    ] = None,
    boards: Annotated[
        list[str] | None,
        typer.Option("--boards", metavar="R,C,K ...", help="Tabulate m,n,k boards, e.g. --boards 3,3,3 3,4,3 4,4,3."),
    ] = None,
    trace: Annotated[bool, typer.Option("--trace", help="Print every visit: window, value and what was cut.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the tree, the counts or the growth: .svg, .png or .pdf."),
    ] = None,
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", metavar="N", help="Nodes that each search may visit.")
    ] = 1_000_000_000,
    memory: Annotated[
        float, typer.Option("--memory", metavar="GB", help="Memory that each search's table or nodes may take.")
    ] = 2.0,
    form: Format = "table",
) -> None:
    """Compare searches: how many nodes each pruning visits on the same position, and the least possible."""
    from analysis.display import pruning as pruning_tables
    from analysis.display import tables as display
    from analysis.search.comparison import Request, prune_targets

    display.check_format(form)
    request = Request(
        algorithms=split(algorithms),
        orders=orders or ["natural"],
        windows=windows or ["full"],
        symmetries=split(symmetry) or ["none"],
        strict=strict,
        random_orders=random_orders,
        table_entries=table_entries,
        replacement=replacement,
        guess=guess,
        max_nodes=max_nodes,
        memory_gb=memory,
        trace=trace,
        plot=plot,
    )
    with progress_bar() as progress:
        found = prune_targets(
            target or [], boards, request, position=start, depths=depth, evaluation=evaluate, progress=progress
        )
    display.show(
        form, data=found.to_json(), rows=found.csv_rows(), table=pruning_tables.tables(found), columns=found.columns()
    )


@command("gametree check mygame.py:MyGame --games 1000")
def check(
    game: Game,
    games: Annotated[int, typer.Option("--games", metavar="N", help="How many games are played at random.")] = 200,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Other games for another number.")] = 0,
    form: Format = "table",
) -> None:
    """Check that a game keeps what the engine relies on; a Python file that is named is run."""
    from analysis import check_game
    from analysis.display import check as check_tables
    from analysis.display import tables as display

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
    from analysis.display import tables as display

    display.check_format(form)
    with progress_bar() as progress:
        report = verify_directory(directory, progress=progress)
    row = report.to_json()
    display.show(form, data=row, rows=[row], table=[report.sentence()])


@interruptible()
def main() -> None:
    """Run the command line; usage errors are one line too."""
    if sys.stdout is None:  # closed by whoever started the program
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - as long as the process
    try:
        code = typer.main.get_command(app).main(sys.argv[1:] or ["--help"], prog_name="gametree", standalone_mode=False)
        sys.stdout.flush()
    except OSError as error:  # of --help; commands see to theirs
        discard_output()
        sys.exit(f"gametree: cannot write standard output: {error.strerror or error}")
    except Exception as error:
        if not hasattr(error, "format_message"):  # Typer's own errors: a wrong option, a missing argument
            raise
        print(f"gametree: {error.format_message()} See 'gametree --help'.", file=sys.stderr)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
