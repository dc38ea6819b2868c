"""Bots: players that are functions of others, each in a process of its own, with a time limit for each move.

``FILE.py:NAME`` is a function or a class in a Python file (see `bot_host`), ``FILE.py`` its function ``choose``. A bot
that is a function of the position is known by asking it wherever its own moves and any of the opponent's can lead
(`find_policy`).
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..common.programs import Program, ProgramError
from ..common.workers import tell_progress
from ..errors import OptionError, PositionError
from ..rules.game import Game
from ..rules.notation import Notation
from . import bot_host
from .player import ForfeitError, Player

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
    match = _FILE.fullmatch(text)
    if match is None or not Path(match[1]).is_file():
        raise OptionError(f"bot {text}: there is no file {match[1] if match else text}")
    return str(Path(match[1]).absolute()), match[2] or "choose"


class Bot(Player):
    """A player that is a function in a file, which must choose a move within some ``seconds`` of wall clock. Its
    process lasts until it is closed; after one that was late or ended a new one is started for the next move.
    """

    def __init__(self, game: Game, level: str, seconds: float | None = None) -> None:
        super().__init__(game, level)
        self.file, self.name = find_function(level)
        self.seconds = MOVE_SECONDS if seconds is None else seconds
        self.note = f"a program, with {self.seconds:g} s a move"
        self.notation = Notation(game)
        self.moves: dict[int, int] = {}
        """Its moves as a function of the state, where these are known."""
        self._program: Program | None = None
        self._new, self._start, self._moved = True, self.rules.start, False

    def close(self) -> None:
        """End its process."""
        if self._program is not None:
            self._program.close()
            self._program = None

    def preferred(self, state: int) -> list[int]:
        """Return its move by `find_policy`, else where a game begins in this state. Raises `OptionError` where that is
        not always the same, `ForfeitError`.
        """
        if state in self.moves:
            return [self.moves[state]]
        codes = set()
        for _ in range(2):
            self.new_game(state)
            codes.add(self.choose(state, random.Random(0)))
        if len(codes) > 1:
            raise OptionError(f"{self.level} does not always play the same in {self.game.format_position(state)}")
        return [*codes]

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
            if not self._moved and len(self.forfeits) >= MOST_FRUITLESS:
                raise ProgramError(f"it is asked no more after {MOST_FRUITLESS} games without a move")
            code = self._read(self._loaded().ask(self._request(state, played), self.seconds).get("move"), state)
        except (ProgramError, PositionError) as error:
            self.forfeits.append(f"{error} (move {len(played) + 1}, {self.game.format_position(state)})")
            raise ForfeitError(f"{self.level}: {self.forfeits[-1]}") from None
        self._moved, self._new = True, False
        return code

    def _loaded(self) -> Program:
        """Return its process. Raises `ProgramError` where the file does not load."""
        if self._program is None or self._program.ended:
            self.close()
            self._program = Program(bot_host.__file__, self.file)
            self._program.ask({"name": self.name}, START_SECONDS)
        return self._program

    def _request(self, state: int, played: Sequence[int]) -> dict[str, Any]:
        """Return what a bot is told of a position, see `bot_host.BotPosition`."""
        legal = [code for code, _ in self.rules.moves(state)]
        return {
            "name": self.name,
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

    def _read(self, move: Any, state: int) -> int:
        """Return the code of a move. Raises `PositionError` where that is not legal."""
        legal, text = [code for code, _ in self.rules.moves(state)], str(move)
        try:
            code = int(text) if text.isascii() and text.isdecimal() else self.notation.read(text, state)
        except PositionError:
            code = -1
        if code not in legal:
            raise PositionError(f"it plays {move!r}, which is not a legal move")
        return code


# Bots as functions of the position ------------------------------------------------------------------------------------

PATIENCE_SECONDS = 10.0
"""Time to ask for all moves."""


def find_policy(bot: Bot, root: int) -> dict[int, int]:
    """Return a bot's move in each state that it can meet on either side of the game that begins in the state ``root``;
    the bot knows them from then on.

    Each position is asked for twice, at the end of a game that may have led there: the second time in the opposite
    order, by a new process and, where there is one, after another game. Raises `OptionError` where the answers differ,
    and for more than `PATIENCE_SECONDS`; `ForfeitError`.
    """
    rules, moves, ends = bot.rules, dict[int, int](), time.monotonic() + PATIENCE_SECONDS
    first, last = {root: tuple[int, ...]()}, {root: tuple[int, ...]()}  # state -> games that lead there

    def ask(state: int, path: tuple[int, ...]) -> int:
        if time.monotonic() > ends:
            raise OptionError(f"{bot.level}: it takes more than {PATIENCE_SECONDS:g} s to ask it everywhere")
        tell_progress(f"asking {bot.level}, positions", len(moves), None)
        bot.new_game(root)
        return bot.choose(state, random.Random(0), path)

    for side in (1, -1):
        queue, queued = [root], {root}
        for state in queue:  # grows as it goes
            legal = rules.moves(state)
            if legal and rules.mover(state) == side:
                moves[state] = ask(state, first[state])
                legal = [(code, child) for code, child in legal if code == moves[state]]
            for code, child in legal:
                last[child] = *first[state], code
                first.setdefault(child, last[child])
                if child not in queued:
                    queued.add(child)
                    queue.append(child)
    bot.close()
    for state, code in reversed(moves.items()):
        again = ask(state, last[state])
        if again != code:
            names = " and ".join(bot.game.format_move(each) for each in (code, again))
            raise OptionError(
                f"{bot.level}: it is not a function of the position: in {bot.game.format_position(state)} it plays "
                f"{names}; match takes bots that draw their moves"
            )
    bot.moves = moves
    return moves
