"""The slow and obvious way: bidding games on a rows x cols board, as the definitions say.

Dicts and recursion, boards as strings row by row, matrix games by trying every square part of the matrix, and nothing
of the library. Everything fast is compared with it.
"""

import dataclasses
import functools
import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

from tests.support.oracle import line_cells

OTHER = {"X": "O", "O": "X"}


@dataclasses.dataclass(frozen=True)
class Rules:
    """``rows`` x ``cols`` cells, ``k`` in a row win (``misere``: lose); the least bid, and how ties are broken."""

    rows: int = 3
    cols: int = 3
    k: int = 3
    misere: bool = False
    least: int = 0  # the least bid; who has less bids all he has
    ties: str = "passes"  # passes or chooses

    @property
    def start(self) -> str:
        return "?" * (self.rows * self.cols)


# Boards ---------------------------------------------------------------------------------------------------------------


@functools.cache
def payoff(board: str, rules: Rules) -> int | None:
    """What X gets where the game is over, else None."""
    for side, sign in (("X", 1), ("O", -1)):
        if any(all(board[cell] == side for cell in line) for line in line_cells(rules.rows, rules.cols, rules.k)):
            return -sign if rules.misere else sign
    return None if "?" in board else 0


def placements(board: str, side: str) -> list[str]:
    return [board[:cell] + side + board[cell + 1 :] for cell, mark in enumerate(board) if mark == "?"]


def reachable(rules: Rules) -> set[str]:
    """Every board that comes up when either side may place at any time."""
    found, new = set(), {rules.start}
    while new:
        found |= new
        going_on = [board for board in new if payoff(board, rules) is None]
        new = {child for board in going_on for side in "XO" for child in placements(board, side)}
    return found


# Bidding with chips ---------------------------------------------------------------------------------------------------

BEST = {"X": max, "O": min}


def bids(chips: int, rules: Rules) -> range:
    return range(min(rules.least, chips), chips + 1)


# Matrix games ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Recursion:
    """Values by plain recursion over any board, by ``payoff(board)`` (None while play goes on) and
    ``after(board, side)``, the boards after each placement.
    """

    payoff: Callable
    after: Callable
    least: int = 0
    ties: str = "passes"
    solve: Callable = lambda matrix: solve(matrix)[0]
    known: dict = dataclasses.field(default_factory=dict)

    def value(self, board, x, o, holder) -> Fraction:
        """What X gets if both play well; ``holder`` has the advantage in ties."""
        key = (board, x, o, holder)
        if key not in self.known:
            over = self.payoff(board)
            self.known[key] = Fraction(over) if over is not None else self.solve(self.matrix(*key))
        return self.known[key]

    def bought(self, board, x, o, winner, bid, holder) -> Fraction:
        """What X gets after the winner of a round has paid his bid, and places."""
        left = (x - bid, o + bid) if winner == "X" else (x + bid, o - bid)
        return BEST[winner](self.value(after, *left, holder) for after in self.after(board, winner))

    def matrix(self, board, x, o, holder) -> list[list[Fraction]]:
        """What X gets after each pair of bids: rows are X's, columns O's, both from the least bid on."""

        def entry(i, j):
            if i != j:
                return self.bought(board, x, o, "X" if i > j else "O", max(i, j), holder)
            passes = self.bought(board, x, o, holder, i, OTHER[holder])
            if self.ties == "passes":
                return passes
            return BEST[holder](passes, self.bought(board, x, o, OTHER[holder], i, holder))

        return [[entry(i, j) for j in range(min(o, self.least), o + 1)] for i in range(min(x, self.least), x + 1)]


@functools.cache
def recursion(rules: Rules) -> Recursion:
    return Recursion(lambda board: payoff(board, rules), placements, rules.least, rules.ties)


def value(board: str, x: int, o: int, holder: str | None, rules: Rules) -> Fraction:
    return recursion(rules).value(board, x, o, holder)


def bid_matrix(board: str, x: int, o: int, holder: str | None, rules: Rules) -> list[list[Fraction]]:
    return recursion(rules).matrix(board, x, o, holder)


Matrix = Sequence[Sequence[Fraction | int]]


def solve(matrix: Matrix) -> tuple[Fraction, list[Fraction], list[Fraction]]:
    """The value of a matrix game, and optimal probabilities of its rows and of its columns.

    A saddle point where there is one. Otherwise some square part of the matrix, with probabilities for which all
    choices of the other side are equally good, solves the whole (Shapley and Snow 1950): try them all, take the first.
    """
    height, width = len(matrix), len(matrix[0])
    for i, j in itertools.product(range(height), range(width)):
        if min(matrix[i]) == matrix[i][j] == max(row[j] for row in matrix):
            return Fraction(matrix[i][j]), chosen({i: Fraction(1)}, height), chosen({j: Fraction(1)}, width)
    for size in range(2, min(height, width) + 1):
        for rows in itertools.combinations(range(height), size):
            for columns in itertools.combinations(range(width), size):
                part = [[matrix[i][j] for j in columns] for i in rows]
                p, q = equalizer(part), equalizer(list(zip(*part, strict=True)))
                if p and q:
                    p = chosen(dict(zip(rows, p, strict=True)), height)
                    q = chosen(dict(zip(columns, q, strict=True)), width)
                    if least(matrix, p) == most(matrix, q):
                        return least(matrix, p), p, q
    raise AssertionError("every matrix game has such a part")


def chosen(probabilities: dict[int, Fraction], choices: int) -> list[Fraction]:
    return [probabilities.get(choice, Fraction(0)) for choice in range(choices)]


def least(matrix: Matrix, p: Sequence[Fraction]) -> Fraction:
    """What the rows' probabilities get at least."""
    return most([[-entry for entry in column] for column in zip(*matrix, strict=True)], p) * -1


def most(matrix: Matrix, q: Sequence[Fraction]) -> Fraction:
    """What the columns' probabilities give at most."""
    return max(sum(weight * entry for weight, entry in zip(q, row, strict=True)) for row in matrix)


def equalizer(part: Matrix) -> list[Fraction] | None:
    """Probabilities of the rows of a square matrix for which all columns give the same, if there are such."""
    size = len(part)
    equations = [[Fraction(part[i][j]) for i in range(size)] + [Fraction(-1), Fraction(0)] for j in range(size)]
    equations.append([Fraction(1)] * size + [Fraction(0), Fraction(1)])
    for unknown in range(size + 1):
        pivot = next((row for row in equations[unknown:] if row[unknown] != 0), None)
        if pivot is None:
            return None
        equations.remove(pivot)
        pivot = [entry / pivot[unknown] for entry in pivot]
        equations = [[entry - row[unknown] * by for entry, by in zip(row, pivot, strict=True)] for row in equations]
        equations.insert(unknown, pivot)
    p = [row[-1] for row in equations[:-1]]
    return p if min(p) >= 0 else None
