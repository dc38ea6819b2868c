"""The command line: parse, call one library function, print. All heavy imports wait until a command needs them."""

from __future__ import annotations

import copy
import os
import sys
from typing import Any

import typer

from ..common.wording import visible
from .terminal import discard_output, encode_anything, interruptible, lacking

# isort: off
from . import (  # noqa: F401 - importing them registers them, in the order of --help
    solving, looking, exploring, playing, auditing, pruning, publishing,
)  # fmt: skip
from .app import app
# isort: on


@interruptible(whole=True)
def main() -> None:
    """Run the command line; usage errors are one line too."""
    if sys.stdout is None:  # closed by the parent process
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - as long as the process
    if sys.stderr is None:  # likewise; errors must not go to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123
    encode_anything()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy multiplies nothing here; without memory for
    try:  # its threads OpenBLAS sends SIGINT
        arguments = sys.argv[1:] or ["--help"]
        code = _command_for(arguments[0]).main(arguments, prog_name="gametree", standalone_mode=False)
        sys.stdout.flush()
    except (OSError, SystemExit) as error:  # of --help; commands handle theirs
        seen = BrokenPipeError in (type(error), type(error.__context__))  # the reader has seen enough
        if isinstance(error, SystemExit) and not seen:
            raise
        if isinstance(error, OSError) and (message := lacking(error)):
            sys.exit(f"gametree: {message}")
        discard_output()
        sys.exit(0 if seen else f"gametree: cannot write standard output: {getattr(error, 'strerror', None) or error}")
    except Exception as error:
        if not hasattr(error, "format_message"):  # Typer's own errors: a wrong option, a missing argument
            raise
        message = error.format_message().rstrip(".?")
        names = {f"gametree {registered.name}" for registered in app.registered_commands} & {f"gametree {arguments[0]}"}
        command = getattr(getattr(error, "ctx", None), "command_path", next(iter(names), "gametree"))
        print(f"gametree: {visible(message)}. See '{command} --help'.", file=sys.stderr)
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _command_for(name: str) -> Any:
    """Return the command line with only the command of this name, if there is one and no shell asks for completions:
    reading the options of all commands takes a tenth of the time of `show`.
    """
    chosen = copy.copy(app)
    chosen.registered_commands = [registered for registered in app.registered_commands if registered.name == name]
    if chosen.registered_commands and "_GAMETREE_COMPLETE" not in os.environ:
        return typer.main.get_group(chosen)
    return typer.main.get_command(app)
