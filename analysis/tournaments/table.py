"""The results of a tournament: points of each pair of players, ratings, and sequential tests."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.tournaments.ratings import SPRT_BOUND, SPRT_ELO, SPRT_ERROR, elo_ratings, pair_ratio
from analysis.tournaments.stored import PlayedGame
from analysis.wording import some


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
