"""Names of columns: which column of a table of games or choices holds what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NAMES: dict[str, tuple[str, ...]] = {
    "path": ("path", "backtracker", "moves", "movelist", "sequence", "history"),
    "position": ("position", "state", "board", "before", "prestate", "statebefore", "boardbefore"),
    "code": ("code",),
    "move": ("move", "action", "cell", "square", "choice"),
    "row": ("row",),
    "col": ("col", "column"),
    "probability": ("probability", "prob", "chance"),
    "game": ("game", "match", "episode", "gameno", "gamenumber", "id"),
    "number": ("number", "movenumber", "moveno", "moveindex", "ply", "step", "order", "turn"),
    "player": ("player", "mover", "side", "symbol", "mark", "who", "turn"),
    "x": ("x", "playerx", "player1", "p1", "white", "first"),
    "o": ("o", "playero", "player2", "p2", "black", "second"),
    "outcome": ("outcome", "result", "winner", "class"),
}
"""Role -> names of its columns as `plain` has them, the preferred one first; games and players also by id or name."""

for _role in ("game", "player", "x", "o"):
    NAMES[_role] += tuple(name + end for name in NAMES[_role] if name != "turn" for end in ("id", "name"))

STEMS = ("move", "m", "ply", "turn", "step")
"""Stems of numbered columns that hold a move each."""

PEOPLE = frozenset(("student", "studentid", "pupil", "user", "team", "agent", "bot", "model", "policy"))
"""Columns that say who chose, where no player is named."""

_NUMBERED = re.compile(r"(.*?)0*([0-9]{1,4})", re.ASCII).fullmatch


def plain(name: str) -> str:
    """Return the name of a column without differences of spelling.

    >>> plain("Game ID"), plain("move_number"), plain("Move #")
    ('gameid', 'movenumber', 'moveno')
    """
    return re.sub(r"[\W_]+", "", name.lower().replace("#", "no"))


def numbered(columns: Sequence[str], stems: Iterable[str] = STEMS) -> tuple[str, ...]:
    """Return the columns that hold a move each, in order: two or more with consecutive numbers from 0 or 1.

    >>> numbered(["id", "Move 2", "Move 1", "class"])
    ('Move 1', 'Move 2')
    """
    for stem in stems:
        places = {int(match[2]): name for name in columns if (match := _NUMBERED(plain(name))) and match[1] == stem}
        numbers = sorted(places)
        if len(numbers) > 1 and numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1:
            return tuple(places[number] for number in numbers)
    return ()


def is_header(names: Sequence[str]) -> bool:
    """Return whether these could be the columns of a table of games or choices.

    >>> is_header(["path", "x"]), is_header(["game", "row", "col"]), is_header(["0", "4"]), is_header(["a1 b2"])
    (True, True, False, False)
    """
    roles = {role for role, called in NAMES.items() if not {*called}.isdisjoint(map(plain, names))}
    return bool(roles & {"path", "position"} or (roles & {"move", "code", "col"} and len(names) > 1) or numbered(names))
