"""The built-in games, and how a specification names one: ``tictactoe``, ``mnk:rows=4,cols=4,k=4``. A user game is named
by its file: ``path/to/file.py:Name:param=3``. A family is imported when it is asked for.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Collection
from typing import Any

from analysis.errors import SpecError
from analysis.rules.game import Game

FAMILIES = {
    "tictactoe": "mnk:TicTacToe",
    "mnk": "mnk:Mnk",
    "wild": "wild:Wild",
    "notakto": "notakto:Notakto",
    "connect": "connect:Connect",
    "hex": "hex:Hex",
    "domineering": "domineering:Domineering",
    "chomp": "chomp:Chomp",
    "nim": "nim:Nim",
    "kayles": "kayles:Kayles",
    "grundy": "grundy:Grundy",
    "dots_and_boxes": "dots_and_boxes:DotsAndBoxes",
    "othello": "othello:Othello",
    "hexapawn": "hexapawn:Hexapawn",
    "dodgem": "dodgem:Dodgem",
    "morris": "morris:Morris",
    "coin_grabber": "coin_grabber:CoinGrabber",
}
"""The module and the class of each family in which players move in turn, by the name that specifications give it."""

BIDDING = "bidding"

SHOWN_MOVES = 6

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def load_game(spec: str | Game) -> Game:
    """The game that a specification names.

    Args:
        spec: The name of a built-in family, or the path of a Python file with a user game, which is run; after either,
            ``:name=value,...`` sets parameters. A `Game` is returned as it is, and an object of a frozen dataclass with
            a method ``rules()``, or such a class, becomes one.

    Raises `SpecError` where no game has that name, where it has no such parameter or cannot have that value, and where
    the file cannot be run or holds no such game.

    >>> load_game("mnk:cols=4").spec
    'mnk:rows=3,cols=4,k=3'
    """
    if isinstance(spec, Game):
        return spec
    if not isinstance(spec, str):
        from analysis.games.user import as_game

        return as_game(spec)
    if is_user_game(spec):
        from analysis.games.user import user_family

        user, parameters = user_family(spec)
        return user(**_parse_parameters(user, parameters.split(",")))
    name, _, parameters = spec.strip().partition(":")
    if name == BIDDING:
        from analysis.games.bidding import Bidding, parameter_items

        return Bidding(**_parse_parameters(Bidding, parameter_items(parameters)))
    if name not in FAMILIES:
        known = [*FAMILIES, BIDDING]
        raise SpecError(f"no game is called {name!r}; {_nearest(name, known)}; `gametree games` lists them")
    family = find_family(name)
    return family(**_parse_parameters(family, parameters.split(",")))


def is_user_game(spec: str) -> bool:
    """Whether a specification names a Python file."""
    return spec.strip().partition(":")[0].endswith(".py")


def find_family(name: str) -> type[Game]:
    """The class of a built-in family, ``bidding`` included. Raises `KeyError` where no family has that name."""
    module, _, kind = "bidding:Bidding".partition(":") if name == BIDDING else FAMILIES[name].partition(":")
    return getattr(importlib.import_module(f"analysis.games.{module}"), kind)


def list_games() -> list[dict[str, Any]]:
    """Every built-in family: its name, parameters with type and default, description, how its start and its first moves
    are written, what sizes fit, what is known of it, and a specification to try.
    """
    return [
        {
            "name": name,
            "parameters": [
                {"name": f.name, "type": type(f.default).__name__, "default": f.default}
                for f in family.parameter_fields()
            ],
            "description": family.description,
            **_notation(family()),
            "sizes": family.sizes,
            "known": family.known,
            "example": family.example,
        }
        for name, family in ((name, find_family(name)) for name in (*FAMILIES, BIDDING))
    ]


def _notation(game: Game) -> dict[str, Any]:
    """How the start and the first moves of a game are written."""
    from analysis.games.bidding import Bidding

    if isinstance(game, Bidding):
        return {"start": game.format_state(game.start), "moves": _notation(game.base)["moves"]}
    rules = game.rules()
    moves = [game.format_move(code) for code, _ in rules.moves(rules.start)]
    shown = moves if len(moves) <= SHOWN_MOVES else [*moves[: SHOWN_MOVES - 1], "...", moves[-1]]
    return {"start": game.format_position(rules.start), "moves": " ".join(shown)}


def _parse_parameters(family: type[Game], items: list[str]) -> dict[str, Any]:
    types = {f.name: type(f.default) for f in family.parameter_fields()}
    values: dict[str, Any] = {}
    for item in filter(None, items):
        name, equals, value = (part.strip() for part in item.partition("="))
        if name not in types:
            raise SpecError(f"{family.family} has no parameter {name!r}; {_nearest(name, types)}")
        if name in values:
            raise SpecError(f"{name} is given twice in {','.join(items)!r}")
        if not equals:
            raise SpecError(f"{name} has no value in {','.join(items)!r}; write {name}=VALUE")
        values[name] = _parse_value(name, value, types[name])
    return values


def _parse_value(name: str, text: str, wanted: type) -> Any:
    if wanted is bool:
        if text.lower() not in _TRUTH:
            raise SpecError(f"{name}={text!r} is neither true nor false")
        return _TRUTH[text.lower()]
    if wanted is str and text:
        return text
    if wanted is int and re.fullmatch("[+-]?[0-9]+", text):
        return int(text)
    if wanted is str:
        raise SpecError(f"{name} has no value; write {name}=VALUE")
    raise SpecError(f"{name}={text!r} is no whole number")


def _nearest(name: str, known: Collection[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    if len(known) > 1:
        return f"there are {', '.join(known)}"
    return f"there is {next(iter(known))}" if known else "it has none"
