"""The protocol of programs: the names that fill each role, and how an object is read by them."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import re
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...common.wording import did_you_mean, shortened
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
}  # fmt: skip
"""The names of each role, compared as `plain` writes them: without case, underscores and ``get``, an action a move."""
SETTINGS = ("players", "drop", "limit")  # what else may be said of a game
SAYS = ("win", "winner", "payoff")  # roles that say who has won
LAST, FIRST, NOT = "last", "first", "not:"
"""``winner=last``: whoever moved last wins; ``winner=first``: the other; ``mover=not:NAME``: the other of NAME."""

MARKS = (
    ("X", "O"), ("x", "o"), ("MAX", "MIN"), ("max", "min"), (1, 2), (1, -1), (0, 1), ("1", "2"), ("white", "black"),
    ("W", "B"), ("w", "b"), (True, False),
)  # fmt: skip
"""Players as programs name them. A payoff that is not asked of a player is that of the first of each pair."""
PLAYER = re.compile(
    "player|colou?r|who|side|symbol|mark|letter|piece|token|agent|sign|value|^p$|^_?turn_?$", re.IGNORECASE
)
"""How a parameter is called that takes a player."""


@dataclasses.dataclass(frozen=True)
class Reading:
    """How a program is read: the object or module that has the functions, and what fills each role."""

    owner: Any
    """A module of functions or a game that is given its positions; or the object that is the first position itself."""
    names: Mapping[str, str]
    """The name of the function or attribute for each role that is filled; of the mover perhaps after ``not:``."""
    passes: bool  # whether the functions are given the position
    given: frozenset[str] = frozenset()  # roles that the user has filled
    puzzle: bool = False  # whether it has a goal, which ``win`` names, and one player

    def lines(self) -> list[str]:
        """Return how the program is read, a line a role."""
        names, winner = self.names, self.names.get("winner", "")
        ends = [names[role] for role in ("over", "win", "draw") if role in names]
        ends += [winner] * ("over" not in names and winner not in ("", LAST, FIRST))
        rows = {role: names.get(role, "") for role in ("start", "moves", "play", "mover", "winner", "payoff")}
        rows["mover"] = rows["mover"].replace(NOT, "the other of ") or "players take turns"
        rows["winner"] = {LAST: "whoever moved last", FIRST: "whoever did not move last"}.get(winner, winner)
        if self.puzzle:
            rows |= {"mover": "", "goal": names["win"]}
        elif "win" in names:
            rows["win"] = f"{names['win']}, of {'each player' if self.takes_player('win') else 'who has just moved'}"
        rows = {"ends": " or ".join([*ends, "no move is left"])} | rows
        return [f"{role}: {text}" for role, text in rows.items() if text]

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
        if name not in ("none", *(LAST, FIRST) * (role == "winner")) and not hasattr(owner, name.removeprefix(NOT)):
            raise _lacking(owner, {}, [role], f"{what} has no {name!r}")
    names = _named(owner, roles, ("start", "moves", "play"), False)
    if missing := [role for role in ("moves", "play") if role not in names]:
        raise _lacking(owner, names, missing, f"{what} is not a game that can be read")
    takes = {role: required(value_of(owner, names[role])) for role in ("moves", "play")}
    passes = "start" in names and len(takes["moves"]) >= 1 and len(takes["play"]) != 1  # start() may be a dialogue
    if not passes:
        first = [*takes["moves"], ""][0]
        by_position = first == [*takes["play"], ""][0] != "" and not PLAYER.search(first)
        if isinstance(owner, types.ModuleType) or by_position or len(takes["moves"]) > 1:
            raise _lacking(owner, names, ["start"], f"{what}: {names['moves']} takes the position")
        names.pop("start", None)
    names |= _named(owner, roles, [*ROLES][3:], passes, names)
    goal = names.pop("goal", "")
    puzzle = goal != "" and ("goal" in roles or names.keys().isdisjoint(SAYS))
    if puzzle:
        names["win"] = goal
        names.pop("mover", None)
    elif names.keys().isdisjoint(SAYS):
        raise _lacking(owner, names, ["winner"], f"{what}: nothing says who has won; winner=last, whoever moves last")
    return Reading(owner, names, passes, frozenset(roles), puzzle)


def fits(owner: Any, roles: Mapping[str, str]) -> bool:
    """Tell whether a module, class or object has moves and plays them, and a module also a start."""
    needed = ("moves", "play", "start")[: 2 + isinstance(owner, types.ModuleType)]
    return {*needed} <= {*_named(owner, roles, needed, False)}


def _named(
    owner: Any, roles: Mapping[str, str], wanted: Iterable[str], passes: bool, others: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the name that fills each of some roles: the given one, or the first of the table that can."""
    names = dict(others or {})
    there = sorted(public(owner), key=lambda name: not callable(value_of(owner, name)))
    for role in wanted:
        for usual in [roles[role]] if role in roles else ROLES[role]:
            own = usual.removeprefix(NOT)
            same = [name for name in there if plain(name) == plain(own) and name != names.get("play")]
            able = [own] if role in roles else [name for name in same if _usable(owner, name, role, passes)]
            if able and own != "none":
                names[role] = usual.replace(own, able[0])
                break
    return {role: names[role] for role in wanted if role in names}


