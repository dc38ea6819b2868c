"""Play the games of a tournament: every two players meet in pairs of games with sides swapped, on several threads."""

from __future__ import annotations

import dataclasses
import itertools
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from pathlib import Path
from typing import Any, TypeVar

from analysis.machine.confined import MisbehaviourError
from analysis.machine.endings import kept
from analysis.machine.workers import processors, tell_progress, thread_pool
from analysis.playing.bots import Bot, files_of_others
from analysis.playing.knowledge import find_knowledge
from analysis.playing.levels import find_player, parse_level
from analysis.playing.player import Player, is_bot
from analysis.playing.simulation import ENDS, play_one
from analysis.playing.terms import Effort
from analysis.rules.backtracker import backtracker
from analysis.rules.game import Game, HasRules
from analysis.tournaments.ratings import SPRT_BOUND, pair_counts, pair_ratio
from analysis.tournaments.stored import GameFile, PlayedGame
from analysis.wording import some

T = TypeVar("T")

MOST_FRUITLESS = 10
"""Games that a bot may lose by its own fault without any legal move before it is withdrawn."""

TICK = 0.2
"""Seconds between two reports of progress."""


class _Shared(Player):
    """A level whose player several threads share; one of all that hold the ``lock`` is asked at a time."""

    def __init__(self, player: Player, lock: threading.Lock) -> None:
        super().__init__(player.game, player.level)
        self._player, self._lock = player, lock

    def preferred(self, state: int) -> list[int]:
        """Return the player's preferred moves."""
        return self._player.preferred(state)

    def choose(self, state: int, rng: random.Random, played: Sequence[int] = ()) -> int:
        """Return the player's move."""
        with self._lock:
            return self._player.choose(state, rng, played)


@dataclasses.dataclass
class _Entrant:
    """What is known of a bot."""

    moved: bool = False
    """Whether it has made a legal move in any game."""
    fruitless: int = 0
    """Games lost by its own fault without a legal move."""
    withdrawn: str = ""
    """Why it plays no more."""


