"""Play a tournament of bots and levels, and read one."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from analysis.errors import GametreeError, OptionError, PositionError
from analysis.machine.endings import kept
from analysis.machine.files import read_bytes
from analysis.playing.bots import files_of
from analysis.playing.levels import level_name, parse_level
from analysis.playing.player import is_bot
from analysis.playing.terms import NO_LIMITS, BotLimits, Effort
from analysis.rules.game import ONGOING, Game, HasRules
from analysis.rules.notation import Notation
from analysis.rules.positions import read_position, recorded_moves
from analysis.solving.find import named_game
from analysis.tournaments.hall import Hall
from analysis.tournaments.judging import Judgement, judge_tournament
from analysis.tournaments.ratings import Standings
from analysis.tournaments.stored import (
    PlayedGame,
    digest_of,
    opened,
    read_games,
    read_header,
    read_judgement,
    store_judgement,
)
from analysis.wording import some

MOVE_SECONDS = 1.0
"""Time for a move of a bot unless another is given."""

PLACE = Path("tournaments")
"""Where directories of tournaments are by default."""


@dataclasses.dataclass(frozen=True)
class TournamentTerms:
    """What is played."""

    games: int | None = None
    """Games for each pair of players, an even number (default: two from each opening)."""
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
        Hall(game, named, stored, openings, file, directory, effort).play(read_games(directory), begun)
        games = read_games(directory)
        if read_judgement(directory, len(games)) is None:
            said = f"{some(len(games), 'game')} are stored in {directory}; the same command judges them"
            with kept(lambda: said):
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


# Openings -------------------------------------------------------------------------------------------------------------

Opening = tuple[int, ...]
"""The codes of the moves that a game begins with; each pair of players plays twice from it."""

MOST_OPENINGS = 100_000


def find_openings(game: Game, root: int, text: str | None) -> list[Opening]:
    """Return the openings that a text names: none, ``all:N`` for every position after N plies that is not the end, each
    reached once, or a file with the moves of one on each line. Games begin in the state ``root``. Raises `OptionError`,
    `StoreError`.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> len(find_openings(game, game.rules().start, "all:2")), find_openings(game, game.rules().start, None)
    (72, [()])
    """
    if text is None:
        return [()]
    plies = re.fullmatch(r"all:([0-9]{1,3})", text.strip())
    found = _after(game, root, int(plies[1])) if plies else _read(game, root, Path(text))
    if not found:
        raise OptionError(f"--openings {text}: there is no opening after which the game goes on")
    return found


def _after(game: Game, root: int, plies: int) -> list[Opening]:
    rules, found = game.rules(), dict[int, Opening]({root: ()})
    for _ in range(plies):
        after: dict[int, Opening] = {}
        for state, opening in found.items():
            for code, child in rules.moves(state):
                after.setdefault(child, (*opening, code))
        if len(after) > MOST_OPENINGS:
            raise OptionError(f"all:{plies} gives more than {MOST_OPENINGS:,} openings; give fewer plies")
        found = after
    return [opening for state, opening in found.items() if rules.moves(state)]


def _read(game: Game, root: int, path: Path) -> list[Opening]:
    notation, rules, found = Notation(game), game.rules(), list[Opening]()
    for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        codes, state = list[int](), root
        try:
            for move in recorded_moves(text, notation):
                codes.append(move if isinstance(move, int) else notation.read(move, state))
                state = dict(rules.moves(state))[codes[-1]]
        except KeyError:
            raise OptionError(f"{path}, line {number}: move {len(codes)} of {text} is not legal") from None
        except GametreeError as error:
            raise OptionError(f"{path}, line {number}: {error}") from None
        if not rules.moves(state):
            raise OptionError(f"{path}, line {number}: the game is over after {text}")
        found.append(tuple(codes))
    return found
