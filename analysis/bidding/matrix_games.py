"""Solve matrix games: both players choose at once, one a row, the other a column, and the first is paid the entry.

The row player wants the entry large, the column player small. Every such game has a value: each side has a mixed
strategy (probabilities of its choices) that guarantees it the value, whatever the other does (von Neumann 1928).

The steps are:

1. a saddle point, an entry that is least in its row and greatest in its column: both choose without chance;
2. dominated rows and columns are eliminated repeatedly;
3. a remaining 2 x 2 game has a closed form; a larger one is a linear program, solved by the simplex method in integers,
   with the rule of Bland (1977), under which it always ends. Where integers grow too long (``MOST_WORK``,
   ``MOST_BITS``), which depends on the matrix, never on the clock, HiGHS solves it in doubles.

A solution is exact only if it has been verified in integers: no probability is negative, their sum is 1, and the least
that the rows' strategy can get equals the most that the columns' strategy can give. The answer is in doubles if an
entry is a double, if an entry or the value has a numerator or denominator of 2**63 or more, and after HiGHS.

Measured on one core, games of bids: 0.2 ms for 5 x 5, 0.3 ms for 9 x 9, 50 ms for 101 x 101.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import numbers
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from ..errors import OptionError
from .exact_values import is_small

N = TypeVar("N", int, Fraction)
Integers = list[list[int]]
Weights = tuple[Sequence[int], Sequence[int]]
"""Numbers proportional to the probabilities of the rows and of the columns."""
Mixes = tuple[Fraction, list[Fraction], list[Fraction]]
"""The value, and the probabilities of rows and columns."""

MOST_WORK = 100_000_000
"""Limit on the cost of the integers of one tableau, in units of about 2 ns (`simplex`): a fifth of a second."""
MOST_BITS = 1 << 12
"""A common denominator of more bits is replaced by a power of two, and the answer is in doubles."""
MOST_COMPARISONS = 1 << 22
"""Limit on comparisons to eliminate rows and columns: exceeded beyond 161 x 161."""
CLOSE = 1e-9
"""Tolerance of HiGHS for zero and for equal, in probabilities and, relative to the range of the entries, in payments.
"""


class GiveUpError(Exception):
    """This method does not lead to a solution; try the next."""


@dataclasses.dataclass(frozen=True)
class MatrixSolution:
    """The value of a matrix game and an optimal strategy of each side.

    ``rows`` and ``columns`` are the probabilities of the choices of the row player, who maximises, and of the column
    player; ``saddle`` says that both choose without chance. The numbers are fractions if the solution is ``exact``,
    otherwise doubles: ``rows`` then gets at least ``value``, and ``columns`` gives at most ``value``, up to 1e-9 of the
    range of the entries (and the rounding of the doubles themselves).
    """

    value: Fraction | float
    rows: tuple[Fraction | float, ...]
    columns: tuple[Fraction | float, ...]
    saddle: bool

    @property
    def exact(self) -> bool:
        """Whether the numbers are verified fractions."""
        return isinstance(self.value, Fraction)


def solve_matrix(matrix: Sequence[Sequence[Fraction | int | float]]) -> MatrixSolution:
    """Return the value and optimal strategies of the game that pays ``matrix[row][column]`` to the row player.

    Among several saddle points the one of the first row and column is returned; among several optimal mixed strategies,
    any. The module says when the solution is exact. Raises `OptionError` if the matrix is empty, if its rows differ in
    length, or if an entry is not a finite number.

    >>> solve_matrix([[3, 1], [2, 0]]).rows
    (Fraction(1, 1), Fraction(0, 1))
    >>> pennies = solve_matrix([[1, -1], [-1, 2]])
    >>> pennies.value, pennies.rows, pennies.saddle
    (Fraction(1, 5), (Fraction(3, 5), Fraction(2, 5)), False)
    >>> solve_matrix([[1.0, -1], [-1, 2]]).value
    0.2
    """
    entries = _read(matrix)
    exact = all(isinstance(entry, numbers.Rational) for row in matrix for entry in row)
    exact = exact and all(is_small(entry) for row in entries for entry in row)
    keys = _sort_keys(entries)
    least, most = [min(row) for row in keys], [max(column) for column in zip(*keys, strict=True)]
    saddle = max(least) == min(most)
    if saddle:
        rows, columns = [least.index(max(least))], [most.index(min(most))]
        value, p, q = entries[rows[0]][columns[0]], [Fraction(1)], [Fraction(1)]
    else:
        rows, columns = _undominated(keys)
        game, low, unit, precise = _scaled([[entries[i][j] for j in columns] for i in rows])
        (value, p, q), verified = _solve_integers(game)
        value, exact = low + unit * value, exact and precise and verified
    kind = Fraction if exact and is_small(value) else float
    p, q = _spread(p, rows, len(keys)), _spread(q, columns, len(keys[0]))
    return MatrixSolution(kind(value), tuple(map(kind, p)), tuple(map(kind, q)), saddle)


# The matrix -----------------------------------------------------------------------------------------------------------


def _read(matrix: Sequence[Sequence[Fraction | int | float]]) -> list[list[Fraction]]:
    """Return the entries as fractions, doubles included."""
    if not len(matrix) or not len(matrix[0]):
        raise OptionError("a matrix game needs at least one row and one column; this matrix is empty")
    for i, row in enumerate(matrix):
        if len(row) != len(matrix[0]):
            raise OptionError(
                f"row {i} of the matrix has {len(row)} entries and row 0 has {len(matrix[0])}; all rows need the same"
            )
    return [[_fraction(entry, i, j) for j, entry in enumerate(row)] for i, row in enumerate(matrix)]


def _fraction(entry: Any, i: int, j: int) -> Fraction:
    """Return an entry as a fraction; it must be finite as a double too, since the solution may be in doubles."""
    if type(entry) is Fraction or type(entry) is int:
        fraction = Fraction(entry)
    elif isinstance(entry, numbers.Rational):  # NumPy's integers too, whose arithmetic would overflow
        fraction = Fraction(int(entry.numerator), int(entry.denominator))
    elif isinstance(entry, numbers.Real) and math.isfinite(entry):
        fraction = Fraction(float(entry))
    else:
        raise OptionError(f"entry {entry!r} in row {i}, column {j} of the matrix is not a finite number")
    try:
        float(fraction)
    except OverflowError:
        most = "a double holds up to 1.8e308"
        raise OptionError(f"the entry in row {i}, column {j} of the matrix is too large: {most}") from None
    return fraction


def _sort_keys(entries: list[list[Fraction]]) -> Integers:
    """Return integers in the same order as the entries, equal where they are.

    Two fractions with denominators of n bits differ by more than 2 ** (-2 * n), or not at all.
    """
    shift = 2 * max(entry.denominator.bit_length() for row in entries for entry in row)
    return [[(entry.numerator << shift) // entry.denominator for entry in row] for row in entries]


def _scaled(entries: list[list[Fraction]]) -> tuple[Integers, Fraction, Fraction, bool]:
    """Return integers from 0 without a common divisor, the least entry, the unit, and whether that is exact: entry =
    least + unit * integer.

    >>> _scaled([[Fraction(1, 2), Fraction(2)], [Fraction(-1), Fraction(1, 2)]])
    ([[1, 2], [0, 1]], Fraction(-1, 1), Fraction(3, 2), True)
    """
    scale, precise = 1, True
    for denominator in {entry.denominator for row in entries for entry in row}:
        scale = math.lcm(scale, denominator)
        if scale.bit_length() > MOST_BITS:
            longest = max(entry.denominator.bit_length() for row in entries for entry in row)
            scale, precise = 1 << 2 * longest, False
            break
    integers = [[entry.numerator * scale // entry.denominator for entry in row] for row in entries]
    low = min(min(row) for row in integers)
    unit = math.gcd(*(integer - low for row in integers for integer in row))
    game = [[(integer - low) // unit for integer in row] for row in integers]
    return game, Fraction(low, scale), Fraction(unit, scale), precise


def _undominated(keys: Integers) -> tuple[list[int], list[int]]:
    """Return the rows and columns left after repeated elimination of those that are nowhere better than another one for
    the player who chooses them; of equal ones the first is left.

    Optimal strategies among those left are optimal among all, since the others gain nothing.
    """
    height, width = len(keys), len(keys[0])
    rows, columns = np.arange(height), np.arange(width)
    if height * width * max(height, width) > MOST_COMPARISONS:
        return rows.tolist(), columns.tolist()
    rank = {key: i for i, key in enumerate(sorted({key for row in keys for key in row}))}
    order = np.array([[rank[key] for key in row] for row in keys])
    while True:
        best_rows = _best(order)
        best_columns = _best(-order[best_rows].T)
        rows, columns, order = rows[best_rows], columns[best_columns], order[best_rows][:, best_columns]
        if best_rows.all() and best_columns.all():
            return rows.tolist(), columns.tolist()


def _spread(found: Sequence[N], chosen: Sequence[int], length: int) -> list[N]:
    """Return the numbers of all choices: 0 for those not ``chosen``."""
    spread = [0 * found[0]] * length
    for place, number in zip(chosen, found, strict=True):
        spread[place] = number
    return spread


def _best(order: np.ndarray) -> np.ndarray:
    """Return which rows no other row dominates."""
    at_least = (order[:, None, :] >= order[None, :, :]).all(axis=2)
    earlier = np.tri(len(order), k=-1, dtype=bool).T
    return np.logical_not((at_least & (earlier | ~at_least.T)).any(axis=0))


# Games of non-negative integers, 0 among them, without a saddle point -------------------------------------------------


def _solve_integers(game: Integers) -> tuple[Mixes, bool]:
    """Return the solution, and whether it is exact, as it is wherever feasible."""
    if len(game) == len(game[0]) == 2:
        (a, b), (c, d) = game
        return _certified(game, ([abs(d - c), abs(a - b)], [abs(d - b), abs(a - c)])), True
    with contextlib.suppress(GiveUpError):
        return _certified(game, simplex(game, MOST_WORK)), True
    with contextlib.suppress(GiveUpError):
        return _in_doubles(game, *_linear_program(game)), False
    return _certified(game, simplex(game)), True


def _certified(game: Integers, weights: Weights) -> Mixes:
    """Return the solution with probabilities proportional to these. Raises `GiveUpError` if they are not optimal."""
    p, q = weights
    if min(*p, *q) < 0 or not any(p) or not any(q):
        raise GiveUpError
    chosen = [(weight, row) for weight, row in zip(p, game, strict=True) if weight]
    least = min(sum(weight * row[j] for weight, row in chosen) for j in range(len(q)))
    used = [(j, weight) for j, weight in enumerate(q) if weight]
    most = max(sum(row[j] * weight for j, weight in used) for row in game)
    if least * sum(q) != most * sum(p):
        raise GiveUpError
    rows, columns = ([Fraction(weight, sum(side)) for weight in side] for side in (p, q))
    return Fraction(least, sum(p)), rows, columns


def simplex(game: Integers, most_work: float = math.inf) -> Weights:
    """Return both strategies of a game of non-negative integers, by the simplex method in integers, which are minors of
    the game. Raises `GiveUpError` if that takes more than ``most_work``: changing one integer of n limbs of 30 bits
    costs about 100 + n ** 2 units of 2 ns.

    With positive payments A: maximise the sum of y subject to A y <= 1, y >= 0. The columns' probabilities are
    proportional to y, the rows' to the dual solution (Dantzig 1951); here A is the game plus 1.

    The tableau has a row for each basic variable and one for the objective, a column for each other variable and one
    for the right-hand side, all divided by the last pivot (Edmonds), so every division is exact. Variables 0, 1, ...
    are those of the columns, followed by those of the rows; the least of those that may be exchanged are (Bland).
    """
    height, width = len(game), len(game[0])
    rows = [[entry + 1 for entry in row] + [1] for row in game] + [[-1] * width + [0]]
    basic, other, divisor = list(range(width, width + height)), list(range(width)), 1
    while entering := [(other[j], j) for j in range(width) if rows[-1][j] < 0]:
        _, j = min(entering)
        leaving = ((i, row) for i, row in enumerate(rows[:-1]) if row[j] > 0)
        _, _, i = min((Fraction(row[-1], row[j]), basic[i], i) for i, row in leaving)
        line, pivot = rows[i], rows[i][j]
        most_work -= (height + 1) * (width + 1) * (100 + (pivot.bit_length() // 30) ** 2)
        if most_work < 0:
            raise GiveUpError
        for k, row in enumerate(rows):
            if k != i:
                factor = row[j]
                rows[k] = [(pivot * x - factor * y) // divisor for x, y in zip(row, line, strict=True)]
                rows[k][j] = -factor
        line[j], divisor = divisor, pivot
        basic[i], other[j] = other[j], basic[i]
    dual = dict(zip(other, rows[-1], strict=False))
    primal = {variable: row[-1] for variable, row in zip(basic, rows, strict=False)}
    return [dual.get(width + i, 0) for i in range(height)], [primal.get(j, 0) for j in range(width)]


def _doubles(game: Integers) -> np.ndarray:
    """Return the game with payments from 0 to 1."""
    most = max(max(row) for row in game)
    return np.array([[entry / most for entry in row] for row in game])


def _linear_program(game: Integers) -> tuple[np.ndarray, np.ndarray]:
    """Return probabilities in doubles, by HiGHS; uniform ones, which fail the later checks, if it fails. The program is
    that of `simplex`, with payments from 1 to 2.
    """
    from scipy.optimize import linprog  # type: ignore[import-untyped]  # a quarter of a second

    height, width = len(game), len(game[0])
    tolerances = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, "presolve": False}
    found = linprog(
        -np.ones(width), A_ub=_doubles(game) + 1, b_ub=np.ones(height), method="highs-ds", options=tolerances
    )
    if found.status != 0:
        return _probabilities(np.zeros(height)), _probabilities(np.zeros(width))
    return _probabilities(-found.ineqlin.marginals), _probabilities(found.x)


def _probabilities(weights: np.ndarray) -> np.ndarray:
    """Return probabilities proportional to the weights, negative ones taken as 0; uniform if nothing is left."""
    weights = np.maximum(weights, 0)
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))


def _in_doubles(game: Integers, p: np.ndarray, q: np.ndarray) -> Mixes:
    """Return a solution of HiGHS. Raises `GiveUpError` if it is not one to `CLOSE`."""
    payments = _doubles(game)
    least, most = (p @ payments).min(), (payments @ q).max()
    if not most - least <= CLOSE:
        raise GiveUpError
    value = Fraction((least + most) / 2) * max(max(row) for row in game)
    return value, [*map(Fraction, p.tolist())], [*map(Fraction, q.tolist())]
