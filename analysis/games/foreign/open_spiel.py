"""Games of OpenSpiel, ``open_spiel:connect_four:rows=4,columns=4``: which of them qualify, what tells their positions
apart, and their graphs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import importlib.metadata
import json
import logging
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from typing import Any

from analysis.errors import PositionError, RulesError, SpecError, TooLargeError
from analysis.games.foreign.adapter import Adapter, Ended, Reply, Situation
from analysis.games.foreign.audit import audit
from analysis.games.foreign.exploring import LIMIT, RulesGraph, joined
from analysis.games.foreign.freezing import Attribute
from analysis.games.foreign.game import ForeignGame
from analysis.games.foreign.interfaces import Target
from analysis.games.foreign.keeping import kept_graph
from analysis.games.foreign.loading import graph_of, said
from analysis.rules.positions import play_on
from analysis.wording import listed, meant

LOG = logging.getLogger("gametree")
NAME = "open_spiel"
VERSION = 1
"""Raised when games are read in another way, so that what is stored is solved again."""
BOARD, UNMARKED, PLY, HISTORY = "board", "board without its mark of the last move", "board and ply", "history"
"""What tells positions apart, besides who moves; by boards as OpenSpiel writes them."""
KEYS = {
    **dict.fromkeys(
        (
            "breakthrough", "clobber", "connect_four", "dots_and_boxes", "gomoku", "hex", "mancala", "mnk", "nim",
            "nine_mens_morris", "othello", "pentago", "tic_tac_toe", "twixt", "ultimate_tic_tac_toe",
        ),
        BOARD,
    ),
    "havannah": UNMARKED,
    "y": UNMARKED,
    "quoridor": PLY,
}  # fmt: skip
"""By game; of others the history, since their boards do not tell all: what was taken up and not put down, moves since
the last capture, positions that may not come again. Mancala and nine men's morris write a count of moves on the board.
"""
SIDE = "; mover="
"""Between a board and what else a position is."""
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
OVER = "over"
SAMPLES = 51
"""Random games that tell how many histories there are."""


def load_open_spiel(spec: str) -> ForeignGame:
    """Return the game that a specification names; nothing is explored yet. Raises `SpecError` where OpenSpiel is not
    installed, has no such game or parameter, or where the game is of another kind.
    """
    name, parameters, limit = _split(spec)
    game = _loaded(name, parameters)
    wrong = unfit(game.get_type(), game.num_players())
    if wrong:
        raise SpecError(f"{name} of OpenSpiel has {wrong}; `gametree games` lists what can be solved")
    text = str(game)
    name, _, given = text.removesuffix(")").partition("(")
    named = ":".join(filter(None, (NAME, name, ",".join(filter(None, (given, f"limit={limit}" * (limit != LIMIT)))))))
    version = importlib.metadata.version("open_spiel")
    key = KEYS.get(_inner(game), HISTORY)
    digest = hashlib.sha256(f"{VERSION} {version} {key} {text}".encode()).hexdigest()
    explored = functools.partial(_explored, game, named, limit, digest)
    return SpielGame(
        named, digest, explored, typed=f"{NAME}:{name}", kind=f"{NAME}_{name}", reopen=(load_open_spiel, (named,))
    )


def _split(spec: str) -> tuple[str, str, int]:
    """Return the name of a game, its parameters as OpenSpiel writes them, and how many positions are explored."""
    text = spec.strip().partition(":")[2].strip()
    found = re.fullmatch(r"(\w*)(?:\((.*)\))?(?:(?<!^)[:,](.*))?", text, re.DOTALL)
    if not found or not found[1]:
        raise SpecError(
            f"{spec!r} names no game of OpenSpiel; write {NAME}:tic_tac_toe or {NAME}:connect_four:rows=4,columns=4"
        )
    items = [item.strip() for part in found.groups()[1:] if part for item in re.split(r",(?![^()]*\))", part)]
    limit = next((item.partition("=")[2] for item in items if item.startswith("limit=")), str(LIMIT))
    if not limit.isdecimal():
        raise SpecError(f"limit={limit} is not a number of positions")
    return found[1], ",".join(item for item in items if item and not item.startswith("limit=")), int(limit)


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise SpecError("OpenSpiel is not installed; pip install 'gametree[openspiel]' does") from None
    return pyspiel


def _loaded(name: str, parameters: str) -> Any:
    """Return a game of OpenSpiel, which writes its errors and warnings on standard error by itself."""
    pyspiel = _pyspiel()
    _require(name, pyspiel.registered_names())
    if re.search(r"\bfile\w*=", parameters):
        raise SpecError(f"{name} of OpenSpiel is read from a file; give the file as a tree or as a game of its own")
    if below := re.search(r"(\w+)=-[0-9]", parameters):
        raise SpecError(f"{below[1]} of {name} must be 0 or more")
    try:
        with _kept() as told:
            game = pyspiel.load_game(f"{name}({parameters})")
            empty = game.num_distinct_actions() < 1 or game.max_game_length() < 1
            if not empty:
                game.new_initial_state()
    except pyspiel.SpielError as error:
        kind = next(each for each in pyspiel.registered_games() if each.short_name == name)
        there = ", ".join(f"{key}={_spelled(value)}" for key, value in kind.parameter_specification.items())
        cause = str(error).splitlines()[0].partition(" Available parameters")[0].rstrip(". ")
        raise SpecError(f"{name} of OpenSpiel: {cause}; its parameters are {there or 'none'}") from None
    if empty:
        raise SpecError(f"{game} of OpenSpiel has no moves; give larger parameters")
    if told:
        LOG.info(f"OpenSpiel: {' '.join(told[0].split())}")
    return game


def _require(name: str, names: Collection[str]) -> None:
    """Raise `SpecError` where OpenSpiel has no game of a name."""
    if name not in names:
        close = meant(name, names)
        raise SpecError(f"OpenSpiel has no game {name!r}{close}; `gametree games` lists those that can be solved")


@contextlib.contextmanager
def _kept() -> Iterator[list[str]]:
    """Keep what is written on standard error inside, also by code that is not Python; a text once that is left."""
    found: list[str] = []
    try:
        sys.stderr.flush()
        before = os.dup(2)
    except OSError:  # it is closed
        yield found
        return
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield found
        finally:
            os.dup2(before, 2)
            os.close(before)
            file.seek(0)
            found += filter(None, [file.read().decode(errors="replace")])


def unfit(kind: Any, players: int) -> str:
    """Return what a kind of game has, with so many players, that no game here may have; nothing if it is fit."""
    pyspiel = _pyspiel().GameType
    reasons = {
        "simultaneous moves": kind.dynamics != pyspiel.Dynamics.SEQUENTIAL,
        "chance": kind.chance_mode != pyspiel.ChanceMode.DETERMINISTIC,
        "hidden information": kind.information != pyspiel.Information.PERFECT_INFORMATION,
        f"{players} player{'s' * (players != 1)}": players != 2,
        "payoffs of which one player's are not the other's loss": kind.utility != pyspiel.Utility.ZERO_SUM,
    }
    return listed([reason for reason, there in reasons.items() if there], "and")


def list_open_spiel() -> list[dict[str, Any]]:
    """Return the games of OpenSpiel that can be solved, as `analysis.list_games` has its own; none if it is not
    installed.
    """
    try:
        kinds = _pyspiel().registered_games()
    except SpecError:
        return []
    rows = []
    for kind in kinds:
        if not unfit(kind, 2 if kind.min_num_players <= 2 <= kind.max_num_players else kind.min_num_players):
            parameters = {key: _spelled(value) for key, value in kind.parameter_specification.items()}
            given = ",".join(f"{key}={value}" for key, value in parameters.items())
            name, key = f"{NAME}:{kind.short_name}", KEYS.get(kind.short_name, HISTORY)
            rows.append({
                "name": name,
                "parameters": [{"name": each, "default": value} for each, value in parameters.items()],
                "description": f"positions are told apart by {key}",
                "sizes": "only the smallest" if key == HISTORY else "",
                "known": "",
                "example": f"{name}:{given}" if given else name,
            })  # fmt: skip
    return sorted(rows, key=lambda row: str(row["name"]))


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


class SpielGame(ForeignGame):
    """A game of OpenSpiel, explored."""

    description = "a game of OpenSpiel"

    def parse_position(self, text: str) -> int:
        """Return the rank of a position, which may also be written as OpenSpiel does, on several lines."""
        try:
            return super().parse_position(text)
        except PositionError as error:
            refused = error
        moves = [joined(each) for each in re.sub(r",\s+", ",", text).split()]
        if "," in text and all(each in self.graph.labels for each in moves):
            return play_on(self, 0, moves)
        boards = dict.fromkeys(write(text) for write in (tight, spaced))
        sides = ("", *(f"{SIDE[1:]}{side}" for side in ("0", "1", OVER)))
        found = set()
        for written in (board + side for board in boards for side in sides):
            with contextlib.suppress(PositionError):
                found.add(super().parse_position(written))
        if len(found) > 1:
            raise PositionError(f"{text.strip()[:80]!r} does not say who moves; add {SIDE[2:]}0 or {SIDE[2:]}1")
        if not found:
            raise refused
        return found.pop()


# The graph ------------------------------------------------------------------------------------------------------------


class SpielAdapter(Adapter):
    """A game of OpenSpiel as positions, moves and ends. Moves are texts; those of two actions are told apart."""

    def __init__(self, game: Any) -> None:
        names = {"moves": "legal_actions", "play": "apply_action", "mover": "current_player", "payoff": "returns"}
        super().__init__(Target(game, "OpenSpiel", names, True), lambda state: state.clone(), ["OpenSpiel"], [0, 1])
        self.told_by = KEYS.get(_inner(game), HISTORY)
        self._actions: dict[tuple[int, str], int] = {}
        self._texts: dict[tuple[int, int], str] = {}

    def start(self) -> Situation:
        """Return the first position."""
        return Situation(self.target.owner.new_initial_state(), 0)

    def all_parts(self, place: Situation) -> list[Attribute]:
        """Return what tells a position apart, who moves, and what else belongs to it."""
        state = place.state
        mover = OVER if state.is_terminal() else str(state.current_player())
        if self.told_by == HISTORY:
            moves = [self._texts[each.player, each.action] for each in state.full_history()]
            return [("", "+".join(moves) or "(start)"), ("mover", mover)]
        board = str(state)
        board = COLOURS.sub("", board) if "\x1b" in board else board
        if self.told_by == UNMARKED:
            board = "\n".join(line.rstrip() for line in re.sub(r"\[(.)\]", r" \1 ", board).splitlines())
        ply = [("ply", str(len(state.history())))] if self.told_by == PLY else []
        return [("", board), ("mover", mover), *ply]

    def look(self, where: Situation) -> Reply:
        """Return what the rules say of a position. Raises `RulesError` where they are not those of a game here."""
        state = where.state
        if state.is_terminal():
            one, other = state.returns()
            if one + other:
                raise RulesError(f"the players get {one:g} and {other:g}; one player's gain must be the other's loss")
            return Reply("", Ended(one, "0"), ())
        player = state.current_player()
        if player not in (0, 1):
            raise RulesError("neither player is to move while the game goes on")
        moves = tuple(self._text(state, player, action) for action in state.legal_actions())
        if not moves:
            raise RulesError("the game goes on, and there is no move")
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
        state = where.state
        return Situation(state.child(self._actions[state.current_player(), move]), 0)

    def in_order(self, move: str) -> Any:
        """Return by what moves are put in order: by their actions."""
        found = ((self._actions[player, move], player) for player in (0, 1) if (player, move) in self._actions)
        return min(found), move


def _inner(game: Any) -> str:
    """Return the name of a game; of one that only turns the payoffs of another round, the other's."""
    name = str(game.get_type().short_name)
    return str(game.get_parameters()["game"]["name"]) if name == "misere" else name


