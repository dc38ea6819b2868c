"""What columns are called: the names that people give to what a game or a choice is read from."""

from __future__ import annotations

import re
from collections.abc import Sequence

NAMES: dict[str, tuple[str, ...]] = {
    "path": ("path", "backtracker", "moves", "movelist", "movesequence", "sequence", "gamemoves", "history", "pgn"),
    "position": ("position", "state", "prestate", "board", "boardstate", "boardbefore", "statebefore", "before"),
    "code": ("code",),
    "move": ("move", "action", "cell", "square", "choice", "movemade"),
    "row": ("row",),
    "col": ("col", "column"),
    "game": ("game", "gameid", "gameno", "gamenumber", "gamenum", "gameindex", "match", "matchid", "episode",
             "episodeid", "id"),
    "number": ("number", "movenumber", "moveno", "movenum", "moveindex", "moveid", "moveorder", "ply", "plyno", "step",
               "order", "no", "turnnumber", "turnno", "turn"),
    "player": ("player", "playername", "playerid", "mover", "side", "symbol", "mark", "who", "token", "piece", "colour",
               "color", "currentplayer", "sidetomove", "tomove", "turn"),
    "x": ("x", "xplayer", "playerx", "player1", "p1", "white", "first", "firstplayer"),
    "o": ("o", "oplayer", "playero", "player2", "p2", "black", "second", "secondplayer"),
    "outcome": ("outcome", "result", "winner", "class", "gameresult", "gameoutcome", "finalresult", "xoutcome",
                "xresult", "wonby"),
    "outcome_o": ("ooutcome", "oresult", "outcomeo", "resulto"),
    "side": ("side", "playedas", "seat", "symbol", "mark"),
}  # fmt: skip
"""What each role is called, as `plain` has it: the name that counts first comes first."""

WINNERS = ("winner", "wonby")
"""Columns of an outcome in which 1 and 2 number the players."""

STEMS = ("move", "m", "mv", "ply", "turn", "step", "cell", "square", "action")
"""What numbered columns are called that hold a move each."""

PEOPLE = frozenset(
    ("student", "studentid", "studentname", "pupil", "learner", "candidate", "participant", "subject", "person", "user",
     "username", "userid", "email", "netid", "author", "team", "submission", "agent", "bot", "model", "policy",
     "algorithm")
)  # fmt: skip
"""Columns that say who chose, where no player is named."""

_NUMBERED = re.compile(r"(.*?)0*([0-9]{1,4})", re.ASCII).fullmatch


def plain(name: str) -> str:
    """The name of a column without what people write differently.

    >>> plain("Game ID"), plain("move_number"), plain("Move #")
    ('gameid', 'movenumber', 'moveno')
    """
    return re.sub(r"[\W_]+", "", name.lower().replace("#", "no"))


def numbered(columns: Sequence[str], stems: Sequence[str] = STEMS) -> tuple[str, ...]:
    """The columns that hold a move each, in their order: two or more whose numbers begin at 0 or 1 and have no gap.

    >>> numbered(["id", "Move 2", "Move 1", "class"])
    ('Move 1', 'Move 2')
    """
    for stem in stems:
        found = {int(match[2]): name for name in columns if (match := _NUMBERED(plain(name))) and match[1] == stem}
        numbers = sorted(found)
        if len(numbers) > 1 and numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1:
            return tuple(found[number] for number in numbers)
    return ()


def is_header(names: Sequence[str]) -> bool:
    """Whether these may be the columns of a table of games or choices.

    >>> is_header(["path", "x"]), is_header(["game", "row", "col"]), is_header(["0", "4"]), is_header(["a1 b2"])
    (True, True, False, False)
    """
    found = {role for role, called in NAMES.items() if not {*called}.isdisjoint(map(plain, names))}
    moves = found & {"move", "code", "row", "col"}
    return bool("path" in found or (moves and found & {"position", "game", "number"}) or moves >= {"row", "col"}) or (
        bool(numbered(names)) or "position" in found
    )


def delimiter(header: str) -> str:
    """What is between the columns of a table that begins with this line: a comma, a semicolon, a tab or a bar.

    >>> delimiter("path;x,y;o"), delimiter("path")
    (';', ',')
    """
    known = {name for called in NAMES.values() for name in called}

    def recognised(sign: str) -> tuple[bool, int, int]:
        names = [plain(name) for name in header.split(sign)]
        return is_header(names), sum(name in known for name in names), len(names)

    return max(",;\t|", key=recognised)
