"""Load programs as games, from files (``path/to/file.py``, ``path/to/file.py:Name`` or either with ``:name=value,...``)
and from objects of the running program.
"""

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

from ...common.wording import described, rough, with_count
from ...errors import GametreeError, RulesError, SpecError
from ...rules.fields import OVER, Buffer, wrong_count
from ...rules.game import ONGOING, Game, Rules
from ..graphs.graph import Graph
from ..graphs.graph_game import GraphGame, called, graph_game, reopened
from ..user import File, failure, forget, overseen, run_file, split_spec
from . import exploring
from .adapter import Adapter
from .audit import Evidence, audit
from .exploring import LIMIT, SMALL, as_graph, confirm, explore, refuse_size
from .freezing import constants_of, copier, freeze
from .protocol import ROLES, SETTINGS, Reading, construct, fits, public, read, refuse_unknown, required, value_of
from .symmetries import classes_of

LOG = logging.getLogger("gametree")
HOW_READ = logging.getLogger("gametree.read")
"""Logs how programs are read, which is not repeated when a stored solution is opened."""
VERSION = 5  # raised when programs are read in another way, so that stored games are solved again


def load_foreign(spec: str) -> GraphGame | None:
    """Return the game that a specification with a file names; None if it is a class with ``rules()``, or the file has
    no game. Runs the file, but explores nothing yet. Raises `SpecError`.
    """
    typed, name, parameters = split_spec(spec)
    file = run_file(typed)
    has_rules = {key for key, value in vars(file.module).items() if _own_class(value, file) and hasattr(value, "rules")}
    if has_rules and (not name or not hasattr(file.module, name) or hasattr(getattr(file.module, name), "rules")):
        others = [
            key for key, value in _candidates(file, {}).items() if key not in has_rules and _own_class(value, file)
        ]
        if others and not name:
            names = [*sorted(has_rules), *others]
            raise SpecError(f"{typed} has several games, {', '.join(names)}; name one, like {typed}:{names[0]}")
        return None
    given = parameters_of(parameters, spec)
    roles = {key: value for key, value in given.items() if key in ROLES}
    owner, kind = _chosen(typed, file, name, roles)
    if owner is None:
        return None
    named = spec.strip()
    digest = hashlib.sha256(f"{VERSION} {kind} {sorted(given.items())} {file.digest()}".encode()).hexdigest()
    what = f"{typed}:{name}" if name else typed

    def make() -> Any:
        if not isinstance(owner, type):
            refuse_unknown(given, what)
            return owner
        rest = {key: value for key, value in given.items() if key not in (*ROLES, *SETTINGS)}
        try:
            return construct(owner, rest, what)
        except Exception as error:  # of the program
            if isinstance(error, SpecError):
                raise
            raise failure(SpecError, error, [*file.contents], f"{what} cannot be made") from None

    refused: list[RulesError] = []

    def explored() -> Graph:
        if refused:
            raise refused[0]
        try:
            return explored_program(make, given, what, file)
        except RulesError as error:
            refused.append(error)
            forget(file)  # its games may have changed the module, for example emptied a list
            raise

    reopen = reopened, (load_foreign, typed, file.path, named[len(typed) :], digest)
    return GraphGame(named, digest, explored, file.path, typed, kind, reopen)


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

    def make() -> Any:
        return construct(owner, {}, what) if isinstance(owner, type) else owner

    return graph_game(explored_program(make, names or {}, what, None), what, what)


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


def parameters_of(text: str, spec: str) -> dict[str, str]:
    """Return the roles, settings and arguments in a specification, arguments by name or by their place from 0. Raises
    `SpecError`.
    """
    parameters: dict[str, str] = {}
    for number, item in enumerate(filter(None, map(str.strip, re.split(r",(?![^()\[\]]*[)\]])", text)))):
        name, equals, value = (part.strip() for part in item.partition("="))
        if (equals and (not name or not value)) or (not equals and len(parameters) < number):
            raise SpecError(f"{item!r} in {spec!r} says nothing; write NAME=VALUE")
        parameters[name if equals else str(number)] = value if equals else name
    return parameters


# What is played in a file ---------------------------------------------------------------------------------------------


def _chosen(typed: str, file: File, name: str, roles: Mapping[str, str]) -> tuple[Any, str]:
    """Return the class, object or module that is the game, and its name; None if there is none."""
    module = file.module
    if name:
        if hasattr(module, name):
            return getattr(module, name), name
        if candidates := _candidates(file, roles):
            raise SpecError(f"{typed} has no {name!r}; it has {', '.join(candidates)}")
        return None, ""
    games = _candidates(file, roles)
    if fits(module, roles):
        games[typed.rpartition("/")[2].removesuffix(".py")] = module
    if len(games) > 1:
        raise SpecError(f"{typed} has several games, {', '.join(games)}; name one, like {typed}:{next(iter(games))}")
    if not games:  # the most likely class gets an error with its names
        classes = {key: value for key, value in vars(module).items() if _own_class(value, file)}
        if classes:
            key = max(classes, key=lambda key: len(public(classes[key])))
            return classes[key], key
        return (module, "") if any(map(callable, map(vars(module).get, public(module)))) else (None, "")
    return next(((owner, key) for key, owner in games.items()))


