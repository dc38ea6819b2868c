"""What all commands share: the Typer app they belong to, how they are registered and fail, and common arguments."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer

from analysis.commands.terminal import discard_output
from analysis.errors import GametreeError

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
                fail("out of memory; try a smaller game, or fewer --threads", 1)
            except BrokenPipeError:  # the reader has seen enough
                discard_output()
                raise typer.Exit(0) from None
            except OSError as error:
                discard_output()
                fail(f"cannot write standard output: {error.strerror or error}", 1)
            except KeyboardInterrupt:
                fail("interrupted", 130)

        summary = (function.__doc__ or "").partition("\n\n")[0]
        app.command(function.__name__, short_help=summary, epilog="Example:  " + example, **settings)(run)
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
    from analysis.commands.progress import ProgressBar

    return ProgressBar()
