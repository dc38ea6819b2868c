"""Ratings and sequential tests against plainer computations, and what they must be in plain cases."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

from analysis.tournaments.ratings import PAIR_POINTS, PRIOR_ELO, SPRT_BOUND, SPRT_ELO, UNIT, elo_ratings, pair_ratio


def expected(difference):
    return 1 / (1 + 10 ** (-difference / 400))


@pytest.mark.parametrize("points", [[[0, 3], [1, 0]], [[0, 10], [0, 0]], [[0, 2, 5.5], [3, 0, 1], [0.5, 4, 0]]])
def test_the_rating_is_where_the_posterior_is_greatest(points):
    """By its condition: points scored exceed those expected by the pull of the prior."""
    ratings = [rating.elo for rating in elo_ratings(points)]
    assert sum(ratings) == pytest.approx(0, abs=1e-6)
    for i, elo in enumerate(ratings):
        games = [(j, points[i][j] + points[j][i]) for j in range(len(points)) if j != i]
        surplus = sum(points[i]) - sum(n * expected(elo - ratings[j]) for j, n in games)
        assert surplus == pytest.approx(elo * UNIT / PRIOR_ELO**2, abs=1e-5)


def test_one_who_wins_everything_has_a_finite_rating_and_a_wide_interval():
    few, many = (elo_ratings([[0, n], [0, 0]])[0] for n in (2, 200))
    assert 0 < few.elo < many.elo < 2000
    assert few.low < few.elo < few.high
    even = elo_ratings([[0, 50], [50, 0]])[0]
    assert even.elo == pytest.approx(0)
    assert even.high == pytest.approx(-even.low)
    assert even.high < 40


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    rng, truth, held = np.random.default_rng(1), np.array([120.0, 0.0, -120.0]), 0
    for _ in range(200):
        points = np.zeros((3, 3))
        for i, j in itertools.combinations(range(3), 2):
            points[i, j] = rng.binomial(60, expected(truth[i] - truth[j]))
            points[j, i] = 60 - points[i, j]
        held += sum(r.low <= t <= r.high for r, t in zip(elo_ratings(points), truth, strict=True))
    assert 0.92 <= held / 600 <= 0.98


@pytest.mark.parametrize("pairs", [[1, 2, 10, 6, 3], [0, 0, 3, 1, 0], [5, 0, 0, 0, 5], [2, 3, 4, 3, 9]])
def test_the_ratio_is_that_of_the_greatest_likelihoods(pairs):
    counts = np.maximum(np.array(pairs, float), 1e-3)

    def greatest(elo):
        found = minimize(
            lambda p: -(counts * np.log(p)).sum() / counts.sum(), np.full(5, 0.2), method="SLSQP", tol=1e-14,
            bounds=[(1e-9, 1)] * 5, options={"maxiter": 1000},
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: (p * PAIR_POINTS).sum() - expected(elo)},
            ],
        )  # fmt: skip
        return -found.fun * counts.sum()

    assert pair_ratio(pairs) == pytest.approx(greatest(SPRT_ELO) - greatest(-SPRT_ELO), abs=0.01)


def test_the_test_is_symmetric_and_decides_what_is_clear():
    assert pair_ratio([1, 2, 3, 4, 5]) == pytest.approx(-pair_ratio([5, 4, 3, 2, 1]))
    assert pair_ratio([0, 0, 50, 0, 0]) == pytest.approx(0)
    assert pair_ratio([0, 0, 0, 0, 11]) > SPRT_BOUND > pair_ratio([0, 0, 0, 0, 9])
    assert math.isfinite(pair_ratio([0, 0, 0, 0, 0]))
