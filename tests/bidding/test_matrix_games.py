"""Matrix games: against every square part of the matrix, known games, and what makes a solution one."""

import math
import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.bidding.matrix_games import MatrixSolution, _simplex, solve_matrix
from analysis.errors import OptionError
from tests.support import bidding_oracle as oracle


def check(matrix, solution: MatrixSolution) -> None:
    """The two strategies guarantee the value: exactly, or to 1e-9 of the range of the entries and the last digits."""
    rows, columns = list(map(Fraction, solution.rows)), list(map(Fraction, solution.columns))
    entries = [[Fraction(entry) for entry in row] for row in matrix]
    assert (len(rows), len(columns)) == (len(entries), len(entries[0]))
    assert min(rows) >= 0
    assert min(columns) >= 0
    least, most = oracle.least(entries, rows), oracle.most(entries, columns)
    if solution.exact:
        assert all(type(number) is Fraction for number in (solution.value, *solution.rows, *solution.columns))
        assert sum(rows) == sum(columns) == 1
        assert least == solution.value == most
    else:
        assert all(type(number) is float for number in (solution.value, *solution.rows, *solution.columns))
        flat = [entry for row in entries for entry in row]
        slack = (max(flat) - min(flat)) / 10**9 + max(map(abs, flat)) / 10**13
        assert abs(sum(rows) - 1) < 1e-13
        assert abs(sum(columns) - 1) < 1e-13
        assert least >= Fraction(solution.value) - slack
        assert most <= Fraction(solution.value) + slack
    assert solution.saddle == ((max(rows) == max(columns) == 1) and has_saddle(entries))


def has_saddle(entries) -> bool:
    return max(map(min, entries)) == min(map(max, zip(*entries, strict=True)))


def matrices(entries, most: int):
    def of_shape(shape: tuple[int, int]):
        height, width = shape
        return st.lists(st.lists(entries, min_size=width, max_size=width), min_size=height, max_size=height)

    return st.tuples(st.integers(1, most), st.integers(1, most)).flatmap(of_shape)


def threshold_form(above, ties, below, height: int, width: int):
    """The form that games of bids have: who bids more pays, whatever the other has bid."""
    return [[above[i] if i > j else ties[i] if i == j else below[j] for j in range(width)] for i in range(height)]


def thresholds(entries, most: int):
    columns = st.lists(entries, min_size=most, max_size=most)
    size = st.integers(1, most)
    return st.builds(threshold_form, columns, columns, columns, size, size)


FEW = st.integers(-1, 1) | st.integers(-3, 3)
FRACTIONS = st.fractions(-5, 5, max_denominator=12)
NEAR = st.builds(lambda whole, part: whole + Fraction(part, 10**12), st.integers(-1, 1), st.integers(-1, 1))
DOUBLES = st.floats(-1e6, 1e6) | st.floats(-1, 1) | st.sampled_from([0.0, 1 / 3, -1.0, 1e-300])


@settings(deadline=None)
@given(matrices(FEW, 4) | matrices(FRACTIONS, 4) | matrices(NEAR, 4) | thresholds(FEW, 4))
def test_against_every_square_part(matrix):
    solution = solve_matrix(matrix)
    value = oracle.solve(matrix)[0]
    assert solution.exact == is_short(value)
    assert solution.value == (value if solution.exact else float(value))
    check(matrix, solution)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(matrices(FEW, 12) | thresholds(FEW, 12) | thresholds(FRACTIONS, 12) | thresholds(NEAR, 12) | matrices(NEAR, 12))
def test_larger_matrices_are_certified(matrix):
    solution = solve_matrix(matrix)
    check(matrix, solution)
    if not solution.exact:
        value = value_in_integers(matrix)
        assert not is_short(value)
        assert solution.value == float(value)


def is_short(value: Fraction) -> bool:
    return max(abs(value.numerator), value.denominator) < 2**63


def value_in_integers(matrix) -> Fraction:
    """By the simplex method alone, however long the numbers are."""
    scale = math.lcm(*(Fraction(entry).denominator for row in matrix for entry in row))
    low = min(min(row) for row in matrix)
    game = [[int((entry - low) * scale) for entry in row] for row in matrix]
    return _simplex(game)[0] / scale + low


@settings(deadline=None)
@given(matrices(DOUBLES, 5) | thresholds(DOUBLES, 7) | matrices(DOUBLES | FRACTIONS, 4))
def test_doubles(matrix):
    solution = solve_matrix(matrix)
    check(matrix, solution)
    assert solution.exact == (not any(isinstance(entry, float) for row in matrix for entry in row))


# Known games ----------------------------------------------------------------------------------------------------------


def test_diagonal_game():
    """Hide in one of n places worth d: the value is 1 / sum(1 / d), each place with a probability of value / d."""
    worth = [1, 2, 3, 4, 5, 6]
    solution = solve_matrix([[d * (i == j) for j in range(6)] for i, d in enumerate(worth)])
    assert solution.value == Fraction(20, 49)
    assert solution.rows == solution.columns == tuple(Fraction(20, 49 * d) for d in worth)


