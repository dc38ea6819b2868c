"""Call a user's search as it is, and count the calls of it and of other functions: a service of `analysis.common.host`,
also called in the process of `own`.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import numbers
import sys
import time
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

STARTS = ("start", "initial_state", "initial", "root", "tree", "board")
"""Names for the place where a program begins: a value, or a function without parameters that returns it."""

MOVERS = ("player", "turn", "to_move", "current_player")
"""Names, in a state, for the player to move."""

ROLES = {
    "alpha": ("alpha", "a"),
    "beta": ("beta", "b"),
    "depth": ("depth", "d", "plies", "maxdepth", "depthlimit", "limit"),
    "color": ("color", "colour", "sign"),
    "player": (*(name.replace("_", "") for name in MOVERS), "mark", "symbol"),
    "game": ("game", "problem"),
}
"""Names of parameters, in lower case and without underscores, by the argument they get; others that begin with ``max``
or ``ismax`` get whether the first player moves.
"""


class MissingError(Exception):
    """Something that was asked for is missing; none of the user's code has failed."""


class GivenGraph:
    """A game or a tree for functions whose first parameter is ``graph``. Nodes are texts."""

    def __init__(self, names: list[str], children: list[list[int]], values: list[float], first: list[bool]) -> None:
        self._children = {name: [names[child] for child in below] for name, below in zip(names, children, strict=True)}
        self._values, self._first = dict(zip(names, values, strict=True)), dict(zip(names, first, strict=True))
        self.root = names[0]

    def children(self, node: str) -> list[str]:
        """Return the nodes that the moves lead to, in order."""
        return [*self._children[node]]

    neighbors = children

    def is_terminal(self, node: str) -> bool:
        """Return whether the game is over."""
        return not self._children[node]

    def evaluate(self, node: str) -> float:
        """Return the first player's value of a leaf, or of a node where a search stops."""
        return self._values[node]

    def is_max(self, node: str) -> bool:
        """Return whether the first player moves."""
        return self._first[node]


class NamedFunction:
    """The function that a name stands for, in a module or as a method in one of its classes."""

    def __init__(self, module: types.ModuleType, name: str) -> None:
        of_class, _, self.key = name.rpartition(".")
        classes = [getattr(module, of_class, None)] if of_class else _classes(module)
        in_module = callable(getattr(module, name, None)) and not isinstance(getattr(module, name), type)
        owners = [owner for owner in classes if isinstance(owner, type) and callable(getattr(owner, self.key, None))]
        self.owner: Any = module if in_module else owners[0] if owners else None
        """None if there is none, but perhaps within another function."""
        self.static = inspect.getattr_static(self.owner, self.key, None)
        """The attribute of the class, which may be a static or class method."""
        self.function: Callable[..., Any] = getattr(self.static, "__func__", self.static)
        wrapped = isinstance(self.static, (staticmethod, classmethod))
        self.bound = isinstance(self.owner, type) and not wrapped
        """Whether it is called with an object."""
        parameters = [*inspect.signature(self.function).parameters.values()] if self.owner is not None else []
        self.parameters = parameters[isinstance(self.owner, type) and not isinstance(self.static, staticmethod) :]
        """Parameters without ``self``."""


def answer(module: types.ModuleType, request: dict[str, Any]) -> dict[str, Any]:
    """Say whether the first of the functions ``names`` of a module takes a ``graph``, or, once the ``request`` has one
    or None, call it and count the calls of all; what is ``missing`` is in the answer. Raises what the functions raise.
    """
    try:
        if not request["names"]:
            raise MissingError("name a function, FILE.py:FUNCTION")
        functions = {name: NamedFunction(module, name) for name in request["names"]}
        first = functions[request["names"][0]]
        if first.owner is None:
            raise MissingError(f"there is no function {request['names'][0]}")
        if "graph" not in request:
            return {"graph": [parameter.name for parameter in first.parameters][:1] == ["graph"]}
        return _run(module, functions, first, request)
    except MissingError as error:
        return {"missing": str(error)}