def value_of(owner: Any, name: str) -> Any:
    """Return what has a name; a property itself, which is not asked; None of nothing."""
    fixed = inspect.getattr_static(owner, name, None)
    return fixed if isinstance(fixed, (property, functools.cached_property)) else getattr(owner, name, None)


def _usable(owner: Any, name: str, role: str, passes: bool) -> bool:
    """Tell whether what has a name can fill a role: functions may want what nobody has, and lists hold the past."""
    value, whole = value_of(owner, name), isinstance(owner, type)
    wanted = required(value)[passes:]
    if role == "play":
        return callable(value) and len(wanted) >= 1 + (whole or isinstance(owner, types.ModuleType))
    if role == "moves":  # an empty list may be that of the moves made
        fixed = whole or isinstance(value, property) or callable(value)
        return fixed or (not isinstance(value, (int, str)) and bool(value))
    if role in ("win", "draw", "goal") and not isinstance(value, (bool, property)) and not callable(value):
        return False
    return role == "start" or (len(wanted) <= (role in SAYS) and all(map(PLAYER.search, wanted)))


def _lacking(owner: Any, names: Mapping[str, str], missing: Sequence[str], what: str) -> SpecError:
    """Return the error for roles that nothing fills, with the public names without a place."""
    free = [name for name in public(owner) if name not in names.values()]
    pairs = ",".join(f"{role}=NAME" for role in missing)
    usual = "; ".join(f"{role} may be {', '.join(ROLES[role][:3])} ..." for role in missing)
    return SpecError(f"{what}; {usual}; --map {pairs} names another, of {shortened(free, 12) if free else 'no names'}")


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
    if name := next((name for name in names if name not in usual), None):
        raise SpecError(f"{what} has no {name!r}{did_you_mean(name, usual)}; it takes {', '.join(usual)}")


# Objects of a class ---------------------------------------------------------------------------------------------------


def construct(kind: type, given: Mapping[str, str], what: str) -> Any:
    """Return an object of a class, with its arguments as a specification gives them, those without a name by numbers.
    Raises `SpecError` where others are needed, or some that it does not take are given.
    """
    try:
        taken = dict(inspect.signature(kind).parameters)
    except (TypeError, ValueError):
        taken = {}  # of what is not written in Python
    order = [*taken]
    given = {
        order[int(key)] if key.isdecimal() and int(key) < len(order) else key: value for key, value in given.items()
    }
    refuse_unknown(given, what, order)
    arguments: dict[str, Any] = {}
    for name, parameter in taken.items():
        if name in given:
            arguments[name] = _value(given[name], parameter.default)
        elif name == "players" and parameter.default in (parameter.empty, None):  # of easyAI
            arguments[name] = [types.SimpleNamespace(name="1"), types.SimpleNamespace(name="2")]
        elif parameter.default is parameter.empty and parameter.kind < inspect.Parameter.VAR_POSITIONAL:
            raise SpecError(f"{what} is made with {name}: give it, {what}:{name}=VALUE")
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


def two_player_game(game: Any) -> tuple[Any, dict[str, str]]:
    """Return a game of easyAI with the roles that it fills, since its own player passes the turn on and the player to
    move says who has won; any other object as it is.
    """
    seat = next((name for name in ("current_player", "nplayer") if hasattr(game, name)), "")
    ends = [name for name in ("lose", "win", "scoring") if callable(getattr(game, name, None))]
    if not (seat and ends and hasattr(game, "possible_moves") and hasattr(game, "make_move")):
        return game, {}

    def play_and_pass(self: Any, move: Any) -> None:
        self.make_move(move)
        setattr(self, seat, 3 - getattr(self, seat))

    def points_of_first(self: Any) -> int:
        says = {name: getattr(self, name)() for name in ends}
        points = says["scoring"] if ends == ["scoring"] else bool(says.get("win")) - bool(says.get("lose"))
        return int(points if getattr(self, seat) == 1 else -points)

    kind = type(game)
    body = {"play_and_pass": play_and_pass, "points_of_first": points_of_first, "__module__": kind.__module__}
    adapted: Any = object.__new__(type(kind.__name__, (kind,), body))
    vars(adapted).update(vars(game))
    roles = {"moves": "possible_moves", "play": "play_and_pass", "mover": seat, "payoff": "points_of_first"}
    return adapted, dict.fromkeys(("winner", "win", "draw"), "none") | roles