class Hall:
    """Where a tournament is played."""

    def __init__(
        self,
        name: str | HasRules,
        game: Game,
        header: dict[str, Any],
        openings: list[tuple[int, ...]],
        file: GameFile,
        directory: Path,
        effort: Effort,
    ) -> None:
        self.name, self.game, self.header, self.file, self.effort = name, game, header, file, effort
        self.directory, self.rules = directory, game.rules()
        self.root = game.parse_position(header["position"])
        self.levels = [player["level"] for player in header["players"]]
        self.openings = random.Random(header["seed"]).sample(openings, len(openings))
        self.entrants = {level: _Entrant() for level in self.levels}
        self.shared: dict[str, Player] = {}
        self.done, self.over = 0, threading.Event()

    def play(self, there: list[PlayedGame], begun: Callable[[], object]) -> None:
        """Play what is missing; ``begun`` is called unless nothing is."""
        each = self.header["games"]
        played: dict[int, dict[int, PlayedGame]] = {}
        for game in there:
            played.setdefault(game.game // each, {})[game.game % each] = game
        pairs = list(enumerate(itertools.combinations(self.levels, 2)))
        missing = [task for task in pairs if not self._complete(list(played.get(task[0], {}).values()))]
        if not missing:
            return
        self.done = len(there)
        self._find_levels()
        begun()
        total = each * len(pairs)

        def words() -> str:
            stored = f"{some(self.done, 'game')} of {total:,} are stored in {self.directory}"
            return f"{stored}; the same command goes on"

        with kept(words):
            bots = [level for level in self.levels if is_bot(level)]
            self._all(self._check_in, bots, lambda: tell_progress("starting bots", 0, None))
            meetings = [(number, pair, played.get(number, {})) for number, pair in missing]
            self._all(lambda task: self._meet(*task), meetings, lambda: tell_progress("games", self.done, total))

    def _complete(self, games: list[PlayedGame]) -> bool:
        return len(games) == self.header["games"] or (bool(self.header["sprt"]) and self._decided(games))

    def _decided(self, games: list[PlayedGame]) -> bool:
        first = min(games, key=lambda game: game.game, default=None)
        return first is not None and abs(pair_ratio(pair_counts(games, first.x))) >= SPRT_BOUND

    def _find_levels(self) -> None:
        """Make the players that are levels."""
        knowing = [level for level in self.levels if parse_level(level, bots=True).kind in ("perfect", "blunder")]
        position = None if self.root == self.rules.start else self.header["position"]
        knowledge = find_knowledge(self.name, position, effort=self.effort) if knowing else None
        lock = threading.Lock()
        for level in self.levels:
            if not is_bot(level):
                kind = parse_level(level).kind
                seconds = self.effort.seconds if kind == "depth" else None
                player = find_player(level, self.game, knowledge=knowledge, seconds=seconds)
                player.preferred(self.root)  # compiles what it needs here
                self.shared[level] = _Shared(player, lock)

    def _all(self, work: Callable[[T], None], tasks: Iterable[T], tell: Callable[[], None]) -> None:
        """Do all tasks, as many at once as there are workers. The first error ends them."""
        with thread_pool(processors()) as pool:
            left = {pool.submit(work, task) for task in tasks}
            try:
                while left:
                    tell()
                    done, left = wait(left, TICK, FIRST_COMPLETED)
                    for future in done:
                        future.result()
            finally:
                if left:
                    self.over.set()
                for future in left:
                    future.cancel()

    def _player(self, level: str) -> Player:
        if level in self.shared:
            return self.shared[level]
        hidden = (*files_of_others(level, self.levels), self.directory)
        limits = dataclasses.replace(self.effort.bots, hidden=hidden)
        return Bot(self.game, level, self.effort.seconds, limits)

    def _check_in(self, level: str) -> None:
        """Start a bot once; one that does not get ready plays no game."""
        player = self._player(level)
        try:
            player.get_ready()
        except MisbehaviourError:
            assert isinstance(player, Bot)
            self.entrants[level].withdrawn = player.unready
        finally:
            player.close()

    def _meet(self, number: int, pair: tuple[str, str], played: dict[int, PlayedGame]) -> None:
        """Play the missing games of two players."""
        players = {level: self._player(level) for level in pair}
        try:
            for first in range(0, self.header["games"], 2):
                if self.header["sprt"] and played and self._decided(list(played.values())):
                    return
                for place in (first, first + 1):
                    if self.over.is_set():
                        return
                    if place not in played:
                        played[place] = self._play(number * self.header["games"] + place, place, pair, players)
        finally:
            for player in players.values():
                player.close()

    def _play(self, number: int, place: int, pair: tuple[str, str], players: dict[str, Player]) -> PlayedGame:
        opening = self.openings[place // 2 % len(self.openings)]
        x, o = pair if place % 2 == 0 else pair[::-1]
        first, second = (x, o) if self.rules.mover(self._states(opening)[-1]) > 0 else (o, x)
        absent = next((level for level in (first, second) if self.entrants[level].withdrawn), None)
        if absent is not None:
            side = 1 if absent == x else -1
            payoff, end, codes, fault = -side, "O" if side > 0 else "X", list(opening), self.entrants[absent].withdrawn
        else:
            payoff, end, codes, fault = self._contest(number, opening, players[x], players[o])
        path = backtracker(codes, self.rules.largest_code)
        game = PlayedGame(number, x, o, path, end, payoff, len(codes), len(opening), fault or None)
        self.file.add(game)
        self.done += 1
        return game

    def _contest(self, number: int, opening: tuple[int, ...], x: Player, o: Player) -> tuple[int, str, list[int], str]:
        """Return the payoff, the end, the moves, and the fault that ended it."""
        before = len(x.forfeits), len(o.forfeits)
        rng = random.Random(f"{self.header['seed']} {number}")
        payoff, end, codes = play_one((x, o), self.root, rng, self.header["max_plies"], opening)
        wrong = x if len(x.forfeits) > before[0] else o if len(o.forfeits) > before[1] else None
        movers = {self.rules.mover(state) for state in self._states(codes)[len(opening) : -1]}
        for player, side in ((x, 1), (o, -1)):
            entrant = self.entrants[player.level]
            entrant.moved = entrant.moved or side in movers
            entrant.fruitless += wrong is player and side not in movers
            if not entrant.moved and entrant.fruitless >= MOST_FRUITLESS:
                entrant.withdrawn = f"withdrawn after {MOST_FRUITLESS} games without a legal move"
        return payoff, ENDS[end], codes, "" if wrong is None else wrong.forfeits[-1]

    def _states(self, codes: Iterable[int]) -> list[int]:
        """Return the states of a game from the start on."""
        return [*itertools.accumulate(codes, self.rules.play, initial=self.root)]