def _candidates(file: File, roles: Mapping[str, str]) -> dict[str, Any]:
    """Return the classes of a file that can be games and are no others' base; if there are none, its objects."""
    fitting = {key: value for key, value in vars(file.module).items() if key[:1] != "_" and fits(value, roles)}
    classes = {key: value for key, value in fitting.items() if _own_class(value, file)}
    leaves = {
        key: value
        for key, value in classes.items()
        if not any(other is not value and issubclass(other, value) for other in classes.values())
    }
    kinds = type, types.ModuleType, types.FunctionType
    return leaves or {key: value for key, value in fitting.items() if not isinstance(value, kinds)}


def _own_class(value: Any, file: File) -> bool:
    return isinstance(value, type) and value.__module__ == file.module.__name__


# Exploring it ---------------------------------------------------------------------------------------------------------


def explored_program(make: Callable[[], Any], given: Mapping[str, str], what: str, file: File | None) -> Graph:
    """Return the graph of a program, checked by random games before and after it is explored; log what was recognised.
    Raises `SpecError`, `RulesError` and `TooLargeError`.

    Args:
        make: Makes the object that is played.
        given: Names for some roles, and settings.
        what: Its name in messages.
        file: Its file, if it has one.
    """
    roles = {key: value for key, value in given.items() if key in ROLES}
    settings = {key: value.split("+") for key, value in given.items() if key in SETTINGS}
    limit = settings.get("limit", [str(LIMIT)])[0]
    if not limit.isdecimal():
        raise SpecError(f"limit={limit} is not a number of positions")
    reading = read(make(), roles, what)
    for line in reading.lines():
        HOW_READ.info(f"{what}: {line}")
    graph = graph_of(lambda: _proved(reading, settings, make, file), what, int(limit))
    symmetries = getattr(reading.owner, reading.names.get("symmetries", ""), None)
    if callable(symmetries):
        symmetries = None if required(symmetries) else symmetries()
    if symmetries is not None:
        try:
            graph = graph._replace(classes=classes_of(graph, symmetries))
        except RulesError as error:
            raise RulesError(f"{what}: {error} (--map symmetries=none leaves them out)") from None
    return noted(graph, what)


def noted(graph: Graph, what: str) -> Graph:
    """Log the notes of a graph, and return it."""
    notes = [*graph.notes]
    if (graph.movers > 0).all():
        notes.append(f"only {called(graph.players[0])} ever moves")
    elif tuple(graph.players) != ("X", "O"):
        notes.append(f"X is {called(graph.players[0])} and O is {called(graph.players[1])}")
    HOW_READ.info(f"{what}: {'; '.join(notes)}")
    return graph


def graph_of(proved: Callable[[], tuple[Adapter, Evidence]], what: str, limit: int) -> Graph:
    """Return the graph of the game ``what``, after ``proved`` has checked it by random games. Raises what those do."""
    began = time.process_time()
    try:
        adapter, proof = proved()
        if proof.harmless:
            LOG.info(f"{what}: {proof.advice()}")
        with adapter.asking():
            least = refuse_size(adapter, proof, limit)
        if least > SMALL:
            LOG.info(f"{what}: at least some {rough(least)} positions; they are explored one by one, in plain Python")
        explored = explore(adapter, limit, least)
        notes = [*[OVER] * (not explored.moves), proof.sentence()]
        names = adapter.reading.names
        if adapter.stuck:
            notes.append(f"positions without a move are ends, also where {names['over']} says that they are not")
        if adapter.mutates:
            parameter = [*required(value_of(adapter.reading.owner, names["play"])), "object"][0]
            LOG.warning(f"{what}: {names['play']} changes the {parameter} that it was given: copy it")
        if adapter.printed.lines:
            notes.append(f"{with_count(adapter.printed.lines, 'line')} that its rules print left out")
        graph = as_graph(adapter, explored, notes)
        seconds = max(exploring.LEAST_CONFIRMED, exploring.CONFIRMED * (time.process_time() - began))
        confirm(adapter, graph, seconds if len(explored.keys) > 1 else 0)
    except (RulesError, MemoryError) as error:
        refusal = type(error)(f"{what}: {error}").showing(getattr(error, "excerpt", ""))  # type: ignore[union-attr]
        raise refusal from None if isinstance(error.__cause__, GametreeError) else error.__cause__
    return graph


def _proved(
    reading: Reading, settings: Mapping[str, list[str]], make: Callable[[], Any], file: File | None
) -> tuple[Adapter, Evidence]:
    """Return an adapter with the first way to copy positions that the audit accepts, and the evidence."""
    module = file.module if file else sys.modules.get(type(reading.owner).__module__)
    constants = constants_of(module)
    files = [*file.contents] if file else [getattr(module, "__file__", "") or ""]
    usual = ["move_stack"] if reading.names["play"] == "push" and hasattr(reading.owner, "move_stack") else []
    refused: RulesError | None = None
    for shared in [constants, {}] if constants else [{}]:
        players = [_symbol(text) for text in settings.get("players", [])]
        adapter = Adapter(reading, copier(shared), files, players)
        try:
            with adapter.asking():
                if not reading.passes and freeze(make()) != freeze(reading.owner):
                    raise RulesError("the first position is another one each time it is made; games are without chance")
                return adapter, audit(adapter, drop=settings.get("drop", usual))
        except RulesError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _symbol(text: str) -> Any:
    """Return a player that ``--map players=A+B`` names."""
    return int(text) if re.fullmatch("-?[0-9]+", text) else text
