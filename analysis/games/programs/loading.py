"""Explore programs as games: of files, of objects of the running program, and rules whose states are no numbers."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import re
import sys
import time
import types
from collections.abc import Callable, Mapping
from typing import Any

from ...common.wording import described, rough
from ...errors import GametreeError, RulesError, SpecError
from ...rules.fields import OVER, Buffer, wrong_count
from ...rules.game import ONGOING, Game, Rules
from ..graphs.graph import Graph
from ..graphs.graph_game import GraphGame, called, graph_game, reopened
from ..user import File, failure, forget, overseen, run_file
from . import exploring
from .adapter import Adapter
from .audit import Evidence, audit
from .exploring import LIMIT, SMALL, as_graph, confirm, explore, refuse_size
from .freezing import constants_of, copier, freeze
from .protocol import ROLES, SETTINGS, construct, fits, read, refuse_unknown, required, two_player_game, value_of
from .symmetries import classes_of

LOG = logging.getLogger("gametree")
HOW_READ = logging.getLogger("gametree.read")
"""Logs how programs are read, which is not repeated when a stored solution is opened."""
VERSION = 6  # raised when programs are read in another way, so that stored games are solved again


def program_of_file(
    named: str, typed: str, file: File, owner: Any, kind: str, given: Mapping[str, str], load: Callable[[str], Game]
) -> GraphGame:
    """Return the game of a class, an object or a module of functions in a file; explore nothing yet.

    Args:
        named: Its specification.
        typed: The file, as it was named.
        file: The file.
        owner: The class, object or module.
        kind: Its name.
        given: Names for some roles, settings, and arguments of a class by name or by their place from 0.
        load: Loads it again by its specification.
    """
    digest = hashlib.sha256(f"{VERSION} {kind} {sorted(given.items())} {file.digest()}".encode()).hexdigest()
    refused: list[RulesError] = []

    def make() -> Any:
        arguments = {key: value for key, value in given.items() if key not in (*ROLES, *SETTINGS)}
        try:
            return _made(owner, arguments, f"{typed}:{kind}")
        except Exception as error:  # of the program
            if isinstance(error, SpecError):
                raise
            raise failure(SpecError, error, [*file.contents], f"{typed}:{kind} cannot be made") from None

    def explored() -> Graph:
        if refused:
            raise refused[0]
        try:
            return explored_program(make, given, typed, file)
        except RulesError as error:
            refused.append(error)
            forget(file)  # its games may have changed the module, for example emptied a list
            raise

    reopen = reopened, (load, typed, file.path, named[len(typed) :], digest)
    return GraphGame(named, digest, explored, file.path, typed, kind, reopen)


def _made(owner: Any, arguments: Mapping[str, str], what: str) -> Any:
    if isinstance(owner, type):
        return construct(owner, arguments, what)
    refuse_unknown(arguments, what)
    return owner


def foreign_object(owner: Any, names: Mapping[str, str] | None = None) -> GraphGame:
    """Return the game of an object, of a class (called without arguments) or of a module of functions, and explore it
    now. Raises `SpecError` if it is not recognised as a game, and what exploring raises.

    Args:
        owner: The object, class or module.
        names: Names for some roles, and settings, as in ``--map``.
    """
    kind = owner if isinstance(owner, type) else type(owner)
    what = owner.__name__ if isinstance(owner, (type, types.ModuleType)) else kind.__name__
    bare = kind.__module__ == "builtins" and not isinstance(owner, (type, types.ModuleType))
    if bare and not fits(owner, names or {}):
        raise SpecError(
            f"{described(owner)} is not a game: give a specification, a frozen dataclass with a method rules(), or a "
            "game in plain Python"
        )
    refuse_unknown(names or {}, what)
    return graph_game(explored_program(lambda: _made(owner, {}, what), names or {}, what, None), what, what)


class ValueRules:
    """Rules whose states are tuples or texts, under the names that programs use."""

    def __init__(self, rules: Rules) -> None:
        self.initial, self.result, self.utility, self.to_move = rules.start, rules.play, rules.outcome, rules.to_move
        self._rules = rules

    def terminal_test(self, state: Any) -> bool:
        """Return whether the game is over."""
        return self.utility(state) != ONGOING

    def actions(self, state: Any) -> list[int]:
        """Return the codes of the legal moves. Raises `RulesError` if there are too many for ``max_moves``."""
        out = Buffer(self._rules.max_moves)
        count = self._rules.legal_moves(state, out)
        if wrong := wrong_count(self._rules, count, out.beyond):
            raise RulesError(wrong)
        return out[:count]


def game_of_values(game: Game, named: str, load: Callable[[str], Game]) -> GraphGame | None:
    """Return a user's ``game`` as one that is explored as programs are, if its rules start at a tuple or a text; else
    None. ``named`` is its specification, and ``load`` loads it again by that.
    """
    rules: Any = None
    users: Any = super(type(game), game)
    with contextlib.suppress(Exception, SystemExit), overseen([game.origin_file]):  # errors show when it is solved
        rules = users.rules()
    if not isinstance(getattr(rules, "start", None), (tuple, str, frozenset)):
        return None
    typed, kind = game.origin.rpartition(":")[0], type(game).__name__
    file, what = run_file(typed) if typed else None, game.origin or kind
    given = {"players": "1+-1", "payoff": "utility", "over": "terminal_test"}
    explored = functools.partial(explored_program, lambda: ValueRules(rules), given, what, file)
    if file is None:
        return graph_game(explored(), what, what)
    digest = hashlib.sha256(f"{VERSION} values {game.rules_hash()}".encode()).hexdigest()
    reopen = reopened, (load, typed, file.path, named[len(typed) :], digest)
    return GraphGame(named, digest, explored, file.path, typed, kind, reopen)


def explored_program(make: Callable[[], Any], given: Mapping[str, str], what: str, file: File | None) -> Graph:
    """Return the graph of a program, checked by random games before and after it is explored; log what was recognised.
    Raises `SpecError`, `RulesError` and `TooLargeError`.

    Args:
        make: Makes the object that is played.
        given: Names for some roles, and settings.
        what: Its name in messages.
        file: Its file, if it has one.
    """
    settings = {key: value.split("+") for key, value in given.items() if key in SETTINGS}
    owner, roles = two_player_game(make())
    reading = read(owner, roles | {key: value for key, value in given.items() if key in ROLES}, what)
    for line in reading.lines():
        HOW_READ.info(f"{what}: {line}")
    module = file.module if file else sys.modules.get(type(owner).__module__)
    files = [*file.contents] if file else [getattr(module, "__file__", "") or ""]
    players = [int(text) if re.fullmatch("-?[0-9]+", text) else text for text in settings.get("players", [])]
    adapter = Adapter(reading, copier(constants_of(module)), files, players)

    def proved() -> Evidence:
        if not reading.passes and freeze(two_player_game(make())[0]) != freeze(owner):
            raise RulesError("the first position is another one each time it is made; games are without chance")
        return audit(adapter, drop=settings.get("drop", []))

    graph = graph_of(adapter, proved, what, limit_of(settings.get("limit", [str(LIMIT)])[0]))
    symmetries = getattr(owner, "symmetries", None)
    if callable(symmetries):
        symmetries = None if required(symmetries) else symmetries()
    try:
        return graph if symmetries is None else graph._replace(classes=classes_of(graph, symmetries))
    except RulesError as error:
        raise RulesError(f"{what}: {error}") from None


def limit_of(text: str) -> int:
    """Return how many positions may be explored. Raises `SpecError`."""
    if not text.isdecimal():
        raise SpecError(f"limit={text} is not a number of positions")
    return int(text)


def graph_of(adapter: Adapter, proved: Callable[[], Evidence], what: str, limit: int) -> Graph:
    """Return the graph of the game ``what``, after ``proved`` has checked it by random games; log how it was read.
    Raises what those do.
    """
    began = time.process_time()
    try:
        with adapter.asking():
            proof = proved()
            least = refuse_size(adapter, proof, limit)
        if least > SMALL:
            LOG.info(f"{what}: at least some {rough(least)} positions; they are explored one by one, in plain Python")
        explored = explore(adapter, limit, least)
        if adapter.mutates:
            name = adapter.reading.names["play"]
            parameter = [*required(value_of(adapter.reading.owner, name)), "object"][0]
            LOG.warning(f"{what}: {name} changes the {parameter} that it was given: copy it")
        graph = as_graph(adapter, explored, [*[OVER] * (not explored.moves), proof.sentence()])
        seconds = max(exploring.LEAST_CONFIRMED, exploring.CONFIRMED * (time.process_time() - began))
        confirm(adapter, graph, seconds if len(explored.keys) > 1 else 0)
    except (RulesError, MemoryError) as error:
        refusal = type(error)(f"{what}: {error}").showing(getattr(error, "excerpt", ""))  # type: ignore[union-attr]
        raise refusal from None if isinstance(error.__cause__, GametreeError) else error.__cause__
    notes = [*graph.notes]
    if tuple(graph.players) != ("X", "O") and not adapter.reading.puzzle:
        notes.append(f"X is {called(graph.players[0])} and O is {called(graph.players[1])}")
    HOW_READ.info(f"{what}: {'; '.join(notes)}")
    return graph
