"""Games of OpenSpiel, ``open_spiel:connect_four:rows=4,columns=4``, as an adapter of what explores programs."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from analysis.errors import RulesError, SpecError
from analysis.games.foreign.adapter import Adapter, Ended, Reply, Situation
from analysis.games.foreign.audit import audit
from analysis.games.foreign.exploring import LIMIT, RulesGraph
from analysis.games.foreign.freezing import Attribute
from analysis.games.foreign.game import ForeignGame
from analysis.games.foreign.interfaces import Target
from analysis.games.foreign.loading import graph_of, said
from analysis.wording import meant

NAME = "open_spiel"
VERSION = 2
"""Raised when games are read in another way, so that what is stored is solved again."""
BY_BOARD = (
    "breakthrough", "clobber", "connect_four", "dots_and_boxes", "gomoku", "hex", "mancala", "mnk", "nim",
    "nine_mens_morris", "othello", "pentago", "tic_tac_toe", "twixt", "ultimate_tic_tac_toe",
)  # fmt: skip
"""Games in which the board, as OpenSpiel writes it, and who moves tell positions apart. The boards of others hide what
was taken up, moves since the last capture, or positions that may not come again.
"""
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def load_open_spiel(spec: str) -> ForeignGame:
    """Return the game that a specification names; nothing is explored yet. Raises `SpecError` where OpenSpiel is not
    installed, has no such game or parameter, or where the game is of another kind.
    """
    found = re.fullmatch(r"\w+:\s*(\w+)(?:\((.*)\))?(?:[:,](.*))?", spec.strip(), re.DOTALL)
    if not found:
        raise SpecError(f"{spec!r} names no game of OpenSpiel; write {NAME}:connect_four:rows=4,columns=4")
    given = ",".join(filter(None, found.groups()[1:]))
    limit = re.search(r"\blimit=(\w*),?", given)
    if limit and not limit[1].isdecimal():
        raise SpecError(f"limit={limit[1]} is not a number of positions")
    game = _loaded(found[1], (given.replace(limit[0], "") if limit else given).strip(","))
    name, _, parameters = str(game).removesuffix(")").partition("(")
    most = int(limit[1]) if limit else LIMIT
    named = ":".join(filter(None, (NAME, name, parameters)))
    named += f"{',' if parameters else ':'}limit={most}" if most != LIMIT else ""
    version = importlib.metadata.version("open_spiel")
    digest = hashlib.sha256(f"{VERSION} {version} {game}".encode()).hexdigest()
    explored = functools.partial(_explored, game, named, most)
    kind, reopen = f"{NAME}_{name}", (load_open_spiel, (named,))
    return SpielGame(named, digest, explored, typed=f"{NAME}:{name}", kind=kind, reopen=reopen)


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise SpecError("OpenSpiel is not installed; pip install 'gametree[openspiel]' does") from None
    return pyspiel


def _loaded(name: str, parameters: str) -> Any:
    """Return a game of OpenSpiel. Raises `SpecError` where there is none, or none that can be solved."""
    pyspiel = _pyspiel()
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in kinds:
        raise SpecError(f"OpenSpiel has no game {name!r}{meant(name, BY_BOARD)}; `gametree games` has those to solve")
    inner = re.match(r"game=(\w+)", parameters) if name == "misere" else None
    if (inner[1] if inner else name) not in BY_BOARD:
        raise SpecError(
            f"{name} of OpenSpiel cannot be solved: two players have to take turns without chance, "
            f"with nothing hidden, and boards have to tell all, as in {', '.join(BY_BOARD)}"
        )
    if wrong := re.search(r"(\w+)=-[0-9]|\b(\w*file\w*)=", parameters):
        raise SpecError(f"{name} of OpenSpiel cannot have {wrong[0]}; give numbers from 0, and no file")
    try:
        with _quiet():
            game = pyspiel.load_game(f"{name}({parameters})")
            if game.num_distinct_actions() < 1 or game.max_game_length() < 1:
                raise SpecError(f"{game} of OpenSpiel has no moves; give larger parameters")
            game.new_initial_state()
    except pyspiel.SpielError as error:
        there = ", ".join(f"{key}={value}" for key, value in kinds[name].parameter_specification.items())
        cause = str(error).splitlines()[0].partition(" Available parameters")[0].rstrip(". ")
        raise SpecError(f"{name} of OpenSpiel: {cause}; its parameters are {there or 'none'}") from None
    return game


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Drop what OpenSpiel, which is not Python, writes on standard error by itself."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def list_open_spiel() -> list[dict[str, Any]]:
    """Return the games of OpenSpiel that can be solved, as `analysis.list_games` has its own; none if it is not
    installed.
    """
    try:
        kinds = _pyspiel().registered_games()
    except SpecError:
        return []
    return [
        {
            "name": f"{NAME}:{kind.short_name}",
            "parameters": [{"name": key, "default": each} for key, each in kind.parameter_specification.items()],
            "description": kind.long_name,
            "sizes": "",
            "known": "",
            "example": f"{NAME}:{kind.short_name}",
        }
        for kind in kinds
        if kind.short_name in BY_BOARD
    ]


class SpielGame(ForeignGame):
    """A game of OpenSpiel, explored."""

    description = "a game of OpenSpiel"

    def parse_position(self, text: str) -> int:
        """Return the rank of a position, which may also be written as OpenSpiel does, on several lines."""
        return super().parse_position(tight(text) if "\n" in text.strip() else text)


class SpielAdapter(Adapter):
    """A game of OpenSpiel as positions, moves and ends. Moves are texts; those of two actions are told apart."""

    def __init__(self, game: Any) -> None:
        names = {"moves": "legal_actions", "play": "apply_action", "mover": "current_player", "payoff": "returns"}
        super().__init__(Target(game, "OpenSpiel", names, True), lambda state: state.clone(), ["OpenSpiel"], [0, 1])
        self._actions: dict[tuple[int, str], int] = {}
        self._texts: dict[tuple[int, int], str] = {}

    def start(self) -> Situation:
        """Return the first position."""
        return Situation(self.target.owner.new_initial_state(), 0)

    def all_parts(self, place: Situation) -> list[Attribute]:
        """Return what tells a position apart, and who moves."""
        state = place.state
        mover = "over" if state.is_terminal() else str(state.current_player())
        return [("", COLOURS.sub("", str(state))), ("mover", mover)]

    def look(self, where: Situation) -> Reply:
        """Return what the rules say of a position. Raises `RulesError` where they are not those of a game here."""
        state = where.state
        if state.is_terminal():
            one, other = state.returns()
            if one + other:
                raise RulesError(f"the players get {one:g} and {other:g}; one player's gain must be the other's loss")
            return Reply("", Ended(one, "0"), ())
        player = state.current_player()
        moves = tuple(self._text(state, player, action) for action in state.legal_actions())
        if player not in (0, 1) or not moves:
            raise RulesError("the game goes on, and nobody is to move, or there is no move")
        return Reply(str(player), None, moves)

    def _text(self, state: Any, player: int, action: int) -> str:
        """Return a move as text, always the same for an action, and never that of another action."""
        text = self._texts.get((player, action))
        if text is None:
            text = state.action_to_string(player, action).strip(" ;")
            if (player, text) in self._actions:
                text = f"{text}#{action}"
            self._texts[player, action], self._actions[player, text] = text, action
        return text

    def play(self, where: Situation, move: str) -> Situation:
        """Return the position after a move."""
        return Situation(where.state.child(self._actions[where.state.current_player(), move]), 0)

    def in_order(self, move: str) -> Any:
        """Return by what moves are put in order: by their actions."""
        return min((self._actions[each, move], each) for each in (0, 1) if (each, move) in self._actions), move


def _explored(game: Any, named: str, limit: int) -> RulesGraph:
    """Return the graph of a game. Raises `RulesError` and `TooLargeError`."""
    adapter = SpielAdapter(game)
    graph = graph_of(lambda: (adapter, dataclasses.replace(audit(adapter), opaque=(), harmless=())), named, limit)
    return said(graph._replace(keys=one_line(graph.keys)), named)


# Boards on one line ---------------------------------------------------------------------------------------------------


def tight(board: str) -> str:
    """Return a board without its blanks, its rows parted by strokes.

    >>> tight("x . . \\n . o . \\n  . . . ")
    'x../.o./...'
    """
    return "/".join(filter(None, ("".join(line.split()) for line in COLOURS.sub("", board).splitlines())))


def one_line(keys: Sequence[str]) -> list[str]:
    """Return positions with their boards on one line, in the first way that tells all of them apart."""
    parts = [key.rpartition("; mover=") for key in keys]
    ways: tuple[Callable[[str], str], ...] = (tight, lambda board: json.dumps(board, ensure_ascii=False))
    for write in ways:
        found = [write(board) + side + rest for board, side, rest in parts]
        if len(set(found)) == len(found):
            break
    return found
