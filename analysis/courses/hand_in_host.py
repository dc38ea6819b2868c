"""Run a hand-in: a script in a process of its own, which knows nothing of the package.

It reads a request a line, JSON: either ``input`` for the standard input and ``arguments`` of the file as a program, or
a ``function`` of the file with ``arguments``. It answers with one line: what the program printed, or what the function
returned, as text; or the ``error``.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import traceback
import types
from pathlib import Path
from typing import Any

AGAIN = 0.5
"""Seconds of computing after which what kept running is stopped again."""

MOST_TEXT = 1 << 22
"""Characters of an answer."""


class StoppedHandInError(BaseException):
    """It did not end in time; no `Exception`, which it might catch."""


def overtime(number: int, frame: types.FrameType | None) -> None:
    """Stop what is running."""
    raise StoppedHandInError


def run(code: types.CodeType, file: str, asked: dict[str, Any]) -> str:
    """Run the file anew; return what it prints, or what its function returns."""
    whole = asked.get("function") is None
    module = types.ModuleType("__main__" if whole else Path(file).stem)
    module.__file__ = file
    sys.modules[module.__name__] = module
    sys.argv = [file, *map(str, asked["arguments"] if whole else [])]
    sys.stdin = io.TextIOWrapper(io.BytesIO(asked.get("input", "").encode()), encoding="utf-8")
    printed = io.StringIO()
    sys.stdout, sys.stderr = printed, io.StringIO()
    try:
        exec(code, module.__dict__)
    except SystemExit:
        if not whole:
            raise
    if whole:
        return printed.getvalue()
    function = getattr(module, asked["function"], None)
    if not callable(function):
        raise AttributeError(f"there is no function {asked['function']}")
    returned = function(*asked["arguments"])
    if returned is None:
        raise TypeError(f"{asked['function']} returns None: is a return missing?")
    if isinstance(returned, str) or not hasattr(returned, "__iter__"):
        return str(returned)
    return "\n".join(map(str, returned))


def answer(code: types.CodeType | None, file: str, asked: dict[str, Any], seconds: float) -> dict[str, str]:
    """Answer a request."""
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
        try:
            code = code or compile(Path(file).read_bytes(), file, "exec")
            text = run(code, file, asked)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except BaseException as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        return {"error": said(error, file, seconds)}
    return {"text": text} if len(text) <= MOST_TEXT else {"error": f"it prints more than {MOST_TEXT:,} characters"}


def said(error: BaseException, file: str, seconds: float) -> str:
    """An error in one line, with the line of the file."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == file else None
    for frame in traceback.extract_tb(error.__traceback__):
        line = frame.lineno if frame.filename == file else line
    at = "" if line is None else f"line {line}: "
    if isinstance(error, StoppedHandInError):
        return f"{at}it does not end within {seconds:g} s: an endless loop?"
    if isinstance(error, RecursionError):
        return f"{at}it calls itself without end (RecursionError)"
    if isinstance(error, EOFError):
        return f"{at}it reads more input than there is"
    return " ".join(f"{at}{type(error).__name__}: {error}".split())[:400]


def main() -> None:
    """Answer requests about the file that the arguments name, within seconds for each."""
    file, seconds = sys.argv[1], float(sys.argv[2])
    out, requests = os.fdopen(os.dup(1), "w", encoding="utf-8"), os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)
    nothing, closed = os.pipe()
    os.dup2(nothing, 0)
    os.close(closed)
    signal.signal(signal.SIGPROF, overtime)
    sys.path.insert(0, str(Path(file).parent))
    for line in requests:
        print(json.dumps(answer(None, file, json.loads(line), seconds)), file=out, flush=True)


if __name__ == "__main__":
    main()
