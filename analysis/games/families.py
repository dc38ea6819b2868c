"""Find the game that a specification names: a built-in one, ``tictactoe``, ``mnk:rows=4,cols=4,k=4``, ``mnk:4,4,4``, or
a user's by its file, ``path/to/file.py:Name:param=3``. Families are imported when needed.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.wording import described, did_you_mean
from ..errors import ArgumentError, SpecError
from ..rules.game import Game, GameLike

if TYPE_CHECKING:
    from .user import File

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
"""The module and class of each family in which players move alternately, by the name in specifications."""

BIDDING = "bidding"
OPEN_SPIEL = "open_spiel"  # begins the specifications of OpenSpiel's games
FOR_BIDS = (
    "solve, stats, show, explore (without --out), play, match and verify take it (in Python "
    "analysis.solve and analysis.bidding); for this, take the game on the board"
)
"""Ends messages about a bidding game where another kind is needed."""

TREE_SUFFIXES = (".graphml", ".json", ".txt", ".tree")
"""Suffixes of files that are taken for trees even if they do not exist."""

SHOWN_MOVES = 6

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

_NAMED: dict[str, tuple[Game, File]] = {}  # games loaded from files, by the hash of their rules


def load_game(spec: GameLike, roles: Mapping[str, str] | None = None) -> Game:
    """Load the game that a specification names.

    Args:
        spec: The name of a built-in family, or the path of a Python file with a user game, which is run; after either,
            ``:name=value,...`` sets parameters, and ``:value,...`` the first ones. A `Game` and that of a
            solution are returned as they are; an object of a frozen dataclass with a method ``rules()``, or such a
            class, becomes one. So does a game in plain Python that is recognised by the names of its
            functions: an object, a class, a module. ``open_spiel:NAME`` is a game of OpenSpiel.
        roles: Names for the roles in a game in plain Python, and settings, as ``--map`` takes them:
            ``{"winner": "champion"}``.

    Raises `SpecError` if no game has that name, if a parameter or its value is invalid, and if the file cannot be run
    or holds no such game.

    >>> load_game("mnk:cols=4").spec, load_game("mnk:4,4,3,misere").spec, load_game("nim:1-2").spec
    ('mnk:rows=3,cols=4,k=3', 'mnk:rows=4,cols=4,k=3,misere=true', 'nim:heaps=1-2,take=any')
    """
    spec = str(spec) if isinstance(spec, Path) else spec
    if not isinstance(roles, Mapping | None):
        raise ArgumentError(f"roles must be a dictionary such as {{'winner': 'champion'}}, not {described(roles)}")
    roles = {str(role): str(name) for role, name in (roles or {}).items()}
    if not isinstance(spec, str):
        return _game_of(spec, roles)
    if roles:
        spec = with_roles(spec, roles)
    name, _, parameters = spec.strip().partition(":")
    if name == BIDDING:
        bidding: Any = find_family(BIDDING)(**_bidding_parameters(parameters))
        return _remembered(bidding) if bidding.base.origin else bidding
    if name == OPEN_SPIEL:
        from .programs.open_spiel import load_open_spiel

        return load_open_spiel(spec)
    if is_user_game(spec):
        return _game_of_file(spec.strip())
    if is_tree(spec):
        from .trees.tree_game import load_tree

        return _remembered(load_tree(spec, is_written_out(spec)))
    if name not in FAMILIES:
        raise _no_such_game(name)
    family = find_family(name)
    return family(**parse_parameters(family, parameters.split(",")))


def _game_of_file(spec: str) -> Game:
    """Return the game of a Python file: compiled rules, or a program."""
    from .programs.loading import program_of_file
    from .user import find_game, parameters_of, split_spec, user_family

    file, kind, owner, parameters = find_game(spec)
    typed = split_spec(spec)[0]
    if isinstance(owner, type) and hasattr(owner, "rules"):
        family = user_family(typed, file, owner)
        return _of_values(family(**parse_parameters(family, parameters.split(","))), spec)
    return _remembered(program_of_file(spec, typed, file, owner, kind, parameters_of(parameters, spec), load_game))


def _of_values(game: Game, named: str) -> Game:
    """Return a user's game with the specification ``named``, explored if its states are not whole numbers."""
    from .programs.loading import game_of_values

    explored = game_of_values(game, named, load_game) or game
    return _remembered(explored) if named else explored