def test_colonel_blotto():
    """Four against three companies, two posts, each worth what it holds and 1: the value is 14/9 (Dresher 1961)."""
    game = [[4, 2, 1, 0], [1, 3, 0, -1], [-2, 2, 2, -2], [-1, 0, 3, 1], [0, 1, 2, 4]]
    ours = [(4, 0), (3, 1), (2, 2), (1, 3), (0, 4)]
    theirs = [(3, 0), (2, 1), (1, 2), (0, 3)]

    def post(a: int, b: int) -> int:
        return (b + 1 if a > b else -a - 1) if a != b else 0

    assert game == [[post(a, c) + post(b, d) for c, d in theirs] for a, b in ours]
    solution = solve_matrix(game)
    assert solution.value == Fraction(14, 9)
    check(game, solution)


def test_the_first_saddle_point():
    solution = solve_matrix([[0, 0, 9], [1, 5, 1], [1, 1, 1]])
    assert solution == MatrixSolution(Fraction(1), (0, 1, 0), (1, 0, 0), saddle=True)
    assert solve_matrix([[7]]) == MatrixSolution(Fraction(7), (1,), (1,), saddle=True)
    assert solve_matrix([[2.5, 3]]) == MatrixSolution(2.5, (1.0,), (1.0, 0.0), saddle=True)
    assert type(solve_matrix([[2.5, 3]]).columns[1]) is float


# Exactness ------------------------------------------------------------------------------------------------------------


def test_differences_below_every_tolerance():
    """HiGHS sees three equal rows; the simplex method in integers finds the difference."""
    tiny = Fraction(1, 10**12)
    game = [[0, -1, 1], [1, 0, -1], [-1, 1 + tiny, 0]]
    solution = solve_matrix(game)
    assert solution.exact
    assert solution.value == oracle.solve(game)[0] > 0
    check(game, solution)
    game = [[1 + tiny * ((i * j) % 5) for j in range(5)] for i in range(1, 5)]
    assert solve_matrix(game).value == oracle.solve(game)[0] == 1


@pytest.mark.parametrize("bits", [62, 63, 64])
def test_how_long_numbers_may_be(bits):
    """Up to 63 bits numerators and denominators are exact, beyond it the solution is in doubles."""
    small = bits <= 63
    number = 2**bits - 1
    assert solve_matrix([[number]]).exact == solve_matrix([[Fraction(1, number)]]).exact == small
    assert solve_matrix([[number, 0], [0, number]]).exact == small  # the value is half of it
    assert not solve_matrix([[number, 0], [0, number - 1]]).exact  # here its denominator is 2 * number - 1
    assert solve_matrix([[number, -number], [-number, number]]).exact == small
    assert solve_matrix([[2.0**bits, 0], [0, 2.0**bits]]).value == 2.0 ** (bits - 1)


def test_kinds_of_numbers():
    pennies = [[1, -1], [-1, 2]]
    exact = solve_matrix(pennies)
    assert solve_matrix(np.array(pennies)) == exact == solve_matrix(np.array(pennies, dtype=np.int8))
    assert solve_matrix([[True, Fraction(-1)], [np.int64(-1), 2]]) == exact
    big = 2**62
    assert solve_matrix(np.array([[big, -big], [-big, big]])).value == 0  # NumPy's own arithmetic would overflow
    for kind in (np.float64, np.float32):
        solution = solve_matrix(np.array(pennies, dtype=kind))
        assert (solution.value, solution.exact) == (0.2, False)
        check(pennies, solution)


# Large games ---------------------------------------------------------------------------------------------------------


def test_a_hundred_bids():
    rng = random.Random(1)
    above, below, ties = ([Fraction(rng.randint(-999, 999), 999) for _ in range(101)] for _ in range(3))
    game = threshold_form(sorted(above, reverse=True), ties, sorted(below), 101, 101)
    solution = solve_matrix(game)
    assert solution.exact
    assert not solution.saddle
    check(game, solution)


@settings(deadline=None)
@given(matrices(st.integers(0, 2), 6))
def test_the_simplex_method_ends(game):
    """On degenerate games too; the value is that of the solver."""
    assert value_in_integers(game) == solve_matrix(game).value


# Refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matrix", "place"),
    [
        ([], "at least one row"),
        ([[]], "at least one row"),
        ([[1, 2], [3]], "rows of one length"),
        ([[1, math.nan]], "row 0, column 1"),
        ([[1], [-math.inf]], "row 1, column 0"),
        ([["2"]], "row 0, column 0"),
        ([[Decimal(1)]], "row 0, column 0"),
        ([[1, -(10**400)]], "row 0, column 1"),
    ],
)
def test_refusals(matrix, place):
    with pytest.raises(OptionError, match=place):
        solve_matrix(matrix)
