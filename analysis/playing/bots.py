"""Bots: players that are functions of others, each in a process of its own, with a time limit for each move.

``FILE.py:NAME`` is a function or a class in a Python file (see `bot_host`), ``FILE.py`` its function ``choose``. A bot
that is a function of the position is known by asking it wherever its own moves and any of the opponent's can lead
(`find_policy`).
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.errors import OptionError, PositionError
from analysis.machine.programs import Program, ProgramError
from analysis.machine.workers import tell_progress
from analysis.playing import bot_host
from analysis.playing.player import ForfeitError, Player
from analysis.rules.game import Game, HasRules
from analysis.rules.notation import Notation
from analysis.rules.positions import read_position
from analysis.solving.find import named_game

MOVE_SECONDS = 5.0
"""Time for a move unless another is given."""

START_SECONDS = 30.0
"""Time to load a file."""

MOST_FRUITLESS = 10
"""Moves that a bot may fail to make, without having made any, before it is asked no more."""

_FILE = re.compile(r"(.+\.py)(?::(\w+))?")


def find_function(text: str) -> tuple[str, str]:
    """Return the path of a bot's file, and the name of its function or class. Raises `OptionError` where there is no
    such file.
    """
    found = _FILE.fullmatch(text)
    if found is None or not Path(found[1]).is_file():
        raise OptionError(f"bot {text}: there is no file {found[1] if found else text}")
    return str(Path(found[1]).absolute()), found[2] or "choose"


class Bot(Player):
    """A player that is a function in a file, which must choose a move within some ``seconds`` of wall clock. Its
    process lasts until it is closed; after one that was late or ended a new one is started for the next move. Use it in
    a ``with``, or call `close`.
    """

    def __init__(self, game: Game, level: str, seconds: float | None = None) -> None:
        super().__init__(game, level)
        self.file, self.name = find_function(level)
        self.seconds = MOVE_SECONDS if seconds is None else seconds
        self.note = f"a program, with {self.seconds:g} s a move"
        self.notation = Notation(game)
        self._process: Program | None = None
        self._new, self._start = True, self.rules.start
        self._moved, self._given_up = False, ""

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

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
        self._new, self._start = True, start

    def get_ready(self) -> None:
        """Load its file. Raises `OptionError` where that fails."""
        try:
            self._loaded()
        except ProgramError as error:
            raise OptionError(f"{self.level}: {error}") from None

    def choose(self, state: int, rng: random.Random, played: Sequence[int] = ()) -> int:
        """Return its move. Raises `ForfeitError`."""
        try:
            if self._given_up:
                raise ProgramError(self._given_up)
            move = self._ask(self._request(state, played), self.seconds)["move"]
            code = self._read(move, state)
        except (ProgramError, PositionError) as error:
            self.forfeits.append(f"{error} (move {len(played) + 1}, {self.game.format_position(state)})")
            if not self._moved and len(self.forfeits) == MOST_FRUITLESS:
                self._given_up = f"it is asked no more after {MOST_FRUITLESS} games without a move"
            raise ForfeitError(f"{self.level}: {self.forfeits[-1]}") from None
        self._moved, self._new = True, False
        return code

    def _loaded(self) -> Program:
        """Return its process. Raises `ProgramError` where the file does not load."""
        if self._process is None:
            self._process = Program([sys.executable, "-P", bot_host.__file__, self.file, self.name])
            try:
                answer = self._process.ask({}, START_SECONDS)
                if "error" in answer:
                    raise ProgramError(answer["error"])
            except ProgramError as error:
                self.close()
                raise ProgramError(f"it does not start: {error}") from None
        return self._process

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return its answer. Raises `ProgramError`."""
        process = self._loaded()
        try:
            answer: dict[str, Any] = process.ask(request, seconds)
        except ProgramError:
            self.close()
            raise
        if "error" in answer:
            raise ProgramError(answer["error"])
        return answer

    def _request(self, state: int, played: Sequence[int]) -> dict[str, Any]:
        """Return what a bot is told of a position, see `bot_host.BotPosition`."""
        legal = [code for code, _ in self.rules.moves(state)]
        return {
            "new": self._new,
            "game": self.game.spec,
            "start": self.game.format_position(self._start),
            "side": "X" if self.rules.mover(state) > 0 else "O",
            "position": self.game.format_position(state),
            "moves": list(played),
            "cells": [mark.strip() or "." for row in self.game.grid(state) or () for mark in row],
            "legal": legal,
            "names": [self.notation.own_names.get(code, str(code)) for code in legal],
            "move_seconds": self.seconds,
        }

    def _read(self, move: int | str, state: int) -> int:
        """Return the code of a move. Raises `PositionError` where that is not legal."""
        legal = [code for code, _ in self.rules.moves(state)]
        number = isinstance(move, int) or (move.isascii() and move.isdecimal())
        try:
            code = int(move) if number else self.notation.read(str(move), state)
        except PositionError:
            code = -1
        if code not in legal:
            raise PositionError(f"it plays {move!r}, which is not a legal move")
        return code


