"""Bots: functions in files that play, what they are told, and what becomes of those that do not play as they should."""

import io
import sys
from fractions import Fraction
from pathlib import Path

import psutil
import pytest

from analysis.errors import OptionError
from analysis.playing import Terms, expect, exploit, play_match
from analysis.playing.bots import MOST_FRUITLESS
from analysis.playing.levels import parse_level
from analysis.playing.player import ForfeitError
from analysis.playing.terms import Effort
from tests.support.program import one_line, until

GOOD = """
import random

def choose(position, moves):
    return moves[0]

def by_text(position):
    return position.index("?")

def named(position, moves):
    return position.names[moves[-1]]

def told(position, moves):
    expected = [mark.replace("?", ".") for mark in position]
    assert position.cells == tuple(expected), position.cells
    assert sorted(moves + list(position.moves)) == list(range(9))
    assert position.side == "XO"[len(position.moves) % 2]
    assert position.start == "?" * 9 and position.game == "tictactoe"
    assert 0 < position.move_seconds <= 60 and not position.names
    return moves[0]

class Counting:
    def __init__(self):
        self.asked = 0

    def choose(self, position, moves):
        self.asked += 1
        assert self.asked == len(position.moves) // 2 + 1
        return str(moves[0])

def at_random(position, moves):
    return random.choice(moves)
"""

ODD = {
    "prints": "print('this goes nowhere\\n' * 1000, flush=True)",
    "writes": "import os; os.write(1, b'{\"move\": 99}\\n'); os.write(2, b'x' * 100000)",
    "forks": "import os; os.fork()",
    "starts processes": "import subprocess; subprocess.run(['true'], check=True)",
    "opens files": "open(__file__).read()",
    "imports": "import beside; assert beside.ANSWER == 42",
}
"""What a bot may do besides."""

BROKEN = {
    "illegal": ("return 99", "99"),
    "true": ("return moves[0] == moves[0]", "True"),
    "nothing": ("pass", "None"),
    "crash": ("return 1 / 0", "bot.py:2: ZeroDivisionError"),
    "reads": ("input()", "EOFError"),
    "silent": ("import time; time.sleep(60)", "no answer"),
    "busy": ("while True: pass", "no answer"),
    "floods": ("while True: print('x' * 999)", "no answer"),
    "forks and hangs": ("import os, time; os.fork(); time.sleep(60)", "no answer"),
    "memory": ("x = bytearray(1 << 40); return moves[0]", "MemoryError"),
    "recursion": ("return choose(position, moves)", "RecursionError"),
    "exits": ("raise SystemExit", "SystemExit"),
    "ends": ("import os; os._exit(0)", "exit code 0"),
    "killed": ("import os; os.abort()", "signal 6"),
    "fills": ("open('big', 'wb').truncate(1 << 30); return moves[0]", "File too large"),
}


