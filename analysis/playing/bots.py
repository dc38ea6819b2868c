"""Bots: players that are programs of others, each in a confined process of its own.

``file.py:name`` is a function or a class in a Python file (see `bot_host`), ``cmd:./mybot args`` any program. Both
speak a protocol in the shape of UCI, the Universal Chess Interface (Meyer-Kahlen and Huber 2000), line by line:

| sent | meaning |
|---|---|
| ``isready`` | to be answered by ``readyok`` before the first game |
| ``newgame SPEC`` | a game begins; then ``start POSITION`` and ``side X`` or ``side O`` |
| ``position TEXT`` | the position to move in, as the game writes it |
| ``moves 4 0 8`` | the codes of the moves since the start |
| ``cells X . O`` | the board row by row, ``.`` for a blank; not in games without a board |
| ``legal 1 2 3`` | the codes of the legal moves |
| ``names a1-a2<tab>b1-b2`` | these moves in the game's notation, separated by tabs, if that is not the code |
| ``go movetime 1000 time 60000`` | to be answered by ``bestmove MOVE`` within ``movetime`` milliseconds |

``MOVE`` is a code or in the game's notation. ``time`` is what is left for the game, if that is limited. All other lines
that a bot prints are ignored. A bot is killed when it is no longer needed.

A bot that is a function of the position is known by asking it wherever its own moves and any of the opponent's can lead
(`find_policy`).
"""

from __future__ import annotations

import random
import re
import shlex
import shutil
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from analysis.errors import OptionError, PositionError
from analysis.machine import hosting
from analysis.machine.confined import Closing, ConfinedProcess, MisbehaviourError, ProcessLimits, SilenceError
from analysis.machine.hosting import host_command
from analysis.machine.workers import tell_progress
from analysis.playing import bot_host
from analysis.playing.player import ForfeitError, Player, is_bot
from analysis.playing.terms import NO_LIMITS, USUAL_LIMITS, BotLimits, Effort
from analysis.rules.game import Game, HasRules
from analysis.rules.notation import Notation
from analysis.rules.positions import read_position
from analysis.solving.find import named_game

MOVE_SECONDS = 5.0
"""Time for a move unless another is given."""

START_SECONDS = 10.0
"""Time for a program to get ready."""

MARGIN = 0.05
"""Seconds that an answer may be on its way."""

HOST = (Path(hosting.__file__), Path(bot_host.__file__))
"""What runs functions and classes."""

_PYTHON = re.compile(r"(.+\.py)(?::(\w+))?")

_PYTHONS = ("python", "python3")
"""The interpreter that runs this package."""


class BotProgram(NamedTuple):
    """What a bot's text names."""

    command: tuple[str, ...]
    files: tuple[Path, ...]
    """Its own files."""


def find_program(text: str) -> BotProgram:
    """Return the program of a bot (see above); paths are relative to the current directory. Raises `OptionError` where
    there is no such file or program.

    >>> find_program("cmd:python3 -c pass").command[1:]
    ('-c', 'pass')
    """
    if text.startswith("cmd:"):
        return _command(text)
    found = _PYTHON.fullmatch(text)
    file = Path(found[1] if found else text).absolute()
    if found is None or not file.is_file():
        raise OptionError(f"bot {text}: there is no file {found[1] if found else text}")
    command = host_command(bot_host.__file__, str(file), found[2] or "choose")
    return BotProgram(command, (file, *HOST))


def _command(text: str) -> BotProgram:
    try:
        first, *rest = shlex.split(text.removeprefix("cmd:"))
    except ValueError as error:
        raise OptionError(f"bot {text}: write a command, such as cmd:./mybot ({error})") from None
    program = sys.executable if first in _PYTHONS else shutil.which(first)
    if program is None:
        raise OptionError(f"bot {text}: there is no program {first}, or it may not be executed")
    words, files = [str(Path(program).absolute())], [Path(program).absolute()]
    for word in rest:
        file = Path(word)
        words.append(str(file.absolute()) if file.is_file() else word)
        files += [file.absolute()] if file.is_file() else []
    return BotProgram(tuple(words), tuple(files))


