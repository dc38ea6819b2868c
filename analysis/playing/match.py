"""Play a match: many games between two levels, with results, a file of the games, and expectations."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..errors import GametreeError, MissingDataError, OptionError
from ..machine.context import options
from ..machine.files import check_target
from ..machine.workers import Workers, patient, tell_progress
from ..rules.game import GameLike
from ..rules.positions import Place
from ..solution.storage.row_files import row_file, text_column
from .bots import Bot, find_policy
from .expectation import (
    BY_SEARCHING,
    Graph,
    LevelExpectation,
    bounded,
    expectation,
    searched_expectation,
    too_long,
)
from .ground import Ground, forfeits, knows, playing, told_apart
from .kernels import UNFINISHED
from .levels import Agent, Function, level_name, parse_level
from .player import Player, is_bot
from .results import MatchResult, Scoreboard
from .simulation import ENDS, Batch, Pairing, SolvedArrays, play_by_turns, play_elsewhere, simulate
from .terms import NO_LIMITS, USUAL_TERMS, Effort, Terms

MOST_GAMES, MOST_PLIES, MOST_SEED = 10**12, 10**6, (1 << 63) - 1

PATIENCE_SECONDS = 5.0
"""Time to solve a game only for the expectations of games that are played anyway."""

MOST_UNASKED_CLASSES = 4_000_000
"""Limit on the classes of such a game: some five seconds."""


SUFFIXES = (".parquet", ".csv", ".jsonl")
"""Suffixes of files of games."""

SCHEMA = pa.schema(
    [
        ("game", pa.int64()),
        ("x", pa.string()),
        ("o", pa.string()),
        ("path", pa.string()),
        ("outcome", pa.string()),
        ("payoff", pa.int16()),
        ("plies", pa.int32()),
    ]
)
"""The columns of a file of games."""


def play_match(
    game: GameLike,
    a: str | Function,
    b: str | Function,
    terms: Terms = USUAL_TERMS,
    *,
    effort: Effort = NO_LIMITS,
) -> MatchResult:
    """Play games of a GAME_OR_DIR, ``a`` moving first, ``b`` second; the ``terms`` say how many, and from where. Each
    side is the text of a level or a function from a position to a move (see `levels.Agent`).

    With 0 games there are only the exact expectations. Raises `OptionError` for invalid terms or levels,
    `PositionError`, `StoreError`, and what finding a game and its solution raises.

    >>> result = play_match("tictactoe", "perfect", "random", Terms(games=2000, seed=1))
    >>> result.standing("A", "X").losses, result.expectations[0].o_wins
    (0, Fraction(0, 1))
    """
    levels = [level_name(side) if isinstance(side, str) else side for side in (a, b)]
    terms = checked(terms, levels, effort.seconds)
    ground, games = Ground(game, terms.position, effort), terms.games
    match = Match(ground, levels)
    if games == 0 and match.pairing is not None:
        ground.solve()
    else:
        match.prepare()
    board = Scoreboard(match.names, swap=terms.swap or games == 0, longest=bounded(ground.game, terms.max_plies))
    began = time.perf_counter()
    with playing(match.players), game_file(terms.out) as write:
        for batch in match.play(terms):
            board.add(batch)
            write(batch, match.names, 0, terms.swap)
            tell_progress("playing", batch.first + len(batch.plies), games)
    took = time.perf_counter() - began
    patience = None if games == 0 else min(PATIENCE_SECONDS, max(1.0, took))
    expectations, reason = match.expectations(terms.max_plies, patience)
    return MatchResult(
        game=ground.game.spec,
        position=ground.start,
        a=match.names[0],
        b=match.names[1],
        games=games,
        swap=terms.swap,
        seed=terms.seed or 0,
        standings=board.standings(),
        not_computed=reason,
        notes=match.notes,
        seconds=took,
        max_plies=terms.max_plies,
        expectations=expectations,
        forfeits=forfeits(match.players),
    )


def expect(
    game: GameLike,
    a: str,
    b: str,
    *,
    position: Place | None = None,
    max_plies: int = Terms.max_plies,
) -> LevelExpectation:
    """Return the expectations where level ``a`` moves first and ``b`` second, from ``position`` (default: the start)
    on.

    The game (a GAME_OR_DIR) is solved unless its solution is stored; with a level that searches, ``depth:N``, each
    position that play reaches is searched instead (see `expectation.walk`). A game that lasts longer than ``max_plies``
    is unfinished. Raises `OptionError` for an unknown level, `TooLargeError` for a game that is too large, and what
    solving raises.

    >>> result = expect("tictactoe", "perfect", "random")
    >>> result.x_wins, result.tie
    (Fraction(75257, 77760), Fraction(2503, 77760))
    >>> expect("tictactoe", "depth:1", "random", position="XO?XO????").x_wins
    Fraction(1, 1)
    """
    match = Match(Ground(game, position, Effort()), (a, b))
    return match.expectations(max_plies, None, both=False)[0][0]


def checked(terms: Terms, levels: Sequence[str | Function], seconds: float | None) -> Terms:
    """Return the terms with a seed. Raises `OptionError` for invalid terms, `StoreError` where the file cannot be
    written.
    """
    if not 0 <= terms.games <= MOST_GAMES:
        raise OptionError(f"cannot play {terms.games} games; give 0 to {MOST_GAMES:,}")
    if not 1 <= terms.max_plies <= MOST_PLIES:
        what = f"cannot limit games to {terms.max_plies} plies"
        raise OptionError(f"{what}; give --max-plies 1 to {MOST_PLIES:,}")
    if terms.seed is not None and not 0 <= terms.seed <= MOST_SEED:
        raise OptionError(f"seed {terms.seed} is out of range; give 0 to {MOST_SEED}")
    kinds = {parse_level(level, bots=True).kind for level in levels if isinstance(level, str)}
    if seconds is not None and not kinds & {"depth", "bot"}:
        raise OptionError("--seconds limits depth:N and bots, but no level is one; leave it out")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"cannot search in {seconds} seconds; give more than 0")
    if terms.out is not None:
        if terms.games == 0:
            raise OptionError("--out writes games, but --games 0 plays none; leave one of them out")
        check_target(Path(terms.out), SUFFIXES, "games")
    seed = random.SystemRandom().randrange(1 << 32) if terms.seed is None else terms.seed
    return dataclasses.replace(terms, seed=seed)


Writer = Callable[[Batch, tuple[str, str], int, bool], object]
"""Writes a batch of games of two names, numbered from a first one on, between which they change sides or not."""


@contextlib.contextmanager
def game_file(out: str | Path | None) -> Iterator[Writer]:
    """Give what writes games to a file, if there is one."""
    with contextlib.nullcontext() if out is None else row_file(Path(out), SCHEMA) as write:
        yield lambda *batch: None if write is None else write(_table(*batch))


def _table(batch: Batch, names: tuple[str, str], first: int, swap: bool) -> pa.Table:
    """Return a batch as a table by `SCHEMA`."""
    numbers, levels = batch.first + np.arange(len(batch.plies)), text_column(names)
    sides = numbers & 1 if swap else np.zeros(len(numbers), np.int64)
    x, o = levels.take(pa.array(sides)), levels.take(pa.array(1 - sides))
    outcomes = pa.array(ENDS).take(pa.array(batch.ends))
    return pa.table([first + numbers, x, o, batch.paths, outcomes, batch.payoffs, batch.plies], schema=SCHEMA)


class Match:
    """Two levels on a ground, and their ``players`` if these are known already."""

    def __init__(
        self, ground: Ground, levels: Sequence[str | Function], players: tuple[Player, Player] | tuple[()] = ()
    ) -> None:
        self.ground, self.game, self.root, self.levels = ground, ground.game, ground.root, levels
        self.texts = [level for level in levels if isinstance(level, str)]
        self.pairing = Pairing.of(self.texts[0], self.texts[1]) if len(self.texts) == 2 else None
        self.players: tuple[Player, Player] | tuple[()] = players
        named = [level if isinstance(level, str) else Agent(self.game, level).level for level in levels]
        a, b = told_apart(named) if any(map(is_bot, self.texts)) else named
        self.names = (players[0].level, players[1].level) if players else (a, b)
        self.notes: dict[str, str] = {}
        self._by_turns = self.pairing is None

    def prepare(self) -> None:
        """Find the players, and whether they move one by one since no kernel can play."""
        if not self.players:
            a, b = self.players = self.ground.player(self.levels[0]), self.ground.player(self.levels[1])
            a.level, b.level = self.names
        self.notes = {player.level: player.note for player in self.players if player.note}
        self._by_turns = self.pairing is None or (any(map(knows, self.texts)) and not self.ground.in_memory())

    def play(self, terms: Terms) -> Iterator[Batch]:
        """Yield the games, in order."""
        if terms.games == 0:
            return
        most = bounded(self.game, terms.max_plies)
        with Workers() as pool:
            for batch in self._batches(dataclasses.replace(terms, max_plies=most), pool):
                if most < terms.max_plies and (batch.ends == UNFINISHED).any():
                    raise too_long(self.game, most)
                yield batch

    def _batches(self, terms: Terms, workers: Workers) -> Iterator[Batch]:
        if self._by_turns:
            assert self.players
            executor = options().executor
            alike = len(self.texts) == 2 and not any(knows(text) or is_bot(text) for text in self.texts)
            if executor is not None and alike:
                a, b = self.texts
                return play_elsewhere(executor, self.game, (a, b), self.root, terms, self.ground.effort.seconds)
            return play_by_turns(self.players, self.root, terms)
        assert self.pairing is not None
        arrays = self.ground.arrays() if self.pairing.knows else SolvedArrays.unsolved(self.game, self.root)
        return simulate(arrays, self.pairing, terms, workers)

    def expectations(
        self, max_plies: int, patience: float | None, *, both: bool = True
    ) -> tuple[tuple[LevelExpectation, ...], str]:
        """Return the expectations of both orders of the levels, or of one unless ``both``, or why there are none;
        ``patience`` is the time for searches in seconds, None if only expectations are wanted.
        """
        required = patience is None
        orders = (0, 1) if both and self.names[0] != self.names[1] else (0,)
        try:
            if len(self.texts) < 2:
                raise OptionError("a function has no exact expectations")
            if any(map(is_bot, self.texts)) and not required:
                raise OptionError("--games 0 asks a bot in every position that it can meet")
            if self.pairing is None:
                return self._by_searches(orders, max_plies, patience), ""
            if self._by_turns and self.ground.solution is None:
                raise OptionError(BY_SEARCHING)
            classes = self.ground.solve(None if required else PATIENCE_SECONDS).canonical
            if classes > MOST_UNASKED_CLASSES and not required:
                raise MissingDataError(f"the game has {classes:,} classes; --games 0 computes them anyway")
            arrays = self.ground.arrays()
            with Workers() as pool:
                graph = Graph.build(arrays, self.pairing, pool)
            a, b = self.names
            return tuple(
                expectation(
                    self.game, (b, a) if first else (a, b), self.root, max_plies, functools.partial(graph.play, first)
                )
                for first in orders
            ), ""
        except GametreeError as error:  # this must not lose the games that were played
            if required:
                raise
            return (), str(error)

    def _by_searches(
        self, orders: Sequence[int], max_plies: int, patience: float | None
    ) -> tuple[LevelExpectation, ...]:
        """Return the expectations by searching. Raises `OptionError` where moves depend on the clock."""
        seconds = self.ground.effort.seconds
        if seconds is not None:
            raise OptionError(f"with {seconds:g} s a move there are no exact expectations")
        if not self.players:
            self.prepare()
        late = MissingDataError(f"they take more than {patience or 0:.1g} s; --games 0 computes them anyway")
        with patient(patience, late), playing(self.players):
            a, b = self.players  # type: ignore[misc]  # they are prepared
            for player in (a, b):
                if isinstance(player, Bot):
                    find_policy(player, self.root)
            return tuple(searched_expectation(((a, b), (b, a))[i], self.root, max_plies) for i in orders)
