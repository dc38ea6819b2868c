"""Interpret the outcomes that files state: words, results, numbers, sides and names of players."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..errors import PositionError

RESULTS = {
    **dict.fromkeys(("1-0", "win", "won", "1"), "X"),
    **dict.fromkeys(("0-1", "loss", "lost", "-1"), "O"),
    **dict.fromkeys(("tie", "tied", "draw", "1/2-1/2", "0"), "tie"),
    **dict.fromkeys(("*", "unfinished"), "unfinished"),
    **dict.fromkeys(("none", "nobody"), "nobody"),
    "resigned": "resigned",
}
"""What is stated without a name; results are the first player's."""

SIDES = {
    **dict.fromkeys(("x", "first", "player 1", "white"), "X"),
    **dict.fromkeys(("o", "second", "player 2", "black"), "O"),
}

OTHER = {"X": "O", "O": "X"}

_WHO = re.compile("(.+) (wins|won|resigns|resigned|loses|lost)").fullmatch


def read_outcome(value: Any, names: Sequence[str | None], players: Sequence[str] = ("X", "O")) -> str:
    """Return ``X``, ``O``, ``tie``, ``unfinished``, ``resigned`` (by the side to move) or ``nobody`` (no winner: a tie
    if the game is over). ``names`` are those who played X and O, ``players`` what the game calls the sides. Raises
    `PositionError` for anything else.

    >>> [read_outcome(value, ("Ann", "Bob")) for value in ("X wins", "bob", "Ann resigned", "loss", -1, "0.0")]
    ['X', 'O', 'O', 'O', 'O', 'tie']
    """
    text = _words(value)
    match = _WHO(text)
    who = match[1] if match else text
    sides = {
        side
        for side, name, player in zip("XO", names, players, strict=True)
        if who in (name and _words(name), _words(player))
    } or {SIDES[each] for each in (who,) if each in SIDES}
    if len(sides) > 1:
        raise PositionError(f"{who!r} could be X or O; the players are {' and '.join(map(str, names))}")
    if sides:
        side = sides.pop()
        return OTHER[side] if match and match[2][0] in "rl" else side
    if match is not None or text not in RESULTS:
        expected = "X, O, tie, unfinished, win or loss of X, or a player's name"
        raise PositionError(f"unknown outcome {value!r}; expected {expected}")
    return RESULTS[text]


def is_outcome(value: Any) -> bool:
    """Return whether a value is a word for the end of a game.

    >>> is_outcome("Loss"), is_outcome("X"), is_outcome("7b")
    (True, True, False)
    """
    return _words(value) in {*RESULTS, *SIDES}


def _words(value: Any) -> str:
    return " ".join(str(value).lower().replace("_", " ").split()).removesuffix(".0").removeprefix("+")
