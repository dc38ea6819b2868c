"""A match: many games of two levels of play, their results, a file of them, and what is to be expected."""

from __future__ import annotations

import contextlib
import dataclasses
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

import numpy as np
import pyarrow as pa

from analysis.errors import GametreeError, MissingDataError, OptionError, TooLargeError
from analysis.machine.arguments import checked
from analysis.machine.files import check_target
from analysis.machine.workers import Progress, Workers, no_progress, patient
from analysis.playing.kernels.simulated_games import UNFINISHED
from analysis.playing.matches.elsewhere import play_elsewhere
from analysis.playing.matches.expectation import (
    BY_SEARCHING,
    MAX_PLIES,
    LevelExpectation,
    bounded,
    expectation,
    game_of,
    root_of,
    searched_expectation,
    solution_from,
    too_long,
)
from analysis.playing.matches.match_graph import Graph
from analysis.playing.matches.results import MatchResult, Scoreboard
from analysis.playing.matches.simulation import Batch, Pairing, SolvedArrays, Terms, play_by_turns, simulate
from analysis.playing.players.knowledge import Knowledge, find_knowledge
from analysis.playing.players.levels import Agent, Function, Player, find_player, parse_level
from analysis.rules.game import HasRules
from analysis.solution.solution import Solution
from analysis.storage.row_files import row_file, text_column

GAMES = 1000
"""Games of a match, unless told otherwise."""

MOST_GAMES, MOST_PLIES, MOST_SEED = 10**12, 10**6, (1 << 63) - 1

PATIENCE_SECONDS = 5.0
"""What solving a game may take only to know what is to be expected beside games that are played anyway."""

MOST_UNASKED_CLASSES = 4_000_000
"""Classes over which expectations are found beside such games: some five seconds."""


SUFFIXES = (".parquet", ".csv", ".jsonl")
"""Of files of games."""

OUTCOMES = ("X", "O", "tie", "unfinished")
"""By `Batch.ends`."""

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


@dataclasses.dataclass(frozen=True)
class Effort:
    """What a match may take, and who is told how far it is."""

    seconds: float | None = None
    """What ``depth:N`` may take for a move; without it each move is searched N plies deep."""
    workers: int | None = None
    """How many play, solve and search at once (default: one a core)."""
    progress: Progress = no_progress
    """Called while it goes on."""
    symmetry: str | None = None
    """Those that a solution is made with, or read."""
    executor: Executor | None = None
    """What plays the games of levels that search, if no solution is needed for them: all else takes no longer than to
    send it anywhere.
    """


Effort.__init__ = checked(Effort.__init__)  # type: ignore[method-assign]
NO_LIMITS = Effort()


@checked
def play_match(
    game: str | HasRules,
    a: str | Function,
    b: str | Function,
    *,
    games: int = GAMES,
    swap: bool = False,
    seed: int | None = None,
    position: str | None = None,
    max_plies: int = MAX_PLIES,
    out: str | Path | None = None,
    effort: Effort = NO_LIMITS,
) -> MatchResult:
    """Play ``games`` games of a GAME_OR_DIR, ``a`` moving first, ``b`` second; with ``swap`` they change sides after
    every game. Each is the text of a level or a function that is given a position and answers with a move, see
    `levels.Agent`.

    ``seed`` makes the same games again (default: another one each time; see the result), ``position`` is where they
    start, ``max_plies`` when a game is given up as unfinished, ``out`` a file for all games, and ``effort`` what it may
    take. Without games there are only the exact expectations. Raises `OptionError` for what makes no sense,
    `PositionError`, `StoreError`, and what finding a game and its solution raises.

    >>> result = play_match("tictactoe", "perfect", "random", games=2000, seed=1)
    >>> result.standing("A", "X").losses, result.expectations[0].o_wins
    (0, Fraction(0, 1))
    """
    levels = tuple(side.strip().lower() if isinstance(side, str) else side for side in (a, b))
    seed = _checked(games, seed, max_plies, [level for level in levels if isinstance(level, str)], effort.seconds)
    if out is not None:
        if games == 0:
            raise OptionError("--out keeps games, and --games 0 plays none; leave one of them out")
        check_target(Path(out), SUFFIXES, "games")
    match = _Match(game, (levels[0], levels[1]), position, effort)
    if games == 0 and match.pairing is not None:
        match.solve()
    else:
        match.prepare()
    board = Scoreboard(match.names, swap=swap or games == 0)
    began = time.perf_counter()
    kept = contextlib.nullcontext() if out is None else row_file(Path(out), SCHEMA)
    with kept as write:
        for batch in match.play(Terms(games, swap, seed, max_plies, keep=write is not None)):
            board.add(batch)
            if write is not None:
                write(_table(batch, match.names, swap))
            effort.progress("playing", batch.first + len(batch.plies), games)
    took = time.perf_counter() - began
    patience = None if games == 0 else min(PATIENCE_SECONDS, max(1.0, took))
    expectations, reason = match.expectations(max_plies, patience)
    return MatchResult(
        game=match.game.spec,
        position=match.game.format_position(match.root),
        a=match.names[0],
        b=match.names[1],
        games=games,
        swap=swap,
        seed=seed,
        standings=board.standings(),
        not_computed=reason,
        notes=match.notes,
        seconds=took,
        max_plies=max_plies,
        expectations=expectations,
    )


