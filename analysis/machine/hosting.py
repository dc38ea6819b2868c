"""What the scripts share that run code of others, each in a process of its own, which knows nothing of the package.

The process begins here and becomes the script that its arguments name (`host_command`); of the package it can import
this module alone.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

AGAIN = 0.5
"""Seconds of computing after which what kept running is stopped again."""

LONGEST_ERROR = 400
"""Characters of an exception that are told."""


class StoppedError(BaseException):
    """Code of others did not end in time, or did too much; no `Exception`, which it might catch."""


class FaultError(Exception):
    """What it did wrong, in one line, and the name of that."""

    def __init__(self, message: str, name: str = "error") -> None:
        super().__init__(message)
        self.name = name


def host_command(script: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that becomes a script of the package, with these arguments."""
    return (sys.executable, "-I", "-B", __file__, script, *arguments)


def compiled(file: str) -> types.CodeType:
    """Compile a file."""
    return compile(Path(file).read_bytes(), file, "exec")


def run_module(code: types.CodeType, file: str, name: str = "") -> types.ModuleType:
    """Run a file anew as the module of this name, by default what the file is called."""
    module = types.ModuleType(name or Path(file).stem)
    module.__file__ = file
    sys.modules[module.__name__] = module
    exec(code, module.__dict__)
    return module


def take_streams() -> tuple[TextIO, TextIO]:
    """Return where requests come from and where answers go. Code of others reads nothing, and prints to standard
    error.
    """
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    nothing, closed = os.pipe()
    os.dup2(nothing, 0)
    os.close(closed)
    return requests, answers


def guarded(work: Callable[[], dict[str, Any]], seconds: float, file: str) -> dict[str, Any]:
    """Return what ``work`` does within ``seconds`` of computing, or what went wrong: an ``error`` in one line, and the
    name of the ``fault``.
    """
    try:
        signal.signal(signal.SIGPROF, _overtime)
        signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
        try:
            return work()
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except BaseException as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.setprofile(None)
        fault = "endless" if isinstance(error, (StoppedError, RecursionError)) else getattr(error, "name", None)
        return {"error": said(error, file, seconds), "fault": fault if isinstance(fault, str) else "error"}


def _overtime(number: int, frame: types.FrameType | None) -> None:
    raise StoppedError


def said(error: BaseException, file: str, seconds: float = 0.0) -> str:
    """Return an error in one line, with the line of the file at which it happened, or which was being run."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines = [error.lineno]
    try:
        what = f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"
    except Exception:  # its __str__ fails as well
        what = type(error).__name__
    if isinstance(error, StoppedError):
        what = str(error) or f"it does not end within {round(seconds, 2):g} s: an endless loop?"
    elif isinstance(error, RecursionError):
        what = "it calls itself without end (RecursionError)"
    elif isinstance(error, FaultError):
        what = str(error)
    elif isinstance(error, SystemExit):
        what = "it ends the program (SystemExit)"
    elif isinstance(error, EOFError):
        what = "it reads more input than there is"
    return (f"line {lines[-1]}: " if lines else "") + " ".join(what.split())[:LONGEST_ERROR]


def main() -> None:
    """Become the script that the first argument names."""
    sys.modules["analysis.machine.hosting"] = sys.modules["__main__"]  # found before any package of that name is
    del sys.argv[0]
    exec(compiled(sys.argv[0]), {"__name__": "__main__", "__file__": sys.argv[0]})


if __name__ == "__main__":
    main()
