"""Play a match: every two of some levels meet in many games, with results, a file of the games, and what the moves of
more than two lose; or find what may be expected of two.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..common.context import options
from ..common.files import check_target
from ..common.workers import Workers, tell_progress
from ..engine.columns import text_column
from ..errors import GametreeError, OptionError, PositionError
from ..rules.backtracker import joined
from ..rules.game import ONGOING, GameLike
from ..rules.positions import Place
from ..search.finding import Knowledge, find_knowledge
from ..solution.solution import Solution
from ..solution.storage.row_files import row_file
from ..solving.find import find_values, read_start
from .expectation import bounded, chains, expectation, searched_chain, too_long
from .judge import Judge
from .levels import Agent, Function, check_seconds, find_player, level_name, parse_level
from .player import Player, is_bot
from .results import Expectation, Lost, MatchResult, Scoreboard
from .simulation import ENDS, UNFINISHED, Batch, LevelView, Pairing, play_by_turns, play_elsewhere, simulate
from .terms import NO_LIMITS, USUAL_TERMS, Effort, Terms

MOST_GAMES, MOST_PLIES, MOST_SEED = 10**12, 10**6, (1 << 63) - 1

SOLVING_SECONDS = 60.0
"""Time to solve it for what the moves lose."""

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
    levels: Sequence[str | Function],
    terms: Terms = USUAL_TERMS,
    *,
    effort: Effort = NO_LIMITS,
) -> MatchResult:
    """Play games of every two of the ``levels`` in a GAME_OR_DIR; the ``terms`` say how many, and from where. A level
    is a text, or a function from a position to a move (see `levels.Agent`).

    Of two, the first one moves first unless they swap; with 0 games there are exact expectations instead. More always
    swap, and their moves are judged by the solution if there is one within a minute. Raises `OptionError` for invalid
    terms or levels, `PositionError`, `StoreError`, and what finding a game and its solution raises.

    >>> result = play_match("tictactoe", ["perfect", "random"], Terms(games=2000, seed=1))
    >>> result.standing("A", "X").losses
    0
    >>> rows = play_match("tictactoe", ["perfect", "random", "greedy"], Terms(games=100, seed=1)).csv_rows()
    >>> [(row["level"], row["points"], row["value_lost"]) for row in rows]
    [('perfect', 167.5, 0), ('greedy', 115.0, 138), ('random', 17.5, 254)]
    """
    terms = checked(terms, levels, effort.seconds)
    levels = [level_name(level) if isinstance(level, str) else level for level in levels]
    return hold(Ground(game, levels, terms.start, effort), terms)


def hold(ground: Ground, terms: Terms) -> MatchResult:
    """Hold a match on a ground by these `checked` terms. Raises as `play_match` does."""
    names, games = ground.names, terms.games
    if games == 0:
        expectations = ground.expectations(terms.max_plies)
        return MatchResult(
            ground.game.spec, ground.start, names, 0, terms.swap, terms.seed or 0, {}, expectations=expectations,
            notes=ground.notes, max_plies=terms.max_plies,
        )  # fmt: skip
    ground.seat()
    judge, not_judged = None, ""
    if len(names) > 2:
        try:
            ground.solve(SOLVING_SECONDS)
            judge = LossJudge(ground)
        except GametreeError as error:  # this must not cost the games
            not_judged = str(error)
    terms = dataclasses.replace(terms, judged=judge is not None)
    pairs, began = [*itertools.combinations(range(len(names)), 2)], time.perf_counter()
    standings = {}
    file = contextlib.nullcontext() if terms.out is None else row_file(Path(terms.out), SCHEMA)
    with playing(ground.players), file as write:
        for number, (a, b) in enumerate(pairs):
            pair, first = (names[a], names[b]), number * games
            board = Scoreboard(pair, swap=terms.swap)
            for batch in ground.play(a, b, terms):
                board.add(batch)
                if write is not None:
                    write(_table(batch, pair, first, terms.swap))
                if judge is not None:
                    judge.add(batch, (a, b))
                tell_progress("playing", first + batch.first + len(batch.plies), games * len(pairs))
            standings[a, b] = board.standings()
    return MatchResult(
        ground.game.spec, ground.start, names, games, terms.swap, terms.seed or 0, standings,
        lost=judge.lost if judge else {}, not_judged=not_judged, notes=ground.notes,
        seconds=time.perf_counter() - began, max_plies=terms.max_plies,
        forfeits={player.level: tuple(player.forfeits) for player in ground.players if player.forfeits},
    )  # fmt: skip


def expect(
    game: GameLike, a: str, b: str, *, start: Place | None = None, max_plies: int = Terms.max_plies
) -> Expectation:
    """Return the expectations where level ``a`` moves first and ``b`` second, from ``start`` on (default: the
    start of the game).

    Perfect levels need a solution of the game (a GAME_OR_DIR), which is made unless it is stored; with a level that
    searches, ``depth:N``, each position that play reaches is searched (see `searched_chain`). A game that lasts longer
    than ``max_plies`` is unfinished. Raises `OptionError` for an unknown level, `TooLargeError` for a game that is too
    large, and what solving raises.

    >>> result = expect("tictactoe", "perfect", "random")
    >>> result.x_wins, result.tie
    (Fraction(75257, 77760), Fraction(2503, 77760))
    >>> expect("tictactoe", "depth:1", "random", start="XO?XO????").x_wins
    Fraction(1, 1)
    """
    return Ground(game, (a, b), start).expectations(max_plies)[0]


def checked(terms: Terms, levels: Sequence[str | Function], seconds: float | None) -> Terms:
    """Return the terms with a seed, of more than two levels with ``swap``. Raises `OptionError` for invalid terms,
    `StoreError` where the file cannot be written.
    """
    if isinstance(levels, str) or len(levels) < 2:
        raise OptionError("name two or more levels, in a list")
    least = 0 if len(levels) == 2 else 2
    limits = {"games": (terms.games, least, MOST_GAMES), "max_plies": (terms.max_plies, 1, MOST_PLIES)}
    for name, (number, low, high) in (limits | {"seed": (terms.seed or 0, 0, MOST_SEED)}).items():
        if not low <= number <= high:
            raise OptionError(f"{name} {number} is out of range; give {low} to {high:,}")
    if len(levels) > 2 and terms.games % 2:
        raise OptionError(f"{terms.games} games of a pair cannot be shared by both orders; give an even number")
    thinking = [parse_level(level, bots=True).thinks for level in levels if isinstance(level, str)]
    check_seconds(seconds, thinks=any(thinking))
    if terms.out is not None:
        if terms.games == 0:
            raise OptionError("--out writes games, but --games 0 plays none; leave one of them out")
        check_target(Path(terms.out), SUFFIXES, "games")
    seed = random.SystemRandom().randrange(1 << 32) if terms.seed is None else terms.seed
    return dataclasses.replace(terms, seed=seed, swap=terms.swap or len(levels) > 2)


def told_apart(names: Sequence[str]) -> list[str]:
    """Return the names, with a number after each that occurred before.

    >>> told_apart(["random", "greedy", "random"])
    ['random', 'greedy', 'random (2)']
    """
    seen = Counter[str]()
    return [name if seen[name] == 1 else f"{name} ({seen[name]})" for name in names if seen.update([name]) is None]


@contextlib.contextmanager
def playing(players: Sequence[Player]) -> Iterator[None]:
    """Start the bots among the players; end them after the block. Raises `OptionError` where one does not start."""
    try:
        for player in players:
            player.get_ready()
        yield
    finally:
        for player in players:
            player.close()


def _table(batch: Batch, names: tuple[str, str], first: int, swap: bool) -> pa.Table:
    """Return a batch as a table by `SCHEMA`."""
    numbers, levels = batch.first + np.arange(len(batch.plies)), text_column(names)
    sides = numbers & 1 if swap else np.zeros(len(numbers), np.int64)
    x, o = levels.take(pa.array(sides)), levels.take(pa.array(1 - sides))
    outcomes = pa.array(ENDS).take(pa.array(batch.ends))
    return pa.table([first + numbers, x, o, batch.paths, outcomes, batch.payoffs, batch.plies], schema=SCHEMA)


def knows(level: str | Function) -> bool:
    """Return whether a level plays by the values of positions."""
    return isinstance(level, str) and parse_level(level, bots=True).knows


class Ground:
    """A GAME_OR_DIR from a position on, and the levels that play there; what is known of it is found out when it is
    first needed. Raises `OptionError`, `PositionError`, and what finding a game raises.
    """

    def __init__(
        self, name: GameLike, levels: Sequence[str | Function], position: Place | None, effort: Effort = NO_LIMITS
    ) -> None:
        self.game: Any
        self.root: Any
        self.game, self.root = read_start(name, position)
        self.name, self.levels, self.position, self.effort = name, levels, position, effort
        if self.game.worths is not None:
            raise OptionError(
                f"matches add up payoffs, and those of {self.game.spec} are not whole numbers from -32000 to 32000"
            )
        self.start = self.game.format_position(self.root)
        if position is not None and self.game.rules().outcome(self.root) != ONGOING:
            raise PositionError(f"the game is over at {self.start}; start from an earlier position")
        self.solution: Solution | None = None
        """The solution, once it is known."""
        texts = [level if isinstance(level, str) else Agent(self.game, level).level for level in levels]
        self.names = tuple(told_apart(texts))
        """The levels; equal ones are numbered."""
        self.players: list[Any] = []
        """Those of the levels, once they are needed."""
        self._knowledge: Knowledge | None = None

    def solve(self, seconds: float | None = None) -> Solution:
        """Return the solution. Raises `TooSlowError` if making one takes more than ``seconds``."""
        if self.solution is None:
            position = None if self.root == self.game.rules().start else self.start
            self.solution = find_values(self.name, position, self.effort.symmetry, seconds=seconds)
        return self.solution

    def pairing(self, a: int, b: int) -> Pairing | None:
        """Return two levels as a pairing; None if one thinks or is a function."""
        x, o = (
            parse_level(level, bots=True) if isinstance(level, str) else None
            for level in (self.levels[a], self.levels[b])
        )
        return None if x is None or o is None or x.thinks or o.thinks else (x, o)

    def seat(self) -> None:
        """Find the players."""
        self.players = [self._player(level) for level in self.levels]
        for player, name in zip(self.players, self.names, strict=True):
            player.level = name

    def _player(self, level: str | Function) -> Player:
        if not isinstance(level, str):
            return Agent(self.game, level)
        if knows(level) and self._knowledge is None:
            self._knowledge = find_knowledge(self.name, self.position, symmetry=self.effort.symmetry)
            self.solution = self.solution or self._knowledge.solution
        return find_player(level, self.name, knowledge=self._knowledge, seconds=self.effort.seconds)

    @property
    def notes(self) -> dict[str, str]:
        """How the levels know what they know, by level."""
        return {player.level: player.note for player in self.players if player.note}

    def longest(self, max_plies: int) -> int:
        """Return the limit on plies, lowered to that of the game."""
        return bounded(self.game, max_plies)

    def play(self, a: int, b: int, terms: Terms) -> Iterator[Batch]:
        """Yield the games of two levels, in order; ``a`` moves first, or in games of even number if they swap."""
        most = self.longest(terms.max_plies)
        with Workers() as pool:
            for batch in self._batches(a, b, dataclasses.replace(terms, max_plies=most), pool):
                if most < terms.max_plies and (batch.ends == UNFINISHED).any():
                    raise too_long(self.game, most)
                yield batch

    def _batches(self, a: int, b: int, terms: Terms, workers: Workers) -> Iterator[Batch]:
        pairing, executor, levels = self.pairing(a, b), options().executor, (self.levels[a], self.levels[b])
        if pairing is not None and (self.solution is not None or not any(level.knows for level in pairing)):
            return simulate(LevelView.of(self.game, self.root, self.solution), pairing, terms, workers)
        if executor is None or any(not isinstance(level, str) or knows(level) or is_bot(level) for level in levels):
            return play_by_turns((self.players[a], self.players[b]), self.root, terms)
        return play_elsewhere(executor, self.game, (str(levels[0]), str(levels[1])), self.root, terms, self.effort)

    def expectations(self, max_plies: int) -> tuple[Expectation, ...]:
        """Return the expectations of the first two levels in both orders. Raises
        `OptionError` for a function, for levels whose moves depend on the clock, and for bots that are no functions of
        the position, `TooLargeError`.
        """
        orders = [(0, 1), (1, 0)]
        if not all(isinstance(level, str) for level in self.levels):
            raise OptionError("a function has no exact expectations")
        pairing = self.pairing(0, 1)
        if pairing is None:
            return self._by_searches(orders, max_plies)
        solution = self.solve() if any(level.knows for level in pairing) else None
        view = LevelView.of(self.game, self.root, solution, symmetry="geometric")
        return tuple(
            expectation(self.game, (self.names[a], self.names[b]), max_plies, chain)
            for (a, b), chain in zip(orders, chains(view, pairing, [a for a, _ in orders]), strict=True)
        )

    def _by_searches(self, orders: Sequence[tuple[int, int]], max_plies: int) -> tuple[Expectation, ...]:
        if self.effort.seconds is not None:
            raise OptionError(f"with {self.effort.seconds:g} s a move there are no exact expectations")
        self.seat()
        with playing(self.players):
            pairs = [(self.players[a], self.players[b]) for a, b in orders]
            return tuple(
                expectation(self.game, (x.level, o.level), max_plies, searched_chain((x, o), self.root))
                for x, o in pairs
            )


class LossJudge:
    """Adds up what the moves of games lose by the solution of a ground."""

    def __init__(self, ground: Ground) -> None:
        self.root, self.judge = ground.root, Judge(ground.solve(), ground.start)
        self.lost = defaultdict[int, Lost](Lost)
        """By the number of a level."""

    def add(self, batch: Batch, pair: tuple[int, int]) -> None:
        """Judge the moves of the games of two levels that change sides after every game."""
        rules = self.judge.rules
        paths = (path.split("-") if joined(rules.largest_code) and path else path for path in batch.paths or ())
        walks = [[*itertools.accumulate(map(int, path), rules.play, initial=self.root)] for path in paths]
        known = self.judge.know({state for walk in walks for state in walk})
        for number, walk in enumerate(walks, batch.first):
            for before, after in itertools.pairwise(walk):
                mover, value, then = rules.mover(before), known[before].value or 0, known[after].value or 0
                lost = self.lost[pair[(mover < 0) ^ (number & 1)]]
                lost.moves += 1
                lost.mistakes += value != then
                lost.value += mover * (value - then)
