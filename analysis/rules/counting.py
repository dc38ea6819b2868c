"""From which number cells, columns and codes are counted where texts are read and printed: from 0, unless it is said.

Numbers in Python, in tables that are stored and in files for other programs are codes and count from 0 always.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

_FIRST: ContextVar[int] = ContextVar("first number", default=0)


def first_number() -> int:
    """What texts count from here: 0 or 1."""
    return _FIRST.get()


@contextlib.contextmanager
def counting_from(first: int) -> Iterator[None]:
    """Read and print texts counted from ``first``, 0 or 1, within a ``with``.

    >>> import analysis
    >>> solution = analysis.solve("tictactoe")
    >>> with counting_from(1):
    ...     solution["125"].position, solution.optimal_paths()[0]
    ('XO??X????', '152374689')
    """
    token = _FIRST.set(first)
    try:
        yield
    finally:
        _FIRST.reset(token)


def joined(largest_code: int) -> bool:
    """Whether the codes of a path are apart by ``-`` because one may have two digits, as they are counted here."""
    return largest_code + first_number() > 9


def said_path(codes: Sequence[int], largest_code: int) -> str:
    """A path in backtracker form, as codes are counted here.

    >>> with counting_from(1):
    ...     one, other = said_path([0, 4, 8], 8), said_path([0, 4, 8], 9)
    >>> said_path([0, 4, 8], 9), one, other
    ('048', '159', '1-5-9')
    """
    first = first_number()
    return ("-" if joined(largest_code) else "").join(str(code + first) for code in codes)


def recounted(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A row to print, in which the codes of these names are counted as here; a list of codes too.

    >>> with counting_from(1):
    ...     recounted({"move": 4, "best": [0, 8], "ply": 2}, "move", "best")
    {'move': 5, 'best': [1, 9], 'ply': 2}
    """
    first, found = first_number(), dict(row)
    for name in names:
        value = found.get(name)
        if isinstance(value, int):
            found[name] = value + first
        elif isinstance(value, (list, tuple)):
            found[name] = [code + first for code in value]
    return found
