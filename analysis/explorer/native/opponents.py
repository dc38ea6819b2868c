"""Levels of play on the page: how likely they err, and what they play."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from analysis.errors import MissingDataError, OptionError
from analysis.explorer.asked import GREATEST, Asked
from analysis.explorer.looks import look_at
from analysis.explorer.native.answers import move_json
from analysis.explorer.served import Served
from analysis.playing.players.levels import parse_level
from analysis.playing.traps import Traps, trap_steps

MOST_CLASSES = 2000
"""Among which a line of only moves is looked for; a file looks among as many, so that pages say the same."""

TRAPS_FIELDS = ("p", "against")
REPLY_FIELDS = ("p", "against", "seed")


class TrapsWork:
    """The traps of a position, found step by step."""

    def __init__(self, served: Served, asked: Asked) -> None:
        """Of what is ``asked`` for. Raises `PositionError` and `OptionError`."""
        level = _level(asked)
        self._steps = trap_steps(
            served.solution, served.state_of(asked.text("p")), served.player(level), max_classes=MOST_CLASSES
        )
        self._name, self._level, self._found = served.name, level, list[Traps]()

    def steps(self) -> Iterator[None]:
        """Go on, a short while at a time, until it is done."""
        self._found.append((yield from self._steps))

    def hurry(self) -> None:
        """It has no shorter way."""

    @property
    def answer(self) -> dict[str, Any]:
        """What was found. Raises `MissingDataError` where there was no time for it."""
        if not self._found:
            raise MissingDataError(f"{self._level} takes too long here; `gametree traps` has no such limit")
        return self._found[0].to_json() | {"game": self._name}


def reply_json(served: Served, asked: Asked) -> dict[str, Any]:
    """What a level plays in a state. Raises `PositionError` where play does not reach it, `OptionError` at an end."""
    player, state = served.player(_level(asked)), served.state_of(asked.text("p"))
    if look_at(served, state).record.terminal:
        raise OptionError(f"the game is over at {served.game.format_position(state)}: there is no reply")
    code = player.choose(state, random.Random(asked.number("seed", most=GREATEST)))
    (move,) = served.solution.along(state, [code])
    return {"level": player.level, "note": player.note, "move": move_json(move)}


def _level(asked: Asked) -> str:
    """The level that is asked for. Raises `OptionError` where there is none."""
    level = (asked.text("against") or "random").strip().lower()
    parse_level(level)
    return level
