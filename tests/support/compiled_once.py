"""Rules compiled once in a process of tests, however many tests take the same ones.

Most of the time of the tests would go into compiling the same rules again. What is compiled is remembered by all that
its machine code comes from: the functions' code with its lines and the name of its file, what they close over, the
globals that they name, and their defaults, each with its type. Where there is anything else, it is compiled anew.
(The folder of a file does not count: where rules fail is found in plain Python, see `engine.compiling.faults`.)
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

from analysis.engine.compiling import functions
from analysis.engine.compiling.functions import pointer_to

PLAIN = (bool, int, float, complex, str, bytes, type(None))


class NotRememberedError(Exception):
    """Something whose content may change, or is not known."""


class Same:
    """An object that is only the same as itself, and is kept so that no other takes its place."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def content(value: Any, above: tuple[int, ...] = ()) -> Hashable:
    """What a value consists of: equal only where the same code is compiled for it. Raises `NotRememberedError`."""
    if id(value) in above:
        return ("within itself", above[::-1].index(id(value)))
    above = (*above, id(value))
    if isinstance(value, PLAIN) and type(value) in PLAIN:
        return (type(value), repr(value))
    if isinstance(value, np.generic):
        return (type(value), value.tobytes())
    if type(value) is tuple:
        return (tuple, *(content(each, above) for each in value))
    if type(value) is np.ndarray and not value.dtype.hasobject:
        return (np.ndarray, value.dtype.str, value.shape, value.strides, value.flags.writeable, value.tobytes())
    if isinstance(value, types.FunctionType):
        return ("function", *function_content(value, above))
    if isinstance(value, Dispatcher) and is_global(value):
        return Same(value)
    if isinstance(value, Dispatcher):
        options = tuple(sorted((name, repr(option)) for name, option in value.targetoptions.items()))
        return ("compiled", options, *function_content(value.py_func, above))
    if isinstance(value, types.ModuleType | types.BuiltinFunctionType | type):
        return Same(value)
    raise NotRememberedError(type(value))


def is_global(value: Dispatcher) -> bool:
    """Whether it was compiled where a module defines it, not from the functions of rules."""
    module = sys.modules.get(value.py_func.__module__)
    return getattr(module, value.py_func.__name__, None) is value


def function_content(function: types.FunctionType, above: tuple[int, ...]) -> tuple[Hashable, ...]:
    """A function's code, and what it takes from outside."""
    outside = function.__globals__
    named = tuple(
        (name, content(outside[name], above)) for name in names_of(function.__code__) if name in outside
    )  # fmt: skip
    cells = tuple(content(cell.cell_contents, above) for cell in function.__closure__ or ())
    defaults = content(function.__defaults__, above), content(tuple((function.__kwdefaults__ or {}).items()), above)
    return Path(function.__code__.co_filename).name, function.__code__, named, cells, *defaults


def names_of(code: types.CodeType) -> list[str]:
    """The globals that code may take, that within it included; names of attributes are among them."""
    within = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return sorted({*code.co_names, *(name for each in within for name in names_of(each))})


class CompiledOnce:
    """In place of `analysis.engine.compiling.functions.pointer_to`."""

    def __init__(self) -> None:
        self.known: dict[Hashable, Any] = {}

    def __call__(self, function: Callable[..., Any], signature: Any, what: str) -> Any:
        try:
            key = (content(function), signature)
        except NotRememberedError:
            return pointer_to(function, signature, what)
        if key not in self.known:
            self.known[key] = pointer_to(function, signature, what)  # where this raises, nothing is remembered
        return self.known[key]


ONCE = CompiledOnce()


def compile_once(monkeypatch) -> None:
    """From now on, until the end of the test."""
    from analysis.search import game_problem

    monkeypatch.setattr(functions, "pointer_to", ONCE)
    monkeypatch.setattr(game_problem, "pointer_to", ONCE)
