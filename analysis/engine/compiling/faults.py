"""Report errors in the author's functions, at the author's line and in plain words, when they are compiled and when
they run.

A compiled function called by its pointer cannot raise: Python reports the exception as unraisable
(`sys.unraisablehook`), and the function returns 0. So that this 0 is not taken for an answer, callers of kernels on
rules watch for exceptions and check afterwards.
"""

from __future__ import annotations

import re
import shlex
import sys
import threading
import traceback
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

from ...common.time_limit import SILENCE
from ...common.wording import with_count
from ...errors import GametreeError, RulesError
from ...rules import fields
from ...rules.fields import ask_all, excerpt, in_words, place, raised_at
from ...rules.game import Game, Rules
from .plain_code import MAY_USE, refusal

T = TypeVar("T")

FAILURES = (ArithmeticError, LookupError, TypeError, ValueError)
"""Exceptions that an author's function may raise by mistake."""

_caught: dict[int, BaseException] = {}
"""The first exception of each thread since it began to watch."""
_handle_others: Callable[[Any], object] = sys.unraisablehook


def _hook(unraisable: Any) -> None:
    if "CPUContext" in repr(unraisable.object):
        _caught.setdefault(threading.get_ident(), unraisable.exc_value)
    else:
        _handle_others(unraisable)


def watched(kernel: Callable[..., T], *arguments: Any) -> tuple[T | None, BaseException | None]:
    """Call a kernel; return its result, and the exception that rules raised in it, if any."""
    global _handle_others
    if sys.unraisablehook is not _hook:
        _handle_others, sys.unraisablehook = sys.unraisablehook, _hook
    _caught.pop(threading.get_ident(), None)
    try:
        result = kernel(*arguments)
    except FAILURES as error:
        if isinstance(error, GametreeError) or not numba.config.DISABLE_JIT:
            raise
        return None, error
    return result, _caught.pop(threading.get_ident(), None)


def failure(game: Game, rules: Rules, states: Iterable[int], error: BaseException) -> RulesError:
    """Return the exception as an error that names the author's line and the first of the states at which it occurs,
    found in plain Python.
    """
    return _fault_at(game, rules, states) or rules_fail(game.spec, error)


def wrong_moves(game: Game, rules: Rules, state: int) -> RulesError:
    """Return what is wrong with the moves of a state at which the game goes on."""
    fault = _fault_at(game, rules, [state])
    if fault is None:
        position = game.format_position(state)
        fault = RulesError(f"position {position} has no legal move, but outcome() says that the game goes on")
    return fault


def _fault_at(game: Game, rules: Rules, states: Iterable[int]) -> RulesError | None:
    for state in map(int, states):
        try:
            _call_all(game, rules, state)
        except RulesError as error:
            return error
        except FAILURES as error:
            return _located(game, state, error)
    return None


def words_of_silence(game: Game, states: np.ndarray) -> str:
    """Return the message if compiled rules do not return for these states, since nothing can stop them."""
    try:
        first = f" (the first is {game.format_position(int(states[0]))})" if len(states) else ""
    except Exception:  # the author's code may do anything
        first = ""
    return (
        f"the rules of {game.spec} have spent {SILENCE:g} s on {with_count(len(states), 'position')}{first}: an "
        "endless "
        f"loop? Ctrl-C ends this, and `gametree check {shlex.quote(game.spec)}` may show where it is"
    )


def rules_fail(name: str, error: BaseException) -> RulesError:
    """Return the exception as an error if the position is unknown."""
    return RulesError(f"the rules of {name} fail: {in_words(error)}; `gametree check` shows where")


def _call_all(game: Game, rules: Rules, state: int) -> None:
    """Call all functions of the rules for a state and its children."""
    children = ask_all(game, rules, state)
    for function in (rules.tier, rules.canonical, rules.orbit_size):
        if function is not None:
            for number in (state, *children):
                function(number)


def _located(game: Game, state: int, error: BaseException) -> RulesError:
    frames = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)}
    frames -= {__file__, fields.__file__}
    line = raised_at(error, frames)
    text = f"at position {game.format_position(state)}: {in_words(error)}"
    if line is None:
        return RulesError(f"the rules fail {text}")
    return RulesError(f"{place(*line)}, {text}").showing(excerpt(*line[:2]))


def explained(error: Exception, function: Callable[..., Any], what: str) -> RulesError:
    """Return the error for a function that, with all it calls, failed to compile; ``what`` names it if its place is
    unknown.
    """
    line = _innermost(str(error), list(_authored(function, set())))
    reason = f"{MAY_USE}, and return a whole number on every path"
    if line is None:
        return RulesError(f"{what} did not compile: {reason}")
    return refusal(*line, f"this cannot be compiled: {reason}")


def _innermost(text: str, functions: list[types.FunctionType]) -> tuple[types.FunctionType, int] | None:
    """Return the first place that the compiler names in one of the functions; it names the innermost first."""
    for match in re.finditer(r'File "(?P<a>[^"]+)", line (?P<b>\d+)|(?:at|from) (?P<c>/\S.*?) \((?P<d>\d+)\)', text):
        path, line = match["a"] or match["c"], int(match["b"] or match["d"])
        for function in functions:
            code = function.__code__
            lines = [number for *_, number in code.co_lines() if number is not None]
            if Path(code.co_filename).name == Path(path).name and min(lines) <= line <= max(lines):
                return function, line
    return None


def _authored(function: Any, visited: set[int]) -> Iterator[types.FunctionType]:
    """Return the author's functions that a function reaches, without those of this package."""
    plain = getattr(function, "py_func", function)
    if not isinstance(plain, types.FunctionType) or id(plain) in visited:
        return
    visited.add(id(plain))
    if Path(plain.__code__.co_filename).parent != Path(__file__).parent:
        yield plain
    names = (plain.__globals__.get(name) for name in plain.__code__.co_names)
    cells = (cell.cell_contents for cell in plain.__closure__ or ())
    for value in (*cells, *names):
        if hasattr(value, "py_func") or value is function:
            yield from _authored(value, visited)
