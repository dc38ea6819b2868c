"""Compile the plain functions of `Rules` for the kernels.

Numba compiles a function only if every function it calls is compiled too. So all plain functions reachable through
closures and globals are compiled, without changing the author's module.
"""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable
from typing import Any

import numba

from ...errors import RulesError
from ...rules.fields import check_rules
from ...rules.game import ONGOING, Rules, popcount
from ..kernels.types import (
    Helper,
    legal_moves_signature,
    play_signature,
    successors_signature,
    to_move_signature,
)
from .cache import compile_callback
from .faults import explained
from .plain_code import check_function, reached, refusal

Compiled = dict[Callable[..., Any], Any]
"""The compiled forms of functions in use."""


class CompiledRules:
    """The rules as kernels take them, compiled when first needed: see `kernels.types.Successors`."""

    def __init__(self, rules: Rules, *, repeating: bool = False) -> None:
        self._rules, self._repeating = rules, repeating
        self._jitted: Compiled = {}
        self._made: dict[object, Callable[..., int]] = {}

    def successors(self, *, reduced: bool = False, tiered: bool = False) -> Callable[..., int]:
        """Return what gives the states after a state, as `play` returns them; made canonical by the rules' own
        canonical() if ``reduced``, and with the tier of child ``i`` in ``moves[max_moves + i]`` if ``tiered``.
        """
        if (reduced, tiered) not in self._made:
            play = self._reducing_play() if reduced else self._rules.play
            self._made[reduced, tiered] = self._fused(play, tiered=tiered)
        return self._made[reduced, tiered]

    @functools.cached_property
    def to_move(self) -> Callable[..., int]:
        """The side to move."""
        return self.alone(self._rules.to_move)

    def alone(self, function: Callable[[int], int] | None) -> Callable[..., int]:
        """Compile a function of a state by itself, using those of its functions that are already compiled."""
        assert function is not None
        if function not in self._made:
            self._made[function] = compile_function(function, jitted=self._jitted)
        return self._made[function]

    def _reducing_play(self) -> Callable[[int, int], int]:
        assert self._rules.canonical is not None
        canonical, play = self._rules.canonical, self._rules.play

        def canonical_play(state: int, move: int) -> int:
            return canonical(play(state, move))

        return canonical_play

    def _fused(self, play: Callable[[int, int], int], *, tiered: bool) -> Callable[..., int]:
        outcome, legal_moves, play = (self._plain(f) for f in (self._rules.outcome, self._rules.legal_moves, play))
        tier, most = self._plain(self._rules.tier or _one_tier), self._rules.max_moves
        repeating = self._repeating

        def successors(state: int, moves: Any, children: Any) -> int:
            payoff = outcome(state)
            if payoff != ONGOING:
                children[0] = payoff
                return -1
            n = legal_moves(state, moves)
            if n < 0 or n > most:
                return 0
            for i in range(n):
                if i > 0 and moves[i] <= moves[i - 1]:
                    if not repeating:  # a constant, as is ``tiered``
                        return 0
                    children[i] = children[i - 1] if moves[i] == moves[i - 1] else play(state, moves[i])
                else:
                    children[i] = play(state, moves[i])
                if tiered:  # a constant: without tiers, none of this is compiled
                    moves[most + i] = tier(children[i])
            return n

        return pointer_to(successors, successors_signature, "the rules")

    def _plain(self, function: Callable[..., Any]) -> Any:
        return compile_plain(function, self._jitted)


def compile_rules(rules: Rules, *, repeating: bool = False) -> CompiledRules:
    """Compile what every pass needs; move codes may be ``repeating`` for rules of residual states. Raises `RulesError`,
    naming what could not be compiled and its line.
    """
    compiled = CompiledRules(check_rules(rules), repeating=repeating)
    compiled.successors()
    _ = compiled.to_move
    return compiled


def _one_tier(state: int) -> int:
    return 0


