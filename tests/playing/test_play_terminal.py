"""`gametree play` as a program of its own, through a pipe and in a pseudo-terminal."""

from __future__ import annotations

import re
import subprocess
import sys
import time

import pexpect
import pytest

from analysis.solving.to_directory import solve_to_directory
from tests.support.program import ROOT


@pytest.mark.slow
def test_through_a_pipe(program, tmp_path):
    """`printf '4\\n' | gametree play tictactoe`: the end of the input leaves politely."""
    done = program("play", "tictactoe", "--you", "X", "--seed", "1", input="4\n", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search("O is perfect: (solved here in|searches each move)", done.stdout)  # whichever is sooner
    assert "End of input. The game stands after 2 plies (42) at ??O?X????, X (you) to move." in done.stdout
    command = done.stdout.splitlines()[-1].strip()
    assert re.fullmatch(r"\S.* play tictactoe --you X --from '[XO?]{9}'", command)


@pytest.mark.slow
def test_stored_solutions_and_directories(program, tmp_path):
    """A perfect opponent reads what is stored, and a directory names its game."""
    solve_to_directory("nim:heaps=1-2", tmp_path / "stored")
    done = program("play", "stored", "--opponent", "perfect", input="2:1\n1:1\n2:1\n", cwd=tmp_path)
    assert done.returncode == 0, done
    assert "O is perfect: reads stored" in done.stdout
    assert "X (you) wins after 3 plies." in done.stdout
    assert "very move kept the value" in done.stdout


# The program in a pseudo-terminal -------------------------------------------------------------------------------------


@pytest.fixture
def terminal(tmp_path):
    """Start `gametree play` in a pseudo-terminal."""
    started = []

    def start(*args: object) -> pexpect.spawn:
        child = pexpect.spawn(
            sys.executable, [str(ROOT / "cli.py"), "play", *map(str, args)], cwd=tmp_path, encoding="utf-8",
            codec_errors="replace", timeout=60, dimensions=(50, 80),
        )  # fmt: skip
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)


def code_of(child):
    """The exit code, when the program has ended."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus


@pytest.mark.slow
def test_whole_game_by_coordinates(terminal):
    """Hints, bad input of every kind, taking back, and a game to its end."""
    child = terminal("tictactoe", "--you", "both")
    exchanges = [
        ("b2", r"1\. X plays b2"),
        ("B2", "b2 is taken by X"),
        ("d1", "there is no column d; columns are a to c"),
        ("a4", "there is no row 4; rows are 1 to 3"),
        ("0x17", "'0x17' is no move"),
        ("", "nothing was typed"),
        ("?", "give up"),
        ("m", r"Legal moves \(8\): a1"),
        ("h", r"The position is a tie under optimal play"),
        ("b1", r"2\. O plays b1"),
        ("u", r"Taken back: b1"),
        ("b1", r"2\. O plays b1"),
        ("a1", r"3\. X plays a1"),
        ("c3", r"4\. O plays c3"),
        ("a3", r"5\. X plays a3"),
        ("a2", r"6\. O plays a2"),
        ("c1", r"X wins after 7 plies"),
    ]
    for typed, answer in exchanges:
        child.expect("to move: ")
        child.sendline(typed)
        child.expect(answer)
    child.expect("backtracker: 4108632")
    child.expect("Decided at ply 2: O played b1 and a tie became a win for X")
    assert code_of(child) == 0


@pytest.mark.slow
def test_whole_game_by_numbers_against_perfect(terminal):
    """The first player is perfect, so the person cannot win; numbers are those on the board."""
    child = terminal("tictactoe", "--you", "second", "--opponent", "perfect:shortest", "--numbered", "--seed", 7)
    child.expect("X is perfect:shortest: (solved here in|searches each move)")  # whichever is sooner
    for _ in range(4):
        if child.expect([r"O \(you\) to move: ", r"X wins|A tie"]) == 1:
            break
        board = child.before.split("a   b   c")[-1].splitlines()
        child.sendline(next(number for line in board for number in re.findall(r"[1-9]", line[2:])))
        child.expect(r"O \(you\) plays")
    else:
        child.expect("X wins|A tie")
    assert code_of(child) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ("interrupt", 130, "Interrupted"),
        ("eof", 0, "End of input"),
        ("q", 0, "The game stands after 1 ply"),
    ],
)
def test_leaving(terminal, how, code, said):
    """End of input and `q` are exits like any other, Ctrl-C tells the shell; each says how to go on."""
    child = terminal("tictactoe", "--you", "both", "--from", "XO???????")
    child.expect("X to move: ")
    child.sendline("8")
    child.expect("O to move: ")
    {"interrupt": child.sendintr, "eof": child.sendeof, "q": lambda: child.sendline("q")}[how]()
    child.expect(said)
    child.expect("play tictactoe --you both --from 'XO\\?\\?\\?\\?\\?\\?X'")
    assert code_of(child) == code


@pytest.mark.slow
def test_interrupt_while_the_opponent_thinks(terminal):
    child = terminal("connect", "--you", "second", "--opponent", "depth:1000", "--move-seconds", 30)
    child.expect("X is depth:1000")
    time.sleep(1.5)
    began = time.monotonic()
    child.sendintr()
    child.expect("Interrupted. The game stands after 0 plies")
    assert code_of(child) == 130
    assert time.monotonic() - began < 20


@pytest.mark.slow
def test_closed_pipe(tmp_path):
    """A reader that has seen enough ends it without a word."""
    command = [sys.executable, str(ROOT / "cli.py"), "play", "tictactoe", "--you", "both"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True
    )
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write("5\n1\n")
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""
    process.stderr.close()
