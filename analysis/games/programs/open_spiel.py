"""Explore games of OpenSpiel, such as ``open_spiel:connect_four:rows=4,columns=4``, as programs."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...common.wording import did_you_mean
from ...errors import SpecError
from ..graphs.graph import Graph
from ..graphs.graph_game import GraphGame
from ..user import parameters_of
from .adapter import Adapter, Situation
from .audit import audit
from .exploring import LIMIT
from .freezing import Attribute
from .loading import graph_of, limit_of
from .protocol import Reading

NAME = "open_spiel"
VERSION = 3  # raised when games are read in another way, so that stored games are solved again
BY_BOARD = (
    "breakthrough", "clobber", "connect_four", "dots_and_boxes", "gomoku", "hex", "mancala", "mnk", "nim",
    "nine_mens_morris", "othello", "pentago", "tic_tac_toe", "twixt", "ultimate_tic_tac_toe",
)  # fmt: skip
"""Games whose positions are told apart by OpenSpiel's text of the board and the player to move. Boards of others hide
captured pieces, moves since the last capture, or forbidden repetitions.
"""
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def load_open_spiel(spec: str) -> GraphGame:
    """Return the game that a specification names; explore nothing yet. Raises `SpecError` if OpenSpiel is not
    installed, has no such game or parameter, or the game is of another kind.
    """
    match = re.fullmatch(r"\w+:\s*(\w+)(?:\((.*)\))?(?:[:,](.*))?", spec.strip(), re.DOTALL)
    if not match:
        raise SpecError(f"{spec!r} names no game of OpenSpiel; write {NAME}:connect_four:rows=4,columns=4")
    given = parameters_of(",".join(filter(None, match.groups()[1:])), spec)
    limit = limit_of(given.pop("limit", str(LIMIT)))
    game = _loaded(match[1], given)
    name, _, parameters = str(game).removesuffix(")").partition("(")
    parameters = ",".join(filter(None, (parameters, f"limit={limit}" * (limit != LIMIT))))
    named = ":".join(filter(None, (NAME, name, parameters)))
    version = importlib.metadata.version("open_spiel")
    digest = hashlib.sha256(f"{VERSION} {version} {game}".encode()).hexdigest()
    explored = functools.partial(_explored, game, named, limit)
    kind, reopen = f"{NAME}_{name}", (load_open_spiel, (named,))
    return SpielGame(named, digest, explored, typed=f"{NAME}:{name}", kind=kind, reopen=reopen)


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise SpecError("OpenSpiel is not installed; pip install 'gametree[openspiel]' does") from None
    return pyspiel


def _loaded(name: str, given: Mapping[str, str]) -> Any:
    """Return a game of OpenSpiel. Raises `SpecError` if it does not exist or cannot be solved."""
    pyspiel = _pyspiel()
    inner = re.match(r"\w*", given.get("game", ""))
    if (inner[0] if inner and name == "misere" else name) not in BY_BOARD:
        raise SpecError(
            f"OpenSpiel has no game {name} that can be solved{did_you_mean(name, BY_BOARD)}: two players have to take "
            f"turns without chance, with nothing hidden, and boards have to tell all, as in {', '.join(BY_BOARD)}"
        )
    if wrong := next((key for key, value in given.items() if "file" in key or value.startswith("-")), None):
        raise SpecError(f"{name} of OpenSpiel cannot have {wrong}={given[wrong]}; give numbers from 0, and no file")
    try:
        with _quiet():
            game = pyspiel.load_game(f"{name}({','.join(map('='.join, given.items()))})")
            if game.num_distinct_actions() < 1 or game.max_game_length() < 1:
                raise SpecError(f"{game} of OpenSpiel has no moves; give larger parameters")
            game.new_initial_state()
    except pyspiel.SpielError as error:
        cause = str(error).splitlines()[0].partition(" Available parameters")[0].rstrip(". ")
        kind = next(kind for kind in pyspiel.registered_games() if kind.short_name == name)
        parameters = ", ".join(f"{key}={value}" for key, value in kind.parameter_specification.items())
        raise SpecError(f"{name} of OpenSpiel: {cause}; its parameters are {parameters or 'none'}") from None
    return game


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Drop what OpenSpiel's own code, which is not Python, writes to standard error."""
    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)


def list_open_spiel() -> list[dict[str, Any]]:
    """Return the games of OpenSpiel that can be solved, in the form of `analysis.list_games`; none if it is not
    installed.
    """
    try:
        kinds = _pyspiel().registered_games()
    except SpecError:
        return []
    return [
        {
            "name": f"{NAME}:{kind.short_name}",
            "parameters": [{"name": key, "default": value} for key, value in kind.parameter_specification.items()],
            "description": kind.long_name,
            "sizes": "",
            "known": "",
            "example": f"{NAME}:{kind.short_name}",
        }
        for kind in kinds
        if kind.short_name in BY_BOARD
    ]


class SpielGame(GraphGame):
    """A game of OpenSpiel, played by the graph of its positions."""

    description = "a game of OpenSpiel"

    def parse_position(self, text: str) -> int:
        """Return the rank of a position, which may also be OpenSpiel's text of several lines."""
        return super().parse_position(tight(text) if "\n" in text.strip() else text)


class SpielAdapter(Adapter):
    """A game of OpenSpiel as positions, moves and ends. Moves are texts; equal texts of two actions get numbers."""

    def __init__(self, game: Any) -> None:
        names = {
            "moves": "legal_actions", "play": "apply_action", "mover": "current_player", "over": "is_terminal",
            "payoff": "returns",
        }  # fmt: skip
        reading = Reading(game.new_initial_state(), names, False, frozenset({"over"}))
        super().__init__(reading, lambda state: state.clone(), ["OpenSpiel"], [0, 1])
        self._actions: dict[tuple[int, str], int] = {}

    def prepare(self, history: list[Any]) -> None:
        """Do nothing: players are 0 and 1, and pass the turn on."""

    def all_parts(self, position: Situation) -> list[Attribute]:
        """Return the board on one line, and who moves."""
        state = position.state
        return [("", tight(str(state))), ("mover", "over" if state.is_terminal() else str(state.current_player()))]

    def moves(self, position: Situation) -> tuple[str, ...]:
        """Return the texts of the legal moves."""
        player, texts = position.state.current_player(), []
        for action in position.state.legal_actions():
            text = position.state.action_to_string(player, action).strip(" ;")
            if self._actions.setdefault((player, text), action) != action:
                text = f"{text}#{action}"
                self._actions[player, text] = action
            texts.append(text)
        return tuple(texts)

    def play(self, position: Situation, move: str) -> Situation:
        """Return the position after a move."""
        return Situation(position.state.child(self._actions[position.state.current_player(), move]), 0)

    def in_order(self, move: str) -> Any:
        """Return the key by which moves are sorted: their actions."""
        return min((self._actions[player, move], player) for player in (0, 1) if (player, move) in self._actions), move


def _explored(game: Any, named: str, limit: int) -> Graph:
    """Return the graph of a game. Raises `RulesError` and `TooLargeError`."""
    adapter = SpielAdapter(game)
    return graph_of(adapter, lambda: audit(adapter), named, limit)


def tight(board: str) -> str:
    """Return a board without blanks, its rows separated by slashes. On boards with drawn lines, blanks become points.

    >>> tight("x . . \\n . o . \\n  . . . ")
    'x../.o./...'
    """
    rows = COLOURS.sub("", board).replace(" ", "." if "┌" in board else "").split("\n")
    return "/".join(filter(None, map(str.strip, rows)))
