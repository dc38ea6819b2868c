"""Rules that are wrong: one line names the game or its file, and the line or the position, and nothing crashes."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

import analysis
from analysis.engine import sample
from analysis.engine.compiling.functions import compile_function
from analysis.errors import RulesError
from tests.games.test_user_games import HEAD, TAKE, writer
from tests.support.own_game import own_game
from tests.support.program import PATIENCE, ROOT

LATE = 40_000
"""A position that few random games pass."""

WRITES = "for i in range({0}): out[i] = i\nreturn {0}"
FAULTS = {
    "300 of 255": ({"moves": WRITES.format(300), "most": 255}, "300", "max_moves=255"),
    "late": ({"moves": f"n = 2 + 298 * (state == {LATE})\n{WRITES.format('n')}", "most": 255}, "300"),
    "too far": ({"moves": "out[1_000_000] = 0"}, "out[1000000]", "max_moves=2"),
    "before": ({"moves": "out[-100_000] = 0"}, "out[-100000]", "max_moves=2"),
    "one too many": ({"moves": "out[2] = 2\nreturn 3"}, "3 moves", "max_moves=2"),
    "returns 100,000": ({"moves": "return 100_000"}, "100000", "max_moves=2"),
    "returns less than 0": ({"moves": "return -1"}, "-1", "max_moves=2"),
    "repeated": ({"moves": f"out[1] = 1 - (state == {LATE})"}, "the move code 0 comes after 0"),
}


@pytest.fixture
def walk(tmp_path):
    """The file of a game with this in it: a tree of so many plies, the children of s are 2 s + 1 and 2 s + 2."""

    def write(*, plies=16, moves="", outcome="", most=2, play="2 * state + 1 + move", mover="1"):
        path = tmp_path / "walk.py"
        moves = f"out[0] = 0\nout[1] = 1\n{moves}\nreturn 2"
        outcome = f"{outcome}\nreturn ONGOING if state < ends else 0"
        setup = f"ends = 2**{plies} - 1"
        text = own_game(
            "Walk", setup=setup, max_moves=most, legal_moves=moves, play=play, outcome=outcome, to_move=mover
        )
        path.write_text(text)
        return str(path)

    return write


def started(*arguments):
    """The command line as a process of its own, which may crash."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "analysis", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def refused(result, *words):
    """That a command ended with code 1 and one line with these words, and perhaps lines of the author's file."""
    out, err = result.communicate(timeout=PATIENCE)
    said = [line for line in err.splitlines() if line.startswith("gametree: ") and "compiling" not in line]
    assert (result.returncode, out, len(said)) == (1, "", 1), (result.returncode, out, err)
    assert all(word in said[0] for word in ("walk.py", *words)), said


SOLVED = ("300 of 255", "late", "before")
COMMANDS = [
    *(pytest.param("solve", name, marks=[] if name in SOLVED else pytest.mark.slow) for name in FAULTS),
    ("prune", "300 of 255"),
    *(
        pytest.param(command, name, marks=pytest.mark.slow)
        for command in ("prune", "match")
        for name in ("too far", "before", "one too many", "returns 100,000", "returns less than 0")
    ),
]


@pytest.mark.parametrize(("command", "name"), COMMANDS)
def test_no_command_crashes(walk, tmp_path, command, name):
    settings, *words = FAULTS[name]
    options = {
        "solve": ("--no-counts", "--out", tmp_path / "out"),
        "prune": ("--depth", "3"),
        "match": ("random", "greedy", "--games", "5"),
    }[command]
    position = str(LATE) if str(LATE) in settings["moves"] else "0"
    refused(started(command, walk(**settings), *options), f"at position {position}", *words)
    assert not (tmp_path / "out").exists()


