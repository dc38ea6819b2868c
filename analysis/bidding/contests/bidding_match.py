"""Many games of two levels, by lot and, where there are few enough states, exactly."""

from __future__ import annotations

import dataclasses
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.bidding.contests.bidding_expectation import MOST, BiddingExpectation, expect
from analysis.bidding.contests.contest import Contest, play_game
from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BiddingRules
from analysis.errors import OptionError, TooLargeError
from analysis.games.bidding import BiddingState
from analysis.machine.workers import Progress, no_progress
from analysis.playing.matches.results import Match
from analysis.playing.matches.standings import Standing, by_player

SEEDS = 1 << 32
"""Seeds to choose from where none is given."""
EVERY = 64
"""Games between two words of progress."""
MOST_GAMES = 10**9
MOST_BESIDE = 50_000
"""States that expectations may take where games are played anyway: some ten seconds."""

Order = Mapping[str, BiddingPlayer]
"""Who plays which side."""


@dataclasses.dataclass(frozen=True)
class BiddingMatchResult(Match):
    """What came of a match; lengths are in placements, one a round."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree match --format json`` prints it: the same for the same seed."""
        return {
            **self.facts(),
            "standings": [standing.to_json() for standing in self.standings if standing.games],
            "expectations": [found.to_json() for found in self.expectations],
            "not_computed": self.not_computed or None,
        }


def play_match(
    table: BiddingRules,
    a: BiddingPlayer,
    b: BiddingPlayer,
    *,
    games: int,
    swap: bool = False,
    seed: int | None = None,
    start: BiddingState | None = None,
    progress: Progress = no_progress,
) -> BiddingMatchResult:
    """Let A play X and B play O or, if they ``swap``, the other way round in every second game. Each game has lots of
    its own, from the seed and its number: games do not change with how many there are. Without games there are only
    the expectations. Raises `OptionError`, and `TooLargeError` where nothing else is wanted and they take too long.
    """
    if not 0 <= games <= MOST_GAMES:
        raise OptionError(f"{games} games cannot be played; give 0 to {MOST_GAMES:,}")
    start = table.start if start is None else start
    seed = random.SystemRandom().randrange(SEEDS) if seed is None else seed
    orders = [{"X": a, "O": b}, {"X": b, "O": a}][: 1 + (swap or not games)]
    began = time.perf_counter()
    firsts = _play(table, orders, games, seed, start, progress)
    took = time.perf_counter() - began
    expectations, reason = _expectations(table, orders, start, progress, required=not games)
    return BiddingMatchResult(
        game=table.game.spec,
        position=table.game.format_state(start),
        a=a.level,
        b=b.level,
        games=games,
        swap=swap,
        seed=seed,
        standings=by_player((a.level, b.level), firsts[0], firsts[1] if len(firsts) > 1 else None),
        not_computed=reason,
        notes={player.level: player.note for player in (a, b) if player.note},
        seconds=took,
        expectations=expectations,
    )


def _play(
    table: BiddingRules, orders: Sequence[Order], games: int, seed: int, start: BiddingState, progress: Progress
) -> list[Standing]:
    """All games, as whoever was X saw them, by order; each has lots of its own, from the seed and its number."""
    ends: list[Counter[tuple[int, int]]] = [Counter() for _ in orders]
    for number in range(games):
        if number % EVERY == 0:
            progress("playing", number, games)
        order, contest = number % len(orders), Contest(table, start)
        payoff = play_game(contest, orders[order], random.Random(f"{seed} {number}"))
        ends[order][payoff, len(contest.rounds)] += 1
    return [
        Standing.of(player, order["X"].level, "X", counted)
        for player, order, counted in zip("AB", orders, ends, strict=False)
    ]


def _expectations(
    table: BiddingRules, orders: Sequence[Order], start: BiddingState, progress: Progress, *, required: bool
) -> tuple[tuple[BiddingExpectation, ...], str]:
    """Those of the orders in which they play, or why there are none."""
    try:
        most = MOST if required else MOST_BESIDE
        different = orders[:1] if orders[0]["X"].level == orders[0]["O"].level else orders
        return tuple(expect(table, players, start, most=most, progress=progress) for players in different), ""
    except TooLargeError as error:
        if required:
            raise
        return (), str(error)
