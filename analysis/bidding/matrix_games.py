"""Solve matrix games: both players choose at once, one a row, the other a column, and the first is paid the entry.

The row player wants the entry large, the column player small. Every such game has a value: each side has a mixed
strategy (probabilities of its choices) that guarantees it the value, whatever the other does (von Neumann 1928).

A saddle point, least in its row and greatest in its column, is played without chance. Otherwise dominated rows and
columns are eliminated repeatedly, and the rest is solved by the simplex method in integers, with the rule of Bland
(1977), under which it always ends. The answer is in doubles if an entry is a double, or if an entry or the value has a
numerator or denominator of 2**63 or more.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import OptionError
from .exact_values import Value, is_small

Integers = list[list[int]]

MOST_COMPARISONS = 1 << 22
"""Limit on comparisons to eliminate rows and columns: exceeded beyond 161 x 161."""


@dataclasses.dataclass(frozen=True)
class MatrixSolution:
    """The value of a matrix game and an optimal strategy of each side.

    ``rows`` and ``columns`` are the probabilities of the choices of the row player, who maximises, and of the column
    player; ``saddle`` says that both choose without chance. The numbers are fractions if the solution is ``exact``,
    otherwise the doubles next to those of a solution.
    """

    value: Value
    rows: tuple[Value, ...]
    columns: tuple[Value, ...]
    saddle: bool

    @property
    def exact(self) -> bool:
        """Whether the numbers are fractions."""
        return isinstance(self.value, Fraction)


def solve_matrix(matrix: Sequence[Sequence[Fraction | int | float]]) -> MatrixSolution:
    """Return the value and optimal strategies of the game that pays ``matrix[row][column]`` to the row player.

    Among several saddle points the one of the first row and column is returned; among several optimal mixed strategies,
    any. Raises `OptionError` if the matrix is empty, if its rows differ in length, or if an entry is not a finite
    number.

    >>> solve_matrix([[3, 1], [2, 0]]).rows
    (Fraction(1, 1), Fraction(0, 1))
    >>> pennies = solve_matrix([[1, -1], [-1, 2]])
    >>> pennies.value, pennies.rows, pennies.saddle
    (Fraction(1, 5), (Fraction(3, 5), Fraction(2, 5)), False)
    >>> solve_matrix([[1.0, -1], [-1, 2]]).value
    0.2
    """
    entries = _entries(matrix)
    exact = all(isinstance(entry, numbers.Rational) for row in matrix for entry in row)
    exact = exact and all(is_small(entry) for row in entries for entry in row)
    game, scale = _integers(entries)
    least, most = [min(row) for row in game], [max(column) for column in zip(*game, strict=True)]
    saddle = max(least) == min(most)
    if saddle:
        rows, columns = [least.index(max(least))], [most.index(min(most))]
        value, p, q = entries[rows[0]][columns[0]], [Fraction(1)], [Fraction(1)]
    else:
        rows, columns = _undominated(game)
        low = min(min(game[i][j] for j in columns) for i in rows)
        unit = math.gcd(*(game[i][j] - low for i in rows for j in columns))
        mean, p, q = _simplex([[(game[i][j] - low) // unit for j in columns] for i in rows])
        value = (low + unit * mean) / scale
    kind = Fraction if exact and is_small(value) else float
    chances = dict(zip(rows, p, strict=True)), dict(zip(columns, q, strict=True))
    p, q = (
        [of_side.get(i, Fraction(0)) for i in range(n)]
        for of_side, n in zip(chances, (len(least), len(most)), strict=True)
    )
    return MatrixSolution(kind(value), tuple(map(kind, p)), tuple(map(kind, q)), saddle)


def _entries(matrix: Sequence[Sequence[Fraction | int | float]]) -> list[list[Fraction]]:
    """Return the entries as fractions; all must be finite as doubles, since the solution may be in doubles."""
    if len(matrix) == 0 or len(matrix[0]) == 0 or any(len(row) != len(matrix[0]) for row in matrix):
        raise OptionError("a matrix game needs at least one row and one column, and rows of one length")
    return [[_fraction(entry, f"row {i}, column {j}") for j, entry in enumerate(row)] for i, row in enumerate(matrix)]


def _fraction(entry: Any, place: str) -> Fraction:
    try:
        if isinstance(entry, numbers.Rational):  # NumPy's integers too, whose arithmetic would overflow
            fraction = Fraction(int(entry.numerator), int(entry.denominator))
        elif isinstance(entry, numbers.Real):
            fraction = Fraction(float(entry))
        else:
            raise TypeError
        float(fraction)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"the entry in {place} of the matrix is not a finite number that a double holds") from None
    return fraction


def _integers(entries: list[list[Fraction]]) -> tuple[Integers, int]:
    """Return the entries times a scale as integers, and the scale."""
    scale = math.lcm(*(entry.denominator for row in entries for entry in row))
    return [[entry.numerator * (scale // entry.denominator) for entry in row] for row in entries], scale


def _undominated(game: Integers) -> tuple[list[int], list[int]]:
    """Return the rows and columns left after repeated elimination of those that are nowhere better than another for the
    player who chooses them; of equal ones the first stays.

    Optimal strategies among those left are optimal among all, since the others gain nothing.
    """
    height, width = len(game), len(game[0])
    rows, columns = np.arange(height), np.arange(width)
    if height * width * max(height, width) > MOST_COMPARISONS:
        return rows.tolist(), columns.tolist()
    rank = {entry: i for i, entry in enumerate(sorted({entry for row in game for entry in row}))}
    order = np.array([[rank[entry] for entry in row] for row in game])
    while True:
        best_rows = _best(order)
        best_columns = _best(-order[best_rows].T)
        rows, columns, order = rows[best_rows], columns[best_columns], order[best_rows][:, best_columns]
        if best_rows.all() and best_columns.all():
            return rows.tolist(), columns.tolist()


def _best(order: np.ndarray) -> np.ndarray:
    """Return which rows no other row dominates."""
    at_least = (order[:, None, :] >= order[None, :, :]).all(axis=2)
    earlier = np.tri(len(order), k=-1, dtype=bool).T
    return np.logical_not((at_least & (earlier | ~at_least.T)).any(axis=0))


def _simplex(game: Integers) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """Return the value and both strategies of a game of non-negative integers, by the simplex method in integers.

    With positive payments A, here the game plus 1: maximise the sum of y subject to A y <= 1, y >= 0. The columns'
    probabilities are proportional to y, the rows' to the dual solution (Dantzig 1951).

    The tableau has a row for each basic variable and one for the objective, a column for each other variable and one
    for the right-hand side, all divided by the last pivot (Edmonds), so every division is exact. Variables 0, 1, ...
    are those of the columns, followed by those of the rows; of the variables that may be exchanged, the one with the
    least number is chosen (Bland).
    """
    height, width = len(game), len(game[0])
    rows = [[entry + 1 for entry in row] + [1] for row in game] + [[-1] * width + [0]]
    basic, other, divisor = list(range(width, width + height)), list(range(width)), 1
    while entering := [(other[j], j) for j in range(width) if rows[-1][j] < 0]:
        _, j = min(entering)
        leaving = ((i, row) for i, row in enumerate(rows[:-1]) if row[j] > 0)
        _, _, i = min((Fraction(row[-1], row[j]), basic[i], i) for i, row in leaving)
        line, pivot = rows[i], rows[i][j]
        for k, row in enumerate(rows):
            if k != i:
                factor = row[j]
                rows[k] = [(pivot * x - factor * y) // divisor for x, y in zip(row, line, strict=True)]
                rows[k][j] = -factor
        line[j], divisor = divisor, pivot
        basic[i], other[j] = other[j], basic[i]
    dual, primal = dict(zip(other, rows[-1], strict=False)), {v: row[-1] for v, row in zip(basic, rows, strict=False)}
    total = rows[-1][-1]
    p, q = (
        [Fraction(of.get(v, 0), total) for v in which]
        for of, which in ((dual, range(width, width + height)), (primal, range(width)))
    )
    return Fraction(divisor, total) - 1, p, q
