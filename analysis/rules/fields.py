"""Check what a game provides: the fields of `Rules` before anything is compiled, what their functions return and write,
and what the other methods return: texts, states, codes, boards and cells.
"""

from __future__ import annotations

import inspect
import itertools
import linecache
import sys
import traceback
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import RulesError
from .game import LARGEST_CODE, ONGOING, Evaluation, Game, Residual, Rules

ARGUMENTS = {
    "legal_moves": ("state", "out"),
    "play": ("state", "move"),
    "outcome": ("state",),
    "to_move": ("state",),
    "tier": ("state",),
    "canonical": ("state",),
    "orbit_size": ("state",),
}
OPTIONAL = ("tier", "canonical", "orbit_size")
MOST_BITS = 63
MOST_STATE = (1 << MOST_BITS) - 1
PATIENCE = 1 << 16  # entries beyond its list that ``legal_moves`` may write before it is stopped
OVER = "the game is over at the start: does outcome() or winner() return something before the end?"
CONTEXT = 2  # lines shown above the faulty one


Check = tuple[Callable[[Rules, Any], bool], str]
"""Whether a field's value is usable, and what it must be, in words."""


def is_whole(value: Any, least: int, greatest: int) -> bool:
    """Return whether a value is a whole number within bounds; truth values are none."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= greatest


def _whole(least: int, greatest: int, *, optional: bool = False) -> Check:
    bounds = f"from {least} to {greatest}" if greatest < MOST_STATE else f"from {least} and below 2**{MOST_BITS}"
    return lambda _, value: (optional and value is None) or is_whole(value, least, greatest), f"a whole number {bounds}"


def _is_pair(pair: Any, least: int, greatest: int) -> bool:
    whole = isinstance(pair, tuple) and len(pair) == 2 and all(is_whole(each, least, greatest) for each in pair)
    return whole and pair[0] <= pair[1]


def _is_function(function: Any, arguments: Sequence[str]) -> bool:
    """Return whether a value is a plain function, also if compiled, that can be called with these arguments."""
    if not isinstance(function, types.FunctionType) and not hasattr(function, "py_func"):
        return False
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    return True


def _function(arguments: Sequence[str], *, optional: bool) -> Check:
    words = f"a plain function of {', '.join(arguments)}"
    return lambda _, value: (optional and value is None) or _is_function(value, arguments), words


def _is_evaluation(value: Any) -> bool:
    bounds = -MOST_STATE - 1, MOST_STATE
    return isinstance(value, Evaluation) and _is_function(value.function, ["state"]) and _is_pair(value.bounds, *bounds)


FIELDS: Mapping[str, Check] = {
    "start": _whole(0, MOST_STATE),
    "max_moves": _whole(1, 255),  # bytes hold the number of moves
    "largest_code": _whole(0, LARGEST_CODE),
    "cells": _whole(0, MOST_BITS),
    "planes": (
        lambda rules, value: is_whole(value, 1, MOST_BITS) and rules.cells * value <= MOST_BITS,
        f"a whole number from 1, with cells * planes at most {MOST_BITS}",
    ),
    "max_plies": _whole(0, MOST_STATE, optional=True),
    "most_positions": _whole(1, MOST_STATE, optional=True),
    "loopy": (lambda _, value: isinstance(value, bool), "True or False"),
    "impartial": (lambda _, value: isinstance(value, bool), "True or False"),
    "exchange": (
        lambda rules, value: value is False or (value is True and rules.planes > 1 and rules.cells > 0),
        "False, or True with two planes of cells",
    ),
    "payoffs": (  # `ONGOING` is 32767
        lambda _, value: _is_pair(value, -32768, 32766),
        "the least and the greatest payoff, from -32768 to 32766, such as (-1, 1)",
    ),
    **{name: _function(arguments, optional=name in OPTIONAL) for name, arguments in ARGUMENTS.items()},
    "lines": (
        lambda rules, value: all(
            isinstance(line, tuple) and all(is_whole(cell, 0, rules.cells - 1) for cell in line) for line in value
        ),
        "tuples of cells, from 0 and below cells",
    ),
    "symmetries": (
        lambda rules, value: all(isinstance(p, tuple) and sorted(p) == list(range(rules.cells)) for p in value),
        "tuples with each of the cells once, as many as cells says",
    ),
    "evaluations": (
        lambda _, value: all(map(_is_evaluation, value.values())),
        "names with Evaluation(function, bounds), the function a plain one of state, the least bound first",
    ),
    "heuristic": (lambda rules, value: value is None or value in rules.evaluations, "one of the evaluations"),
}


def check_rules(rules: Any, what: str = "rules()") -> Rules:
    """Return the rules if the engine can use all their fields. Raises `RulesError` for the first that it cannot;
    ``what`` is the method that gave them.
    """
    if not isinstance(rules, Rules):
        returned = "nothing" if rules is None else f"a {type(rules).__name__}"
        raise RulesError(f"{what} returns {returned}; it must return Rules(...), from analysis")
    for name, (usable, words) in FIELDS.items():
        value = getattr(rules, name)
        if not usable(rules, value):
            raise RulesError(f"{what} gives {name}={str(value)[:200]}; it must be {words}")
    return rules


def check_residual(residual: Any, rules: Rules) -> Residual:
    """Check and return what is left to play in a game with these rules. Raises `RulesError` if it cannot be used."""
    if not isinstance(residual, Residual) or not _is_function(residual.of, ["state"]):
        raise RulesError(f"residual() returns {residual!r}; it must return Residual(of, rules), of a plain function")
    left = check_rules(residual.rules, "residual()")
    same = ("payoffs", "loopy", "impartial")
    if left.canonical is not None or (left.tier is None) != (rules.tier is None):
        raise RulesError("residual() gives rules with canonical(), or with a tier() unlike rules()")
    if wrong := next((name for name in same if getattr(left, name) != getattr(rules, name)), ""):
        raise RulesError(f"residual() gives {wrong}={getattr(left, wrong)}, but rules() {getattr(rules, wrong)}")
    try:
        start = residual.of(rules.start)
    except Exception as error:  # from the author's function
        raise RulesError(f"of() of residual() fails at the start: {in_words(error)}") from None
    if not isinstance(start, int) or start != left.start:
        raise RulesError(f"residual rules start at {left.start}, but of(start) is {start!r}")
    return residual


# What the methods return ----------------------------------------------------------------------------------------------


def wrong_answer(name: str, answer: Any, grid: Sequence[Sequence[str]] | None = None) -> str:
    """Return what a text codec or drawing method ``name`` should have returned instead of ``answer``; empty if it is
    valid. ``grid`` is the board that ``cell_of`` refers to.

    >>> wrong_answer("cell_of", 2, [["X", "O"]])
    'it must return None or a cell of the board, from 0 to 1'
    """
    cells = sum(map(len, grid or ()))
    if name in ("parse_position", "parse_either_side") and not is_whole(answer, 0, MOST_STATE):
        return "it must return a state, a whole number from 0 to 2**63 - 1"
    if name == "parse_move" and not is_whole(answer, 0, LARGEST_CODE):
        return f"it must return the code of a move, from 0 to {LARGEST_CODE}"
    if name in ("format_position", "format_move", "caption") and not isinstance(answer, str):
        return "it must return a text"
    if name == "picture" and not (answer is None or isinstance(answer, str)):
        return "it must return a text or None"
    if name == "cell_of" and answer is not None and not is_whole(answer, 0, cells - 1):
        return f"it must return None or a cell of the board, from 0 to {cells - 1}"
    if name == "grid" and answer is not None and not _is_board(answer):
        return "it must return None or a list of equally long rows, each a list of marks, which are short texts"
    return ""


def _is_board(grid: Any) -> bool:
    """Return whether an answer has rows of marks."""
    rows = isinstance(grid, list | tuple) and all(isinstance(row, list | tuple | str) for row in grid)
    if not rows or not grid or not grid[0] or any(len(row) != len(grid[0]) for row in grid):
        return False
    marks = [mark for row in grid for mark in row]
    return all(isinstance(mark, str) and len(mark.splitlines()) < 2 and "\n" not in mark for mark in marks)


# What the functions return and write, in plain Python ----------------------------------------------------------------


class Buffer(list[int]):
    """The list that ``legal_moves`` writes into: as long as ``max_moves``, it notices writes outside."""

    def __init__(self, size: int, filling: int = 0) -> None:
        super().__init__([filling] * size)
        self.beyond: int | None = None  # index of the first write outside
        self.line: tuple[str, int, str] | None = None  # file, line and function of that write
        self._writes_left = PATIENCE

    def __setitem__(self, index: Any, value: Any) -> None:
        if 0 <= index < len(self):
            super().__setitem__(index, value)
            return
        if self.beyond is None:
            writer = sys._getframe(1)
            self.beyond = index
            self.line = writer.f_code.co_filename, writer.f_lineno, writer.f_code.co_name
        self._writes_left -= 1
        if self._writes_left < 0:
            raise IndexError(f"it writes to out[{self.beyond}] and on, but the list ends at out[{len(self) - 1}]")


def wrong_count(rules: Rules, count: Any, beyond: int | None = None) -> str:
    """Return what is wrong with the number of moves, or an empty text; ``beyond`` is the index of a write outside."""
    most, whole = rules.max_moves, isinstance(count, int)
    if beyond is not None and whole and count > most:
        return f"legal_moves() writes {count} moves, but max_moves={most}"
    if beyond is not None:
        return f"legal_moves() writes to out[{beyond}], but max_moves={most}"
    if not whole or not 0 <= count <= most:
        return f"legal_moves() returns {count!r}; it must be a number from 0 to max_moves={most}"
    return ""


def wrong_code(rules: Rules, codes: Sequence[Any], *, repeating: bool = False) -> tuple[Any, str] | None:
    """Return the first misplaced move code, and why, or None; ``repeating`` (residual) codes need not ascend."""
    for before, code in itertools.pairwise((-1, *codes)):
        if not isinstance(code, int) or not 0 <= code <= rules.largest_code:
            return code, f"the move code {code!r} is not an int from 0 to largest_code={rules.largest_code}"
        if code <= before and not repeating:
            return code, f"the move code {code} comes after {before}; codes must ascend"
    return None


def wrong_mover(mover: Any) -> str:
    """Return what is wrong with the result of ``to_move``, or an empty text."""
    return "" if isinstance(mover, int) and mover in (1, -1) else f"to_move() gives {mover!r}; it must be 1 or -1"


def wrong_payoff(rules: Rules, payoff: Any) -> str:
    """Return what is wrong with the result of ``outcome``, or an empty text."""
    least, greatest = rules.payoffs
    if isinstance(payoff, int) and not isinstance(payoff, bool) and (payoff == ONGOING or least <= payoff <= greatest):
        return ""
    return f"outcome() gives {payoff!r}; payoffs must be ints from {least} to {greatest} (payoffs=), or ONGOING"


def is_state(number: Any) -> bool:
    """Return whether a number can be a state."""
    return isinstance(number, int) and 0 <= number <= MOST_STATE


def wrong_state(state: Any) -> str:
    """Return what is wrong with the result of ``play``, or an empty text."""
    if is_state(state):
        return ""
    if not isinstance(state, int):
        return f"play() gives {state!r}, which is not an int"
    return f"play() gives the state {state}, which is " + ("negative" if state < 0 else "2**63 or more")


def ask_all(game: Game, rules: Rules, state: int) -> list[int]:
    """Return the states after each legal move of a state; ``rules`` are those of the game, or similar. Raises
    `RulesError` for invalid results, and what the functions raise.
    """
    _accept(game, state, rules.to_move, wrong_mover(rules.to_move(state)))
    payoff = rules.outcome(state)
    _accept(game, state, rules.outcome, wrong_payoff(rules, payoff))
    if payoff != ONGOING:
        return []
    children = [rules.play(state, code) for code in ask_moves(game, rules, state)]
    for child in children:
        _accept(game, state, rules.play, wrong_state(child))
    return children


def _accept(game: Game, state: int, function: Callable[..., int], wrong: str) -> None:
    """Raise `RulesError`, at the first line of the function, if its result for a state is ``wrong``."""
    if wrong:
        code = getattr(function, "py_func", function).__code__
        location = place(code.co_filename, code.co_firstlineno, code.co_name)
        error = RulesError(f"{location}, at position {game.format_position(state)}: {wrong}")
        raise error.showing(excerpt(code.co_filename, code.co_firstlineno))


def ask_moves(game: Game, rules: Rules, state: int) -> list[int]:
    """Return the codes of the legal moves of a state where the game goes on; ``rules`` are those of the game, or
    similar. Raises `RulesError` for invalid codes, and what ``legal_moves`` raises.
    """
    buffer = Buffer(rules.max_moves)
    count = rules.legal_moves(state, buffer)
    message, line = wrong_count(rules, count, buffer.beyond), buffer.line
    if not message:
        message = (wrong_code(rules, buffer[:count], repeating=game.moves_may_repeat) or (0, ""))[1]
    if not message:
        return buffer[:count]
    location = place(*line) if line else game.spec
    error = RulesError(f"{location}, at position {game.format_position(state)}: {message}")
    raise error.showing(excerpt(*line[:2]) if line else "")


# Lines of an author's file --------------------------------------------------------------------------------------------


def place(path: str, line: int, function: str = "") -> str:
    """Describe a line of a file."""
    return f"{Path(path).name}:{line}" + (f", in {function}()" if function else "")


def excerpt(path: str, line: int, column: int | None = None, end_column: int | None = None) -> str:
    """Return the line and those above it with their numbers, the columns from ``column`` to ``end_column`` underlined;
    an empty text if the file cannot be read.
    """
    linecache.checkcache(path)
    numbers = range(max(1, line - CONTEXT), line + 1)
    texts = {number: linecache.getline(path, number).rstrip("\n").expandtabs(1) for number in numbers}
    if not texts[line].strip():
        return ""
    width = len(str(line))
    shown = [f"  {'>' if number == line else ' '} {number:>{width}} | {text}" for number, text in texts.items()]
    if column is not None:
        length = max(1, min(end_column or column + 1, len(texts[line])) - column)
        shown.append(f"    {'':>{width}} | {' ' * column}{'^' * length}")
    return "\n".join(shown)


def raised_at(error: BaseException, files: Collection[str]) -> tuple[str, int, str] | None:
    """Return file, line and function of the innermost call in one of the files that an exception passed, or None."""
    return innermost(traceback.extract_tb(error.__traceback__), files)


def innermost(calls: traceback.StackSummary, files: Collection[str]) -> tuple[str, int, str] | None:
    """Return file, line and function of the innermost of these calls in one of the files, or None."""
    for frame in reversed(calls):
        if frame.filename in files:
            function = frame.name if frame.name.isidentifier() else ""
            return frame.filename, frame.lineno or 1, function
    return None


def in_words(error: BaseException) -> str:
    """Return an exception's type and message on one line."""
    return ": ".join(filter(None, [type(error).__name__, " ".join(str(error).split())]))
