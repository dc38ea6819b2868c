"""The protocol of programs: the names that fill each role, and how an object is read by them."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import inspect
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...common.wording import did_you_mean, in_words, shortened
from ...errors import SpecError

ROLES: Mapping[str, tuple[str, ...]] = {
    "start": ("start", "initial_state", "initial"),
    "moves": ("legal_moves", "possible_moves", "available_moves", "valid_moves", "moves"),
    "play": ("play", "make_move", "apply_move", "take_move", "do_move", "push", "result", "next_state", "move"),
    "mover": (
        "mover", "to_move", "turn", "player", "current_player", "next_to_move", "player_to_move",
        "not:player_just_moved",
    ),
    "over": ("over", "is_over", "terminal", "is_terminal", "game_over", "is_game_over", "terminal_test"),
    "winner": ("winner", "check_winner", "current_winner"),
    "win": ("is_win", "is_winner", "has_won", "check_win"),
    "draw": ("is_draw", "is_tie"),
    "goal": ("is_goal", "goal_test", "is_solved", "solved", "goal_reached"),
    "payoff": ("payoff", "utility", "reward", "result", "game_result", "returns"),
    "switch": ("switch_player", "switch_turn", "change_player", "change_turn", "next_player", "next_turn"),
    "symmetries": ("symmetries",),
}  # fmt: skip
"""The names of each role, compared as `plain` writes them: without case, underscores and ``get``, an action a move."""
SETTINGS = ("players", "drop", "limit")  # what else may be said of a game
WORDS: Mapping[str, str] = {
    "start": "start|init", "moves": "moves|actions", "play": "play|move|action", "over": "over|end|terminal",
    "mover": "player|turn|mover", "winner": "win|won",
}  # fmt: skip
"""What a name has in it that is proposed for a role,"""
NEVER = re.compile("undo|random|best|print|unmake|display|show|human|^get_?move$|valid|can_|is_.*move|winning|lines")
"""and what it has not."""
LAST, FIRST, NOT = "last", "first", "not:"
"""``winner=last``: whoever moved last wins; ``winner=first``: the other; ``mover=not:NAME``: the other of NAME."""

MARKS = (
    ("X", "O"), ("x", "o"), ("MAX", "MIN"), ("max", "min"), (1, 2), (1, -1), (0, 1), ("1", "2"), ("white", "black"),
    ("W", "B"), ("w", "b"), (True, False),
)  # fmt: skip
"""Players as programs know them. Payoffs of which nobody says whose they are are those of the first of each pair."""
LETTERS = (
    "letter", "player", "symbol", "mark", "marker", "piece", "turn", "token", "sign", "value", "color", "colour", "p",
    "who", "side",
)  # fmt: skip
"""How a parameter of a move is called that takes a player."""
PLAYER = re.compile("player|colou?r|who|side|symbol|mark|letter|piece|token|agent|^p$|^turn$", re.IGNORECASE)
"""How one is called of what is asked of each player."""


EASY, SAYS = ("possible_moves", "make_move"), ("lose", "win", "scoring")
"""What easyAI's games have, and what at least one of: these are asked for the player to move."""


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a program is read: the object or module that has the functions, and what fills each role."""

    owner: Any
    """A module of functions or a game that is given its positions; or the object that is the first position itself."""
    names: Mapping[str, str]
    """The name of the function or attribute for each role that is filled; of the mover perhaps after ``not:``."""
    passes: bool  # whether the functions are given the position
    given: frozenset[str] = frozenset()  # roles that the user has filled
    easy: bool = False  # whether it is a game of easyAI, which tells the player to move how it has ended
    puzzle: bool = False  # whether it has a goal, which ``win`` names, and one player

    def lines(self) -> list[str]:
        """Return how the program is read, a line a role."""
        names, winner = self.names, self.names.get("winner", "")
        ends = [names[role] for role in ("over", "win", "draw") if names.get(role, "0") != "0"]
        ends += [winner] * ("over" not in names and winner not in ("", LAST, FIRST))
        rows = {
            "ends": " or ".join([*ends, "no move is left"]),
            "start": names.get("start", ""),
            "moves": names["moves"],
            "play": names["play"],
            "mover": names.get("mover", "players take turns").replace(NOT, "the other of "),
            "winner": {LAST: "whoever moved last", FIRST: "whoever did not move last"}.get(winner, winner),
            "payoff": names.get("payoff", ""),
        }
        if self.puzzle:
            rows |= {"ends": f"{names['win']} or no move is left", "mover": "", "goal": names["win"]}
            return [f"{role}: {text}" for role, text in rows.items() if text]
        if "win" in names:
            rows["win"] = f"{names['win']}, of {'each player' if self.takes_player('win') else 'who has just moved'}"
        if self.easy:
            rows["winner"] = "lose, win or scoring of the player to move"
        return [f"{role}: {text}" for role, text in rows.items() if text]

    def proposed(self, role: str) -> str:
        """Return a name for a role that has none, NAME if none is like it."""
        free = [name for name in public(self.owner) if name not in self.names.values()]
        return next((name for name in free if _may_fill(self.owner, name, role)), "NAME")

    def arguments(self, role: str) -> list[str]:
        """Return the names of what the function of a role has to be given, but for the position."""
        return required(value_of(self.owner, self.names[role].removeprefix(NOT)))[self.passes :]

    def takes_player(self, role: str) -> bool:
        """Tell whether the function of a role is asked of each player."""
        return len(self.arguments(role)) == 1


def plain(name: str) -> str:
    """Return a name as names are compared.

    >>> plain("getPossibleActions"), plain("legal_moves"), plain("isTerminal")
    ('possiblemoves', 'legalmoves', 'isterminal')
    """
    return re.sub("^get(?=.)", "", name.replace("_", "").lower()).replace("action", "move")


def read(owner: Any, roles: Mapping[str, str], what: str) -> Reading:
    """Return how a module or an object is read. Raises `SpecError`, which calls it ``what``, where a role is empty.

    Args:
        owner: A module or an object, no class.
        roles: Names for some roles, which go before any others; ``none`` says that nothing fills a role.
        what: How messages call it.
    """
    for role, name in roles.items():
        own = name.removeprefix(NOT) if role == "mover" else name
        special = name == "none" or (role == "winner" and name in (LAST, FIRST)) or (role == "draw" and name == "0")
        if not special and value_of(owner, own) is None and not hasattr(owner, own):
            raise SpecError(f"{what} has no {own!r} for its {role}; it has {_shown(public(owner))}")
    names, easy = _named(owner, roles)
    if missing := [role for role in ("moves", "play") if role not in names]:
        raise SpecError(f"{what} is not a game that can be read: {_lacking(owner, names, missing, roles)}")
    takes = {role: required(value_of(owner, names[role])) for role in ("moves", "play")}
    passes = "start" in names and len(takes["moves"]) >= 1 and len(takes["play"]) != 1  # start() may be a dialogue
    if not passes:
        first, same = ([*takes[role], ""][0] for role in ("moves", "play"))
        by_position = first and first == same and first.lower().strip("_") not in LETTERS
        if isinstance(owner, types.ModuleType) or by_position or len(takes["moves"]) > 1:
            call = f"{names['moves']}({', '.join(takes['moves'])})"
            raise SpecError(
                f"{what}: {call} takes the position, and nothing gives the first one; "
                f"{_lacking(owner, names, ['start'], roles)}"
            )
        names.pop("start", None)
    reading = Reading(owner, names, passes, frozenset(roles), easy)
    for role in {"winner", "win", "draw", "payoff", "over", "mover", "goal"} & {*names}:
        names[role] = _able(reading, role)
    for role in [role for role, name in names.items() if not name]:
        del names[role]
    goal = names.pop("goal", "")
    if goal and ("goal" in roles or not {"winner", "win", "payoff"} & {*names}):
        names["win"] = goal
        if "mover" not in roles:
            names.pop("mover", None)
            reading = dataclasses.replace(reading, puzzle=True)
    if not {"winner", "win", "payoff"} & {*names} and not easy:
        raise SpecError(
            f"{what}: nothing tells who has won: {_lacking(owner, names, ['winner'], roles)}; winner=last says that "
            "whoever moves last wins, and winner=first that he loses"
        )
    return reading


def fits(owner: Any, roles: Mapping[str, str]) -> bool:
    """Tell whether a module, class or object has moves and plays them, and a module also a start."""
    needed = ("moves", "play", "start")[: 2 + isinstance(owner, types.ModuleType)]
    return {*needed} <= {*_named(owner, roles)[0]}


def _named(owner: Any, roles: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    """Return the name that fills each role, by what is given or by the table; and whether it is a game of easyAI."""
    there = collections.defaultdict[str, list[str]](list)
    for name in sorted(public(owner), key=lambda name: not callable(value_of(owner, name))):
        there[plain(name)].append(name)
    easy = all(plain(name) in there for name in EASY) and any(name in there for name in SAYS)
    names = dict.fromkeys(("winner", "win", "draw", "payoff"), "none") if easy else {}
    if easy and (seat := [*there.get("currentplayer", ()), *there.get("nplayer", ())]):
        names["mover"] = seat[0]
    names |= roles
    for role, usual_names in ROLES.items():
        for usual in usual_names if role not in names else ():
            own = usual.removeprefix(NOT)
            able = [name for name in there.get(plain(own), ()) if _usable(owner, name, role)]
            if able := [name for name in able if name != names.get("play")]:
                names[role] = usual.replace(own, able[0])
                break
    return {role: name for role, name in names.items() if name != "none"}, easy


def value_of(owner: Any, name: str) -> Any:
    """Return what has a name; a property itself, which is not asked; None of nothing."""
    fixed = inspect.getattr_static(owner, name, None)
    return fixed if isinstance(fixed, (property, functools.cached_property)) else getattr(owner, name, None)


def _usable(owner: Any, name: str, role: str) -> bool:
    """Tell whether what has a name can fill a role: functions may want what nobody has, and lists hold the past."""
    value, whole = value_of(owner, name), isinstance(owner, type)
    fixed = whole or isinstance(value, property) or hasattr(type(owner), name)
    if role == "play":
        return callable(value) and len(required(value)) >= 1 + (whole or isinstance(owner, types.ModuleType))
    if role == "moves":  # an empty list may be that of the moves made
        return callable(value) or fixed or (not isinstance(value, (int, str)) and bool(value))
    if role in ("win", "draw", "goal"):
        return callable(value) or fixed or isinstance(value, bool)
    return callable(value) or role != "switch"


def _able(reading: Reading, role: str) -> str:
    """Return the name for who has won or moves, or for the end, that can be asked: of at most a player; or nothing."""
    names, most = reading.names, role in ("winner", "win", "payoff")
    if role in reading.given or names[role] in (LAST, FIRST) or names[role].startswith(NOT):
        return names[role]
    usual = [name for each in ROLES[role] for name in public(reading.owner) if plain(name) == plain(each)]
    for name in (names[role], *usual):
        wanted = required(value_of(reading.owner, name))[reading.passes :]
        if name != names["play"] and len(wanted) <= most and all(map(PLAYER.search, wanted)):
            return name
    return ""


def _lacking(owner: Any, names: Mapping[str, str], missing: Sequence[str], roles: Mapping[str, str]) -> str:
    """Return what is missing, the public names without a place, and what ``--map`` could say."""
    free = [name for name in public(owner) if name not in names.values()]
    guesses = dict(roles)
    for role in (*missing, *(role for role in ("over", "mover", "winner") if role not in (*names, *missing))):
        able = [name for name in free if name not in guesses.values() and _may_fill(owner, name, role)]
        if able or role in missing:
            guesses[role] = able[0] if able else "NAME"
    usual = "; ".join(f"{role} may be {', '.join(ROLES[role][:3])} ..." for role in missing)
    pairs = ",".join(f"{role}={name}" for role, name in guesses.items())
    empty = in_words(missing, "and")
    return f"there is nothing for {empty}; not placed are {_shown(free)}; {usual}; --map {pairs} says so"


def _may_fill(owner: Any, name: str, role: str) -> bool:
    """Tell whether a name that is not in the table is proposed for a role."""
    value, takes = (
        value_of(owner, name),
        len(required(value_of(owner, name))) - isinstance(owner, (type, types.ModuleType)),
    )
    if not re.search(WORDS[role], name.lower()) or NEVER.search(name.lower()) or isinstance(value, (list, tuple, dict)):
        return False
    if role == "play":
        return takes >= 1
    return takes <= (role in ("moves", "winner")) and (role == "mover" or not isinstance(value, (int, str)))


def public(owner: Any) -> list[str]:
    """Return the public names of a module's own functions and of its values, or of what an object or a class has."""
    if isinstance(owner, types.ModuleType):
        return [
            name
            for name, value in vars(owner).items()
            if not name.startswith("_")
            and not isinstance(value, (type, types.ModuleType))
            and getattr(value, "__module__", owner.__name__) == owner.__name__
        ]
    return [name for name in dir(owner) if not name.startswith("_")]