def _run(
    module: types.ModuleType, functions: dict[str, NamedFunction], first: NamedFunction, request: dict[str, Any]
) -> dict[str, Any]:
    """Call the first function. Raises `MissingError`, and what the functions raise.

    Its first parameter gets the ``graph`` if that is its name, else the start: what is ``given``, or what the
    ``expression`` means in the module, or what the module has, or the tree ``nested``. Others get the ``depth``, and by
    ``maximizing`` who moves; of those with defaults only the depth is passed, if the search is ``limited``.
    """
    name, maximizing = request["names"][0], request["maximizing"]
    sys.setrecursionlimit(max(sys.getrecursionlimit(), request.get("recursion", 0)))
    start, whence, holder = _beginning(module, first, request)
    color = 1 if maximizing else -1
    mover, key = _first_of(start, MOVERS)
    values = {
        "alpha": -math.inf, "beta": math.inf, "depth": request["depth"], "maximizing": maximizing, "color": color,
        "player": mover if key else getattr(module, "X" if maximizing else "O", color), "game": holder,
    }  # fmt: skip
    arguments, roles = _arguments(name, first.parameters, values, [start] if whence else [], request)
    calls = dict.fromkeys(functions, 0)
    with _counting(module, functions, calls):
        began = time.perf_counter()
        returned = getattr(holder if first.bound else first.owner, first.key)(**arguments)
        seconds = time.perf_counter() - began
    return {
        "returned": plain(returned), "calls": calls, "seconds": seconds, "start": whence,
        "signature": f"{name}({', '.join(parameter.name for parameter in first.parameters)})",
        "sign": color if "color" in roles else 1,
        "rows": isinstance(start, (list, tuple)) and all(isinstance(row, (list, tuple)) for row in start),
    }  # fmt: skip


def _classes(module: types.ModuleType) -> list[type]:
    return [value for value in vars(module).values() if isinstance(value, type) and value.__module__ == module.__name__]


# Arguments ------------------------------------------------------------------------------------------------------------


def _beginning(module: types.ModuleType, first: NamedFunction, request: dict[str, Any]) -> tuple[Any, str, Any]:
    """Return the start, where it comes from (empty: nowhere), and the object that has the method, or else the start."""
    start, whence = request.get("given"), "own_start" if "given" in request else request.get("expression") or ""
    if request.get("expression"):
        try:
            start = eval(request["expression"], vars(module))
        except Exception as error:
            raise MissingError(f"--own-start {whence}: {type(error).__name__}: {error}") from None
    receiver = request.get("receiver")
    if first.bound and receiver is None:
        if isinstance(start, first.owner):
            receiver, whence = start, ""
        elif _required(first.owner):
            owner_name = first.owner.__name__
            raise MissingError(f"{owner_name} is made with arguments: give --own-start '{owner_name}(...)'")
        else:
            receiver = first.owner()
    if request.get("graph"):
        return GivenGraph(*request["graph"]), "graph", receiver
    if whence:
        return start, whence, receiver
    if request["placed"] and request["nested"] is None:
        raise MissingError("where it begins is not known for a POSITION: give --own-start EXPRESSION")
    for holder, prefix in _holders(module, receiver):
        beginning, key = _first_of(holder, STARTS)
        if key:
            return beginning, prefix + key, receiver if first.bound else holder
    return request["nested"], "" if request["nested"] is None else "the tree", receiver


def _holders(module: types.ModuleType, receiver: Any) -> Iterator[tuple[Any, str]]:
    """Yield what may have a start: the object of the method, the module, its objects, and an instance of each class."""
    if receiver is not None:
        yield receiver, f"{type(receiver).__name__}()."
    yield module, ""
    classes = _classes(module)
    yield from [(value, f"{key}.") for key, value in vars(module).items() if type(value) in classes]
    for owner in classes:
        if not _required(owner):
            with contextlib.suppress(Exception):  # some are not meant to be instantiated
                yield owner(), f"{owner.__name__}()."


def _required(function: Callable[..., Any]) -> bool:
    """Return whether a function or class cannot be called without arguments."""
    try:
        inspect.signature(function).bind()
    except (TypeError, ValueError):
        return True
    return False