# Bots as functions of the position ------------------------------------------------------------------------------------

MOST_ASKED = 5_000
"""Limit on the positions in which a bot is asked for one side."""

PATIENCE_SECONDS = 10.0
"""Time for these questions."""

SAID_EVERY = 64
"""Questions between two reports of progress."""


class PolicyPlayer(Player):
    """Plays as a table of moves by state says."""

    def __init__(self, game: Game, level: str, moves: Mapping[int, int]) -> None:
        super().__init__(game, level)
        self.moves = moves

    def preferred(self, state: int) -> list[int]:
        """Return the move of the table."""
        return [self.moves[state]]


def find_policy(bot: Bot, root: int) -> PolicyPlayer:
    """Return a bot as a function of the position, for both sides of the game that begins in the state ``root``.

    Each position is asked for twice, at the end of a game that may have led there: the second time in the opposite
    order, by a new process and, where there is one, after another game. Raises `OptionError` where the answers differ,
    and for more than `MOST_ASKED` positions of a side or `PATIENCE_SECONDS`; `ForfeitError`.
    """
    asking, moves = _Asking(bot, root), dict[int, int]()
    for side in (1, -1):
        moves |= asking.explore(side)
    bot.close()
    for state, code in reversed(moves.items()):
        again = asking.ask(state, asking.last[state])
        if again != code:
            moves_of_both = " and ".join(bot.game.format_move(each) for each in (code, again))
            where = bot.game.format_position(state)
            raise OptionError(
                f"{bot.level}: it is not a function of the position: in {where} it plays {moves_of_both}; "
                "match takes bots that draw their moves"
            )
    return PolicyPlayer(bot.game, bot.level, moves)


def find_choices(game: str | HasRules, bot: str, position: str | None = None) -> list[dict[str, Any]]:
    """Return what a bot plays in every position of a GAME_OR_DIR that it can meet from ``position`` (default: the
    start) on, as rows for `analysis.audit.audit`. Raises what `find_policy` raises.
    """
    named = named_game(game)
    root = named.rules().start if position is None else read_position(named, position)
    with Bot(named, bot.strip()) as player:
        player.get_ready()
        moves = find_policy(player, root).moves
    return [
        {"position": named.format_position(state), "code": code, "player": player.level}
        for state, code in moves.items()
    ]


class _Asking:
    """A bot that is asked, and the games that lead to each position."""

    def __init__(self, bot: Bot, root: int) -> None:
        self.bot, self.root, self.rules = bot, root, bot.rules
        self.asked, self.ends = 0, time.monotonic() + PATIENCE_SECONDS
        self.first: dict[int, tuple[int, ...]] = {}
        """State -> the first game met that leads there."""
        self.last: dict[int, tuple[int, ...]] = {}
        """State -> the last one."""

    def explore(self, side: int) -> dict[int, int]:
        """Return the bot's move in each state that it can meet on this side."""
        found: dict[int, int] = {}
        self.first[self.root] = self.last[self.root] = ()
        queue, met = [self.root], {self.root}
        for state in queue:
            moves, path = self.rules.moves(state), self.first[state]
            if moves and self.rules.mover(state) == side:
                if len(found) == MOST_ASKED:
                    raise OptionError(f"{self.bot.level}: it can meet more than {MOST_ASKED:,} positions")
                found[state] = self.ask(state, path)
                moves = [(code, child) for code, child in moves if code == found[state]]
            for code, child in moves:
                self.last[child] = *path, code
                self.first.setdefault(child, self.last[child])
                if child not in met:
                    met.add(child)
                    queue.append(child)
        return found

    def ask(self, state: int, path: tuple[int, ...]) -> int:
        """Return the bot's move after a game."""
        if time.monotonic() > self.ends:
            raise OptionError(f"{self.bot.level}: it takes more than {PATIENCE_SECONDS:g} s to ask it everywhere")
        self.asked += 1
        if self.asked % SAID_EVERY == 0:
            tell_progress(f"asking {self.bot.level}, positions", self.asked, None)
        self.bot.new_game(self.root)
        return self.bot.choose(state, random.Random(0), path)
