"""Expand a pattern of games, such as ``mnk:rows=3,cols=1..5,k=3|4``."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence

from ..errors import OptionError, SpecError

MOST = 1000  # the most games of one pattern

_RANGE = re.compile(r"([+-]?[0-9]{1,18})\.\.([+-]?[0-9]{1,18})").fullmatch


def games_of(pattern: str) -> list[str]:
    """Return the specifications that a pattern stands for: the pattern itself if it has no ranges.

    A parameter, by name or position, has an inclusive range of whole numbers (``1..4``), a list of values (``3|4``) or
    both (``1..3|7``); all combinations are meant, the last parameter changing fastest. Raises `SpecError` for an empty
    range, and `OptionError` for more than `MOST` games.

    >>> games_of("mnk:rows=3,cols=1..2,k=3|4")
    ['mnk:rows=3,cols=1,k=3', 'mnk:rows=3,cols=1,k=4', 'mnk:rows=3,cols=2,k=3', 'mnk:rows=3,cols=2,k=4']
    >>> games_of("data/tictactoe")
    ['data/tictactoe']
    """
    name, colon, text = pattern.rpartition(":")
    if not colon or not re.search(r"\||[0-9]\.\.[+-]?[0-9]", text):
        return [pattern]
    choices = [_choices(item) for item in text.split(",")]
    number = math.prod(sum(map(len, values)) for _, values in choices)
    if number > MOST:
        raise OptionError(f"{pattern} stands for {number:,} games; the limit is {MOST:,}")
    written = ([f"{prefix}{value}" for value in itertools.chain.from_iterable(values)] for prefix, values in choices)
    return [f"{name}:{','.join(items)}" for items in itertools.product(*written)]


def _choices(item: str) -> tuple[str, list[Sequence[object]]]:
    """Return the name of a parameter, with ``=``, and its values in order, ranges as they are."""
    name, equals, values = item.rpartition("=")
    choices: list[Sequence[object]] = []
    for value in map(str.strip, values.split("|")):
        ends = _RANGE(value)
        if not value and "|" in item:
            raise SpecError(f"{item!r} has nothing on one side of |; write it as 3|4")
        if ends is None:
            choices.append([value])
            continue
        low, high = int(ends[1]), int(ends[2])
        if low > high:
            raise SpecError(f"the range {value} in {item!r} is empty; write the lesser end first, {high}..{low}")
        choices.append(range(low, high + 1))
    return name + equals, choices