def _explored(game: Any, named: str, limit: int, digest: str) -> RulesGraph:
    """Return the graph of a game. Raises `RulesError` and `TooLargeError`."""
    adapter = SpielAdapter(game)
    LOG.info(f"{named}: positions are told apart by {adapter.told_by}, and who moves")

    def whole() -> RulesGraph:
        if adapter.told_by == HISTORY:
            _refuse_histories(game, named, limit)
        graph = graph_of(lambda: (adapter, dataclasses.replace(audit(adapter, keep=["all"]), opaque=())), named, limit)
        return graph._replace(keys=one_line(graph.keys))

    return said(kept_graph(digest, limit, whole), named)


def _refuse_histories(game: Any, named: str, limit: int) -> None:
    """Raise `TooLargeError` where a game has more histories than ``limit``, as random games tell: the products of the
    numbers of moves in them have the number of the longest histories as their mean (Knuth, "Estimating the efficiency
    of backtrack programs", 1975), and their median is below it.
    """
    generator, products = random.Random(0), []
    for _ in range(SAMPLES):
        state, product = game.new_initial_state(), 1
        while not state.is_terminal() and product <= limit:
            actions = state.legal_actions()
            product *= len(actions)
            state.apply_action(generator.choice(actions))
        products.append(product)
    if sorted(products)[SAMPLES // 2] > limit:
        raise TooLargeError(
            f"{named} has more than {limit:,} histories, by which its positions are told apart, since its boards do "
            "not tell all; a smaller board may do"
        )


# Boards on one line ---------------------------------------------------------------------------------------------------


def tight(board: str) -> str:
    """Return a board without its blanks, its rows parted by strokes.

    >>> tight("x . . \\n . o . \\n  . . . ")
    'x../.o./...'
    """
    return "/".join(filter(None, ("".join(line.split()) for line in COLOURS.sub("", board).splitlines())))


def spaced(board: str) -> str:
    """Return a board with its blanks as underscores, its rows parted by strokes."""
    return "/".join(line.rstrip().replace(" ", "_") for line in COLOURS.sub("", board).strip("\n").splitlines())


def one_line(keys: list[str] | Any) -> list[str]:
    """Return positions with their boards on one line, in the first way that tells all of them apart."""
    parts = [key.rpartition(SIDE) for key in keys]
    ways: tuple[Callable[[str], str], ...] = (tight, spaced, lambda board: json.dumps(board, ensure_ascii=False))
    for write in ways:
        found = [write(board) + side + rest for board, side, rest in parts]
        if len(set(found)) == len(found):
            break
    return found
