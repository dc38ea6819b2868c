"""The interfaces that people give their games, known by names of functions and attributes, the most specific first."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import SpecError
from ...wording import listed, meant, shortened
from .freezing import freeze

SWITCHES = (
    "switch_player", "switch_players", "switch_turn", "switch_turns", "change_player", "change_turn", "next_player",
    "next_turn", "toggle_player", "toggle_turn", "swap_players",
)  # fmt: skip
ROLES: Mapping[str, tuple[str, ...]] = {
    "start": ("initial_state", "initial", "get_initial_state", "start_state", "initial_board", "new_game", "start"),
    "moves": (
        "legal_moves", "get_legal_moves", "get_legal_actions", "legal_actions", "available_moves",
        "get_available_moves", "possible_moves", "get_possible_moves", "valid_moves", "get_valid_moves", "actions",
        "get_actions", "available_actions", "possible_actions", "get_moves", "empty_cells", "get_empty_cells",
        "moves",
    ),
    "play": (
        "make_move", "apply_move", "push", "do_move", "play_move", "move", "apply_action", "take_action", "apply",
        "perform_action", "result", "get_next_state", "next_state", "successor", "play",
    ),
    "over": (
        "is_over", "is_game_over", "game_over", "is_terminal", "terminal", "terminal_test", "is_finished", "gameover",
        "is_ended", "over",
    ),
    "mover": (
        "current_player", "to_move", "player_to_move", "next_to_move", "turn", "player", "nplayer", "current_turn",
        "side_to_move", "get_current_player", "whose_turn", "active_player", "current",
        "mover",
    ),
    "winner": ("winner", "get_winner", "check_winner", "current_winner", "is_winner", "check_win", "has_won"),
    "payoff": ("utility", "game_result", "get_result", "result", "reward", "returns", "payoff"),
    "lose": (),
    "win": (),
    "scoring": (),
    "switch": SWITCHES,
    "symmetries": ("symmetries",),
}  # fmt: skip
"""The names of each role, the usual ones first."""
NEEDED = ("start", "moves", "play")
"""What functions have to be there for; objects need no start."""
SETTINGS = ("players", "drop", "limit")
"""What else may be said of a game."""

MARKS = (
    ("X", "O"), ("x", "o"), ("MAX", "MIN"), (1, 2), (1, -1), (0, 1), ("1", "2"), ("white", "black"), ("W", "B"),
    ("w", "b"),
)  # fmt: skip
"""Players as programs know them. Payoffs of which nobody says whose they are are those of the first of each pair."""
LETTERS = (
    "letter", "player", "symbol", "mark", "marker", "piece", "turn", "token", "sign", "value", "color", "colour", "p",
    "who",
)  # fmt: skip
"""How a parameter is called that takes who moves."""


@dataclasses.dataclass(frozen=True)
class Interface:
    """A way to write a game, by the names that tell it."""

    name: str
    """What messages call it."""
    moves: tuple[str, ...]
    play: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...] = ()
    """Of each of these names one has to be there, too."""
    own: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """Names of other roles, where not all of `ROLES` are meant."""

    def fits(self, where: Any, roles: Mapping[str, str]) -> bool:
        """Tell whether a module, a class or an object has its names, or others that were given for ``roles``."""
        groups = [(roles[role],) if role in roles else getattr(self, role) for role in ("moves", "play")]
        return all(any(hasattr(where, name) for name in names) for names in (*groups, *self.needs))


INTERFACES = (
    Interface("python-chess", ("legal_moves",), ("push",), (("is_game_over",),), {"payoff": ("result",)}),
    Interface(
        "easyAI", ("possible_moves",), ("make_move",), (("is_over", "lose", "win", "scoring"),),
        {
            "mover": ("current_player", "nplayer"), "winner": (), "payoff": (),
            "lose": ("lose",), "win": ("win",), "scoring": ("scoring",),
        },
    ),
    Interface("AIMA", ("actions",), ("result",), (("terminal_test", "is_terminal"), ("utility",))),
    Interface("CS50", ("actions",), ("result",), (("terminal", "winner", "utility"),)),
    Interface(
        "state objects", ("get_legal_actions", "legal_moves", "get_legal_moves", "legal_actions"),
        ("move", "apply_move", "apply_action", "take_action", "do_move", "perform_action"),
    ),
    Interface("a board class", ROLES["moves"], ROLES["play"]),
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Target:
    """What is played: the object or module that has the functions, and what fills each role."""

    owner: Any
    """A module of functions or a game that is given its positions; or the object that is the first position itself."""
    interface: str
    names: Mapping[str, str]
    """The name of the function or attribute for each role that is filled."""
    passes: bool
    """Whether the functions are given the position."""

    def described(self) -> str:
        """Return what was recognised, on one line."""
        style = f"{self.interface}{', whose functions take the position' * self.passes}"
        untold = [role for role in ("over", "mover") if self.passes and role not in self.names]
        found = [f"{role} {name}" for role, name in self.names.items()]
        return f"{style}: {', '.join([*found, *(f'no {role}' for role in untold)])}"


def recognise(owner: Any, roles: Mapping[str, str], what: str) -> Target:
    """Return how a module or an object is played. Raises `SpecError`, which calls it ``what``, where it cannot be seen.

    Args:
        owner: A module or an object, no class.
        roles: Names for some roles, which go before any others; ``none`` says that nothing fills a role.
        what: How messages call it.
    """
    for role, name in roles.items():
        if name != "none" and not hasattr(owner, name):
            raise SpecError(f"{what} has no {name!r} for its {role}; {_there(owner)}")
    found = next((each for each in INTERFACES if each.fits(owner, roles)), None)
    if found is None:
        raise SpecError(f"{what} is not a game that can be recognised: {lacking(owner, roles)}")
    names: dict[str, str] = {}
    for role, usual in ROLES.items():
        chosen = {"moves": found.moves, "play": found.play, **found.own}.get(role, usual)
        there = [name for name in chosen if hasattr(owner, name) and _usable(owner, name, role)]
        if role in roles or there:
            names[role] = roles.get(role) or there[0]
    names = {role: name for role, name in names.items() if name != "none"}
    if (
        "payoff" in names and names["payoff"] == names["play"]
    ):  # result() makes a move in some, and is the end in others
        del names["payoff"]
    takes = {role: required(getattr(owner, names[role])) for role in ("moves", "play")}
    passes = "start" in names and takes["moves"] >= 1 and takes["play"] != 1  # some start() asks people for moves
    if not passes:
        if isinstance(owner, types.ModuleType):
            untold = f"{names['moves']}(position) and {names['play']}(position, move) have to take these"
            raise SpecError(f"{what}: {untold if 'start' in names else lacking(owner, roles)}")
        names.pop("start", None)
        first, same = ([*parameters_of(getattr(owner, names[role])), ""][0] for role in ("moves", "play"))
        if first == same and first and first.lower().strip("_") not in LETTERS:
            raise SpecError(
                f"{what}: {names['moves']}({first}) takes the position, and nothing gives the first one; "
                f"{_said('start')}, or what --map start=NAME names"
            )
    return Target(owner, found.name, names, passes)


def _usable(owner: Any, name: str, role: str) -> bool:
    """Tell whether what has a name can fill a role: some functions of that name want to know the last move."""
    wanted = required(getattr(owner, name))
    return role != "winner" or wanted - isinstance(owner, types.ModuleType) <= 1


def lacking(owner: Any, roles: Mapping[str, str]) -> str:
    """Return what a module, a class or an object lacks to be a game: each role without a name, the names that there
    are, and what ``--map`` could say.
    """
    for role, name in roles.items():
        if not hasattr(owner, name) and (name != "none" or role in NEEDED):
            return f"it has no {name!r} for its {role}; {_there(owner)}"
    asked = (*NEEDED, "over", "mover", "winner")[not isinstance(owner, types.ModuleType) :]
    unfilled = [role for role in asked if role not in roles and not any(hasattr(owner, name) for name in ROLES[role])]
    needed = [role for role in unfilled if role in NEEDED]
    also = f", nor for {listed([role for role in unfilled if role not in NEEDED])}" * (len(needed) < len(unfilled))
    named = ",".join(f"{role}={name}" for role, name in _guessed(owner, roles, unfilled).items())
    return (
        f"there is nothing for {listed(needed, 'and')}{also}; {_there(owner)}; {', '.join(map(_said, needed))}; "
        f"--map {named} says so"
    )


def _guessed(owner: Any, roles: Mapping[str, str], unfilled: Sequence[str]) -> dict[str, str]:
    """Return names for roles, of functions that take as much and are called alike; or ``NAME`` where one is needed."""
    usual = {name for names in ROLES.values() for name in names}
    free, found, module = set(_names(owner)) - usual, dict(roles), isinstance(owner, types.ModuleType)
    for role in sorted(unfilled, key=NEEDED.__contains__):  # what is left over may be what is needed
        takes = {"start": 0, "play": 2}.get(role, 1)
        able = sorted(free - {*found.values()})
        able = [name for name in able if required(getattr(owner, name)) == takes] if module else able
        alike = [name for name in able if meant(name, ROLES[role])]
        if role in NEEDED:
            alike = alike or (able if module and len(able) == 1 else ["NAME"])
        if alike:
            found[role] = alike[0]
    return {role: found[role] for role in ROLES if role in found}


def _said(role: str) -> str:
    return f"{role} may be {' or '.join(ROLES[role][:3])} ..."


def _names(owner: Any) -> list[str]:
    """Return the names of a module's own functions, or of what an object or a class has."""
    if not isinstance(owner, types.ModuleType):
        return [name for name in dir(owner) if not name.startswith("_")]
    functions = inspect.getmembers(owner, inspect.isfunction)
    return [name for name, value in functions if value.__module__ == owner.__name__]


