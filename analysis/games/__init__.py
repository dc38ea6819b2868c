"""The games on the shelf, and how a specification names one: ``tictactoe``, ``mnk:rows=4,cols=4,k=4``. A game of your
own is named by its file: ``path/to/file.py:Name:param=3``.
"""

from __future__ import annotations

import difflib
import re
from typing import Any

from analysis.errors import SpecError
from analysis.games.bidding import Bidding, parameter_items
from analysis.games.chomp import Chomp
from analysis.games.coin_grabber import CoinGrabber
from analysis.games.connect import Connect
from analysis.games.dodgem import Dodgem
from analysis.games.domineering import Domineering
from analysis.games.dots_and_boxes import DotsAndBoxes
from analysis.games.grundy import Grundy
from analysis.games.hex import Hex
from analysis.games.hexapawn import Hexapawn
from analysis.games.kayles import Kayles
from analysis.games.mnk import Mnk, TicTacToe
from analysis.games.morris import Morris
from analysis.games.nim import Nim
from analysis.games.notakto import Notakto
from analysis.games.othello import Othello
from analysis.games.user import as_game, is_own, own_family
from analysis.games.wild import Wild
from analysis.rules.game import Game

FAMILIES: dict[str, type[Game]] = {
    family.family: family
    for family in (
        TicTacToe,
        Mnk,
        Wild,
        Notakto,
        Connect,
        Hex,
        Domineering,
        Chomp,
        Nim,
        Kayles,
        Grundy,
        DotsAndBoxes,
        Othello,
        Hexapawn,
        Dodgem,
        Morris,
        CoinGrabber,
    )
}

SHOWN_MOVES = 6

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def load_game(spec: str | Game) -> Game:
    """The game that a specification names; a `Game` is returned as it is. A specification that names a Python file runs
    it. Raises `SpecError`.

    >>> load_game("mnk:cols=4").spec
    'mnk:rows=3,cols=4,k=3'
    """
    if isinstance(spec, Game):
        return spec
    if not isinstance(spec, str):
        return as_game(spec)
    if is_own(spec):
        own, parameters = own_family(spec)
        return own(**_parse_parameters(own, parameters.split(",")))
    name, _, parameters = spec.strip().partition(":")
    if name == Bidding.family:
        return Bidding(**_parse_parameters(Bidding, parameter_items(parameters)))
    family = FAMILIES.get(name)
    if family is None:
        known = [*FAMILIES, Bidding.family]
        raise SpecError(f"no game is called {name!r}; {_nearest(name, known)}; `gametree games` lists them")
    return family(**_parse_parameters(family, parameters.split(",")))


def list_games() -> list[dict[str, Any]]:
    """Every family: its name, parameters with type and default, description, and a specification to try."""
    families: dict[str, type[Game]] = {**FAMILIES, Bidding.family: Bidding}
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
        for name, family in families.items()
    ]


def _notation(game: Game) -> dict[str, Any]:
    """How the start and the first moves of a game are written."""
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


def _nearest(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return (
        f"did you mean {close[0]!r}?"
        if close
        else f"there are {', '.join(known)}"
        if len(known) > 1
        else f"there is {next(iter(known))}"
        if known
        else "it has none"
    )
