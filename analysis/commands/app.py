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


def option(spec: str, text: str, **settings: Any) -> Any:
    """An option by its names and the word for its value, such as ``--limit N``, and what the help says of it."""
    names = [word for word in spec.split() if word.startswith("-")]
    return typer.Option(*names, metavar=" ".join(spec.split()[len(names) :]) or None, help=text, **settings)


def argument(metavar: str, text: str) -> Any:
    """An argument by the word for its value, and what the help says of it."""
    return typer.Argument(metavar=metavar, help=text)


GAME = (
    "A game, such as tictactoe or mnk:rows=4,cols=4,k=4; `gametree games` lists them. "
    "Or one of your own, path/to/file.py:Name:param=3: this runs the file."
)
Game = Annotated[str, argument("GAME", GAME)]
GameOrDir = Annotated[str, argument("GAME_OR_DIR", "A game such as tictactoe, or the directory of a solution.")]
Format = Annotated[str, option("--format", "table, json or csv.")]
From = Annotated[str | None, option("--from POSITION", "Start from here, e.g. 'XOX?O????', row by row.")]
SYMMETRY = "geometric (rotations and reflections; the default), full (all automorphisms of the winning lines) or none."
Symmetry = Annotated[str | None, option("--symmetry", SYMMETRY)]
Threads = Annotated[int | None, option("--threads", "Threads; by default as many as processors.", min=1)]


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