def _checked(games: int, seed: int | None, max_plies: int, levels: Sequence[str], seconds: float | None) -> int:
    """The seed, or one of its own making. Raises `OptionError`."""
    if not 0 <= games <= MOST_GAMES:
        raise OptionError(f"{games} games cannot be played; give 0 to {MOST_GAMES:,}")
    if not 1 <= max_plies <= MOST_PLIES:
        raise OptionError(f"a game cannot have at most {max_plies} plies here; give --max-plies 1 to {MOST_PLIES:,}")
    if seed is not None and not 0 <= seed <= MOST_SEED:
        raise OptionError(f"{seed} is no seed; give 0 to {MOST_SEED}")
    kinds = [parse_level(level).kind for level in levels]
    if seconds is not None and "depth" not in kinds:
        raise OptionError("--move-seconds is what depth:N may take for a move, and neither level is one; leave it out")
    if seconds is not None and not seconds > 0:
        raise OptionError(f"{seconds} seconds are no time to search; give more than 0")
    return random.SystemRandom().randrange(1 << 32) if seed is None else seed


def _table(batch: Batch, names: tuple[str, str], swap: bool) -> pa.Table:
    """The games of a batch with the columns of `SCHEMA`; with ``swap`` the levels change sides after every game."""
    numbers, levels = batch.first + np.arange(len(batch.plies)), text_column(names)
    sides = numbers & 1 if swap else np.zeros(len(numbers), np.int64)
    x, o = levels.take(pa.array(sides)), levels.take(pa.array(1 - sides))
    outcomes = pa.array(OUTCOMES).take(pa.array(batch.ends))
    return pa.table([numbers, x, o, batch.paths, outcomes, batch.payoffs, batch.plies], schema=SCHEMA)