ANSWERS = [
    ({"play": "(state, move)"}, "at position 0: play() gives (0, 0)"),
    ({"play": "-1 - move"}, "at position 0: play() gives the state -1"),
    ({"play": "2**62 * (state + 2)"}, "at position 0: play() gives the state 9223372036854775808"),
    ({"mover": "0"}, "at position 0: to_move() gives 0"),
    ({"outcome": "return 2"}, "at position 0: outcome() gives 2"),
]


@pytest.mark.parametrize(("settings", "words"), ANSWERS, ids=[words for _, words in ANSWERS])
def test_wrong_answers_are_refused_at_their_function(gametree, walk, settings, words):
    path = walk(**settings)
    for command in (["solve"], ["prune"], ["match", "random", "random"]):
        result = gametree(command[0], path, *command[1:])
        assert (result.code, result.out) == (1, ""), result
        assert re.match(r"gametree: walk\.py:\d+, in \w+\(\), " + re.escape(words), result.err), result


@pytest.mark.parametrize("command", [["prune", "-a", "alphabeta"], ["match", "random", "random", "--games", "400000"]])
def test_nobody_to_move_at_a_position_that_only_compiled_code_meets(gametree, walk, command):
    result = gametree(command[0], walk(mover=f"1 - (state == {LATE})"), *command[1:])
    assert (result.code, result.out) == (1, ""), result
    assert f"at position {LATE}: to_move() gives 0" in result.err


@pytest.mark.parametrize("where", ["moves", "outcome"])
def test_rules_that_never_return_are_told_before_they_are_compiled(gametree, walk, monkeypatch, where):
    monkeypatch.setattr(sample, "SECONDS", 0.3)
    loop = {where: "while state == 2:\n    pass"}
    for command in ("solve", "prune"):
        result = gametree(command, walk(**loop))
        assert (result.code, result.out) == (1, ""), result
        assert all(word in result.err for word in ("walk.py", "position 2", "within 0.3 s", "gametree check"))


@pytest.fixture
def write(tmp_path):
    return writer(tmp_path)


BODIES = [
    ("return state / 2", "state / 2 cannot be used in rules"),
    ("state /= 2\nreturn state", "state /= 2 cannot"),
    ("return 2 ** -1", "2 ** (-1) cannot"),
    ("return 0.5 * state", "0.5 cannot"),
    ("return stat", "'stat' is not defined"),
    ("return 'X'", "'X' cannot"),
    ("return [1, 2][state]", "[1, 2] cannot"),
    ("yield state", "cannot"),
    ("if state:\n    return 1", "whole number on every path"),
    ("if state:\n    return (1, 2)\nreturn 1", "whole number on every path"),
    ("return helper(state)", "cannot be compiled"),
    ("return UNEQUAL[state & 1][0]", "cannot be compiled"),
    ("for part in EMPTY:\n    state += part\nreturn state", "cannot be compiled"),
    ("return state.bit_count()", "popcount()"),
    ("return self.coins", "self.coins cannot"),
    ("return LIST[0]", "LIST cannot"),
    ("return HUGE & state", "HUGE cannot"),
    ("return bin(state).count('1')", "cannot"),
    ("try:\n    return 1\nexcept ValueError:\n    return 2", "try: cannot"),
    ("if (x := state):\n    return x\nreturn 0", "cannot"),
    ("return fact(state)", "cannot call itself"),
    ("return starred(state)", "arguments with * cannot"),
    ("for i in state:\n    return i\nreturn 0", "cannot be compiled"),
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
    for word in [
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
    ]:
        assert word.lower() not in (message + shown).lower(), message
    number = int(message.split(":")[1].split(",")[0])
    assert f"> {number} | " in shown
    assert shown.count("\n") <= 4


def test_the_function_at_fault_is_named(write):
    """The functions are compiled as one; what is wrong with one of them is said at its own line."""
    write(HEAD + TAKE.replace("return ONGOING if state >> 1", "return (1, 2) if state >> 1"))
    with pytest.raises(RulesError, match=r"take.py:\d+, in outcome\(\), at position 10: outcome\(\) gives \(1, 2\)"):
        analysis.solve("take.py")