def files_of(text: str) -> list[Path]:
    """Return the files of a bot, without those of the Python that runs this package. Raises `OptionError`."""
    ours = {*HOST, Path(sys.executable)}
    return [file for file in find_program(text).files if file not in ours]


def files_of_others(text: str, texts: Iterable[str]) -> tuple[Path, ...]:
    """Return the files of all other bots among these levels of play."""
    others = {each for each in texts if each != text and is_bot(each)}
    return tuple(file for other in sorted(others) for file in files_of(other))


class Bot(Player, Closing):
    """A player that is a program; ``seconds`` is the limit for a move. Its process lasts until it is closed; after a
    misbehaviour a new one is started for the next game. Use it in a ``with``, or call `close`.
    """

    def __init__(self, game: Game, level: str, seconds: float | None = None, limits: BotLimits = USUAL_LIMITS) -> None:
        super().__init__(game, level)
        self.program, self.limits = find_program(level), limits
        self.seconds = MOVE_SECONDS if seconds is None else seconds
        self.note = f"a program, with {self.seconds:g} s a move"
        self.unready = ""
        """Why it cannot be started, if so."""
        self.notation = Notation(game)
        self._process: ConfinedProcess | None = None
        self._new, self._start, self._left = True, self.rules.start, limits.game_seconds

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def preferred(self, state: int) -> list[int]:
        """Return its move where a game begins in this state. Raises `OptionError` where that is not always the same,
        `ForfeitError`.
        """
        found = []
        for _ in range(2):
            self.new_game(state)
            found.append(self.choose(state, random.Random(0)))
        if found[0] != found[1]:
            raise OptionError(f"{self.level} does not always play the same in {self.game.format_position(state)}")
        return found[:1]

    def new_game(self, start: int) -> None:
        """Begin a game."""
        self._new, self._start, self._left = True, start, self.limits.game_seconds

    def choose(self, state: int, rng: random.Random, played: Sequence[int] = ()) -> int:
        """Return its move. Raises `ForfeitError`."""
        try:
            return self._read(self._ask(state, played), state)
        except (MisbehaviourError, PositionError) as error:
            self._process = None if isinstance(error, MisbehaviourError) else self._process
            self.forfeits.append(f"{error} (move {len(played) + 1}, {self.game.format_position(state)})")
            raise ForfeitError(f"{self.level}: {self.forfeits[-1]}") from None

    def _ask(self, state: int, played: Sequence[int]) -> str:
        """Return its answer. Raises `MisbehaviourError`."""
        process = self._started()
        limit = self.seconds if self._left is None else min(self.seconds, self._left)
        began = time.monotonic()
        process.send(self._request(state, played, limit))
        try:
            answer = self._answer(process, began + limit + MARGIN)
        except SilenceError:
            whole = " left for the game" * (limit < self.seconds)
            raise MisbehaviourError(f"no answer within {limit:.3g} s{whole}{self._hint()}") from None
        process.pause()
        if self._left is not None:
            self._left = max(0.0, self._left - (time.monotonic() - began))
        return answer

    def _hint(self) -> str:
        """Return why somebody's own program may be silent; functions are asked by a program that flushes."""
        return "; it must write at once (flush)" * self.level.startswith("cmd:")

    def get_ready(self) -> None:
        """Start its process. Raises `MisbehaviourError` where that fails."""
        try:
            self._started()
        except MisbehaviourError as error:
            raise MisbehaviourError(f"{self.level}: {error}") from None

    def _started(self) -> ConfinedProcess:
        """Return its process. Raises `MisbehaviourError`, and at once where it could not be started before."""
        if self.unready:
            raise MisbehaviourError(self.unready)
        if self._process is None:
            process = ConfinedProcess(self.program.command, self._readable(), ProcessLimits(self.limits.memory))
            try:
                process.send("isready")
                while process.receive(START_SECONDS) != "readyok":
                    pass
            except MisbehaviourError as error:
                hint = self._hint() if isinstance(error, SilenceError) else ""
                self.unready = f"it does not start: {error}{hint}"
                raise MisbehaviourError(self.unready) from None
            process.pause()
            self._process, self._new = process, True
        return self._process

    def _readable(self) -> list[Path]:
        """Return its files, and its folder where that holds nothing of others."""
        hidden = [Path(path).absolute() for path in self.limits.hidden]
        folders = {file.parent for file in files_of(self.level)}
        own = [folder for folder in folders if not any(path.is_relative_to(folder) for path in hidden)]
        return [*self.program.files, *own]

    def _request(self, state: int, played: Sequence[int], limit: float) -> str:
        legal = [code for code, _ in self.rules.moves(state)]
        lines = []
        if self._new:
            side = "X" if self.rules.mover(state) > 0 else "O"
            lines += [f"newgame {self.game.spec}", f"start {self.game.format_position(self._start)}", f"side {side}"]
            self._new = False
        lines += [f"position {self.game.format_position(state)}", f"moves {_spaced(played)}"]
        grid = self.game.grid(state)
        if grid:
            lines.append("cells " + " ".join("_".join(mark.split()) or "." for row in grid for mark in row))
        lines.append(f"legal {_spaced(legal)}")
        names = [self.notation.own_names.get(code, str(code)) for code in legal]
        if names != list(map(str, legal)):
            lines.append("names " + "\t".join(names))
        left = "" if self._left is None else f" time {max(0, round(1000 * self._left))}"
        return "\n".join([*lines, f"go movetime {round(1000 * limit)}{left}"])

    def _answer(self, process: ConfinedProcess, ends: float) -> str:
        while True:
            word, _, rest = process.receive(max(0.0, ends - time.monotonic())).partition(" ")
            if word == "bestmove":
                return rest.strip()

    def _read(self, answer: str, state: int) -> int:
        """Return the code of an answer. Raises `PositionError` where that is not a legal move."""
        legal = [code for code, _ in self.rules.moves(state)]
        number = answer.isascii() and answer.isdecimal()
        try:
            code = int(answer[:9]) if number else self.notation.read(answer[:60], state)
        except PositionError:
            code = -1
        if code not in legal:
            raise PositionError(f"it plays {answer[:60]!r}, which is not a legal move")
        return code


