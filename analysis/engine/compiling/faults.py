"""Exceptions inside compiled rules: a division by zero, an index out of range.

A compiled function that is called by its pointer cannot raise: Python is told of the exception as one that nobody can
handle (`sys.unraisablehook`), and the function returns 0. So that no such 0 is taken for an answer, whoever calls
kernels on rules watches for it, and looks afterwards.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numba

from analysis.errors import GametreeError, RulesError
from analysis.rules.game import ONGOING, Game, Rules
from analysis.rules.source_lines import excerpt, in_words, place, raised_at

T = TypeVar("T")

FAILURES = (ArithmeticError, LookupError, TypeError, ValueError)
"""What an author's function may raise by mistake."""

_caught: dict[int, BaseException] = {}
"""By thread, the first exception since it began to watch."""
_handle_others: Callable[[Any], object] = sys.unraisablehook


def _hook(unraisable: Any) -> None:
    if "CPUContext" in repr(unraisable.object):
        _caught.setdefault(threading.get_ident(), unraisable.exc_value)
    else:
        _handle_others(unraisable)


def watched(kernel: Callable[..., T], *arguments: Any) -> tuple[T | None, BaseException | None]:
    """What a kernel returns, and the exception that rules raised in it, if any."""
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
    """The exception as an error that names the author's line and the first of the states where it happens, found in
    plain Python.
    """
    for state in states:
        try:
            _ask(rules, state)
        except FAILURES as found:
            return _located(game, state, found)
    return rules_fail(game.spec, error)


def rules_fail(name: str, error: BaseException) -> RulesError:
    """The exception as an error where nobody knows at which position."""
    return RulesError(f"the rules of {name} fail: {in_words(error)}; `gametree check` shows where")


def _ask(rules: Rules, state: int) -> None:
    """Everything that rules say of a state."""
    rules.to_move(state)
    children = []
    if rules.outcome(state) == ONGOING:
        codes = [0] * 256
        count = rules.legal_moves(state, codes)
        children = [rules.play(state, code) for code in codes[:count]]
    for function in (rules.tier, rules.canonical, rules.orbit_size):
        if function is not None:
            for each in (state, *children):
                function(each)


def _located(game: Game, state: int, error: BaseException) -> RulesError:
    frames = {frame.f_code.co_filename for frame in _frames(error)} - {__file__}
    found = raised_at(error, frames)
    text = f"at position {game.format_position(state)}: {in_words(error)}"
    if found is None:
        return RulesError(f"the rules fail {text}")
    return RulesError(f"{place(*found)}, {text}").showing(excerpt(*found[:2]))


def _frames(error: BaseException) -> list[Any]:
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    return frames
