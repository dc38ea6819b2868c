"""Define what all commands share: the Typer app, how they are registered and fail, and common arguments."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from ..common.context import exploring_within, within
from ..common.memory import require_address_space
from ..common.wording import in_words, visible, visible_lines, with_count
from ..errors import GametreeError, OptionError
from . import completion
from .display.parts import Answer
from .display.printing import FORMATS, check_format, show
from .progress import FORMS, ProgressBar, choose
from .terminal import discard_output, interrupted, lacking, notes

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


OPTION = re.compile("--(?!([xo]|-)*$)[a-z][a-z-]*(=.*)?")
"""What looks like an option; a board of X and O may begin with dashes too."""

LONGEST = 4000
"""The most characters of an error message, which may quote what a file holds."""

SHOWN_ERRORS = 20
"""The most unreadable rows that are reported one by one."""

Answers = Iterator[Answer]
"""What a command has found; each answer is printed in the requested format before the command goes on."""
SOLVE, LOOK, PLAY, COMPARE, PUBLISH = "Solve", "Look", "Play", "Compare", "Publish"
"""The panels of ``gametree --help``."""


def _version(requested: bool) -> None:
    if requested:
        from ..common.version import __version__

        print(f"gametree {__version__}")
        raise typer.Exit(0)


@app.callback()
def _all_commands(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Solve two-player games completely: every position, its value, every count, every optimal path."""


def option(spec: str, text: str, **settings: Any) -> Any:
    """Return an option from its names and the word for its value, such as ``--limit N``, with its help ``text``."""
    names = [word for word in spec.split() if word.startswith("-")]
    return typer.Option(*names, metavar=" ".join(spec.split()[len(names) :]) or None, help=text, **settings)


def argument(metavar: str, text: str, **settings: Any) -> Any:
    """Return an argument from the word for its value, with its help ``text``."""
    return typer.Argument(metavar=metavar, help=text, **settings)


def _shared(spec: str, text: str, **settings: Any) -> Any:
    return option(spec, text, rich_help_panel="Options of many commands", **settings)


GAME = (
    "A game, such as tictactoe, mnk:4,4,4 or mnk:rows=4,cols=4,k=4; `gametree games` lists them. "
    "Or one of your own, path/to/file.py:Name:param=3: this runs the file."
)
Game = Annotated[str, argument("GAME", GAME, autocompletion=completion.games)]
GameOrDir = Annotated[
    str,
    argument(
        "GAME_OR_DIR", "A game such as tictactoe, or the directory of a solution.", autocompletion=completion.games
    ),
]


Format = Annotated[
    str,
    _shared("--format FORMAT", f"{in_words(FORMATS)}.", autocompletion=completion.one_of(FORMATS)),
]
Wide = Annotated[bool, _shared("--wide", "Show all columns, however wide, and all details.")]
POSITION = "As the game writes it, the moves so far (0124, a1 b2), or a board (x,o,b,b,x,b,b,b,b)."
From = Annotated[str | None, _shared("--from POSITION", "Start from here, instead of the start.")]
Position = Annotated[str | None, argument("POSITION", POSITION + " By default the start.")]
KINDS = ("geometric", "full", "none", "residual")
Symmetry = Annotated[
    str | None, _shared("--symmetry KIND", f"{in_words(KINDS)}.", autocompletion=completion.one_of(KINDS))
]
Dask = Annotated[
    str | None,
    option(
        "--dask WHERE",
        "Use the workers of a Dask scheduler: tcp://HOST:PORT, the scheduler's FILE.json, FILE.py:FUNCTION, "
        "which returns a Client, or local.",
    ),
]
LEVELS = "random, greedy, depth:N, perfect, perfect:shortest, blunder:P or a bot, file.py:function."
"""The levels of play, as the help names them."""
SHARED: dict[str, tuple[str, Any, Any]] = {
    "format": ("form", Format, "table"),
    "wide": ("wide", Wide, False),
    "workers": (
        "workers",
        Annotated[int | None, _shared("--workers N", "Threads; by default one per processor.", min=1)],
        None,
    ),
    "map": (
        "roles",
        Annotated[
            list[str] | None,
            _shared(
                "--map ROLES",
                "What a game in plain Python calls the roles: winner=champion,over=done.",
            ),
        ],
        None,
    ),
    "game": (
        "game_of",
        Annotated[
            str | None,
            _shared(
                "--game GAME",
                "A user game's rules for the directory, FILE.py:Name; runs the file.",
            ),
        ],
        None,
    ),
    "progress": (
        "progress",
        Annotated[
            str | None,
            _shared(
                "--progress FORMAT",
                "bar, lines, json or none; by default a bar in a terminal, else lines.",
                autocompletion=completion.one_of(FORMS),
            ),
        ],
        None,
    ),
}
"""Options of many commands: the name of the parameter, its type and its default. Solutions are data, so no file is run
because a directory says so, only because --game names it.
"""
READS = ("workers", "map", "game", "progress")
"""Shared options of commands that take GAME_OR_DIR."""