def _first_of(holder: Any, keys: Sequence[str]) -> tuple[Any, str]:
    """Return what an object has under the first of these names, if need be by calling it, and the name."""
    for key in keys:
        value = getattr(holder, key, None)
        if callable(value) and not isinstance(value, type):
            value = None if _required(value) else value()
        if value is not None:
            return value, key
    return None, ""


def _arguments(
    name: str, parameters: list[inspect.Parameter], values: dict[str, Any], first: list[Any], request: dict[str, Any]
) -> tuple[dict[str, Any], set[str]]:
    """Return the arguments by name, and the roles that parameters have."""
    roles = {parameter.name: _role(parameter.name) for parameter in parameters}
    if "game" in roles.values() and "" not in roles.values():  # a state with that name
        roles = {key: "" if role == "game" else role for key, role in roles.items()}
    queue = [*first, *[first[0].root for graph in first if isinstance(graph, GivenGraph)]]
    arguments: dict[str, Any] = {}
    for parameter in parameters:
        role, optional = roles[parameter.name], parameter.default is not inspect.Parameter.empty
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            continue
        if role == "" and queue:
            arguments[parameter.name] = queue.pop(0)
        elif role and (not optional or (role == "depth" and request["limited"])):
            arguments[parameter.name] = values[role]
        elif not optional and not first:
            raise MissingError(f"where {name} begins is not known: call that start in the file, or give --own-start")
        elif not optional:
            raise MissingError(f"the parameter {parameter.name} of {name} is not known; give it a default")
    return arguments, {*roles.values()}


def _role(name: str) -> str:
    short = name.replace("_", "").lower()
    default = "maximizing" if short.startswith(("max", "ismax")) else ""
    return next((role for role, names in ROLES.items() if short in names), default)


# Counting -------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _counting(module: types.ModuleType, functions: dict[str, NamedFunction], calls: dict[str, int]) -> Iterator[None]:
    """Count the calls of functions by name, wherever a name refers to them, and of functions defined inside others."""
    undo, before, within = contextlib.ExitStack(), sys.getprofile(), _functions_within(functions)
    for name, target in functions.items():
        if target.owner is None:
            continue
        counted = _counted(name, target.function, calls)
        if isinstance(target.owner, type):
            undo.callback(setattr, target.owner, target.key, target.static)
            setattr(target.owner, target.key, counted if target.bound else type(target.static)(counted))
        else:
            innermost = inspect.unwrap(target.function)
            for space in (vars(module), getattr(innermost, "__globals__", {})):
                for key in [key for key, value in space.items() if value is target.function]:
                    undo.callback(space.__setitem__, key, target.function)
                    space[key] = counted
            for cell in getattr(innermost, "__closure__", None) or ():
                if cell.cell_contents is target.function:
                    undo.callback(setattr, cell, "cell_contents", target.function)
                    cell.cell_contents = counted

    def follow(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in within:
            calls[within[frame.f_code]] += 1

    with undo:
        if within:
            undo.callback(sys.setprofile, before)
            sys.setprofile(follow)
        yield


def _counted(name: str, function: Callable[..., Any], calls: dict[str, int]) -> Callable[..., Any]:
    @functools.wraps(function, (*functools.WRAPPER_ASSIGNMENTS, "cache_clear", "cache_info"))
    def call(*args: Any, **options: Any) -> Any:
        calls[name] += 1
        return function(*args, **options)

    return call


def _functions_within(functions: dict[str, NamedFunction]) -> dict[types.CodeType, str]:
    """Return the code of the functions that are only defined inside others, with their names. Raises `MissingError`."""
    codes = [inspect.unwrap(target.function).__code__ for target in functions.values() if target.owner is not None]
    for code in codes:  # grows as it goes
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    lacking = [name for name, target in functions.items() if target.owner is None]
    for name in lacking:
        if name not in {code.co_name for code in codes}:
            raise MissingError(f"there is no function {name}")
    return {code: code.co_name for code in codes if code.co_name in lacking}


def plain(value: Any) -> Any:
    """Return numbers, texts and lists as JSON has them, anything else as a text in a dictionary."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return {"text": " ".join(str(value).split())[:60]}
