"""Tables of exact values: the arrays of a solve hold ranks in them, so that every comparison is exact."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

Value = Fraction | float
"""A fraction is exact; a float is rounded, and shown as such."""

LARGEST = 2**63 - 1
"""The greatest numerator and denominator of an exact value: the tables hold both as int64."""


def is_small(value: Fraction) -> bool:
    """Whether an exact value fits the tables."""
    return abs(value.numerator) <= LARGEST and value.denominator <= LARGEST


def stored_as(value: Value) -> Value:
    """The value as the tables hold it: a float where numerator or denominator are too long."""
    return value if isinstance(value, float) or is_small(value) else float(value)


def stored_value(rounded: float, numerator: int | None, denominator: int | None) -> Value:
    """The value that three columns of the tables hold; they have no fraction where it is rounded."""
    return float(rounded) if numerator is None or denominator is None else Fraction(numerator, denominator)


def ascending(values: Iterable[Value]) -> list[Value]:
    """The distinct values, ascending. A float that equals a fraction stays apart from it, just after it.

    >>> ascending([Fraction(1, 2), 0.5, Fraction(-1), Fraction(1, 2)])
    [Fraction(-1, 1), Fraction(1, 2), 0.5]
    """
    distinct = {(value, isinstance(value, float)) for value in values}
    return [value for value, _ in sorted(distinct)]


def ranks_in(table: list[Value], values: Iterable[Value]) -> np.ndarray:
    """The ranks of values in a table that holds them all, int32[n]."""
    rank = {(value, isinstance(value, float)): i for i, value in enumerate(table)}
    return np.array([rank[value, isinstance(value, float)] for value in values], dtype=np.int32)


def mean(a: Value, b: Value) -> Value:
    """The mean of two values; a float if one of them is, or if it does not fit the tables."""
    return stored_as((a + b) / 2)


def value_json(value: Value, name: str = "value") -> dict[str, Any]:
    """A value as the command line prints it: as a number, whole if it is, and exactly as text, None if it is rounded.

    >>> value_json(Fraction(1, 4)), value_json(Fraction(-1))
    ({'value': 0.25, 'value_exact': '1/4'}, {'value': -1, 'value_exact': '-1'})
    """
    if isinstance(value, float):
        return {name: value, f"{name}_exact": None}
    return {name: int(value) if value.denominator == 1 else float(value), f"{name}_exact": str(value)}


def value_text(value: Value) -> str:
    """A value for people: its sign, and a fraction if it is exact.

    >>> value_text(Fraction(1)), value_text(Fraction(0)), value_text(Fraction(-1, 3)), value_text(0.3251)
    ('+1', '0', '-1/3', '+0.3251 (rounded)')
    """
    sign = "+" if value > 0 else ""
    return f"{sign}{value:.10g} (rounded)" if isinstance(value, float) else f"{sign}{value}"
