"""Many games of two levels, by lot and, where there are few enough states, exactly."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence

import numpy as np

from analysis.bidding.contests.bidding_expectation import MOST, BiddingExpectation, expect
from analysis.bidding.contests.contest import Contest, play_game
from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BiddingRules
from analysis.errors import OptionError, TooLargeError
from analysis.games.bidding import BiddingState
from analysis.machine.workers import Progress, no_progress
from analysis.playing.kernels.simulated_games import O_WON, TIED, X_WON
from analysis.playing.matches.results import MatchResult, Scoreboard
from analysis.playing.matches.simulation import Batch

SEEDS = 1 << 32
"""Seeds to choose from where none is given."""
EVERY = 64
"""Games between two words of progress."""
MOST_GAMES = 10**9
MOST_BESIDE = 50_000
"""States that expectations may take where games are played anyway: some ten seconds."""

Order = Mapping[str, BiddingPlayer]
"""Who plays which side."""


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
) -> MatchResult:
    """Let ``a`` play X and ``b`` O at a ``table`` or, if they ``swap``, the other way round in every second game.

    Each of the ``games`` has lots of its own, from its number and the ``seed`` (default: another one each time; see the
    result): games do not change with how many there are. They begin at ``start`` (default: where the game does);
    lengths are in placements, one a round. Without games there are only the expectations. Raises `OptionError` for a
    number of games that cannot be played, and `TooLargeError` where nothing but expectations is wanted and these take
    too long.
    """
    if not 0 <= games <= MOST_GAMES:
        raise OptionError(f"{games} games cannot be played; give 0 to {MOST_GAMES:,}")
    start = table.start if start is None else start
    seed = random.SystemRandom().randrange(SEEDS) if seed is None else seed
    orders = [{"X": a, "O": b}, {"X": b, "O": a}][: 1 + (swap or not games)]
    began = time.perf_counter()
    board = Scoreboard((a.level, b.level), swap=len(orders) > 1)
    for first in range(0, games, EVERY):
        progress("playing", first, games)
        board.add(_played(table, orders, range(first, min(first + EVERY, games)), seed, start))
    took = time.perf_counter() - began
    expectations, reason = _expectations(table, orders, start, progress, required=not games)
    return MatchResult(
        game=table.game.spec,
        position=table.game.format_state(start),
        a=a.level,
        b=b.level,
        games=games,
        swap=swap,
        seed=seed,
        standings=board.standings(),
        not_computed=reason,
        notes={player.level: player.note for player in (a, b) if player.note},
        seconds=took,
        expectations=expectations,
    )


def _played(table: BiddingRules, orders: Sequence[Order], numbers: range, seed: int, start: BiddingState) -> Batch:
    """Some games, each with lots of its own, from the seed and its number."""
    payoffs, rounds = [], []
    for number in numbers:
        contest = Contest(table, start)
        payoffs.append(play_game(contest, orders[number % len(orders)], random.Random(f"{seed} {number}")))
        rounds.append(len(contest.rounds))
    found = np.array(payoffs, np.int16)
    ends = np.select([found > 0, found < 0], [X_WON, O_WON], TIED).astype(np.uint8)
    return Batch(numbers.start, found, np.array(rounds, np.int32), ends, None)


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
