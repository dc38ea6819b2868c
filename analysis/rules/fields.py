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
from collections.abc import Callable, Collection, Sequence
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
REQUIRED = ("legal_moves", "play", "outcome", "to_move")
MOST_BITS = 63
MOST_STATE = (1 << MOST_BITS) - 1
BOUNDS = {
    "start": (0, MOST_STATE), "max_moves": (1, 255), "largest_code": (0, LARGEST_CODE), "cells": (0, MOST_BITS),
    "planes": (1, MOST_BITS), "max_plies": (0, MOST_STATE), "most_positions": (1, MOST_STATE),
}  # fmt: skip
"""The least and the greatest of each number in `Rules`; bytes hold the number of moves."""
BOUNDS_OF_PAYOFFS = -32768, 32766  # int16 numbers hold payoffs, and `ONGOING`
PATIENCE = 1 << 16  # entries beyond its list that ``legal_moves`` may write before it is stopped
OVER = "the game is over at the start: does outcome() or winner() return something before the end?"
CONTEXT = 2  # lines shown above the faulty one


def check_rules(rules: Any) -> Rules:
    """Return the rules if the engine can use all their fields. Raises `RulesError` for the first that it cannot."""
    if not isinstance(rules, Rules):
        returned = "nothing" if rules is None else f"a {type(rules).__name__}"
        raise RulesError(f"rules() returns {returned}; it must return Rules(...), from analysis")
    _check_numbers(rules)
    for name, arguments in ARGUMENTS.items():
        function = getattr(rules, name)
        if function is not None or name in REQUIRED:
            _check_function(name, function, arguments)
    _check_board(rules)
    _check_evaluations(rules)
    return rules


def check_residual(residual: Any, rules: Rules) -> Residual:
    """Check and return what is left to play in a game with these rules. Raises `RulesError` if it cannot be used."""
    if not isinstance(residual, Residual):
        returned = "nothing" if residual is None else f"a {type(residual).__name__}"
        raise RulesError(f"residual() returns {returned}; it must return Residual(of, rules)")
    try:
        _check_function("of", residual.of, ("state",))
        rules_left = check_rules(residual.rules)
    except RulesError as error:
        raise RulesError(str(error).replace("rules() gives", "residual() gives", 1)) from None
    if rules_left.canonical is not None:
        raise RulesError("residual() gives rules with a canonical(); of(state) must make states canonical itself")
    if (rules_left.tier is None) != (rules.tier is None):
        raise RulesError("residual() gives rules with a tier() although rules() has none, or the other way round")
    for name in ("payoffs", "loopy", "impartial"):
        if getattr(rules_left, name) != getattr(rules, name):
            value, expected = getattr(rules_left, name), getattr(rules, name)
            raise RulesError(f"residual() gives rules with {name}={value}, but rules() with {name}={expected}")
    try:
        start = residual.of(rules.start)
    except Exception as error:  # from the author's function
        raise RulesError(f"of() of residual() fails at the start: {in_words(error)}") from None
    if not isinstance(start, int) or start != rules_left.start:
        raise RulesError(f"residual rules start at {rules_left.start}, but of(start) is {start!r}")
    return residual


def _check_numbers(rules: Rules) -> None:
    for name, (least, greatest) in BOUNDS.items():
        if (value := getattr(rules, name)) is not None or name not in ("max_plies", "most_positions"):
            _whole(name, value, least, greatest)
    for name in ("loopy", "impartial", "exchange"):
        if not isinstance(getattr(rules, name), bool):
            raise RulesError(f"rules() gives {name}={getattr(rules, name)!r}; it must be True or False")
    _pair("payoffs", rules.payoffs, *BOUNDS_OF_PAYOFFS)


def _whole(name: str, value: Any, least: int, greatest: int) -> None:
    bounds = f"from {least} to {greatest}" if greatest < MOST_STATE else f"at least {least} and below 2**{MOST_BITS}"
    if not isinstance(value, int) or isinstance(value, bool):
        raise RulesError(f"rules() gives {name}={value!r}; it must be an int, {bounds}")
    if not least <= value <= greatest:
        raise RulesError(f"rules() gives {name}={value}; it must be {bounds}")


def _pair(name: str, pair: Any, least: int, greatest: int) -> None:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise RulesError(f"rules() gives {name}={pair!r}; it must be the least and the greatest, such as (-1, 1)")
    for value in pair:
        _whole(name, value, least, greatest)
    if pair[0] > pair[1]:
        raise RulesError(f"rules() gives {name}={pair!r}; the least must come first")


