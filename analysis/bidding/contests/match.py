"""Many games of two levels, by lot and, where there are few enough states, exactly."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Mapping, Sequence

from analysis.bidding.contests.expectation import MOST, Expectation, expect
from analysis.bidding.contests.game import Contest, play_game
from analysis.bidding.players.player import BiddingPlayer
from analysis.bidding.players.table import SIGN, Table
from analysis.errors import OptionError, TooLargeError
from analysis.games.bidding import BiddingState
from analysis.workers import Progress, no_progress

SEEDS = 1 << 32
"""Seeds to choose from where none is given."""
EVERY = 64
"""Games between two words of progress."""
MOST_GAMES = 10**9
MOST_BESIDE = 50_000
"""States that expectations may take where games are played anyway: some ten seconds."""

Order = Mapping[str, BiddingPlayer]
"""Who plays which side."""


@dataclasses.dataclass
class Tally:
    """The games of one player on one side, as it sees them."""

    player: str
    """``A`` or ``B``."""
    level: str
    side: str
    wins: int = 0
    losses: int = 0
    ties: int = 0
    payoffs: int = 0
    """The sum of its own payoffs."""
    payoff_squares: int = 0
    plies: int = 0
    """All placements of all games, one a round."""
    ply_squares: int = 0

    @property
    def games(self) -> int:
        """How many there were."""
        return self.wins + self.losses + self.ties

    def add(self, payoff: int, plies: int) -> None:
        """Count a game with this payoff to the player."""
        self.wins += payoff > 0
        self.losses += payoff < 0
        self.ties += payoff == 0
        self.payoffs += payoff
        self.payoff_squares += payoff * payoff
        self.plies += plies
        self.ply_squares += plies * plies


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """What came of a match between the levels ``a`` and ``b``."""

    game: str
    position: str
    """The state in which games started."""
    a: str
    b: str
    games: int
    swap: bool
    seed: int
    tallies: tuple[Tally, ...]
    """Of X and of O where A is X, then, if they swap sides, where B is X; none without games."""
    expectations: tuple[Expectation, ...]
    """With A as X and, if they swap sides and are not alike, with B as X; none where they are not known."""
    not_computed: str
    """Why there are none, or empty."""
    notes: dict[str, str]
    """How the levels know what they know, by level."""
    seconds: float
    """What the games took."""


def play_match(
    table: Table,
    a: BiddingPlayer,
    b: BiddingPlayer,
    *,
    games: int,
    swap: bool = False,
    seed: int | None = None,
    start: BiddingState | None = None,
    progress: Progress = no_progress,
) -> MatchResult:
    """Let A play X and B play O or, if they ``swap``, the other way round in every second game. Each game has lots of
    its own, from the seed and its number: games do not change with how many there are. Without games there are only
    the expectations. Raises `OptionError`, and `TooLargeError` where nothing else is wanted and they take too long.
    """
    if not 0 <= games <= MOST_GAMES:
        raise OptionError(f"{games} games cannot be played; give 0 to {MOST_GAMES:,}")
    start = table.start if start is None else start
    seed = random.SystemRandom().randrange(SEEDS) if seed is None else seed
    orders = [{"X": a, "O": b}, {"X": b, "O": a}][: 1 + swap]
    began = time.perf_counter()
    tallies = _play(table, orders, games, seed, start, progress)
    took = time.perf_counter() - began
    expectations, reason = _expectations(table, orders, start, progress, required=not games)
    return MatchResult(
        table.game.spec, table.game.format_state(start), a.level, b.level, games, swap, seed, tallies, expectations,
        reason, {player.level: player.note for player in (a, b) if player.note}, took,
    )  # fmt: skip


def _play(
    table: Table, orders: Sequence[Order], games: int, seed: int, start: BiddingState, progress: Progress
) -> tuple[Tally, ...]:
    """All games; each has lots of its own, from the seed and its number."""
    tallies = [
        {side: Tally("AB"[(number + k) % 2], players[side].level, side) for k, side in enumerate("XO")}
        for number, players in enumerate(orders)
    ]
    for number in range(games):
        if number % EVERY == 0:
            progress("playing", number, games)
        order, contest = number % len(orders), Contest(table, start)
        payoff = play_game(contest, orders[order], random.Random(f"{seed} {number}"))
        for side, sign in SIGN.items():
            tallies[order][side].add(sign * payoff, len(contest.rounds))
    return tuple(tally for of_order in tallies for tally in of_order.values() if tally.games)


def _expectations(
    table: Table, orders: Sequence[Order], start: BiddingState, progress: Progress, *, required: bool
) -> tuple[tuple[Expectation, ...], str]:
    """Those of the orders in which they play, or why there are none."""
    try:
        most = MOST if required else MOST_BESIDE
        different = orders[:1] if orders[0]["X"].level == orders[0]["O"].level else orders
        return tuple(expect(table, players, start, most=most, progress=progress) for players in different), ""
    except TooLargeError as error:
        if required:
            raise
        return (), str(error)