def command(
    example: str, panel: str, *shared: str, **settings: Any
) -> Callable[[Callable[..., Answers | None]], Callable[..., None]]:
    """Register a command in a ``panel`` of the help, with the `SHARED` options that are named. The ``example`` ends its
    help; an error of the library becomes one line and an exit code; the `Answers` that it yields are printed.
    """

    def register(function: Callable[..., Answers | None]) -> Callable[..., None]:
        @functools.wraps(function)
        def run(*args: Any, **options: Any) -> None:
            GametreeError.options = True
            try:
                require_address_space()
                choose(options.pop("progress", None))
                _take_roles(options)
                workers = options.pop("workers", None)
                form = options.pop("form") if "format" in shared else "table"
                wide = options.pop("wide") if "wide" in shared else False
                check_format(form)
                refuse_option(options.get("position"))
                _name_game(options.pop("game_of", None), **options)
                limit = None if function.__name__ == "check" else options.get("seconds")  # of each function's call
                with (
                    notes(reads=function.__name__ in ("solve", "check")),
                    within(workers=workers),
                    exploring_within(limit),
                ):
                    for answer in _reporting(function(*args, **options) or iter(())):
                        show(form, answer, wide=wide)
                    sys.stdout.flush()
            except GametreeError as error:
                fail(str(error), error.exit_code, error.excerpt)
            except BrokenPipeError:  # the reader has seen enough
                discard_output()
                raise typer.Exit(0) from None
            except (MemoryError, OSError, ImportError, RuntimeError) as error:
                if not (why := lacking(error)):
                    if not isinstance(error, OSError):
                        raise
                    subject = error.filename or ("cannot write standard output" if error.errno else "")
                    discard_output()
                    why = f"{subject}: {error.strerror}" if subject else str(error)
                fail(why, 1)
            except KeyboardInterrupt:  # a game or a library handles Ctrl-C itself
                fail(interrupted(), 130)
            finally:
                GametreeError.options = False

        _add_options(run, shared)
        summary, *more = (" ".join(part.split()) for part in (function.__doc__ or "").split("\n\n"))
        app.command(
            function.__name__, help="\n\n".join([summary, *more]), short_help=summary, epilog="Example:  " + example,
            rich_help_panel=panel, **settings,
        )(run)  # fmt: skip
        return run

    return register


def _reporting(answers: Answers) -> Answers:
    """Yield the answers of a command, reporting progress while each is worked out."""
    while True:
        with ProgressBar():
            answer = next(answers, None)
        if answer is None:
            return
        yield answer


def _add_options(run: Callable[..., None], shared: Sequence[str]) -> None:
    """Give a command the ``shared`` options, which ``run`` takes by name."""
    signature, keyword = inspect.signature(run, eval_str=True), inspect.Parameter.KEYWORD_ONLY
    added = [
        inspect.Parameter(name, keyword, default=default, annotation=annotation)
        for name, annotation, default in map(SHARED.__getitem__, shared)
    ]
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *added])  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in run.__signature__.parameters.values()}  # type: ignore[attr-defined]


def _take_roles(options: dict[str, Any]) -> None:
    """Add the roles of ``--map`` to the specification of a user's game. Raises `SpecError`."""
    roles, game = options.pop("roles", None), options.get("game")
    if not roles:
        return
    from ..games.families import with_roles

    pairs = [item.partition("=") for item in ",".join(roles).split(",")]
    options["game"] = with_roles(str(game or ""), {role.strip(): name.strip() for role, _, name in pairs})


def _name_game(name: str | None, /, **options: Any) -> None:
    """Check that ``--game`` names the game of the solution in a directory. Raises `OptionError` without a solution."""
    from .. import load_game

    if name is None:
        return
    from ..solution.storage.directory import is_solution, open_manifest
    from ..solution.storage.stored_games import refuse_other_rules

    directory = Path(str(options.get("game") or options.get("directory") or (options.get("target") or [""])[0]))
    if not is_solution(directory):
        raise OptionError(f"--game {name} names the rules of a stored solution, and {directory} is not one")
    refuse_other_rules(directory, open_manifest(directory), load_game(name))


def refuse_option(position: str | None) -> None:
    """Raise `OptionError` for a misspelt option in the place of a position, since boards may begin with a dash."""
    if position is not None and OPTION.fullmatch(position):
        raise OptionError(f"there is no option {position}")


def split(names: list[str] | None) -> list[str] | None:
    """Return names that were given with commas between, in one option or several. A comma before a digit is part of a
    name, such as ``permutation:4,0,2``.
    """
    parts = [name.strip() for text in names or [] for name in re.split(",(?![0-9])", text)]
    return None if names is None else [name for name in parts if name]


def tell_left_out(errors: Sequence[str], count: int, name: str, more: str = "") -> NoReturn:
    """Print the first unreadable rows of a file, a line each, and how many there are; end with exit code 1."""
    sys.stdout.flush()
    for error in errors[:SHOWN_ERRORS]:
        print(f"gametree: {visible(' '.join(error[:LONGEST].split()))}", file=sys.stderr)
    first = f"; the first {SHOWN_ERRORS} are above{more}" if count > SHOWN_ERRORS else ""
    fail(f"{with_count(count, 'row')} of {name} left out{first}", 1)


def fail(message: str, code: int, excerpt: str = "") -> NoReturn:
    """Print a line on standard error, below it the lines of the user's file that it is about; exit with ``code``."""
    message = message if len(message) <= LONGEST else f"{message[:LONGEST]}..."
    lines = f"\n\n{visible_lines(excerpt)}" if excerpt else ""
    print(f"gametree: {visible(' '.join(message.split()))}{lines}", file=sys.stderr)
    raise typer.Exit(code)