def _spaced(codes: Sequence[int]) -> str:
    return " ".join(map(str, codes))


# Bots as functions of the position ------------------------------------------------------------------------------------

MOST_ASKED = 5_000
"""Limit on the positions in which a bot is asked for one side."""

MOST_FAILED = 50
"""Forfeits in a row after which a bot counts as forfeiting in all further positions of a side."""

PATIENCE_SECONDS = 10.0
"""Time for these questions."""

SAID_EVERY = 64
"""Questions between two reports of progress."""


FORFEIT = -1
"""Stands for the move of a bot that forfeits."""

OTHERS_TAKE_IT = "; match and tournament take bots that draw their moves"
"""What can be done with a bot that is not a function."""


class PolicyPlayer(Player):
    """Plays as a table of moves by state says."""

    def __init__(self, game: Game, level: str, moves: Mapping[int, int]) -> None:
        super().__init__(game, level)
        self.moves = moves

    def preferred(self, state: int) -> list[int]:
        """Return the move of the table."""
        return [self.moves[state]]


def find_policy(
    bot: Bot,
    root: int,
    sides: tuple[int, ...] = (1, -1),
    *,
    most: int = MOST_ASKED,
    seconds: float = PATIENCE_SECONDS,
    advice: str = "",
    forfeits: dict[int, str] | None = None,
) -> PolicyPlayer:
    """Return a bot as a function of the position for these sides (+1, -1) of the game that begins in the state
    ``root``.

    Each position is asked for twice, at the end of a game that may have led there: the second time in the opposite
    order, by a new process and, where there is one, after another game. Raises `OptionError` where the answers differ,
    followed by ``advice``, and for more than ``most`` positions of a side or ``seconds``; `ForfeitError`, unless
    ``forfeits`` is given: that gets the states in which the bot forfeits, where its move is `FORFEIT`, and why.
    """
    asking, moves = _Asking(bot, root, most, seconds, forfeits), dict[int, int]()
    for side in sides:
        moves |= asking.explore(side)
    bot.close()
    for state, code in reversed(moves.items()):
        again = code if code == FORFEIT else asking.ask(state, asking.last[state])
        if again not in (code, FORFEIT):
            moves_of_both = " and ".join(bot.game.format_move(each) for each in (code, again))
            where = bot.game.format_position(state)
            raise OptionError(
                f"{bot.level}: it is not a function of the position: in {where} it plays {moves_of_both}{advice}"
            )
    return PolicyPlayer(bot.game, bot.level, moves)


