"""Values of leaves: any finite numbers. The kernels know whole numbers only: others are searched by their ranks."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from typing import Any

from analysis.errors import TreeError
from analysis.search.kernels.layout import GREATEST_PAYOFF

EXACT = 1 << 53
"""Floating-point numbers up to this one that are whole become whole numbers."""


def read_value(value: Any, what: str) -> float:
    """A number as results show it: whole if it is. Raises `TreeError` for what is no finite number.

    >>> read_value(3.0, "leaf a"), read_value(-1.99, "leaf a")
    (3, -1.99)
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TreeError(f"{what} has value {str(value)[:40]!r}; values are numbers")
    try:
        finite = math.isfinite(value)
    except OverflowError:
        raise TreeError(f"{what} has a value beyond 1.8e308, the greatest number of floating point") from None
    if not finite:
        raise TreeError(f"{what} has value {value}; values are finite numbers")
    if isinstance(value, numbers.Integral):
        return int(value)
    found = float(value)
    return int(found) if abs(found) <= EXACT and found.is_integer() else found


def find_ranks(values: Iterable[float]) -> list[float] | None:
    """The different values, ascending, where their places have to stand for them in a search; None where they are all
    whole, and small enough for windows around them.

    >>> find_ranks([3, 12, -4]), find_ranks([3, 2.5, 3])
    (None, [2.5, 3])
    """
    different = {*values}
    if all(isinstance(value, int) and abs(value) <= GREATEST_PAYOFF for value in different):
        return None
    return sorted(different)


NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
"""How people write a number, as a regular expression."""


def parse_number(text: str) -> float:
    """The number that a text is, whole where it is written so. A caller has made sure that it is one.

    >>> parse_number("-3"), parse_number("2.5"), parse_number("1e9")
    (-3, 2.5, 1000000000.0)
    """
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
