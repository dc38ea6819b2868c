"""Where in an author's file something went wrong, in words and as a few lines of the file."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Collection
from pathlib import Path

CONTEXT = 2
"""Lines shown above the one that is meant."""


def place(path: str, line: int, function: str = "") -> str:
    """A line of a file, in words."""
    return f"{Path(path).name}:{line}" + (f", in {function}()" if function else "")


def excerpt(path: str, line: int, column: int | None = None, end_column: int | None = None) -> str:
    """The line and those above it with their numbers, the columns from ``column`` to ``end_column`` underlined; nothing
    where the file cannot be read.
    """
    linecache.checkcache(path)
    numbers = range(max(1, line - CONTEXT), line + 1)
    texts = {number: linecache.getline(path, number).rstrip("\n").expandtabs(1) for number in numbers}
    if not texts[line].strip():
        return ""
    width = len(str(line))
    shown = [f"  {'>' if number == line else ' '} {number:>{width}} | {text}" for number, text in texts.items()]
    if column is not None:
        length = max(1, min(end_column or column + 1, len(texts[line])) - column)
        shown.append(f"    {'':>{width}} | {' ' * column}{'^' * length}")
    return "\n".join(shown)


def raised_at(error: BaseException, files: Collection[str]) -> tuple[str, int, str] | None:
    """File, line and function of the innermost call in one of the files that an exception came through."""
    return innermost(traceback.extract_tb(error.__traceback__), files)


def innermost(calls: traceback.StackSummary, files: Collection[str]) -> tuple[str, int, str] | None:
    """File, line and function of the innermost of these calls in one of the files."""
    for frame in reversed(calls):
        if frame.filename in files:
            function = frame.name if frame.name.isidentifier() else ""
            return frame.filename, frame.lineno or 1, function
    return None


def in_words(error: BaseException) -> str:
    """The kind of an exception and what it says, on one line."""
    return ": ".join(filter(None, [type(error).__name__, " ".join(str(error).split())]))
