"""Write the moves of a game as a backtracker: their codes, joined by ``-`` if one may have two digits."""

from __future__ import annotations

from collections.abc import Sequence


def joined(largest_code: int) -> bool:
    """Return whether the codes of a path are separated by ``-``."""
    return largest_code > 9


def backtracker(codes: Sequence[int], largest_code: int) -> str:
    """Return moves as a text.

    >>> backtracker([0, 4, 8], 8), backtracker([0, 4, 8], 10)
    ('048', '0-4-8')
    """
    return ("-" if joined(largest_code) else "").join(map(str, codes))
