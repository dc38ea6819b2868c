"""Names of columns: which column of a table of games or choices holds what."""

from __future__ import annotations

import re
from collections.abc import Sequence

NAMES: dict[str, tuple[str, ...]] = {
    "path": ("path", "moves", "backtracker"),
    "position": ("position", "state", "board"),
    "move": ("move", "code", "action", "cell"),
    "row": ("row",),
    "col": ("col", "column"),
    "probability": ("probability", "prob"),
    "game": ("game", "gameid", "id"),
    "number": ("number", "movenumber", "ply", "turn"),
    "player": ("player", "playername"),
    "x": ("x", "playerx", "player1", "white"),
    "o": ("o", "playero", "player2", "black"),
    "outcome": ("outcome", "result", "winner", "class"),
}
"""Role -> names of its columns as `plain` has them, the preferred one first."""

PEOPLE = frozenset(("student", "user", "team", "agent", "bot", "model", "policy"))
"""Columns that say who chose, besides the player."""

_NUMBERED = re.compile(r"(.*?)0*([0-9]{1,4})", re.ASCII).fullmatch


def plain(name: str) -> str:
    """Return the name of a column in lower case, with nothing but letters and digits.

    >>> plain("Game ID"), plain("move_number")
    ('gameid', 'movenumber')
    """
    return re.sub(r"[\W_]+", "", name.lower())


def numbered(columns: Sequence[str], stem: str = "move") -> tuple[str, ...]:
    """Return the columns that hold a move each, in order: two or more with consecutive numbers from 0 or 1.

    >>> numbered(["id", "Move 2", "Move 1", "class"])
    ('Move 1', 'Move 2')
    """
    places = {int(match[2]): name for name in columns if (match := _NUMBERED(plain(name))) and match[1] == plain(stem)}
    numbers = sorted(places)
    consecutive = len(numbers) > 1 and numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1
    return tuple(places[number] for number in numbers) if consecutive else ()


def is_header(names: Sequence[str]) -> bool:
    """Return whether these could be the columns of a table of games or choices.

    >>> is_header(["path", "x"]), is_header(["game", "row", "col"]), is_header(["0", "4"]), is_header(["a1 b2"])
    (True, True, False, False)
    """
    roles = {role for role, called in NAMES.items() if not {*called}.isdisjoint(map(plain, names))}
    return bool(roles & {"path", "position"} or (roles & {"move", "col"} and len(names) > 1) or numbered(names))