def _there(owner: Any) -> str:
    names = _names(owner)
    return f"it has {shortened(names, 12)}" if names else "it has no names"


def required(function: Any) -> int:
    """Return how many arguments a function has to be given; 0 of what is none, or cannot be asked."""
    return len(parameters_of(function))


def parameters_of(function: Any) -> list[str]:
    """Return the names of the arguments that a function has to be given."""
    if not callable(function):
        return []
    try:
        taken = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [each.name for each in taken if each.default is each.empty and each.kind < inspect.Parameter.VAR_POSITIONAL]


def refuse_unknown(names: Iterable[str], what: str, arguments: Sequence[str] = ()) -> None:
    """Raise `SpecError` for the first name that is no role, no setting and none of the ``arguments`` of ``what``."""
    known = (*ROLES, *SETTINGS, *arguments)
    name = next((name for name in names if name not in known), None)
    if name is None:
        return
    taken = f"; its arguments are {', '.join(arguments)}" if arguments else ""
    raise SpecError(
        f"{what}: {name!r} is not a role or setting{' or argument' * bool(arguments)}{meant(name, known)}; roles are "
        f"{', '.join(ROLES)}, and settings {', '.join(SETTINGS)}{taken}"
    )


# Objects of a class ---------------------------------------------------------------------------------------------------


