"""The results of a tournament: points of each pair of players, ratings, and sequential tests."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.playing.results import Z
from analysis.tournaments.stored import PlayedGame
from analysis.wording import some

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


# Standings ------------------------------------------------------------------------------------------------------------


def pair_counts(games: Sequence[PlayedGame], player: str) -> list[int]:
    """Return how many complete pairs of games of two players gave ``player`` 0, half, 1, 1 1/2 and 2 points.

    >>> games = [PlayedGame(n, "ab"[n % 2], "ba"[n % 2], "", "X", 1, 0, 0) for n in range(4)]
    >>> pair_counts(games, "a")
    [0, 0, 2, 0, 0]
    """
    points: dict[int, list[float]] = {}
    for game in games:
        points.setdefault(game.game // 2, []).append(game.points if game.x == player else 1 - game.points)
    counts = [0] * 5
    for pair in points.values():
        if len(pair) == 2:
            counts[round(2 * sum(pair))] += 1
    return counts


class Standings:
    """The games of a tournament, added up."""

    def __init__(self, players: Sequence[str], games: Sequence[PlayedGame], *, sprt: bool) -> None:
        self.players, self.places = list(players), {player: place for place, player in enumerate(players)}
        n = len(players)
        self.points, self.games = np.zeros((n, n)), np.zeros((n, n), np.int64)
        """[player, opponent]"""
        self.ends = np.zeros((n, 3), np.int64)
        """Wins, draws and losses."""
        met: dict[tuple[str, str], list[PlayedGame]] = {}
        for game in games:
            x, o = self.places[game.x], self.places[game.o]
            for player, opponent, points in ((x, o, game.points), (o, x, 1 - game.points)):
                self.points[player, opponent] += points
                self.games[player, opponent] += 1
                self.ends[player, round(2 * (1 - points))] += 1
            first, second = sorted((game.x, game.o), key=self.places.__getitem__)
            met.setdefault((first, second), []).append(game)
        self.ratings = elo_ratings(self.points)
        order = [(-self.ratings[place].elo, place) for place in range(n)]
        self.order = [place for _, place in sorted(order)]
        """The players, the best first."""
        self.stopped = [self._test(pair, met[pair]) for pair in itertools.combinations(players, 2) if pair in met]
        self.stopped = self.stopped if sprt else []
        """What the sequential tests of each pair of players came to."""

    def _test(self, pair: tuple[str, str], games: list[PlayedGame]) -> dict[str, Any]:
        counts = pair_counts(games, pair[0])
        ratio = pair_ratio(counts)
        found = "stronger" if ratio >= SPRT_BOUND else "weaker" if ratio <= -SPRT_BOUND else None
        verdict = f"{pair[0]} is {found} than {pair[1]}" if found else f"{pair[0]} against {pair[1]} is undecided"
        why = (
            f"{verdict}: log-likelihood ratio {ratio:+.2f} of the bounds -{SPRT_BOUND:.2f} and +{SPRT_BOUND:.2f} after "
            f"{some(sum(counts), 'pair')} of games ({' '.join(map(str, counts))})"
        )
        return {"a": pair[0], "b": pair[1], "ratio": ratio, "pairs": counts, "decided": bool(found), "why": why}

    @property
    def hypotheses(self) -> str:
        """The hypotheses of the sequential tests, in a sentence."""
        return (
            f"SPRT, pentanomial: {SPRT_ELO:+g} against {-SPRT_ELO:+g} Elo, errors {SPRT_ERROR:g}; in parentheses pairs "
            "of games with 0, 1/2, 1, 1 1/2 and 2 points"
        )

    def rows(self, faults: Mapping[str, Sequence[object]]) -> list[dict[str, Any]]:
        """Return a row for each player, the best first."""
        found = []
        for rank, place in enumerate(self.order, 1):
            player, rating, (wins, draws, losses) = self.players[place], self.ratings[place], self.ends[place].tolist()
            found.append(
                {
                    "rank": rank,
                    "player": player,
                    "points": float(self.points[place].sum()),
                    "games": wins + draws + losses,
                    "wins": wins,
                    "draws": draws,
                    "losses": losses,
                    "elo": round(rating.elo, 1),
                    "elo_low": round(rating.low, 1),
                    "elo_high": round(rating.high, 1),
                    "forfeits": len(faults.get(player, ())),
                }
            )
        return found

    def to_json(self) -> list[dict[str, Any]]:
        """Return the points of each pair of players."""
        pairs = itertools.combinations(range(len(self.players)), 2)
        return [
            {
                "a": self.players[i],
                "b": self.players[j],
                "points_a": float(self.points[i, j]),
                "points_b": float(self.points[j, i]),
                "games": int(self.games[i, j]),
            }
            for i, j in pairs
        ]
