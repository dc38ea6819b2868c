"""That tests share what is compiled only where it is the same: else they would not test what they say."""

from __future__ import annotations

import types

import numpy as np
import pytest

import analysis
from analysis.engine.compiling.functions import compile_function
from analysis.engine.kernels.raw import memory
from analysis.engine.kernels.types import to_move_signature
from analysis.errors import RulesError
from analysis.games.families import FAMILIES, load_game
from tests.checks.test_contract import GAMES
from tests.support.compiled_once import CompiledOnce, NotRememberedError, content

ELSEWHERE = 5


def plus(number):
    def function(state):
        return state + number

    return function


def through(helper):
    def function(state):
        return helper(state)

    return function


def named(state):
    return state + ELSEWHERE


def with_default(state, more=1):
    return state + more


def with_globals(function, **changed):
    return types.FunctionType(function.__code__, {**function.__globals__, **changed}, function.__name__)


def test_the_same_is_the_same():
    assert content(plus(1)) == content(plus(1))
    assert content(through(plus((1, 2)))) == content(through(plus((1, 2))))
    assert content(with_globals(named)) == content(named)
    assert content(memory) == content(memory)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (plus(1), plus(2)),
        (plus(1), plus(True)),
        (plus(1), plus(1.0)),
        (plus(0.0), plus(-0.0)),
        (plus(1), plus(np.int64(1))),
        (plus(np.int8(1)), plus(np.int64(1))),
        (plus((1, 2)), plus((1, 3))),
        (plus((1, 2)), plus((1, (2,)))),
        (plus(np.array([1, 2])), plus(np.array([1, 3]))),
        (plus(np.array([1, 2])), plus(np.array([[1, 2]]))),
        (plus(np.zeros(2, dtype=np.int64)), plus(np.zeros(2, dtype=np.uint64))),
        (through(plus(1)), through(plus(2))),
        (through(through(plus(1))), through(through(plus(2)))),
        (through(named), through(with_globals(named, ELSEWHERE=6))),
        (named, with_globals(named, ELSEWHERE=6)),
        (named, with_globals(named, ELSEWHERE=plus(1))),
        (with_default, types.FunctionType(with_default.__code__, globals(), "with_default", (2,))),
        (plus(1), through(plus(1))),
        (plus, through),
    ],
)
def test_what_differs_is_not_shared(one, other):
    assert content(one) != content(other)


def test_the_same_text_in_another_folder(tmp_path):
    """Shared if it is at the same line of a file of the same name."""

    def function_of(name, text="def function(state):\n    return state + 1\n"):
        namespace = {}
        exec(compile(text, tmp_path / name, "exec"), namespace)
        return content(namespace["function"])

    assert function_of("a/a.py") == function_of("b/a.py")
    assert function_of("a.py") != function_of("b.py")
    assert function_of("a.py") != function_of("a.py", "\ndef function(state):\n    return state + 1\n")
    assert function_of("a.py") != function_of("a.py", "def function(state):\n    return state + 2\n")
    assert function_of("a.py") != function_of("a.py", "def function(state):\n    return state - 1\n")


@pytest.mark.parametrize(
    "value", [[1, 2], {1: 2}, {1, 2}, object(), np.array([object()])], ids=lambda value: type(value).__name__
)
def test_what_may_change_is_compiled_anew(value):
    with pytest.raises(NotRememberedError):
        content(plus(value))


@pytest.mark.parametrize("name", FAMILIES)
def test_games_of_a_family_are_told_apart(name):
    """A game made twice has the same functions, another game of its family has not, unless they differ in the start."""

    def functions(game):
        rules = game.rules()
        return tuple(content(function) for function in (rules.outcome, rules.legal_moves, rules.play, rules.to_move))

    others = ["coin_grabber:threshold=60"] if name == "coin_grabber" else GAMES[name]
    games = {load_game(spec) for spec in (name, *others)}
    assert len(games) > 1
    assert len({functions(game) for game in games for _ in range(2)}) == len(games)


def test_once():
    once = CompiledOnce()
    one, two, again = (once(plus(number), to_move_signature, "plus") for number in (1, 2, 1))
    assert (one.ctypes(5), two.ctypes(5), again.ctypes(5)) == (6, 7, 6)
    assert one is again
    assert len(once.known) == 2


def test_what_does_not_compile_is_refused_each_time():
    for _ in range(2):
        with pytest.raises(RulesError, match="number"):
            compile_function(plus("1"))


def test_fast_tests_compile_once():
    assert compile_function(plus(3)) is compile_function(plus(3))
    assert analysis.solve("mnk:rows=1,cols=3,k=2").statistics() == analysis.solve("mnk:cols=3,rows=1,k=2").statistics()


@pytest.mark.slow
def test_slow_tests_compile_each_time():
    assert compile_function(plus(3)) is not compile_function(plus(3))
