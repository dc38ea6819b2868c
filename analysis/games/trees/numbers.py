"""Numbers at the leaves of trees: whole, decimal or rational, and finite."""

from __future__ import annotations

import math
import numbers
import re
from fractions import Fraction
from typing import Any, TypeAlias

from analysis.errors import TreeError

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
"""A regular expression for numbers as people write them."""
RATIO = r"[+-]?\d+/\d+"
"""One for fractions of whole numbers."""
LONGEST_NUMBER = 400
LARGEST_EXACT = 1 << 53
"""Whole floats up to this size become integers."""

Number: TypeAlias = "int | float | Fraction"
"""What a leaf is worth: a whole number, a float for what has a finite decimal expansion, else a fraction."""


class PlacedNumber(float):
    """A number that is not finite, as it is written, with its line."""

    line = 0
    written = ""
    """Nothing if it says itself that it is not finite."""

    def __new__(cls, value: str | float, written: str = "") -> PlacedNumber:
        """Make one of what `float` takes."""
        number = super().__new__(cls, value)
        number.written = written
        return number


def read_value(value: Any, what: str) -> Number:
    """Return a number as results show it: an integer if it is whole, a fraction only if no decimal is as exact. Raises
    `TreeError`, which calls it ``what``, unless it is finite.

    >>> read_value(3.0, "leaf a"), read_value(-1.99, "leaf a"), read_value("1/3", "leaf a"), read_value("1/4", "leaf a")
    (3, -1.99, Fraction(1, 3), 0.25)
    """
    if isinstance(value, str) and re.fullmatch(RATIO, value.strip()) and len(value) < LONGEST_NUMBER:
        over, under = map(int, value.split("/"))
        if not under:
            raise TreeError(f"{what} has value {value.strip()}; it must be finite")
        value = Fraction(over, under)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TreeError(f"{what} has value {str(value)[:40]!r}; it must be a number")
    try:
        finite = math.isfinite(value)
    except OverflowError:
        raise TreeError(f"{what} has a value beyond 1.8e308, the largest floating-point number") from None
    if not finite:
        written = getattr(value, "written", "")
        right = "it is too large, beyond 1.8e308" if written and "/" not in written else "it must be finite"
        raise TreeError(f"{what} has value {written[:40] or float(value)}; {right}")
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, Fraction):
        whole = value.denominator == 1
        return int(value) if whole else float(value) if exact(float(value)) == value else value
    found = float(value)
    return int(found) if abs(found) <= LARGEST_EXACT and found.is_integer() else found


def exact(value: Number) -> Fraction:
    """Return a number as a fraction; a float as it is written.

    >>> exact(0.1), exact(3)
    (Fraction(1, 10), Fraction(3, 1))
    """
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def parse_number(text: str) -> Number:
    """Return the number in a text that matches `NUMBER` or `RATIO`, an integer if it is written as one; infinity where
    it is too large for a float, or divided by 0, which `read_value` refuses as it is written.

    >>> parse_number("-3"), parse_number("2.5"), parse_number("1e9"), parse_number("2/3")
    (-3, 2.5, 1000000000.0, Fraction(2, 3))
    """
    if "/" in text:
        return Fraction(text) if int(text.partition("/")[2]) else PlacedNumber(math.inf, text)
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    return value if math.isfinite(value := float(text)) else PlacedNumber(value, text)
