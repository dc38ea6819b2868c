"""Bots: players that are functions of others, each in a process of its own, with a time limit for each move.

``FILE.py:NAME`` is a function or a class in a Python file (see `bot_host`), ``FILE.py`` its function ``choose``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..common.programs import Program, ProgramError
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
        self._program: Program | None = None
        self._new, self._start, self._moved = True, self.rules.start, False

    def close(self) -> None:
        """End its process."""
        if self._program is not None:
            self._program.close()
            self._program = None

    def preferred(self, state: int) -> list[int]:
        """Return its move where a game begins in this state, which it is asked for twice. Raises `OptionError` where it
        is not a function of the position, `ForfeitError`.
        """
        codes = set()
        for _ in range(2):
            self.new_game(state)
            codes.add(self.choose(state, random.Random(0)))
        if len(codes) > 1:
            names, position = " and ".join(map(self.game.format_move, codes)), self.game.format_position(state)
            raise OptionError(
                f"{self.level}: it is not a function of the position: in {position} it plays {names}; match takes bots "
                "that draw their moves"
            )
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
