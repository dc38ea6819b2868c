"""Bots: programs that play, what they are told, and what becomes of those that do not play as they should."""

import io
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import psutil
import pytest

from analysis.audit import exploit
from analysis.errors import OptionError
from analysis.games.families import load_game
from analysis.machine.confined import ConfinedProcess, MisbehaviourError, ProcessLimits, SilenceError
from analysis.playing import Terms, expect, play_match
from analysis.playing.bots import Bot, find_policy
from analysis.playing.levels import parse_level
from analysis.playing.player import ForfeitError
from analysis.playing.terms import BotLimits, Effort
from tests.support.program import ROOT, one_line, until

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
    assert 0 < position.move_seconds <= 60
    return moves[0]

class Counting:
    def __init__(self):
        self.asked = 0

    def choose(self, position, moves):
        self.asked += 1
        assert self.asked == len(position.moves) // 2 + 1
        print("this goes nowhere")
        return str(moves[0])

def at_random(position, moves):
    return random.choice(moves)
"""

BROKEN = {
    "illegal": ("return 99", "'99'"),
    "nothing": ("pass", "'None'"),
    "crash": ("return 1 / 0", "ZeroDivisionError"),
    "silent": ("import time; time.sleep(60)", "no answer"),
    "busy": ("while True: pass", "no answer"),
    "flood": ("while True: print('x' * 999)", "prints more"),
    "fork": ("import os; os.fork(); return moves[0]", "PermissionError"),
    "shell": ("import subprocess; subprocess.run(['/bin/true']); return moves[0]", "PermissionError"),
    "memory": ("x = bytearray(1 << 32); return moves[0]", "MemoryError"),
    "ends": ("import os; os._exit(0)", "exit code 0"),
    "killed": ("import os; os.abort()", "SIGABRT"),
    "network": ("import socket; socket.socket(); return moves[0]", "PermissionError"),
    "kills": ("import os; os.kill(os.getppid(), 9); return moves[0]", "PermissionError"),
    "reads": ("open('SECRET').read(); return moves[0]", "PermissionError"),
    "lists": ("import os; os.listdir('/proc'); return moves[0]", "PermissionError"),
    "writes": ("open(__file__, 'w'); return moves[0]", "PermissionError"),
    "fills": ("open('a', 'wb').write(bytes(1 << 25)); return moves[0]", "File too large"),
}
LINUX_ONLY = {"fork", "shell", "network", "kills", "reads", "lists", "writes"}


@pytest.fixture
def good(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    return str(tmp_path / "good.py")


@pytest.mark.parametrize("name", ["choose", "by_text", "told", "Counting"])
def test_functions_and_classes_in_every_shape(good, name):
    terms = Terms(games=20, swap=True, seed=3)
    found = play_match("tictactoe", f"{good}:{name}", "random", terms)
    assert not found.forfeits
    plain = play_match("tictactoe", lambda position: position.index("?"), "random", terms)
    assert found.standing("A", "X").wins == plain.standing("A", "X").wins
    assert found.standing("A", "O").losses == plain.standing("A", "O").losses


def test_a_file_alone_means_choose_and_moves_have_names(good):
    assert not play_match("tictactoe", good, f"{good}:by_text", Terms(games=2, seed=1)).forfeits
    spec = "hexapawn:rows=3,cols=3"
    assert not play_match(spec, f"{good}:named", "random", Terms(games=6, seed=1, swap=True)).forfeits
    assert not play_match("kayles", good, "random", Terms(games=6, seed=1, swap=True)).forfeits


def example(language):
    folder = ROOT / "docs" / "how-to"
    if language == "c":
        return (folder / "examples" / "first.c").read_text()
    blocks = re.findall(r"```py\n(.*?)```", (folder / "bots.md").read_text(), re.DOTALL)
    return next(block for block in blocks if "readyok" in block)


def test_the_example_in_python(tmp_path, gametree):
    Path("first.py").write_text(example("py"))
    found = gametree("match", "tictactoe", "cmd:python3 first.py", "greedy", "--games", 10, "--format", "json").json
    assert "forfeits" not in found
    assert len(example("py").splitlines()) <= 10


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_example_in_c(tmp_path, gametree):
    Path("first.c").write_text(example("c"))
    subprocess.run(["cc", "-Wall", "-Werror", "-o", "first", "first.c"], check=True)
    found = gametree("match", "connect:4,4,3", "cmd:./first", "random", "--games", 6, "--swap", "--format", "json").json
    assert "forfeits" not in found


def broken(folder, name):
    body = BROKEN[name][0].replace("SECRET", str(folder / "secret" / "answers.txt"))
    (folder / "secret").mkdir(exist_ok=True)
    (folder / "secret" / "answers.txt").write_text("42")
    (folder / f"{name}").mkdir(exist_ok=True)
    (folder / name / "bot.py").write_text(f"def choose(position, moves):\n    {body}\n")
    return str(folder / name / "bot.py")


@pytest.mark.parametrize("name", BROKEN)
def test_what_a_bot_does_wrong_loses_that_game_and_is_one_line(tmp_path, name):
    if name in LINUX_ONLY and sys.platform != "linux":
        pytest.skip("needs seccomp and Landlock")
    path = broken(tmp_path, name)
    effort = Effort(seconds=0.5 if name in ("silent", "busy") else 20)
    found = play_match("tictactoe", path, "random", Terms(games=2, swap=True, seed=1), effort=effort)
    assert found.standing("A", "both").losses == 2
    assert len(found.forfeits[path]) == 2
    assert BROKEN[name][1] in found.forfeits[path][0]
    assert "\n" not in found.forfeits[path][0]
    assert Path(path).read_text().startswith("def choose")


def test_one_good_game_after_a_bad_one(tmp_path):
    (tmp_path / "bot.py").write_text("def choose(position, moves):\n    return 9 if len(moves) == 9 else moves[0]\n")
    found = play_match("tictactoe", str(tmp_path / "bot.py"), "random", Terms(games=4, swap=True, seed=1))
    assert len(found.forfeits[str(tmp_path / "bot.py")]) == 2
    assert found.standing("A", "X").losses == 2


def test_time_for_a_whole_game(tmp_path):
    (tmp_path / "bot.py").write_text(
        "import time\ndef choose(position, moves):\n    time.sleep(0.6); return moves[0]\n"
    )
    effort = Effort(seconds=20, bots=BotLimits(game_seconds=1.0))
    (line,) = play_match(
        "tictactoe", str(tmp_path / "bot.py"), "greedy", Terms(games=1), effort=effort
    ).forfeits.values()
    assert "left for the game" in line[0]


def test_bots_do_not_see_each_other(tmp_path):
    other = tmp_path / "other.py"
    other.write_text("def choose(position, moves):\n    return moves[-1]\n")
    spy = tmp_path / "spy.py"
    spy.write_text(f"def choose(position, moves):\n    open({str(other)!r}); return moves[0]\n")
    alone = play_match("tictactoe", str(spy), "random", Terms(games=1, seed=1))
    assert not alone.forfeits
    both = play_match("tictactoe", str(spy), str(other), Terms(games=1, seed=1))
    assert "PermissionError" in both.forfeits[str(spy)][0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nofile.py:choose", ["no file nofile.py"]),
        ("cmd:nosuchprogram", ["no program nosuchprogram"]),
        ("cmd:'", ["write a command"]),
        ("good.py:nobody", ["good.py has no function or class nobody"]),
        ("good.py:GOOD", ["good.py has no function or class GOOD"]),
        ("wrong.py", ["wrong.py", "SyntaxError"]),
        ("cmd:/bin/true", ["exit code 0"]),
    ],
)
@pytest.mark.parametrize("command", [["match", "tictactoe", "random"], ["play", "tictactoe", "--opponent"]])
def test_what_does_not_start_is_refused(gametree, text, words, command):
    Path("good.py").write_text("def choose(position): return 0")
    Path("wrong.py").write_text("def choose(position:")
    result = gametree(*command, text)
    assert result.code in (1, 2)
    assert result.err.count("\n") == 1
    for word in words:
        assert word in result.err


def test_a_bot_as_a_function_of_the_position(good, gametree):
    game = load_game("tictactoe")
    with Bot(game, f"{good}:choose") as bot:
        policy = find_policy(bot, game.rules().start)
    first_free = exploit("tictactoe", {game.format_position(s): move for s, move in policy.moves.items()}, "O")
    assert first_free.exact == 1
    assert len([s for s in policy.moves if game.rules().mover(s) < 0]) == first_free.positions
    found = expect("tictactoe", f"{good}:choose", "random")
    assert found.exact
    assert found.x_wins + found.o_wins + found.tie == Fraction(1)
    audited = gametree("audit", "tictactoe", f"{good}:choose", "--format", "json").json
    assert audited["moves"] == len(policy.moves)
    assert audited["exploitability"][0]["O"]["exploitability"] == 1


def test_a_command_that_does_not_flush_is_told_so(tmp_path):
    (tmp_path / "quiet.py").write_text(
        "import sys\nfor line in sys.stdin:\n    asked = line.strip() == 'isready'\n"
        "    print('readyok' if asked else 0, flush=asked)\n"
    )
    level = f"cmd:python3 {tmp_path}/quiet.py"
    found = play_match("tictactoe", level, "random", Terms(games=1, seed=1), effort=Effort(seconds=0.2))
    assert "flush" in found.forfeits[level][0]


def test_a_bot_that_is_no_function_of_the_position(good, gametree):
    refused = gametree("audit", "tictactoe", f"{good}:at_random")
    one_line(refused, 2, f"{good}:at_random: ", "not a function of the position", "tournament")
    with pytest.raises(ForfeitError):
        expect("tictactoe", f"{good}:named", "random")


def test_levels_are_no_bots_and_bots_play_by_turns_only(good, gametree):
    with pytest.raises(OptionError, match="cannot play here"):
        parse_level(good)
    one_line(gametree("match", "bidding:game=tictactoe,chips=4", good, "random"), 2, "cannot play here")


def test_play_against_a_bot(good, gametree, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("b2\nu\nb2\nc3\na3\nc1\n"))
    result = gametree("play", "tictactoe", "--opponent", f"{good}:Counting")
    assert result.code == 0, result
    assert result.out.count("O plays a1") == 2


def test_a_process_has_nothing_but_its_streams():
    source = (
        "import os\ninput()\nfor n in range(3, 64):\n    try: os.fstat(n)\n    except OSError: continue\n"
        "    print('open', n)\nprint('end', os.listdir('.'))"
    )
    with ConfinedProcess([sys.executable, "-I", "-c", source]) as process:
        process.send("")
        assert process.receive(20) == "end []"
    with ConfinedProcess([sys.executable, "-I", "-c", "input(); print('a'); input()"]) as process:
        process.send("")
        assert process.receive(20) == "a"
        with pytest.raises(SilenceError):
            process.receive(0.2)
        with pytest.raises(MisbehaviourError):
            process.send("")
    limits = ProcessLimits(output=1000)
    with ConfinedProcess([sys.executable, "-I", "-c", "input(); print('a' * 2000)"], limits=limits) as process:
        process.send("")
        with pytest.raises(MisbehaviourError, match="prints more than 1,000"):
            process.receive(20)


def test_a_process_ends_with_the_one_that_started_it(tmp_path):
    program = (
        "import sys, os; from analysis.machine.confined import ConfinedProcess\n"
        "p = ConfinedProcess(['/bin/sleep', '100']); print(p.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    number = int(done.stdout)
    until(lambda: not psutil.pid_exists(number) or psutil.Process(number).status() == psutil.STATUS_ZOMBIE)
