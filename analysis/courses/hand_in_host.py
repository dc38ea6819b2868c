"""Run a hand-in: a script in a process of its own, which knows nothing of the package.

It reads a request a line, JSON: either ``input`` for the standard input and ``arguments`` of the file as a program, or
a ``function`` of the file with ``arguments``. It answers with one line: what the program printed, or what the function
returned, as text; or the ``error``.
"""

from __future__ import annotations

import functools
import io
import json
import sys
from pathlib import Path
from typing import Any

from analysis.machine.hosting import FaultError, compiled, guarded, run_module, take_streams

MOST_TEXT = 1 << 22
"""Characters of an answer."""


def run(file: str, asked: dict[str, Any]) -> str:
    """Run the file anew; return what it prints, or what its function returns."""
    whole = asked.get("function") is None
    sys.argv = [file, *map(str, asked["arguments"] if whole else [])]
    sys.stdin = io.TextIOWrapper(io.BytesIO(asked.get("input", "").encode()), encoding="utf-8")
    printed = io.StringIO()
    sys.stdout, sys.stderr = printed, io.StringIO()
    try:
        module = run_module(compiled(file), file, "__main__" * whole)
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


def answer(file: str, asked: dict[str, Any]) -> dict[str, str]:
    """Answer a request."""
    text = run(file, asked)
    if len(text) > MOST_TEXT:
        raise FaultError(f"it prints more than {MOST_TEXT:,} characters")
    return {"text": text}


def main() -> None:
    """Answer requests about the file that the arguments name, within seconds for each."""
    file, seconds = sys.argv[1], float(sys.argv[2])
    requests, out = take_streams()
    sys.path.insert(0, str(Path(file).parent))
    for line in requests:
        asked = functools.partial(answer, file, json.loads(line))
        print(json.dumps(guarded(asked, seconds, file)), file=out, flush=True)


if __name__ == "__main__":
    main()
