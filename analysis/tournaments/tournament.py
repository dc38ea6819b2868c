"""Play a tournament: every two players meet in pairs of games with sides swapped, on several threads."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from pathlib import Path
from typing import Any, TypeVar

from analysis.errors import OptionError, PositionError
from analysis.machine.arguments import checked
from analysis.machine.confined import MisbehaviourError
from analysis.machine.endings import kept
from analysis.machine.workers import processors, tell_progress, thread_pool
from analysis.playing.bots import Bot, files_of, files_of_others
from analysis.playing.knowledge import find_knowledge
from analysis.playing.levels import find_player, level_name, parse_level
from analysis.playing.player import Player, is_bot
from analysis.playing.simulation import ENDS, play_one
from analysis.playing.terms import NO_LIMITS, BotLimits, Effort
from analysis.rules.counting import counting_from
from analysis.rules.game import ONGOING, Game, HasRules
from analysis.rules.positions import read_position
from analysis.solution.paths import path_text
from analysis.solving.find import named_game
from analysis.tournaments.judging import Judgement, judge_tournament
from analysis.tournaments.openings import Opening, find_openings
from analysis.tournaments.ratings import SPRT_BOUND, pair_ratio
from analysis.tournaments.stored import (
    GameFile,
    PlayedGame,
    digest_of,
    opened,
    read_games,
    read_header,
    read_judgement,
    store_judgement,
)
from analysis.tournaments.table import Standings, pair_counts
from analysis.wording import some

T = TypeVar("T")

MOVE_SECONDS = 1.0
"""Time for a move of a bot unless another is given."""

PLACE = Path("tournaments")
"""Where directories of tournaments are by default."""

MOST_FRUITLESS = 10
"""Games that a bot may lose by its own fault without any legal move before it is withdrawn."""

TICK = 0.2
"""Seconds between two reports of progress."""


@dataclasses.dataclass(frozen=True)
class TournamentTerms:
    """What is played."""

    games: int | None = None
    """Games of each two players, an even number (default: two from each opening)."""
    openings: str | None = None
    """First moves: ``all:N`` or a file, see `find_openings`; by default games begin at the start."""
    seed: int | None = None
    """Orders the openings and repeats the choices of levels (default: different ones each time)."""
    sprt: bool = False
    """Whether two players stop once a sequential test has decided which is stronger."""
    position: str | None = None
    """Where games start (default: at the start)."""
    max_plies: int = 1000
    """Plies after which a game is abandoned as unfinished."""


USUAL_TERMS = TournamentTerms()


@dataclasses.dataclass(frozen=True)
class Tournament:
    """A tournament that was played, as far as it has come."""

    directory: Path
    header: dict[str, Any]
    games: tuple[PlayedGame, ...]
    standings: Standings
    judgement: Judgement

    @property
    def players(self) -> list[str]:
        """Their levels."""
        return [player["level"] for player in self.header["players"]]

    @property
    def faults(self) -> dict[str, list[PlayedGame]]:
        """By player, the games that it lost by its own fault."""
        found: dict[str, list[PlayedGame]] = {}
        for game in self.games:
            if game.fault:
                found.setdefault(game.o if game.outcome == "X" else game.x, []).append(game)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree tournament --format json`` prints."""
        return {
            "game": self.header["game"],
            "from": self.header["position"],
            "directory": str(self.directory),
            "games": len(self.games),
            "seed": self.header["seed"],
            "players": self.rows(),
            "crosstable": self.standings.to_json(),
            "stopped": self.standings.stopped,
            "not_judged": self.judgement.why or None,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each player, the best first."""
        faults = self.faults
        return [
            {
                **row,
                "fault": faults[row["player"]][0].fault if row["player"] in faults else None,
                **self.judgement.row(row["player"]),
            }
            for row in self.standings.rows(faults)
        ]


@checked
def play_tournament(
    game: str | HasRules,
    players: Sequence[str],
    terms: TournamentTerms = USUAL_TERMS,
    *,
    out: str | Path | None = None,
    effort: Effort = NO_LIMITS,
    begun: Callable[[], object] = lambda: None,
) -> Tournament:
    """Play a tournament of bots and levels in a GAME_OR_DIR, and store every game in the directory ``out`` (default:
    one below ``tournaments/``). If that holds a part of the same tournament, only the missing games are played.

    ``effort`` limits the seconds for a move (default: 1 for a bot) and what bots may use; ``begun`` is called before
    the first game. Raises `OptionError` for
    fewer than two players and invalid terms, `StoreError`, and what finding a game and its solution raises.
    """
    named = named_game(game)
    levels = [level_name(player) for player in players]
    limits, seconds = effort.bots, MOVE_SECONDS if effort.seconds is None else effort.seconds
    openings = _check(named, levels, terms, seconds)
    directory = place_of(named, out)
    header = _header(named, levels, terms, openings, seconds, limits)
    effort = dataclasses.replace(effort, seconds=seconds)
    with opened(directory, header) as (stored, file):
        _Hall(game, named, stored, openings, file, directory, effort).play(read_games(directory), begun)
        games = read_games(directory)
        if read_judgement(directory, len(games)) is None:
            with counting_from(0):
                judgement = judge_tournament(game, named, stored, games, effort)
            if judgement.why:
                return _found(directory, games, judgement)
            store_judgement(directory, len(games), dataclasses.asdict(judgement))
    return read_tournament(directory)


def place_of(game: str | HasRules, out: str | Path | None = None) -> Path:
    """Return the directory of a tournament in a GAME_OR_DIR, by default one below ``tournaments/``."""
    return PLACE / named_game(game).slug if out is None else Path(out)


def read_tournament(directory: str | Path) -> Tournament:
    """Return the tournament of a directory as far as it was played and judged. Raises `StoreError`."""
    place = Path(directory)
    games = read_games(place)
    judged = read_judgement(place, len(games))
    why = "the command that played them does that"
    return _found(place, games, Judgement(why) if judged is None else Judgement(**judged))


def _found(directory: Path, games: list[PlayedGame], judgement: Judgement) -> Tournament:
    header = read_header(directory)
    standings = Standings([player["level"] for player in header["players"]], games, sprt=header["sprt"])
    return Tournament(directory, header, tuple(games), standings, judgement)


def _check(game: Game, levels: list[str], terms: TournamentTerms, seconds: float) -> list[Opening]:
    """Return the openings. Raises `OptionError` for invalid terms."""
    if len(levels) < 2:
        raise OptionError("a tournament needs two players or more, bots or levels of play")
    for level, times in collections.Counter(levels).items():
        parse_level(level, bots=True)
        if is_bot(level):
            files_of(level)
        if times > 1:
            raise OptionError(f"player {level} is named {times} times; name each once")
    if terms.games is not None and (terms.games < 2 or terms.games % 2):
        raise OptionError(f"cannot play {terms.games} games; give an even number, since sides are swapped")
    if not 0 < seconds < float("inf"):
        raise OptionError(f"cannot move in {seconds:g} seconds; give more than 0")
    if terms.max_plies < 1:
        raise OptionError(f"cannot limit games to {terms.max_plies} plies; give 1 or more")
    root = root_of(game, terms.position)
    if game.rules().payoff(root) != ONGOING:
        raise PositionError(f"the game is over at {game.format_position(root)}; start from an earlier position")
    return find_openings(game, root, terms.openings)


def root_of(game: Game, position: str | None) -> int:
    """Return the state where games begin."""
    return game.rules().start if position is None else read_position(game, position)


def _header(
    game: Game, levels: list[str], terms: TournamentTerms, openings: list[Opening], seconds: float, limits: BotLimits
) -> dict[str, Any]:
    digests = [digest_of(files_of(level)) if is_bot(level) else None for level in levels]
    return {
        "format": 1,
        "game": game.lasting_spec,
        "rules_hash": game.rules_hash(),
        "position": game.format_position(root_of(game, terms.position)),
        "players": [{"level": level, "files": digest} for level, digest in zip(levels, digests, strict=True)],
        "games": 2 * len(openings) if terms.games is None else terms.games,
        "openings": openings,
        "seed": terms.seed,
        "sprt": terms.sprt,
        "move_seconds": seconds,
        "game_seconds": limits.game_seconds,
        "memory": limits.memory,
        "max_plies": terms.max_plies,
    }


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


class _Hall:
    """Where a tournament is played."""

    def __init__(
        self,
        name: str | HasRules,
        game: Game,
        header: dict[str, Any],
        openings: list[Opening],
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
        state = self.root
        for code in opening:
            state = self.rules.play(state, code)
        absent = self._absent(state, x, o)
        if absent:
            side = 1 if absent == x else -1
            payoff, end, codes, fault = -side, "O" if side > 0 else "X", list(opening), self.entrants[absent].withdrawn
        else:
            payoff, end, codes, fault = self._contest(number, opening, players[x], players[o])
        path = path_text(codes, self.rules.largest_code > 9)
        game = PlayedGame(number, x, o, path, end, payoff, len(codes), len(opening), fault or None)
        self.file.add(game)
        self.done += 1
        return game

    def _absent(self, state: int, x: str, o: str) -> str:
        """Return who is withdrawn; of two the one who would move first."""
        gone = [level for level in (x, o) if self.entrants[level].withdrawn]
        return gone[0] if len(gone) < 2 and gone else "" if not gone else (x if self.rules.mover(state) > 0 else o)

    def _contest(self, number: int, opening: Opening, x: Player, o: Player) -> tuple[int, str, list[int], str]:
        """Return the payoff, the end, the moves, and the fault that ended it."""
        before = len(x.forfeits), len(o.forfeits)
        rng = random.Random(f"{self.header['seed']} {number}")
        payoff, end, codes = play_one((x, o), self.root, rng, self.header["max_plies"], opening)
        wrong = x if len(x.forfeits) > before[0] else o if len(o.forfeits) > before[1] else None
        movers = self._movers(codes, len(opening))
        for player, side in ((x, 1), (o, -1)):
            entrant = self.entrants[player.level]
            entrant.moved = entrant.moved or side in movers
            entrant.fruitless += wrong is player and side not in movers
            if not entrant.moved and entrant.fruitless >= MOST_FRUITLESS:
                entrant.withdrawn = f"withdrawn after {MOST_FRUITLESS} games without a legal move"
        return payoff, ENDS[end], codes, "" if wrong is None else wrong.forfeits[-1]

    def _movers(self, codes: list[int], opening: int) -> set[int]:
        """Return the sides that made a move after the opening."""
        state, found = self.root, set[int]()
        for ply, code in enumerate(codes):
            if ply >= opening:
                found.add(self.rules.mover(state))
            state = self.rules.play(state, code)
        return found
