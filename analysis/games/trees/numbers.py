"""Read the numbers at the leaves of trees: whole, decimal or rational, and finite."""

from __future__ import annotations

import math
import numbers
import re
from fractions import Fraction
from typing import Any, TypeAlias

from ...errors import TreeError

RATIO = r"[+-]?\d{1,400}/\d{1,400}"
NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
"""Regular expressions for fractions of whole numbers, and for other numbers as people write them."""
LARGEST_EXACT = 1 << 53  # whole floats up to this size become integers

Number: TypeAlias = "int | float | Fraction"
"""The value of a leaf: a whole number, a float for a finite decimal, else a fraction."""


def read_value(value: Any, what: str) -> Number:
    """Return a number as results show it: an integer if it is whole, a fraction only if no decimal is as exact. Raises
    `TreeError` if it is not a finite number; messages call it ``what``.

    >>> read_value(3.0, "leaf a"), read_value(-1.99, "leaf a"), read_value("1/3", "leaf a"), read_value("1/4", "leaf a")
    (3, -1.99, Fraction(1, 3), 0.25)
    """
    text = value.strip() if isinstance(value, str) else ""
    number = parse_number(text) if re.fullmatch(f"{RATIO}|{NUMBER}", text) else value
    if isinstance(number, bool) or not isinstance(number, numbers.Real):
        raise TreeError(f"{what} has value {str(value)[:40]!r}; it must be a number")
    try:
        near = float(number)
    except OverflowError:
        raise TreeError(f"{what} has a value beyond 1.8e308, the largest floating-point number") from None
    if not math.isfinite(near):
        raise TreeError(f"{what} has value {value}; it must be finite")
    if isinstance(number, numbers.Rational) and number.denominator == 1:
        return int(number.numerator)
    if isinstance(number, Fraction) and exact(near) != number:
        return number
    return int(near) if abs(near) <= LARGEST_EXACT and near.is_integer() else near


def exact(value: Number) -> Fraction:
    """Return a number as a fraction; a float is taken as it is written.

    >>> exact(0.1), exact(3)
    (Fraction(1, 10), Fraction(3, 1))
    """
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def parse_number(text: str) -> Number:
    """Return the number in a text that matches `NUMBER` or `RATIO`, infinity if it is too large or divided by 0.

    >>> parse_number("-3"), parse_number("2.5"), parse_number("1e9"), parse_number("2/3"), parse_number("1e999")
    (-3, 2.5, 1000000000.0, Fraction(2, 3), inf)
    """
    if "/" in text:
        return Fraction(text) if int(text.partition("/")[2]) else math.inf
    return int(text) if re.fullmatch(r"[+-]?\d{1,400}", text) else float(text)