def with_roles(spec: str, roles: Mapping[str, str]) -> str:
    """Add names for roles, and settings, to the specification of a game in a Python file, or a limit to that of a game
    of OpenSpiel. Raises `SpecError` for other games, unknown roles, and names that a specification cannot contain.
    """
    from .programs.protocol import refuse_unknown
    from .user import split_spec

    if not is_user_game(spec) and not (spec.startswith(f"{OPEN_SPIEL}:") and {*roles} == {"limit"}):
        raise SpecError(f"--map is for a game in a Python file, which {spec} is not")
    refuse_unknown(roles, spec)
    for role, name in roles.items():
        if not name or re.search("[,=]", name):
            raise SpecError(f"--map {role}={name}: write ROLE=NAME, such as winner=champion, without , and = in NAME")
    typed, name, parameters = split_spec(spec)
    pairs = [f"{role}={name}" for role, name in roles.items()]
    return ":".join(filter(None, (typed, name, ",".join(filter(None, (parameters, *pairs))))))


def _game_of(value: Any, roles: Mapping[str, str]) -> Game:
    """Return the game of an object of the running program."""
    if not roles:
        for game in (value, getattr(value, "game", None)):  # a solution has one
            if isinstance(game, Game):
                return game
        if hasattr(value, "rules"):
            from .user import as_game

            return _of_values(as_game(value), "")
        if is_graph(value):
            from .trees.tree_game import tree_object

            return tree_object(value)
    from .programs.loading import foreign_object

    return foreign_object(value, roles)


def _no_such_game(name: str) -> SpecError:
    if name and Path(name).is_dir():
        return SpecError(f"no game is called {name!r}: it is a directory; `gametree games` lists the games")
    return SpecError(
        f"no game is called {name!r}{did_you_mean(name, [*FAMILIES, BIDDING])}; `gametree games` lists them"
    )


def _remembered(game: Game) -> Game:
    from .user import file_of

    _NAMED[game.rules_hash()] = game, file_of(getattr(game, "base", game).origin_file)
    return game


def named_before(rules_hash: str) -> Game | None:
    """Return the game with this hash that `load_game` has loaded from a file that is unchanged since, or None."""
    game, file = _NAMED.get(rules_hash, (None, None))
    return game if file is not None and file.unchanged else None


def runs_a_file(spec: str) -> bool:
    """Return whether `load_game` runs a Python file for a specification: of a user game, or of bidding for its moves.
    Raises `SpecError` for invalid parameters of a bidding game.
    """
    name, _, parameters = spec.strip().partition(":")
    if name == BIDDING:
        return runs_a_file(_bidding_parameters(parameters).get("game", ""))
    return is_user_game(spec)


def _bidding_parameters(text: str) -> dict[str, Any]:
    bidding: Any = find_family(BIDDING)
    return parse_parameters(bidding, bidding.parameter_items(text))


def is_user_game(spec: str) -> bool:
    """Return whether a specification names a Python file."""
    return spec.strip().partition(":")[0].endswith(".py")


def is_specification(text: str) -> bool:
    """Return whether a text begins with the name of a family, as OpenSpiel's games do, or names a Python file."""
    return text.strip().partition(":")[0] in (*FAMILIES, BIDDING, OPEN_SPIEL) or is_user_game(text)


def is_tree(spec: str) -> bool:
    """Return whether a specification is a tree: a file that exists or has the suffix of a tree, or a tree written out.

    >>> is_tree("tree.json"), is_tree("((3 12) (2 4))"), is_tree("nim:1-2"), is_tree("three.py")
    (True, True, False, False)
    """
    typed = spec.strip()
    if is_specification(typed):
        return False
    with contextlib.suppress(OSError, ValueError):  # not a valid file name
        if Path(typed).exists():
            return not Path(typed).is_dir()
    return is_written_out(typed) or Path(typed).suffix.lower() in TREE_SUFFIXES


