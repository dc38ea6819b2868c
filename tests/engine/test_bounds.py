"""Rules that write outside of their list of moves, return what is no number of moves, repeat a code or never return:
one line names the game or its file, and the position, and the process ends by itself.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import analysis
from analysis.engine import trial
from analysis.engine.compiling import faults
from analysis.errors import RulesError
from analysis.games.families import load_game
from analysis.machine import time_limit as watch
from tests.support.program import ROOT, one_line

SOURCE = """
from dataclasses import dataclass

from analysis import ONGOING, Rules


@dataclass(frozen=True)
class Walk:
    \"\"\"A tree of {plies} plies with two moves each: the children of s are 2 s + 1 and 2 s + 2.\"\"\"

    def rules(self):
        ends = 2**{plies} - 1

        def legal_moves(state, out):
            out[0] = 0
            out[1] = 1
            {moves}
            return 2

        def play(state, move):
            return {play}

        def outcome(state):
            {outcome}
            return ONGOING if state < ends else 0

        def to_move(state):
            return {mover}

        return Rules(0, {most}, legal_moves, play, outcome, to_move)
"""
LATE = 40_000
"""A position that few random games pass."""

WRITES = "for i in range({0}): out[i] = i\n            return {0}"
FAULTS = {
    "300 of 255": ({"moves": WRITES.format(300), "most": 255}, "300", "max_moves=255"),
    "late": ({"moves": f"n = 2 + 298 * (state == {LATE})\n            {WRITES.format('n')}", "most": 255}, "300"),
    "too far": ({"moves": "out[1_000_000] = 0"}, "out[1000000]", "max_moves=2"),
    "before": ({"moves": "out[-100_000] = 0"}, "out[-100000]", "max_moves=2"),
    "one too many": ({"moves": "out[2] = 2\n            return 3"}, "3 moves", "max_moves=2"),
    "returns 100,000": ({"moves": "return 100_000"}, "100000", "max_moves=2"),
    "returns less than 0": ({"moves": "return -1"}, "-1", "max_moves=2"),
    "repeated": ({"moves": f"out[1] = 1 - (state == {LATE})"}, "the move code 0 comes after 0"),
}


@pytest.fixture
def walk(tmp_path):
    """The file of a game with this in it."""

    def write(*, plies=16, moves="", outcome="", most=2, play="2 * state + 1 + move", mover="1"):
        path = tmp_path / "walk.py"
        text = SOURCE.format(plies=plies, moves=moves, outcome=outcome, most=most, play=play, mover=mover)
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
    out, err = result.communicate(timeout=120)
    said = [line for line in err.splitlines() if line.startswith("gametree: ") and "compiling" not in line]
    assert (result.returncode, out, len(said)) == (1, "", 1), (result.returncode, out, err)
    for word in ("walk.py", *words):
        assert word in said[0]


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


@pytest.mark.parametrize("wrong", [256, 0])
def test_more_moves_than_bytes_hold_are_refused_at_once(gametree, walk, wrong):
    one_line(gametree("solve", walk(most=wrong)), 1, "Walk", f"max_moves={wrong}", "from 1 to 255")


def test_a_small_game_in_the_running_program(walk):
    """It has no file, and may be solved without the compiler."""
    game = load_game(walk(plies=3, moves="out[1] = 0"))
    with pytest.raises(RulesError, match="at position 0: the move code 0 comes after 0"):
        analysis.solve(type(game).__mro__[1]())


@pytest.mark.parametrize("where", ["moves", "outcome"])
def test_rules_that_never_return_are_told_before_they_are_compiled(gametree, walk, monkeypatch, where):
    monkeypatch.setattr(trial, "SECONDS", 0.3)
    loop = {where: "while state == 2:\n                pass"}
    for command in ("solve", "prune"):
        result = gametree(command, walk(**loop))
        assert result.code == 1, result
        assert result.out == ""
        for word in ("walk.py", "position 2", "within 0.3 s", "gametree check"):
            assert word in result.err


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_what_never_returns_compiled_can_be_ended(walk, tmp_path, workers):
    """By Ctrl-C, though the main thread does not get to it."""
    path = walk(outcome=f"while state == {LATE}:\n                pass")
    process = started("solve", path, "--no-counts", "--workers", workers, "--out", tmp_path / "out")
    time.sleep(20)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted" in err
    assert not (tmp_path / "out").exists()


def test_it_is_said_what_takes_long(walk, monkeypatch, caplog):
    """And said once."""
    game = load_game(walk())
    monkeypatch.setattr(watch, "SILENCE", 0.1)
    monkeypatch.setattr(watch, "STEP", 0.05)
    with caplog.at_level(logging.WARNING, "gametree"):
        for _ in range(2):
            with watch.watched_over(game.spec, lambda _: faults.words_of_silence(game, np.array([5, 6]))):
                time.sleep(0.5)
    (record,) = caplog.records
    for word in ("walk.py", "2 positions", "5 the first", "gametree check"):
        assert word in record.message


@pytest.mark.parametrize("where", ["import time\ntime.sleep(0.5)\n", ""])
def test_a_file_that_takes_long_is_said_by_its_line(walk, tmp_path, monkeypatch, caplog, where):
    """When it is run, and when it is asked for rules."""
    text = (tmp_path / walk()).read_text()
    line = 2 if where else text[: text.index("        ends")].count("\n") + 2
    (tmp_path / "long.py").write_text(
        where + text.replace("        ends", "        import time\n        time.sleep(0.5)\n        ends")
    )
    monkeypatch.setattr(watch, "SILENCE", 0.1)
    monkeypatch.setattr(watch, "STEP", 0.05)
    with caplog.at_level(logging.WARNING, "gametree"):
        load_game(str(tmp_path / "long.py")).rules()
    (record,) = caplog.records
    assert f"long.py:{line}" in record.message
