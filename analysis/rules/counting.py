"""Decide whether texts count cells, columns and codes from 0 (the default) or from 1.

Numbers in Python, in stored tables and in files for other programs are codes and always count from 0.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from analysis.errors import OptionError

_FIRST: ContextVar[int] = ContextVar("first number", default=0)


def first_number() -> int:
    """Return what texts count from here: 0 or 1."""
    return _FIRST.get()


@contextlib.contextmanager
def counting_from(first: int) -> Iterator[None]:
    """Read and print texts counted from ``first``, 0 or 1, within a ``with``. Raises `OptionError` for anything else.

    >>> import analysis
    >>> solution = analysis.solve("tictactoe")
    >>> with counting_from(1):
    ...     solution["125"].position, solution.optimal_paths()[0]
    ('XO??X????', '152374689')
    """
    if first not in (0, 1):
        raise OptionError(f"texts count from 0 or 1, not from {first!r:.40}")
    token = _FIRST.set(int(first))
    try:
        yield
    finally:
        _FIRST.reset(token)


def joined(largest_code: int) -> bool:
    """Return whether the codes of a path are separated by ``-`` because one may have two digits, as counted here."""
    return largest_code + first_number() > 9


def said_path(codes: Sequence[int], largest_code: int) -> str:
    """Return a path as a backtracker, with codes as counted here.

    >>> with counting_from(1):
    ...     one, other = said_path([0, 4, 8], 8), said_path([0, 4, 8], 9)
    >>> said_path([0, 4, 8], 9), one, other
    ('048', '159', '1-5-9')
    """
    first = first_number()
    return ("-" if joined(largest_code) else "").join(str(code + first) for code in codes)


def recounted(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return a row for printing, with the codes (or lists of codes) of these names as counted here.

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
