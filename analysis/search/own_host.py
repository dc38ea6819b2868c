"""Call a user's search as it is, and count the calls of it and of other functions: a service of `analysis.common.host`,
also called in the process of `own`.
"""

from __future__ import annotations

import inspect
import math
import numbers
import sys
import time
import types
from collections.abc import Callable
from typing import Any

STARTS = ("start", "initial_state", "initial", "root", "tree", "board")
"""Names for the place where a program begins: a value, or a function without parameters that returns it."""

ROLES = {
    "alpha": ("alpha", "a"),
    "beta": ("beta", "b"),
    "depth": ("depth", "d", "plies", "maxdepth", "depthlimit", "limit"),
    "color": ("color", "colour", "sign"),
    "player": ("player", "turn", "tomove", "currentplayer"),
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


def answer(module: types.ModuleType, request: dict[str, Any]) -> dict[str, Any]:
    """Call the first of the functions ``names`` of a module and count the calls of all, see `call`. The answer has what
    is ``missing``, if anything, or asks for the ``graph``. Raises what the functions raise.
    """
    space, names = vars(module), request["names"]
    try:
        if not names:
            raise MissingError("name a function, FILE.py:FUNCTION")
        holder, _, name = names[0].rpartition(".")
        owner: Any = space.get(holder) if holder else module
        if not callable(getattr(owner, name, None)):
            raise MissingError(f"there is no function {names[0]}")
        return call(getattr(owner() if holder else module, name), space, request)
    except MissingError as error:
        return {"missing": str(error)}


def call(function: Callable[..., Any], space: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Call a function with the names in ``space``, and count calls. Raises `MissingError`, and what it raises.

    Its first parameter gets the ``graph`` if that is its name, else the start: what is ``given``, or what the
    ``expression`` means, or what is in ``space`` or in the object of a method. Others get the
    ``depth``, and by ``maximizing`` who moves; of those with defaults only the depth is passed, if the search is
    ``limited``.
    """
    parameters = [*inspect.signature(function).parameters.values()]
    takes_graph = [parameter.name for parameter in parameters][:1] == ["graph"]
    if takes_graph and "graph" not in request:
        return {"graph": True}
    sys.setrecursionlimit(max(sys.getrecursionlimit(), request["recursion"]))
    start, whence = (GivenGraph(*request["graph"]), "graph") if takes_graph else _start(function, space, request)
    firsts = [start, start.root] if takes_graph else [start]
    color = 1 if request["maximizing"] else -1
    values = {
        "alpha": -math.inf, "beta": math.inf, "depth": request["depth"], "color": color,
        "player": space.get("X" if color > 0 else "O", color), "maximizing": color > 0,
    }  # fmt: skip
    arguments = dict[str, Any]()
    for parameter in parameters:
        role, optional = _role(parameter.name), parameter.default is not inspect.Parameter.empty
        if firsts and not role:
            arguments[parameter.name] = firsts.pop(0)
        elif role and (not optional or (role == "depth" and request["limited"])):
            arguments[parameter.name] = values[role]
        elif not optional:
            raise MissingError(f"the parameter {parameter.name} is not known; give it a default")
    calls = dict.fromkeys(request["names"], 0)
    began = time.perf_counter()
    returned = _counted(function, arguments, calls)
    return {
        "returned": plain(returned), "calls": calls, "seconds": time.perf_counter() - began, "start": whence,
        "signature": f"{request['names'][0]}({', '.join(parameter.name for parameter in parameters)})",
        "sign": color if "color" in map(_role, arguments) else 1,
        "rows": isinstance(start, (list, tuple)) and all(isinstance(row, (list, tuple)) for row in start),
    }  # fmt: skip


def _start(function: Callable[..., Any], space: dict[str, Any], request: dict[str, Any]) -> tuple[Any, str]:
    """Return the start, and where it comes from."""
    if "given" in request:
        return request["given"], "own_start"
    if request.get("expression"):
        try:
            return eval(request["expression"], space), request["expression"]
        except Exception as error:
            text = f"--own-start {request['expression']}: {type(error).__name__}: {error}"
            raise MissingError(text) from None
    holder = getattr(function, "__self__", None)
    for key in () if request["placed"] else STARTS:
        value = getattr(holder, key, space.get(key))
        if value is not None:
            return value() if callable(value) else value, key
    raise MissingError("where it begins is not known: call that start in the file, or give --own-start EXPRESSION")


def _role(name: str) -> str:
    short = name.replace("_", "").lower()
    default = "maximizing" if short.startswith(("max", "ismax")) else ""
    return next((role for role, names in ROLES.items() if short in names), default)


def _counted(function: Callable[..., Any], arguments: dict[str, Any], calls: dict[str, int]) -> Any:
    """Call a function, and count the calls of functions of its file by name, within others too."""
    file = inspect.unwrap(function).__code__.co_filename
    short = {name.rpartition(".")[2]: name for name in calls}

    def follow(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name in short and frame.f_code.co_filename == file:
            calls[short[frame.f_code.co_name]] += 1

    before = sys.getprofile()
    sys.setprofile(follow)
    try:
        return function(**arguments)
    finally:
        sys.setprofile(before)


def plain(value: Any) -> Any:
    """Return numbers, texts and lists as JSON has them, anything else as a text in a dictionary."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return {"text": " ".join(str(value).split())[:60]}