class _Match:
    """Two levels at one game, and what is known of it."""

    def __init__(
        self,
        game: str | HasRules,
        levels: tuple[str | Function, str | Function],
        position: str | None,
        effort: Effort,
    ) -> None:
        self.name, self.game, self.levels, self.position = game, game_of(game), levels, position
        self.root = root_of(game, position)
        self.seconds, self.workers, self.progress = effort.seconds, effort.workers, effort.progress
        self.symmetry, self.executor = effort.symmetry, effort.executor
        self.texts = [level for level in levels if isinstance(level, str)]
        self.pairing = Pairing.of(self.texts[0], self.texts[1]) if len(self.texts) == 2 else None
        self.names = self._name(levels[0]), self._name(levels[1])
        self.notes: dict[str, str] = {}
        self._solution: Solution | None = None
        self._arrays: SolvedArrays | None = None
        self._players: tuple[Player, Player] | None = None

    def _name(self, level: str | Function) -> str:
        return level if isinstance(level, str) else Agent(self.game, level).level

    def solve(self, seconds: float | None = None) -> None:
        """See that there is a solution. Raises `MissingDataError` where it takes too long."""
        if self._solution is None:
            self._solution = solution_from(
                self.name, self.root, seconds=seconds, symmetry=self.symmetry, workers=self.workers,
                progress=self.progress,
            )  # fmt: skip

    def prepare(self) -> None:
        """Find what the levels need to know, and players that move by move where the kernels cannot play."""
        knowledge = None
        if self._knows:
            knowledge = find_knowledge(
                self.name, self.position, symmetry=self.symmetry, workers=self.workers, progress=self.progress
            )
            self._solution = knowledge.solution
        players = self._player(self.levels[0], knowledge), self._player(self.levels[1], knowledge)
        self.notes = {player.level: player.note for player in players if player.note}
        if self.pairing is None or (self._knows and not self._solved_in_memory()):
            self._players = players

    @property
    def _knows(self) -> bool:
        """Whether a level plays by what is known of the game."""
        return any(parse_level(level).kind in ("perfect", "blunder") for level in self.texts)

    def _player(self, level: str | Function, knowledge: Knowledge | None) -> Player:
        if not isinstance(level, str):
            return Agent(self.game, level)
        return find_player(
            level, self.name, position=self.position, knowledge=knowledge, seconds=self.seconds, progress=self.progress
        )

    def play(self, terms: Terms) -> Iterator[Batch]:
        """The games, in order."""
        if terms.games == 0:
            return
        most = bounded(self.game, terms.max_plies)
        with Workers(self.workers) as pool:
            for batch in self._batches(terms._replace(max_plies=most), pool):
                if most < terms.max_plies and (batch.ends == UNFINISHED).any():
                    raise too_long(self.game, most)
                yield batch

    def _batches(self, terms: Terms, workers: Workers) -> Iterator[Batch]:
        if self._players is not None:
            if self.executor is not None and self.names == tuple(self.texts) and not self._knows:
                return play_elsewhere(self.executor, self.game, self.names, self.root, self.seconds, terms)
            return play_by_turns(self._players, self.root, terms)
        assert self.pairing is not None
        arrays = self._solved() if self.pairing.knows else SolvedArrays.unsolved(self.game, self.root)
        return simulate(arrays, self.pairing, terms, workers)

    def _solved_in_memory(self) -> bool:
        """Whether there is a solution that fits memory whole; of a larger one positions are looked up."""
        with contextlib.suppress(TooLargeError):
            return self._solution is not None and bool(self._solved())
        return False

    def _solved(self) -> SolvedArrays:
        assert self._solution is not None
        self._arrays = self._arrays or SolvedArrays.solved(self._solution, self.root)
        return self._arrays

    def expectations(self, max_plies: int, patience: float | None) -> tuple[tuple[LevelExpectation, ...], str]:
        """Both orders of the levels, or why there are none; ``patience`` is what searches for them may take in seconds,
        None where nothing else is asked for.
        """
        required = patience is None
        try:
            if self._searches:
                return self._by_searches(max_plies, patience), ""
            pairing = self._expected_pairing()
            self.solve(None if required else PATIENCE_SECONDS)
            assert self._solution is not None
            classes = self._solution.canonical
            if classes > MOST_UNASKED_CLASSES and not required:
                raise MissingDataError(f"the game has {classes:,} classes; --games 0 asks for them all the same")
            arrays, orders = self._solved(), (0,) if self.texts[0] == self.texts[1] else (0, 1)
            with Workers(self.workers) as pool:
                graph = Graph.build(arrays, pairing, pool, self.progress)
            return tuple(expectation(graph, arrays, pairing, i, max_plies, self.progress) for i in orders), ""
        except GametreeError as error:  # games that were played are worth more than this
            if required:
                raise
            return (), str(error)

    def _expected_pairing(self) -> Pairing:
        """Raises `OptionError` where the distribution of what they play is not known."""
        if len(self.texts) < 2:
            raise OptionError("what a function plays is known only by playing it")
        assert self.pairing is not None
        if self._players is not None and self._solution is None:
            raise OptionError(BY_SEARCHING)
        return self.pairing

    @property
    def _searches(self) -> bool:
        """Whether both sides are levels, and one of them searches."""
        return len(self.texts) == 2 and self.pairing is None

    def _by_searches(self, max_plies: int, patience: float | None) -> tuple[LevelExpectation, ...]:
        """Both orders of the levels, in so many seconds. Raises `OptionError` where what they play depends on the
        clock.
        """
        if self.seconds is not None:
            raise OptionError(f"what a level plays in {self.seconds:g} s a move is known only by playing it")
        if self._players is None:
            self.prepare()
        assert self._players is not None
        late = MissingDataError(f"they take more than {patience or 0:.1g} s; --games 0 asks for them all the same")
        told = patient(self.progress, patience, late)
        a, b = self._players
        orders = ((a, b),) if self.texts[0] == self.texts[1] else ((a, b), (b, a))
        return tuple(searched_expectation(order, self.root, max_plies, told) for order in orders)
