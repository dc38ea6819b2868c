"""From the plain functions of `Rules` to the two compiled functions that the kernels take.

Numba compiles a function only if every function it calls is compiled too, so all plain functions reachable through
closures and globals are compiled, without touching the author's module.
"""

from __future__ import annotations

import builtins
import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numba
from numba.core import errors as numba_errors
from numba.extending import intrinsic, overload

from analysis.errors import RulesError
from analysis.kernels.types import (
    legal_moves_signature,
    play_signature,
    successors_signature,
    to_move_signature,
)
from analysis.rules import ONGOING, Rules, popcount


@dataclasses.dataclass(frozen=True)
class CompiledRules:
    """The rules as the kernels take them: see `kernels.types.Successors` and `ToMove`."""

    successors: Callable[..., int]
    to_move: Callable[..., int]


def compile_rules(rules: Rules) -> CompiledRules:
    """Compile the rules. Raises `RulesError` naming the function that Numba could not compile, and its line."""
    jitted: dict[int, Any] = {}
    outcome, legal_moves, play = (compile_plain(f, jitted) for f in _functions(rules)[:3])

    def successors(state: int, moves: Any, children: Any) -> int:
        payoff = outcome(state)
        if payoff != ONGOING:
            children[0] = payoff
            return -1
        n = legal_moves(state, moves)
        for i in range(n):
            children[i] = play(state, moves[i])
        return n

    if numba.config.DISABLE_JIT:
        return CompiledRules(successors, rules.to_move)
    return CompiledRules(
        pointer_to(successors, successors_signature, "the rules"),
        pointer_to(compile_plain(rules.to_move, jitted).py_func, to_move_signature, "to_move"),
    )


def compile_functions(rules: Rules) -> tuple[Any, Any, Any, Any]:
    """``outcome``, ``legal_moves``, ``play`` and ``to_move``, compiled one by one. Raises `RulesError`."""
    functions = _functions(rules)
    if numba.config.DISABLE_JIT:
        return functions
    signatures = (to_move_signature, legal_moves_signature, play_signature, to_move_signature)
    jitted: dict[int, Any] = {}
    return tuple(  # type: ignore[return-value]
        pointer_to(compile_plain(function, jitted).py_func, signature, function.__name__)
        for function, signature in zip(functions, signatures, strict=True)
    )


def _functions(rules: Rules) -> tuple[Any, Any, Any, Any]:
    return rules.outcome, rules.legal_moves, rules.play, rules.to_move


def pointer_to(function: Callable[..., Any], signature: Any, what: str) -> Any:
    """A compiled function that kernels can take. Raises `RulesError` naming what did not compile."""
    try:
        return numba.cfunc(signature)(function)
    except numba_errors.NumbaError as error:
        raise RulesError(f"{what} did not compile: {str(error).strip()}") from None


def compile_plain(function: Callable[..., Any], jitted: dict[int, Any]) -> Any:
    """The function with every plain function it can reach compiled."""
    if numba.config.DISABLE_JIT or function is popcount or not isinstance(function, types.FunctionType):
        return function
    if id(function) not in jitted:
        jitted[id(function)] = None  # a recursive function finds itself by its own name
        jitted[id(function)] = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(
            _with_compiled_helpers(function, jitted)
        )
    return jitted[id(function)] or function


def _with_compiled_helpers(function: types.FunctionType, jitted: dict[int, Any]) -> types.FunctionType:
    def replace(value: Any) -> Any:
        return compile_plain(value, jitted) if isinstance(value, types.FunctionType) else value

    names = {name: replace(function.__globals__[name]) for name in _names(function) if name in function.__globals__}
    cells = tuple(types.CellType(replace(cell.cell_contents)) for cell in function.__closure__ or ())
    namespace = {**function.__globals__, **names, "__builtins__": builtins}
    return types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, cells)


def _names(function: types.FunctionType) -> tuple[str, ...]:
    return function.__code__.co_names


@overload(popcount)  # type: ignore[untyped-decorator]
def _popcount(x):  # type: ignore[no-untyped-def] # Numba wants both without annotations
    return lambda x: _count_bits(x)


@intrinsic  # type: ignore[untyped-decorator]
def _count_bits(typing_context: Any, x: Any) -> Any:
    """One instruction where the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return x(x), generate