def is_written_out(text: str) -> bool:
    """Return whether a text is itself a tree, not a path with brackets in it."""
    typed = text.strip()
    if not typed.startswith(("{", "[")) and ("(" not in typed or is_user_game(typed)):
        return False
    with contextlib.suppress(OSError, ValueError):
        return not Path(typed).exists()
    return True


def is_graph(game: object) -> bool:
    """Return whether an object is a graph of networkx."""
    return hasattr(game, "nodes") and hasattr(game, "is_directed")


def find_family(name: str) -> type[Game]:
    """Return the class of a built-in family, bidding included. Raises `KeyError` for an unknown name."""
    module, _, kind = (FAMILIES | {BIDDING: "bidding:Bidding"})[name].partition(":")
    return getattr(importlib.import_module(f".{module}", __package__), kind)


def list_games(names: Collection[str] | None = None) -> list[dict[str, Any]]:
    """Return every built-in family, or those of these ``names``: its name, parameters with type and
    default, description, notation of its start and first moves, evaluations, the kinds of ``symmetry`` that merge its
    positions with these defaults, sizes that fit, what is known, and a specification to try. Raises `SpecError` for an
    unknown name.

    >>> [game["parameters"][0]["name"] for game in list_games(["hex", "nim"])]
    ['n', 'heaps']
    """
    return [_entry(name) for name in names or (*FAMILIES, BIDDING)]


def _entry(name: str) -> dict[str, Any]:
    """Return the entry of `list_games` for a family."""
    if name not in (*FAMILIES, BIDDING):
        raise _no_such_game(name)
    family = find_family(name)
    return {
        "name": name,
        "parameters": [
            {"name": f.name, "type": type(f.default).__name__, "default": f.default} for f in family.parameter_fields()
        ],
        "description": family.description,
        "files": family.files,
        **_notation(family()),
        "sizes": family.sizes,
        "known": family.known,
        "example": family.example,
    }


def _notation(game: Any) -> dict[str, Any]:
    """Return how the start and the first moves are written, the evaluations, and what merges positions."""
    if game.family == BIDDING:
        return _notation(game.base) | {"start": game.format_state(game.start), "symmetry": ""}
    rules = game.rules()
    moves = [game.format_move(code) for code, _ in rules.moves(rules.start)]
    shown = moves if len(moves) <= SHOWN_MOVES else [*moves[: SHOWN_MOVES - 1], "...", moves[-1]]
    kinds = {
        "geometric": len(rules.symmetries) > 1 or rules.exchange or rules.canonical is not None,
        "full": bool(rules.lines),
        "residual": type(game).residual is not Game.residual,  # if the board is not too large for it
    }
    return {
        "start": game.format_position(rules.start),
        "moves": " ".join(shown),
        "evaluations": " ".join(rules.evaluations),
        "symmetry": " ".join(kind for kind, merges in kinds.items() if merges),
    }


def parse_parameters(family: type[Game], items: list[str]) -> dict[str, Any]:
    """Return the parameters that a specification sets, by place or by name; a flag's name alone sets it. Raises
    `SpecError` for an unknown parameter or a wrong type.
    """
    types, values = {f.name: type(f.default) for f in family.parameter_fields()}, dict[str, str]()
    names = list(types)
    for place, item in enumerate(items if any(items) else ()):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals and types.get(name) is bool:
            value = "true"
        elif not equals and name not in types and list(values) == names[:place] != names:
            name, value = names[place], name
        if name not in types or name in values or not value:
            raise SpecError(
                f"{item!r} is not read{did_you_mean(name, types)}; write NAME=VALUE, or the first values in order, of "
                f"{', '.join(names) or 'none'} ({family.family})"
            )
        values[name] = value
    return {name: _parse_value(name, value, types[name]) for name, value in values.items()}


def _parse_value(name: str, text: str, kind: type) -> Any:
    if kind is bool and text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    if kind is bool:
        raise SpecError(f"{name}={text!r} is neither true nor false")
    if kind is int and not re.fullmatch("[+-]?[0-9]{1,1000}", text):
        raise SpecError(f"{name}={text!r} is not a whole number")
    return kind(text)
