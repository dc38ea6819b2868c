"""What functions of rules must not use is refused in words, at its line, before or after the compiler sees it."""

from __future__ import annotations

import sys
import textwrap

import pytest

import analysis
from analysis.engine.compiling.functions import compile_function
from analysis.errors import RulesError
from tests.games.test_user_games import HEAD, TAKE, writer


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return writer(tmp_path)


BODIES = [
    ("return state / 2", "/ makes a fraction; write //"),
    ("state /= 2\nreturn state", "/ makes a fraction; write //"),
    ("return 2 ** -1", "a negative power is a fraction"),
    ("return 0.5 * state", "0.5, no whole number"),
    ("return stat", "'stat' is not defined; did you mean 'state'?"),
    ("return 'X'", "text cannot be used in rules"),
    ("x = f'{state}'\nreturn 1", "text cannot be used in rules"),
    ("return [1, 2][state]", "a list cannot be used in rules; write a tuple"),
    ("return len([i for i in range(3)])", "a list cannot be used in rules"),
    ("return {0: 1}[state]", "a dictionary cannot be used in rules; use a tuple indexed by numbers"),
    ("return 1 if state in {1, 2} else 0", "a set cannot be used in rules"),
    ("return sum(i for i in range(3))", "a generator cannot be used in rules; write a loop"),
    ("yield state", "a generator cannot be used in rules"),
    ("if state:\n    return 1", "returns a number on some paths only"),
    ("if state:\n    return 1\nreturn", "returns nothing here, but a number elsewhere"),
    ("return None", "None, no whole number"),
    ("if state:\n    return (1, 2)\nreturn 1", "returns a tuple; a whole number is wanted"),
    ("return helper(state)", "the argument 'b' of this function is missing"),
    ("return helper(state, 1, 2)", "too many arguments for this function"),
    ("return UNEQUAL[state & 1][0]", "the parts of this tuple differ in length or kind"),
    ("for part in UNEQUAL:\n    state += part[0]\nreturn state", "the parts of this tuple differ in length or kind"),
    ("for part in EMPTY:\n    state += part\nreturn state", "this tuple is empty"),
    ("return NUMBERS[state:][0]", "a part of a tuple cannot be taken with a colon"),
    ("return state[0]", "a number cannot be indexed; for a bit write x >> i & 1"),
    ("return state.bit_count()", "write popcount(state), from analysis"),
    ("return state.coins", "state.coins cannot be used in rules"),
    ("return self.coins", "write coins = self.coins before the function, inside rules(), and use coins"),
    ("return self.help(state)", "self.help() cannot be called here; write help as a plain function"),
    ("return LIST[0]", "'LIST' cannot be used in rules: it is a list; make it a tuple"),
    ("return TEXTS[0]", "'TEXTS' cannot be used in rules: it holds a text"),
    ("return HUGE & state", "'HUGE' cannot be used in rules: it is 9223372036854775808, which takes more than 63 bits"),
    ("return state & 9223372036854775808", "9223372036854775808 takes more than 63 bits"),
    ("return math.comb(4, 2)", "'math' cannot be used in rules: it is a module"),
    ("return sorted(NUMBERS)[0]", "sorted() cannot be used in rules; write a loop"),
    ("print(state)\nreturn 1", "print() cannot be used in rules"),
    ("return bin(state).count('1')", "bin() cannot be used in rules; count bits with popcount()"),
    ("return Thing(state)", "'Thing' cannot be used in rules: it is the class Thing"),
    ("try:\n    return 1\nexcept ValueError:\n    return 2", "try cannot be used in rules"),
    ("if state > 9:\n    raise ValueError(state)\nreturn 1", "raise cannot be used in rules"),
    ("assert state\nreturn 1", "assert cannot be used in rules"),
    ("with open(state):\n    return 1", "with cannot be used in rules"),
    ("import math\nreturn 1", "import at the top of the file"),
    ("global HUGE\nHUGE = 1\nreturn 1", "rules cannot change variables of the file"),
    ("def inner(x):\n    return x\nreturn inner(state)", "a function inside a function of the rules"),
    ("return (lambda x: x)(state)", "a function inside a function of the rules"),
    ("if (x := state):\n    return x\nreturn 0", "without :="),
    ("del state\nreturn 1", "del cannot be used in rules"),
    ("return fact(state)", "calls itself, which functions of rules cannot; write a loop"),
    ("return starred(state)", "plain arguments, without *"),
    ("for i in state:\n    return i\nreturn 0", "a number cannot be looped over; write range(...)"),
    ("return NUMBERS + 1", "add does not go with these kinds of things"),
]
WORLD = """
import math
UNEQUAL, EMPTY, NUMBERS, LIST, TEXTS, HUGE = ((1, 2), (3, 4, 5)), (), (1, 2, 3), [1], ("a", "b"), 1 << 63


class Thing:
    pass


def helper(a, b):
    return a + b


def fact(n):
    return 1 if n < 2 else n * fact(n - 1)


def starred(*numbers):
    return numbers[0]
"""


@pytest.mark.parametrize(("body", "words"), BODIES, ids=[body.replace("\n", " ")[:40] for body, _ in BODIES])
def test_code_that_does_not_compile(write, body, words):
    game = """
@dataclass(frozen=True)
class Bad:
    coins: int = 1

    def help(self, state):
        return state

    def rules(self):
        def outcome(state):
"""
    after = "\n        return Rules(0, 1, helper, helper, outcome, one), self\n"
    write(
        HEAD + WORLD + game + textwrap.indent(body, " " * 12) + after + "\n\ndef one(state):\n    return 1\n", "bad.py"
    )
    module = sys.modules[type(analysis.load_game("bad.py")).__module__]
    found, _ = module.Bad().rules()
    with pytest.raises(RulesError) as caught:
        compile_function(found.outcome)
    error = caught.value
    message, shown = str(error), error.excerpt
    assert words in message
    assert message.startswith("bad.py:")
    assert "\n" not in message
    for word in (
        "numba",
        "nopython",
        "Typing",
        "During",
        "CPUDispatcher",
        "njit",
        "literal",
        "int64",
        "/work",
        "UniTuple",
    ):
        assert word.lower() not in (message + shown).lower(), message
    number = int(message.split(":")[1].split(",")[0])
    assert f"> {number} | " in shown
    assert shown.count("\n") <= 4


def test_code_that_does_not_compile_on_the_command_line(write, gametree):
    write(HEAD + TAKE.replace("(state >> 1) - move - 1 << 1 |", "(state / 2) - move - 1 << 1 |"))
    result = gametree("solve", "take.py")
    assert (result.code, result.out) == (1, "")
    assert result.err.splitlines() == [
        "gametree: take.py:19, in play(): / makes a fraction; write //, which divides whole numbers",
        "",
        "    17 | ",
        "    18 |         def play(state, move):",
        "  > 19 |             return (state / 2) - move - 1 << 1 | (state & 1 ^ 1)",
        "       |                     ^^^^^^^^^",
    ]
    checked = gametree("check", "take.py", "--format", "json")
    assert checked.code == 1
    failed = {check["check"]: check for check in checked.json["checks"] if check["result"] == "failed"}
    assert "in play(): / makes a fraction" in failed["code"]["message"]


def test_the_function_at_fault_is_named(write):
    """The functions are compiled as one; what is wrong with one of them is said at its own line."""
    write(HEAD + TAKE.replace("return ONGOING if state >> 1", "return (1, 2) if state >> 1"))
    with pytest.raises(RulesError, match=r"take.py:\d+, in outcome\(\), at position 10: outcome\(\) gives \(1, 2\)"):
        analysis.solve("take.py")
