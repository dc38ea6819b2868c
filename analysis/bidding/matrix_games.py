"""Matrix games: both players choose at once, the one a row, the other a column, and the entry is paid to the first.

The row player wants the entry large, the column player small. Every such game has a value: each side has a mixed
strategy (probabilities of its choices) that gets it at least the value, whatever the other does (von Neumann 1928).

A game is solved in these steps:

1. a saddle point, an entry that is least in its row and greatest in its column: both choose without chance;
2. rows and columns that are never better than another are struck out, again and again;
3. a game of 2 x 2 that is left has a closed form; a larger one is a linear program, solved in doubles by HiGHS;
4. which probabilities are positive there, and which rows and columns are as good as the value, gives linear equations,
   solved in integers. If that is no solution, because what HiGHS took for equal is not, the simplex method starts again
   in integers, with the rule of Bland (1977), under which it always ends.

A solution is exact only if it has been verified in integers: no probability negative, their sum 1, and the least that
the rows' strategy can get equal to the most that the columns' strategy can give. The answer is in doubles where an
entry is a double, where an entry or the value has a numerator or denominator of 2**63 or more, and where step 4 was
given up because integers grew too long (``MOST_WORK``, ``MOST_BITS``): that depends on the matrix, never on the clock.

Measured on one core: below 0.2 ms where 2 x 2 or less is left, 1 to 2 ms for 7 x 7 with short numbers, and 0.05 to
0.5 s for 101 x 101; HiGHS takes 1 ms and 5 ms of these.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import numbers
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from analysis.bidding.exact_values import is_small
from analysis.errors import OptionError

Integers = list[list[int]]
Weights = tuple[list[int], list[int]]
"""What is proportional to the probabilities of the rows and of the columns."""

MOST_WORK = 50_000_000
"""What one elimination in integers may cost, in units of about 2 ns (``Work``): a tenth of a second."""


class GiveUpError(Exception):
    """This way does not lead to a solution; there is another one."""


class Work:
    """Counts what pivots in integers cost, and gives up beyond a limit.

    Changing one integer of n limbs of 30 bits takes about 100 + n ** 2 units of 2 ns.
    """

    def __init__(self, most: float) -> None:
        self.left = most

    def spend(self, changes: int, pivot: int) -> None:
        """So many changes of integers as long as ``pivot``."""
        self.left -= changes * (100 + (pivot.bit_length() // 30) ** 2)
        if self.left < 0:
            raise GiveUpError


def eliminate(equations: Integers, unknowns: int, work: Work) -> list[int]:
    """What the unknowns are proportional to, in integers (Bareiss 1968: every division is without remainder).

    Each equation is a row of coefficients with its right-hand side last. Unknowns that no equation fixes are 0.

    >>> eliminate([[1, 1, 10], [1, -1, 4]], 2, Work(1000))  # 7 and 3, times -2
    [-14, -6]
    """
    fixed: dict[int, int] = {}  # equation -> the unknown it gives
    previous = 1
    for unknown in range(unknowns):
        at = next((i for i, row in enumerate(equations) if row[0] and i not in fixed), None)
        if at is None:
            equations = [row[1:] for row in equations]
            continue
        fixed[at] = unknown
        pivot, *tail = equations[at]
        work.spend(len(equations) * len(tail), pivot)
        equations = [
            tail if i == at else [(pivot * x - row[0] * y) // previous for x, y in zip(row[1:], tail, strict=True)]
            for i, row in enumerate(equations)
        ]
        previous = pivot
    found = [0] * unknowns
    for at, unknown in fixed.items():
        found[unknown] = equations[at][0]
    return found


def simplex(game: Integers, work: Work) -> Weights:
    """Both strategies of a game of non-negative integers, by the simplex method.

    With positive payments A: maximize the sum of y under A y <= 1, y >= 0. The columns' probabilities are proportional
    to y and those of the rows to the dual solution (Dantzig 1951); here A is the game plus 1.

    The tableau has a row for each basic variable and one for the objective, a column for each other variable and one
    for the right-hand side; all is divided by ``divisor``, the last pivot (Edmonds). Variables 0, 1, ... are those of
    the columns, after them come those of the rows. Of variables to exchange the least one is taken (Bland 1977).
    """
    height, width = len(game), len(game[0])
    table = [[entry + 1 for entry in row] + [1] for row in game] + [[-1] * width + [0]]
    basic, other, divisor = list(range(width, width + height)), list(range(width)), 1
    while entering := [(other[j], j) for j in range(width) if table[-1][j] < 0]:
        _, j = min(entering)
        _, _, i = min((Fraction(table[i][-1], table[i][j]), basic[i], i) for i in range(height) if table[i][j] > 0)
        pivot, line = table[i][j], table[i]
        work.spend((height + 1) * (width + 1), pivot)
        for k, row in enumerate(table):
            if k != i:
                factor = row[j]
                table[k] = [(pivot * x - factor * y) // divisor for x, y in zip(row, line, strict=True)]
                table[k][j] = -factor
        line[j], divisor = divisor, pivot
        basic[i], other[j] = other[j], basic[i]
    amounts = dict(zip(other, table[-1], strict=False)) | dict.fromkeys(basic, 0)
    p = [amounts[width + i] for i in range(height)]
    amounts = dict.fromkeys(other, 0) | {v: row[-1] for v, row in zip(basic, table, strict=False)}
    return p, [amounts[j] for j in range(width)]


Number = Fraction | float
Fractions = list[list[Fraction]]

MOST_BITS = 1 << 12
"""A common denominator of more bits is replaced by a power of two, and the answer is in doubles."""
MOST_COMPARISONS = 1 << 22
"""No rows and columns are struck out where it takes more comparisons: beyond 161 x 161."""
CLOSE = 1e-9
"""What HiGHS may mean as zero or as equal, in probabilities and, as a part of the range of the entries, in payments."""


class _Solved(NamedTuple):
    """The value and the probabilities of rows and columns, and whether they have been verified exactly."""

    value: Fraction
    rows: list[Fraction]
    columns: list[Fraction]
    verified: bool


@dataclasses.dataclass(frozen=True)
class MatrixSolution:
    """The value of a matrix game and an optimal strategy of each side.

    ``rows`` and ``columns`` are the probabilities of the choices of the row player, who wants much, and of the column
    player; ``saddle`` says that both choose without chance. The numbers are fractions if the solution is ``exact``,
    otherwise doubles: ``rows`` then gets at least ``value``, and ``columns`` gives at most ``value``, up to 1e-9 of the
    range of the entries (and the rounding of the doubles themselves).
    """

    value: Number
    rows: tuple[Number, ...]
    columns: tuple[Number, ...]
    saddle: bool

    @property
    def exact(self) -> bool:
        """Whether the numbers are fractions, verified as such."""
        return isinstance(self.value, Fraction)


def solve_matrix(matrix: Sequence[Sequence[Fraction | int | float]]) -> MatrixSolution:
    """The value and optimal strategies of the game that pays ``matrix[row][column]`` to the row player.

    Of several saddle points, the one of the least row and the least column; of several optimal mixed strategies, any.
    The module says when the solution is exact. Raises OptionError if the matrix is empty, if its rows differ in length,
    or if an entry is no finite number.

    >>> solve_matrix([[3, 1], [2, 0]]).rows
    (Fraction(1, 1), Fraction(0, 1))
    >>> pennies = solve_matrix([[1, -1], [-1, 2]])
    >>> pennies.value, pennies.rows, pennies.saddle
    (Fraction(1, 5), (Fraction(3, 5), Fraction(2, 5)), False)
    >>> solve_matrix([[1.0, -1], [-1, 2]]).value
    0.2
    """
    entries = _read(matrix)
    exact = _all_small(matrix, entries)
    keys = _sort_keys(entries)
    height, width = len(keys), len(keys[0])
    least, most = [min(row) for row in keys], [max(column) for column in zip(*keys, strict=True)]
    if max(least) == min(most):
        one = Fraction(1)
        i, j = least.index(max(least)), most.index(min(most))
        return _solution(entries[i][j], _spread([one], [i], height), _spread([one], [j], width), exact, saddle=True)
    rows, columns = _undominated(keys)
    game, low, unit, precise = _scaled([[entries[i][j] for j in columns] for i in rows])
    value, p, q, verified = _solve_integers(game)
    exact = exact and precise and verified
    return _solution(low + unit * value, _spread(p, rows, height), _spread(q, columns, width), exact, saddle=False)


# The matrix -----------------------------------------------------------------------------------------------------------


def _read(matrix: Sequence[Sequence[Fraction | int | float]]) -> Fractions:
    """The entries as fractions; every double is one."""
    if not len(matrix) or not len(matrix[0]):
        raise OptionError("a matrix game needs at least one row and one column; this matrix is empty")
    for i, row in enumerate(matrix):
        if len(row) != len(matrix[0]):
            raise OptionError(
                f"row {i} of the matrix has {len(row)} entries and row 0 has {len(matrix[0])}; give all rows the same"
            )
    return [[_fraction(entry, i, j) for j, entry in enumerate(row)] for i, row in enumerate(matrix)]


def _fraction(entry: Any, i: int, j: int) -> Fraction:
    """One entry; it must be finite, also as a double, in which the solution may have to be given."""
    if type(entry) is Fraction or type(entry) is int:
        fraction = Fraction(entry)
    elif isinstance(entry, numbers.Rational):  # NumPy's integers among them, whose arithmetic would overflow
        fraction = Fraction(int(entry.numerator), int(entry.denominator))
    elif isinstance(entry, numbers.Real) and math.isfinite(entry):
        fraction = Fraction(float(entry))
    else:
        raise OptionError(f"entry {entry!r} in row {i}, column {j} of the matrix is no finite number")
    try:
        float(fraction)
    except OverflowError:
        most = "a double holds up to 1.8e308"
        raise OptionError(f"the entry in row {i}, column {j} of the matrix is too large: {most}") from None
    return fraction


def _all_small(matrix: Sequence[Sequence[Fraction | int | float]], entries: Fractions) -> bool:
    """Whether the solution may be exact: no doubles, no long numerators and denominators."""
    given = all(isinstance(entry, numbers.Rational) for row in matrix for entry in row)
    return given and all(is_small(entry) for row in entries for entry in row)


def _sort_keys(entries: Fractions) -> Integers:
    """Integers in the order of the entries, equal where they are equal.

    Two fractions with denominators of n bits differ by more than 2 ** (-2 * n), or not at all.
    """
    shift = 2 * max(entry.denominator.bit_length() for row in entries for entry in row)
    return [[(entry.numerator << shift) // entry.denominator for entry in row] for row in entries]


def _scaled(entries: Fractions) -> tuple[Integers, Fraction, Fraction, bool]:
    """Integers from 0 without a common divisor, the least entry, the unit, and whether that is precise:
    entry = least + unit * integer.

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
    """The rows and columns that are left when those are struck out, again and again, that are nowhere better than
    another one for the player who chooses them; of equal ones the first is left.

    Strategies that are optimal among those left are optimal among all, since the other ones gain nothing.
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


def _best(order: np.ndarray) -> np.ndarray:
    """Which rows no other row dominates."""
    at_least = (order[:, None, :] >= order[None, :, :]).all(axis=2)
    earlier = np.tri(len(order), k=-1, dtype=bool).T
    return np.logical_not((at_least & (earlier | ~at_least.T)).any(axis=0))


def _spread(probabilities: list[Fraction], chosen: list[int], length: int) -> list[Fraction]:
    """The probabilities of all choices: 0 for those not in ``chosen``."""
    spread = [Fraction(0)] * length
    for i, probability in zip(chosen, probabilities, strict=True):
        spread[i] = probability
    return spread


def _solution(value: Fraction, p: list[Fraction], q: list[Fraction], exact: bool, saddle: bool) -> MatrixSolution:
    """As fractions if that is asked for and the value is small, else as doubles."""
    if exact and is_small(value):
        return MatrixSolution(value, tuple(p), tuple(q), saddle)
    return MatrixSolution(float(value), tuple(map(float, p)), tuple(map(float, q)), saddle)


# Games of non-negative integers, 0 among them, without a saddle point -------------------------------------------------


def _solve_integers(game: Integers) -> _Solved:
    """The value and optimal strategies; as fractions if that is feasible, else as doubles."""
    if len(game) == len(game[0]) == 2:
        (a, b), (c, d) = game
        return _certified(game, [abs(d - c), abs(a - b)], [abs(d - b), abs(a - c)])
    guess = _linear_program(game)
    with contextlib.suppress(GiveUpError):
        return _certified(game, *_on_support(game, *guess))
    with contextlib.suppress(GiveUpError):
        return _certified(game, *simplex(game, Work(MOST_WORK)))
    with contextlib.suppress(GiveUpError):
        return _in_doubles(game, *guess)
    return _certified(game, *simplex(game, Work(math.inf)))


def _certified(game: Integers, p: list[int], q: list[int]) -> _Solved:
    """The solution with probabilities proportional to these, or GiveUpError if they are no solution."""
    if min(p) < 0 or min(q) < 0 or not any(p) or not any(q):
        raise GiveUpError
    p_total, q_total = sum(p), sum(q)
    chosen = [(weight, row) for weight, row in zip(p, game, strict=True) if weight]
    least = min(sum(weight * row[j] for weight, row in chosen) for j in range(len(q)))
    used = [(j, weight) for j, weight in enumerate(q) if weight]
    most = max(sum(row[j] * weight for j, weight in used) for row in game)
    if least * q_total != most * p_total:
        raise GiveUpError
    rows, columns = [Fraction(weight, p_total) for weight in p], [Fraction(weight, q_total) for weight in q]
    return _Solved(Fraction(least, p_total), rows, columns, verified=True)


def _doubles(game: Integers) -> np.ndarray:
    """The game with payments from 0 to 1."""
    most = max(max(row) for row in game)
    return np.array([[entry / most for entry in row] for row in game])


def _linear_program(game: Integers) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities in doubles, by HiGHS; equal ones if it fails, which what follows will find to be no solution.

    With positive payments A: maximize the sum of y under A y <= 1, y >= 0. The columns' probabilities are proportional
    to y and those of the rows to the dual solution (Dantzig 1951). Payments are from 1 to 2.
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
    """Proportional to the weights, those below 0 taken as 0; all equal if nothing is left."""
    weights = np.maximum(weights, 0)
    total = weights.sum()
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))


def _support(payments: np.ndarray, p: np.ndarray, q: np.ndarray) -> tuple[list[int], list[int]]:
    """The rows that ``p`` chooses, and the columns that are best against it, those that ``q`` chooses first."""
    against = p @ payments
    tight = (q > CLOSE) | (against <= against.min() + CLOSE)
    return np.flatnonzero(p > CLOSE).tolist(), sorted(np.flatnonzero(tight).tolist(), key=lambda j: q[j] <= CLOSE)


def _on_support(game: Integers, p: np.ndarray, q: np.ndarray) -> Weights:
    """Both strategies in integers, from where those in doubles are positive and what is best against them."""
    payments = _doubles(game)
    turned = [list(column) for column in zip(*game, strict=True)]
    return _equalizing(game, *_support(payments, p, q)), _equalizing(turned, *_support(-payments.T, q, p))


def _equalizing(game: Integers, rows: list[int], columns: list[int]) -> list[int]:
    """Weights of these rows, for which all these columns pay the same; the other rows have 0.

    The unknowns are the weights and the payment. Columns that cannot be made to pay the same are not looked at; whether
    the weights are any good is for ``_certified`` to say.
    """
    equations = [[1] * len(rows) + [0, 1]]
    equations += [[game[i][j] for i in rows] + [-1, 0] for j in columns]
    found = eliminate(equations, len(rows) + 1, Work(MOST_WORK))
    weights = [0] * len(game)
    for i, weight in zip(rows, found, strict=False):
        weights[i] = weight
    return weights if sum(found[:-1]) > 0 else [-weight for weight in weights]


def _in_doubles(game: Integers, p: np.ndarray, q: np.ndarray) -> _Solved:
    """The better of what HiGHS found and of what its equations give in doubles, or GiveUpError if neither is good."""
    payments = _doubles(game)
    p = max((p, _polished(payments, p, q)), key=lambda p: (p @ payments).min())
    q = min((q, _polished(-payments.T, q, p)), key=lambda q: (payments @ q).max())
    least, most = (p @ payments).min(), (payments @ q).max()
    if not most - least <= CLOSE:
        raise GiveUpError
    value = Fraction((least + most) / 2) * max(max(row) for row in game)
    return _Solved(value, [Fraction(x) for x in p.tolist()], [Fraction(x) for x in q.tolist()], verified=False)


def _polished(payments: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Probabilities for which the columns best against ``p`` pay the same."""
    rows, columns = _support(payments, p, q)
    left = np.block([[np.ones((1, len(rows))), 0], [payments[np.ix_(rows, columns)].T, -np.ones((len(columns), 1))]])
    weights = np.linalg.lstsq(left, np.eye(1, len(left))[0])[0][:-1]
    polished = np.zeros(len(p))
    polished[rows] = weights
    return _probabilities(polished)
