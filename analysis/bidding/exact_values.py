"""Keep exact values in tables: the arrays of a solve hold their ranks, so that every comparison is exact."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

Value = Fraction | float
"""Exact as a fraction, rounded as a float."""

LARGEST = 2**63 - 1
"""Limit on numerator and denominator of an exact value, which the tables hold as int64."""


def is_small(value: Fraction) -> bool:
    """Return whether an exact value fits the tables."""
    return abs(value.numerator) <= LARGEST and value.denominator <= LARGEST


def stored_as(value: Value) -> Value:
    """Return a value as the tables hold it: a float if numerator or denominator are too long."""
    return value if isinstance(value, float) or is_small(value) else float(value)


def stored_parts(value: Value) -> tuple[float, int | None, int | None]:
    """Return a value as three columns of the tables hold it: rounded, and its fraction if that is exact and fits."""
    exact = isinstance(value, Fraction) and is_small(value)
    return (float(value), *(value.as_integer_ratio() if exact else (None, None)))


def stored_value(rounded: float, numerator: int | None, denominator: int | None) -> Value:
    """Return the value in three columns of the tables; they have no fraction if it is rounded."""
    return float(rounded) if numerator is None or denominator is None else Fraction(numerator, denominator)


def ascending(values: Iterable[Value]) -> list[Value]:
    """Return the distinct values, ascending. A float equal to a fraction stays separate, right after it.

    >>> ascending([Fraction(1, 2), 0.5, Fraction(-1), Fraction(1, 2)])
    [Fraction(-1, 1), Fraction(1, 2), 0.5]
    """
    distinct = {(value, isinstance(value, float)) for value in values}
    return [value for value, _ in sorted(distinct)]


def ranks_in(table: list[Value], values: Iterable[Value]) -> np.ndarray:
    """Return the ranks of values in a table that contains them, int32[n]."""
    rank = {(value, isinstance(value, float)): i for i, value in enumerate(table)}
    return np.array([rank[value, isinstance(value, float)] for value in values], dtype=np.int32)


def value_json(value: Value, name: str = "value") -> dict[str, Any]:
    """Return a value as the command line prints it: a number, whole if possible, and an exact text (None if rounded).

    >>> value_json(Fraction(1, 4)), value_json(Fraction(-1))
    ({'value': 0.25, 'value_exact': '1/4'}, {'value': -1, 'value_exact': '-1'})
    """
    if isinstance(value, float):
        return {name: value, f"{name}_exact": None}
    return {name: int(value) if value.denominator == 1 else float(value), f"{name}_exact": str(value)}


def value_text(value: Value) -> str:
    """Format a value with its sign, and as a fraction if it is exact.

    >>> value_text(Fraction(1)), value_text(Fraction(0)), value_text(Fraction(-1, 3)), value_text(0.3251)
    ('+1', '0', '-1/3', '+0.3251 (rounded)')
    """
    sign = "+" if value > 0 else ""
    return f"{sign}{value:.10g} (rounded)" if isinstance(value, float) else f"{sign}{value}"