def compile_functions(rules: Rules) -> tuple[Any, Any, Any, Any]:
    """Compile ``outcome``, ``legal_moves``, ``play`` and ``to_move`` one by one. Raises `RulesError`."""
    signatures = (to_move_signature, legal_moves_signature, play_signature, to_move_signature)
    functions: tuple[Callable[..., int], ...] = (rules.outcome, rules.legal_moves, rules.play, rules.to_move)
    outcome, legal_moves, play, to_move = map(compile_function, functions, signatures)
    return outcome, legal_moves, play, to_move


def compile_function(
    function: Callable[..., Any], signature: Any = to_move_signature, jitted: Compiled | None = None
) -> Any:
    """Compile one of the author's functions by itself; ``jitted`` holds what is already compiled of those it calls."""
    plain = compile_plain(function, {} if jitted is None else jitted)
    return pointer_to(getattr(plain, "py_func", plain), signature, function.__name__)


def pointer_to(function: Callable[..., Any], signature: Any, name: str) -> Any:
    """Make a compiled function that kernels can take. Raises `RulesError` with this ``name`` if it does not compile."""
    if numba.config.DISABLE_JIT:
        return function
    try:
        return compile_callback(function, signature)
    except RulesError:
        raise
    except Exception as error:  # whatever stops the compiler comes from the author's functions
        raise explained(error, function, name) from error


def compile_plain(function: Callable[..., Any], jitted: Compiled) -> Any:
    """Compile a function with every plain function it can reach. Raises `RulesError` if one of them uses what rules
    must not use.
    """
    if numba.config.DISABLE_JIT or function is popcount or not isinstance(function, types.FunctionType):
        return function
    if function not in jitted:
        check_function(function)
        jitted[function] = None
        whole, checked = _rebuilt(function, lambda value: _compiled(value, jitted)), not _is_own(function)
        jitted[function] = Helper(whole, no_cpython_wrapper=True, no_cfunc_wrapper=True, boundscheck=checked)
    if jitted[function] is None:
        raise refusal(function, None, "a function of rules cannot call itself; write a loop")
    return jitted[function]


def _is_own(function: types.FunctionType) -> bool:
    """Return whether a function and all that it reaches belong to this package, whose tests check that they write only
    within bounds: checking bounds takes up to a sixth of the time of the leanest rules.
    """
    return all(str(function_reached.__module__).startswith("gametree.") for function_reached in reached([function]))


def _compiled(value: Any, jitted: Compiled) -> Any:
    return compile_plain(value, jitted) if isinstance(value, types.FunctionType) else value


def _rebuilt(function: types.FunctionType, replace: Callable[[Any], Any]) -> types.FunctionType:
    """Return a function in which all functions from outside are replaced."""
    outside = function.__globals__
    names = {name: replace(outside[name]) for name in function.__code__.co_names if name in outside}
    cells = tuple(types.CellType(replace(cell.cell_contents)) for cell in function.__closure__ or ())
    namespace = {**outside, **names, "__builtins__": builtins}
    return types.FunctionType(function.__code__, namespace, function.__name__, function.__defaults__, cells)


def substituted(function: Any, old: Callable[..., Any], new: Callable[..., Any]) -> Any:
    """Return a function that calls ``new`` wherever it, or a plain function that it calls, calls ``old``."""

    def replace(value: Any) -> Any:
        if value is old:
            return new
        calls = isinstance(value, types.FunctionType) and any(called is old for called in reached([value]))
        return _rebuilt(value, replace) if calls else value

    return replace(function)


@numba.extending.overload(popcount)  # type: ignore[untyped-decorator]
def _popcount(x):  # type: ignore[no-untyped-def] # Numba wants both without annotations
    return lambda x: _count_bits(x)


@numba.extending.intrinsic  # type: ignore[untyped-decorator]
def _count_bits(typing_context: Any, x: Any) -> Any:
    """Compile to one instruction if the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return x(x), generate