def find_choices(
    game: str | HasRules, bot: str, position: str | None = None, effort: Effort = NO_LIMITS
) -> list[dict[str, Any]]:
    """Return what a bot plays in every position of a GAME_OR_DIR that it can meet from ``position`` (default: the
    start) on, as rows for `analysis.audit.audit`. Raises what `find_policy` raises.
    """
    named = named_game(game)
    root = named.rules().start if position is None else read_position(named, position)
    with Bot(named, bot.strip(), effort.seconds, effort.bots) as player:
        player.get_ready()
        moves = find_policy(player, root, advice=OTHERS_TAKE_IT).moves
    return [
        {"position": named.format_position(state), "code": code, "player": player.level}
        for state, code in moves.items()
    ]


class _Asking:
    """A bot that is asked, and the games that lead to each position."""

    def __init__(self, bot: Bot, root: int, most: int, seconds: float, forfeits: dict[int, str] | None) -> None:
        self.bot, self.root, self.most, self.seconds, self.forfeits = bot, root, most, seconds, forfeits
        self.rules, self.asked, self.ends = bot.rules, 0, time.monotonic() + seconds
        self.first: dict[int, tuple[int, ...]] = {}
        """State -> the first game met that leads there."""
        self.last: dict[int, tuple[int, ...]] = {}
        """State -> the last one."""

    def explore(self, side: int) -> dict[int, int]:
        """Return the bot's move in each state that it can meet on this side, by any move where it forfeits."""
        found: dict[int, int] = {}
        self.first[self.root] = self.last[self.root] = ()
        queue, met, failed = [self.root], {self.root}, 0
        for state in queue:
            moves, path = self.rules.moves(state), self.first[state]
            if moves and self.rules.mover(state) == side:
                if len(found) == self.most:
                    raise OptionError(f"{self.bot.level}: it can meet more than {self.most:,} positions")
                if self.forfeits is not None and failed >= MOST_FAILED:
                    found[state], self.forfeits[state] = FORFEIT, "it fails too often to be asked again"
                else:
                    found[state] = self.ask(state, path)
                failed = failed + 1 if found[state] == FORFEIT else 0
                moves = [(code, child) for code, child in moves if found[state] in (code, FORFEIT)]
            for code, child in moves:
                self.last[child] = *path, code
                self.first.setdefault(child, self.last[child])
                if child not in met:
                    met.add(child)
                    queue.append(child)
        return found

    def ask(self, state: int, path: tuple[int, ...]) -> int:
        """Return the bot's move after a game, or `FORFEIT`."""
        if time.monotonic() > self.ends:
            raise OptionError(f"{self.bot.level}: it takes more than {self.seconds:g} s to ask it everywhere")
        self.asked += 1
        if self.asked % SAID_EVERY == 0:
            tell_progress(f"asking {self.bot.level}, positions", self.asked, None)
        self.bot.new_game(self.root)
        try:
            return self.bot.choose(state, random.Random(0), path)
        except ForfeitError:
            if self.forfeits is None:
                raise
            self.forfeits[state] = self.bot.forfeits[-1]
            return FORFEIT
