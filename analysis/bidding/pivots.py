"""Linear equations and matrix games in integers: elimination and the simplex method, with a limit on what they cost.

Pivots keep all numbers integers: they are minors of the original matrix, and every division is without remainder.
"""

from __future__ import annotations

from fractions import Fraction

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
