"""Play a match: many games between two levels, with results, a file of the games, and expectations."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from analysis.errors import GametreeError, MissingDataError, OptionError, PositionError, TooLargeError
from analysis.machine.context import options
from analysis.machine.files import check_target
from analysis.machine.workers import Workers, patient, tell_progress
from analysis.playing.bots import Bot, files_of_others, find_policy
from analysis.playing.expectation import (
    BY_SEARCHING,
    Graph,
    LevelExpectation,
    bounded,
    expectation,
    searched_expectation,
    too_long,
)
from analysis.playing.kernels import UNFINISHED
from analysis.playing.knowledge import Knowledge, find_knowledge
from analysis.playing.levels import Agent, Function, find_player, level_name, parse_level
from analysis.playing.player import Player, is_bot
from analysis.playing.results import MatchResult, Scoreboard
from analysis.playing.simulation import ENDS, Batch, Pairing, SolvedArrays, play_by_turns, play_elsewhere, simulate
from analysis.playing.terms import NO_LIMITS, USUAL_TERMS, Effort, Terms
from analysis.rules.game import ONGOING, HasRules
from analysis.rules.positions import Place, read_position
from analysis.solution.solution import Solution
from analysis.solution.storage.row_files import row_file, text_column
from analysis.solving.find import find_values, named_game

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
    game: str | HasRules,
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
    levels = tuple(level_name(side) if isinstance(side, str) else side for side in (a, b))
    _check(terms, [level for level in levels if isinstance(level, str)], effort.seconds)
    seed = random.SystemRandom().randrange(1 << 32) if terms.seed is None else terms.seed
    match, games = _Match(game, (levels[0], levels[1]), terms.position, effort), terms.games
    match.out = terms.out
    if games == 0 and match.pairing is not None:
        match.solve()
    else:
        match.prepare()
    board = Scoreboard(match.names, swap=terms.swap or games == 0, longest=bounded(match.game, terms.max_plies))
    began = time.perf_counter()
    kept = contextlib.nullcontext() if terms.out is None else row_file(Path(terms.out), SCHEMA)
    with kept as write:
        for batch in match.play(dataclasses.replace(terms, seed=seed)):
            board.add(batch)
            if write is not None:
                write(_table(batch, match.names, terms.swap))
            tell_progress("playing", batch.first + len(batch.plies), games)
    took = time.perf_counter() - began
    patience = None if games == 0 else min(PATIENCE_SECONDS, max(1.0, took))
    expectations, reason = match.expectations(terms.max_plies, patience)
    return MatchResult(
        game=match.game.spec,
        position=match.game.format_position(match.root),
        a=match.names[0],
        b=match.names[1],
        games=games,
        swap=terms.swap,
        seed=seed,
        standings=board.standings(),
        not_computed=reason,
        notes=match.notes,
        seconds=took,
        max_plies=terms.max_plies,
        expectations=expectations,
        forfeits=match.forfeits,
    )


def expect(
    game: str | HasRules,
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
    match = _Match(game, (a, b), position, Effort())
    return match.expectations(max_plies, None, both=False)[0][0]


def _check(terms: Terms, levels: Sequence[str], seconds: float | None) -> None:
    """Raise `OptionError` for invalid terms, `StoreError` where the file cannot be written."""
    if not 0 <= terms.games <= MOST_GAMES:
        raise OptionError(f"cannot play {terms.games} games; give 0 to {MOST_GAMES:,}")
    if not 1 <= terms.max_plies <= MOST_PLIES:
        what = f"cannot limit games to {terms.max_plies} plies"
        raise OptionError(f"{what}; give --max-plies 1 to {MOST_PLIES:,}")
    if terms.seed is not None and not 0 <= terms.seed <= MOST_SEED:
        raise OptionError(f"seed {terms.seed} is out of range; give 0 to {MOST_SEED}")
    kinds = {parse_level(level, bots=True).kind for level in levels}
    if seconds is not None and not kinds & {"depth", "bot"}:
        raise OptionError("--seconds limits depth:N and bots, but neither level is one; leave it out")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise OptionError(f"cannot search in {seconds} seconds; give more than 0")
    if terms.out is not None:
        if terms.games == 0:
            raise OptionError("--out writes games, but --games 0 plays none; leave one of them out")
        check_target(Path(terms.out), SUFFIXES, "games")


def _table(batch: Batch, names: tuple[str, str], swap: bool) -> pa.Table:
    """Return a batch as a table by `SCHEMA`; with ``swap`` the levels change sides after every game."""
    numbers, levels = batch.first + np.arange(len(batch.plies)), text_column(names)
    sides = numbers & 1 if swap else np.zeros(len(numbers), np.int64)
    x, o = levels.take(pa.array(sides)), levels.take(pa.array(1 - sides))
    outcomes = pa.array(ENDS).take(pa.array(batch.ends))
    return pa.table([numbers, x, o, batch.paths, outcomes, batch.payoffs, batch.plies], schema=SCHEMA)


class _Match:
    """Two levels, one game, and what is known of it."""

    def __init__(
        self, name: str | HasRules, levels: tuple[str | Function, str | Function], position: Place, effort: Effort
    ) -> None:
        self.name, self.game, self.levels, self.position, self.effort = name, named_game(name), levels, position, effort
        self.out: str | Path | None = None
        if self.game.worths is not None:
            raise OptionError(
                f"matches add up payoffs, and those of {self.game.spec} are not whole numbers from -32000 to 32000"
            )
        self.root = self.game.rules().start if position is None else read_position(self.game, position)
        if position is not None and self.game.rules().outcome(self.root) != ONGOING:
            shown = self.game.format_position(self.root)
            raise PositionError(f"the game is over at {shown}; start from an earlier position")
        self.texts = [level for level in levels if isinstance(level, str)]
        self.bots = {text for text in self.texts if is_bot(text)}
        self.pairing = Pairing.of(self.texts[0], self.texts[1]) if len(self.texts) == 2 else None
        a, b = (level if isinstance(level, str) else Agent(self.game, level).level for level in levels)
        self.names = a, b
        self.notes: dict[str, str] = {}
        self._knows = any(parse_level(level, bots=True).kind in ("perfect", "blunder") for level in self.texts)
        """Whether a level plays by the values of positions."""
        self._solution: Solution | None = None
        self._arrays: SolvedArrays | None = None
        self._players: tuple[Player, Player] | None = None

    def solve(self, seconds: float | None = None) -> Solution:
        """Return the solution. Raises `TooSlowError` if making one takes more than ``seconds``."""
        if self._solution is None:
            position = None if self.root == self.game.rules().start else self.game.format_position(self.root)
            self._solution = find_values(self.name, position, self.effort.symmetry, seconds=seconds)
        return self._solution

    def prepare(self) -> None:
        """Find what the levels need to know, and players that move one by one where the kernels cannot play."""
        knowledge = None
        if self._knows:
            knowledge = find_knowledge(self.name, self.position, effort=self.effort)
            self._solution = knowledge.solution
        players = self._player(self.levels[0], knowledge), self._player(self.levels[1], knowledge)
        self.notes = {player.level: player.note for player in players if player.note}
        if self.pairing is None or (self._knows and not self._solved_in_memory()):
            self._players = players

    def _player(self, level: str | Function, knowledge: Knowledge | None) -> Player:
        if not isinstance(level, str):
            return Agent(self.game, level)
        seconds, limits = self.effort.seconds, self.effort.bots
        if level in self.bots:
            out = () if self.out is None else (self.out,)
            hidden = (*limits.hidden, *files_of_others(level, self.texts), *out)
            limits = dataclasses.replace(limits, hidden=hidden)
        return find_player(level, self.name, knowledge=knowledge, seconds=seconds, limits=limits)

    def play(self, terms: Terms) -> Iterator[Batch]:
        """Yield the games, in order."""
        if terms.games == 0:
            return
        most = bounded(self.game, terms.max_plies)
        with Workers() as pool, self.playing():
            for batch in self._batches(dataclasses.replace(terms, max_plies=most), pool):
                if most < terms.max_plies and (batch.ends == UNFINISHED).any():
                    raise too_long(self.game, most)
                yield batch

    @contextlib.contextmanager
    def playing(self) -> Iterator[None]:
        """Start the bots; end them after the block. Raises `MisbehaviourError` where one does not start."""
        try:
            for player in self._players or ():
                player.get_ready()
            yield
        finally:
            for player in self._players or ():
                player.close()

    @property
    def forfeits(self) -> dict[str, tuple[str, ...]]:
        """By level, how its players lost games by not moving as they should."""
        found: dict[str, tuple[str, ...]] = {}
        for player in self._players or ():
            if player.forfeits:
                found[player.level] = *found.get(player.level, ()), *player.forfeits
        return found

    def _batches(self, terms: Terms, workers: Workers) -> Iterator[Batch]:
        if self._players is not None:
            executor = options().executor
            alike = self.names == tuple(self.texts) and not self._knows and not self.bots
            if executor is not None and alike:
                return play_elsewhere(executor, self.game, self.names, self.root, terms, self.effort.seconds)
            return play_by_turns(self._players, self.root, terms)
        assert self.pairing is not None
        arrays = self._solved() if self.pairing.knows else SolvedArrays.unsolved(self.game, self.root)
        return simulate(arrays, self.pairing, terms, workers)

    def _solved_in_memory(self) -> bool:
        """Return whether there is a solution that fits in memory; a larger one is looked up position by position."""
        with contextlib.suppress(TooLargeError):
            return self._solution is not None and bool(self._solved())
        return False

    def _solved(self) -> SolvedArrays:
        assert self._solution is not None
        self._arrays = self._arrays or SolvedArrays.solved(self._solution, self.root)
        return self._arrays

    def expectations(
        self, max_plies: int, patience: float | None, *, both: bool = True
    ) -> tuple[tuple[LevelExpectation, ...], str]:
        """Return the expectations of both orders of the levels, or of one unless ``both``, or why there are none;
        ``patience`` is the time for searches in seconds, None if only expectations are wanted.
        """
        required = patience is None
        orders = (0, 1) if both and self.texts[:1] != self.texts[1:] else (0,)
        try:
            if len(self.texts) < 2:
                raise OptionError("a function has no exact expectations")
            if self.bots and not required:
                raise OptionError("--games 0 asks a bot in every position that it can meet")
            if self.pairing is None:
                return self._by_searches(orders, max_plies, patience), ""
            if self._players is not None and self._solution is None:
                raise OptionError(BY_SEARCHING)
            classes = self.solve(None if required else PATIENCE_SECONDS).canonical
            if classes > MOST_UNASKED_CLASSES and not required:
                raise MissingDataError(f"the game has {classes:,} classes; --games 0 computes them anyway")
            arrays = self._solved()
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
        if self.effort.seconds is not None:
            raise OptionError(f"with {self.effort.seconds:g} s a move there are no exact expectations")
        if self._players is None:
            self.prepare()
        assert self._players is not None
        late = MissingDataError(f"they take more than {patience or 0:.1g} s; --games 0 computes them anyway")
        with patient(patience, late), self.playing():
            a, b = (find_policy(each, self.root) if isinstance(each, Bot) else each for each in self._players)
            return tuple(searched_expectation(((a, b), (b, a))[i], self.root, max_plies) for i in orders)