def _check_function(name: str, function: Any, arguments: tuple[str, ...]) -> None:
    wanted = f"{name}({', '.join(arguments)})"
    if isinstance(function, types.MethodType):
        raise RulesError(f"rules() gives the method {function.__name__}() for {name}; write a plain function {wanted}")
    if not isinstance(function, types.FunctionType) and not hasattr(function, "py_func"):
        raise RulesError(f"rules() gives {name}={function!r}; it must be a plain function {wanted}")
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        signature = f"{getattr(function, '__name__', name)}{inspect.signature(function)}"
        raise RulesError(f"rules() gives {signature} for {name}; it is called as {wanted}") from None


def _check_board(rules: Rules) -> None:
    if rules.cells * rules.planes > MOST_BITS:
        raise RulesError(
            f"rules() gives cells={rules.cells} and planes={rules.planes}; at most {MOST_BITS} bits fit a state"
        )
    if rules.exchange and (rules.planes < 2 or not rules.cells):
        raise RulesError(
            f"rules() gives exchange=True with cells={rules.cells} and planes={rules.planes}; exchanging marks "
            "needs two planes of cells"
        )
    if rules.symmetries and not rules.cells:
        raise RulesError("rules() gives symmetries without cells; write cells=, the number they permute")
    for line in rules.lines:
        if not isinstance(line, tuple) or not all(type(cell) is int and 0 <= cell < rules.cells for cell in line):
            raise RulesError(
                f"rules() gives the line {line!r}; it must be a tuple of cells from 0 to {rules.cells - 1} (cells=)"
            )
    for permutation in rules.symmetries:
        if not isinstance(permutation, tuple) or sorted(permutation) != list(range(rules.cells)):
            raise RulesError(
                f"rules() gives the symmetry {permutation!r}; it must be a tuple with each of the cells from 0 to "
                f"{rules.cells - 1} once"
            )


def _check_evaluations(rules: Rules) -> None:
    for name, evaluation in rules.evaluations.items():
        if not isinstance(evaluation, Evaluation):
            raise RulesError(
                f"rules() gives the evaluation {name!r} as {evaluation!r}; write Evaluation(function, bounds)"
            )
        _check_function(f"the evaluation {name!r}", evaluation.function, ("state",))
        _pair(f"the bounds of {name!r}", evaluation.bounds, -(1 << MOST_BITS), MOST_STATE)
    if rules.heuristic is not None and rules.heuristic not in rules.evaluations:
        raise RulesError(f"rules() gives heuristic={rules.heuristic!r}, which is not one of the evaluations")


# What the methods return ----------------------------------------------------------------------------------------------


def wrong_answer(name: str, answer: Any, grid: Sequence[Sequence[str]] | None = None) -> str:
    """Return what a text codec or drawing method ``name`` should have returned instead of ``answer``; empty if it is
    valid. ``grid`` is the board that ``cell_of`` refers to.

    >>> wrong_answer("grid", [["X", "O"], [" "]])
    'all rows of a board must be equally long'
    >>> wrong_answer("cell_of", 2, [["X", "O"]])
    'it must return None or a cell of the board, from 0 to 1'
    """
    whole = isinstance(answer, int) and not isinstance(answer, bool)
    if name in ("parse_position", "parse_either_side") and not (whole and 0 <= answer < 1 << 63):
        return "it must return a state, a whole number from 0 to 2**63 - 1"
    if name == "parse_move" and not (whole and 0 <= answer <= LARGEST_CODE):
        return f"it must return the code of a move, from 0 to {LARGEST_CODE}"
    if name in ("format_position", "format_move", "caption") and not isinstance(answer, str):
        return "it must return a text"
    if name == "picture" and not (answer is None or isinstance(answer, str)):
        return "it must return a text or None"
    if name == "cell_of" and answer is not None:
        cells = sum(map(len, grid or ()))
        if not cells:
            return "it must return None, since there is no board"
        if not (whole and 0 <= answer < cells):
            return f"it must return None or a cell of the board, from 0 to {cells - 1}"
    return _wrong_grid(answer) if name == "grid" and answer is not None else ""


def _wrong_grid(grid: Any) -> str:
    """Return what is wrong with the rows of marks of a board, or an empty text."""
    if not isinstance(grid, list | tuple) or not all(isinstance(row, list | tuple | str) for row in grid):
        return "it must return None or a list of rows, each a list of marks"
    if not grid or not grid[0]:
        return "a board must have at least one row and one column; without a board it must return None"
    if any(len(row) != len(grid[0]) for row in grid):
        return "all rows of a board must be equally long"
    if any(not isinstance(mark, str) or len(mark.splitlines()) > 1 or "\n" in mark for row in grid for mark in row):
        return "each mark of a board must be a short text"
    return ""


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