@pytest.fixture
def good(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    return str(tmp_path / "good.py")


@pytest.mark.parametrize("name", ["choose", "by_text", "told", "Counting"])
def test_functions_and_classes_in_every_shape(good, name):
    terms = Terms(games=20, swap=True, seed=3)
    found = play_match("tictactoe", [f"{good}:{name}", "random"], terms)
    assert not found.forfeits
    plain = play_match("tictactoe", [lambda position: position.index("?"), "random"], terms)
    assert found.standing("A", "X").wins == plain.standing("A", "X").wins
    assert found.standing("A", "O").losses == plain.standing("A", "O").losses


def bot_of(folder, body):
    (folder / "beside.py").write_text("ANSWER = 42\n")
    (folder / "bot.py").write_text(f"def choose(position, moves):\n    {body}\n")
    return str(folder / "bot.py")


def children():
    return {process.pid for process in psutil.Process().children(recursive=True)}


@pytest.mark.parametrize("name", ODD)
def test_what_a_bot_may_do_changes_no_game(tmp_path, gametree, name):
    path = bot_of(tmp_path, f"{ODD[name]}\n    return moves[0]")
    before = children()
    done = gametree("match", "tictactoe", path, "random", "--games", 4, "--swap", "--seed", 1, "--format", "json")
    assert (done.code, done.err) == (0, "")
    plain = play_match("tictactoe", [lambda position: position.index("?"), "random"], Terms(games=4, swap=True, seed=1))
    assert "forfeits" not in done.json
    assert [row["wins"] for row in done.json["standings"]] == [standing.wins for standing in plain.standings]
    until(lambda: children() <= before)


@pytest.mark.parametrize("name", BROKEN)
def test_what_a_bot_does_wrong_loses_that_game_and_is_one_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path, before = bot_of(tmp_path, BROKEN[name][0]), children()
    effort = Effort(seconds=0.5 if BROKEN[name][1] == "no answer" else 30)
    found = play_match("tictactoe", [path, "random"], Terms(games=2, swap=True, seed=1), effort=effort)
    assert found.standing("A", "both").losses == 2
    assert len(found.forfeits[path]) == 2
    assert BROKEN[name][1] in found.forfeits[path][0]
    assert "\n" not in found.forfeits[path][0]
    until(lambda: children() <= before)


@pytest.mark.parametrize("ends", ["pass", "os._exit(0)"])
def test_nothing_that_a_bot_began_outlives_the_match(tmp_path, ends):
    began = f"n = os.fork() or time.sleep(1000); open({str(tmp_path / 'n')!r}, 'a').write(f'{{n}} ')"
    path = bot_of(tmp_path, f"import os, time; {began}; {ends}\n    return moves[0]")
    found = play_match("tictactoe", [path, "random"], Terms(games=2, seed=1), effort=Effort(seconds=2))
    assert len(found.forfeits.get(path, ())) == (0 if ends == "pass" else 2)
    numbers = [int(text) for text in (tmp_path / "n").read_text().split()]
    assert len(numbers) >= 2
    until(lambda: not any(psutil.pid_exists(n) and psutil.Process(n).status() != "zombie" for n in numbers))


def test_a_bot_that_never_moves_is_asked_no_more(tmp_path):
    path = bot_of(tmp_path, "while True: pass")
    found = play_match("tictactoe", [path, "random"], Terms(games=500, seed=1), effort=Effort(seconds=0.1))
    assert sum("no answer" in line for line in found.forfeits[path]) == MOST_FRUITLESS
    assert found.standing("A", "X").losses == len(found.forfeits[path]) == 500


def test_bots_of_one_file_are_told_apart(tmp_path, gametree):
    path = bot_of(tmp_path, "return moves[0] if len(moves) > 7 else 99")
    names = [path, f"{path} (2)"]
    found = play_match("tictactoe", [path, "random", path], Terms(games=4, seed=1))
    assert found.forfeits.keys() == set(names)
    rows = {row["level"]: row for row in found.csv_rows()}
    assert rows["random"]["wins"] == 8
    assert [rows[name]["forfeits"] for name in names] == [rows[name]["losses"] for name in names]
    assert sum(rows[name]["forfeits"] for name in names) == 12
    both = gametree("match", "tictactoe", path, path, "--games", 4, "--format", "json").json
    assert (both["a"], both["b"]) == tuple(names)
    assert both["forfeits"].keys() <= set(names)
    assert sum(map(len, both["forfeits"].values())) == 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nofile.py:choose", ["no file nofile.py"]),
        ("good.py:nobody", ["good.py has no function or class nobody"]),
        ("good.py:GOOD", ["good.py has no function or class GOOD"]),
        ("wrong.py", ["wrong.py", "SyntaxError"]),
        ("ends.py", ["ends.py", "exit code 3"]),
    ],
)
@pytest.mark.parametrize(
    "command",
    [["match", "tictactoe", "random"], ["play", "tictactoe", "--opponent"], ["match", "kayles", "random", "greedy"]],
)
def test_what_does_not_start_is_refused(gametree, text, words, command):
    Path("good.py").write_text("def choose(position): return 0")
    Path("wrong.py").write_text("def choose(position:")
    Path("ends.py").write_text("import os; os._exit(3)")
    one_line(gametree(*command, text), 2, *words)


def test_a_bot_as_a_function_of_the_position(good, gametree):
    exploited = exploit("tictactoe", f"{good}:choose")
    assert exploited["O"].exact == 1
    found = expect("tictactoe", f"{good}:choose", "random")
    assert found.exact
    assert found.x_wins + found.o_wins + found.tie == Fraction(1)
    audited = gametree("audit", "tictactoe", f"{good}:choose", "--format", "json").json
    assert audited["O"]["exploitability"] == 1
    assert audited["O"]["positions"] == exploited["O"].positions


def test_a_bot_that_is_no_function_of_the_position(good, gametree):
    refused = gametree("audit", "tictactoe", f"{good}:at_random")
    one_line(refused, 2, f"{good}:at_random: ", "not a function of the position", "match")
    with pytest.raises(ForfeitError):
        expect("tictactoe", f"{good}:named", "random")


def test_levels_are_no_bots_and_bots_play_by_turns_only(good, gametree):
    with pytest.raises(OptionError, match="is none of random"):
        parse_level(good)
    one_line(gametree("match", "bidding:game=tictactoe,chips=4", good, "random"), 2, "is none of random")


def test_play_against_a_bot(good, gametree, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("b2\nundo\nb2\nc3\na3\nc1\n"))
    result = gametree("play", "tictactoe", "--opponent", f"{good}:Counting")
    assert result.code == 0, result
    assert result.out.count("O plays a1") == 2