def _shown(names: Sequence[str]) -> str:
    return shortened(names, 12) if names else "no names"


def required(function: Any) -> list[str]:
    """Return the names of the arguments that a function has to be given; none of what cannot be asked."""
    if not callable(function) or isinstance(function, type):
        return []
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each.name for each in taken if each.default is each.empty and each.kind < inspect.Parameter.VAR_POSITIONAL]


def refuse_unknown(names: Iterable[str], what: str, arguments: Sequence[str] = ()) -> None:
    """Raise `SpecError` for the first name that is no role, no setting and none of the ``arguments`` of ``what``."""
    usual = (*ROLES, *SETTINGS, *arguments)
    name = next((name for name in names if name not in usual), None)
    if name is None:
        return
    taken = f"; its arguments are {', '.join(arguments)}" if arguments else ""
    raise SpecError(
        f"{what}: {name!r} is not a role or setting{' or argument' * bool(arguments)}{did_you_mean(name, usual)}; "
        f"roles are {', '.join(ROLES)}, and settings {', '.join(SETTINGS)}{taken}"
    )


# Objects of a class ---------------------------------------------------------------------------------------------------


def construct(kind: type, given: Mapping[str, str], what: str) -> Any:
    """Return an object of a class, with its arguments as a specification gives them, those without a name by numbers.
    Raises `SpecError` where others are needed, or some that it does not take are given.
    """
    try:
        taken = inspect.signature(kind).parameters
    except (TypeError, ValueError):
        taken = {}  # type: ignore[assignment] # of what is not written in Python
    order = [*taken]
    if more := next((given[key] for key in given if key.isdecimal() and int(key) >= len(order)), ""):
        raise SpecError(f"{what} takes {len(order)} arguments ({', '.join(order)}), and {more!r} is one more")
    given = {order[int(key)] if key.isdecimal() else key: value for key, value in given.items()}
    arguments: dict[str, Any] = {}
    refuse_unknown(given, what, order)
    for name, parameter in taken.items():
        if name in given:
            arguments[name] = _value(given[name], parameter.default)
        elif name == "players" and parameter.default in (parameter.empty, None):
            arguments[name] = [types.SimpleNamespace(name="1"), types.SimpleNamespace(name="2")]
        elif parameter.default is parameter.empty and parameter.kind < inspect.Parameter.VAR_POSITIONAL:
            raise SpecError(
                f"{what} is made with {name}: give it, {what}:{name}=VALUE, or name an object that the file makes"
            )
    return kind(**arguments)


def _value(text: str, default: Any) -> Any:
    """Return an argument as it is written in a specification: what Python writes so, a flag, or else a text."""
    if isinstance(default, str):
        return text
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
