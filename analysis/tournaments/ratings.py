"""Ratings from results, and when a comparison of two players may stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.playing.results import Z

PRIOR_ELO = 400.0
"""Standard deviation of a rating before anything was played, around the mean of the field at 0."""

UNIT = 400 / math.log(10)
"""Elo points of a natural logarithm of odds."""


class Rating(NamedTuple):
    """A rating in Elo points, relative to the mean of the field, and its 95 % interval."""

    elo: float
    low: float
    high: float


def elo_ratings(points: Sequence[Sequence[float]] | np.ndarray, prior: float = PRIOR_ELO) -> list[Rating]:
    """Return the ratings of players from their points against each other, ``points[i][j]`` those of i against j, where
    a win is 1 and a draw half a point.

    This is the maximum a posteriori of the model of Bradley and Terry (1952), in which i scores against j with the odds
    of 10 to the power of their difference / 400, where ratings are normally distributed around 0 with the standard
    deviation ``prior``. That keeps them finite also for one who wins everything. The intervals are those of the
    difference to the mean of the field in the normal distribution whose inverse covariance is the observed Fisher
    information plus that of the prior.

    >>> [round(x) for x in elo_ratings([[0, 10], [0, 0]])[0]]
    [296, 28, 563]
    """
    from scipy.optimize import minimize  # type: ignore[import-untyped]  # a tenth of a second

    won = np.asarray(points, dtype=float)
    games, precision = won + won.T, (UNIT / prior) ** 2

    def expected(strengths: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))

    def loss(strengths: np.ndarray) -> float:
        chances = np.logaddexp(0, strengths[None, :] - strengths[:, None])
        return float((won * chances).sum() + precision * (strengths**2).sum() / 2)

    def gradient(strengths: np.ndarray) -> np.ndarray:
        return (games * expected(strengths) - won).sum(axis=1) + precision * strengths

    def information(strengths: np.ndarray) -> Any:
        chance = expected(strengths)
        each = games * chance * (1 - chance)
        return np.diag(each.sum(axis=1) + precision) - each

    found = minimize(loss, np.zeros(len(won)), jac=gradient, hess=information, method="trust-exact")
    centred = np.eye(len(won)) - 1 / len(won)
    deviations = np.sqrt(np.diag(centred @ np.linalg.inv(information(found.x)) @ centred))
    elo, half = UNIT * found.x, Z * UNIT * deviations
    return [Rating(float(e), float(e - h), float(e + h)) for e, h in zip(elo, half, strict=True)]


# Sequential tests -----------------------------------------------------------------------------------------------------

PAIR_POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Points per game of a pair of games with sides swapped."""

SPRT_ELO = 50.0
"""The hypotheses: the first player is weaker, or stronger, by this many Elo points."""

SPRT_ERROR = 0.05
"""The probability of either error."""

SPRT_BOUND = math.log((1 - SPRT_ERROR) / SPRT_ERROR)
"""The test ends where the logarithm of the likelihood ratio is this far from 0 (Wald 1945)."""

RARE = 1e-3
"""Pairs counted for a result that has not occurred, as Fishtest does."""


def pair_ratio(pairs: Sequence[int], elo: float = SPRT_ELO) -> float:
    """Return the logarithm of the generalized likelihood ratio that the first player is stronger rather than weaker by
    ``elo``, from the numbers of pairs with 0, half, 1, 1 1/2 and 2 points: the pentanomial model, since the games of a
    pair begin alike and are not independent.

    Under each hypothesis the probabilities are those of the greatest likelihood whose mean is the expected score (Van
    den Bergh, "A practical introduction to the GSPRT"; used by Fishtest and fastchess).

    >>> round(pair_ratio([0, 0, 0, 0, 10]), 2), pair_ratio([3, 0, 5, 0, 3])
    (2.88, 0.0)
    """
    counts = np.maximum(np.asarray(pairs, dtype=float), RARE)
    shares, scores = counts / counts.sum(), np.array(PAIR_POINTS)
    likely = [_most_likely(shares, scores, 1 / (1 + 10 ** (-side * elo / 400))) for side in (1, -1)]
    return round(float((counts * np.log(likely[0] / likely[1])).sum()), 9) + 0.0


def _most_likely(shares: np.ndarray, scores: np.ndarray, mean: float) -> np.ndarray:
    """Return the most likely probabilities with this mean."""
    from scipy.optimize import brentq

    away = scores - mean
    low, high = -1 / away.max(), -1 / away.min()
    margin = 1e-9 * (high - low)
    weight = brentq(lambda x: float((shares * away / (1 + x * away)).sum()), low + margin, high - margin)
    return shares / (1 + weight * away)