class Seat:
    """Somebody who plays, for games that ask for players and never for their moves."""

    def __init__(self, name: str) -> None:
        self.name = name


def construct(kind: type, given: Mapping[str, str], what: str) -> Any:
    """Return an object of a class, with its arguments as a specification gives them. Raises `SpecError` where others
    are needed, or some that it does not take are given.
    """
    try:
        taken = inspect.signature(kind).parameters
    except (TypeError, ValueError):
        taken = {}  # type: ignore[assignment] # of what is not written in Python
    arguments: dict[str, Any] = {}
    refuse_unknown(given, what, [*taken])
    for name, parameter in taken.items():
        if name in given:
            arguments[name] = _value(given[name], parameter.default)
        elif name == "players" and parameter.default in (parameter.empty, None):
            arguments[name] = [Seat("1"), Seat("2")]
        elif parameter.default is parameter.empty and parameter.kind < inspect.Parameter.VAR_POSITIONAL:
            raise SpecError(
                f"{what} is made with {name}: give it, {what}:{name}=VALUE, or name an object that the file makes"
            )
    return kind(**arguments)


def _value(text: str, default: Any) -> Any:
    """Return an argument as it is written in a specification: a number, a flag, or else a text."""
    if isinstance(default, str):
        return text
    lowered = text.lower()
    if lowered in ("true", "false"):
        return lowered == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def maximiser(players: tuple[str, ...]) -> str:
    """Return which of two players, as texts, gets the payoffs that are told without saying whose: the usual one of such
    a pair, X of X and O, else the one who begins.
    """
    pairs = [tuple(map(freeze, pair)) for pair in (*MARKS, (True, False))]
    return players[1] if players[::-1] in pairs and players not in pairs else players[0]
