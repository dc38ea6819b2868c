"""A sweep that is killed loses no more than the games that were being solved, and leaves no process behind."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import psutil
import pytest

from analysis.sweeps import read_sweep, sweep
from tests.support.killed import killed_before_move
from tests.support.program import ROOT, said_how_it_ended

SWEEP = """
from analysis.sweeps import sweep
sweep(sys.argv[3], out=sys.argv[2], workers=1)
"""
PATTERN = "hex:1..3"


def left_by(pid):
    """Processes that solve a game for the one with this number."""
    return [each for each in psutil.process_iter(["cmdline"]) if (each.info["cmdline"] or [])[-1:] == [str(pid)]]


def until(done):
    ends = time.monotonic() + 60
    while not done():
        assert time.monotonic() < ends
        time.sleep(0.02)


def rows_in(out):
    return read_sweep(out).rows if out.exists() else []


@pytest.mark.parametrize(("move", "rows"), [pytest.param(1, 0, marks=pytest.mark.slow), (3, 2)])
def test_killed_before_a_row_is_moved_into_place(tmp_path, move, rows):
    out = tmp_path / "s.csv"
    killed_before_move_into(move, out)
    there = rows_in(out)
    assert len(there) == rows
    done = sweep(PATTERN, out=out)
    assert done.rows[:rows] == there  # with the seconds that they took
    assert [row["status"] for row in done] == ["solved"] * 3
    assert not list(tmp_path.glob(".*lock"))


def killed_before_move_into(move, out):
    """The temporary file of a row is moved into place by `Path.replace`."""
    program = "pathlib.Path.replace = lambda self, to: (_count(), replace(self, to))[1]\n" + COUNT + SWEEP
    killed_before_move(move, out, PATTERN, program=program)


COUNT = """
def _count():
    global number
    number -= 1
    if number == 0:
        os.kill(os.getpid(), SIGNAL)
"""


def begin(out, *more):
    command = [sys.executable, str(ROOT / "cli.py"), "sweep", "mnk:1..3,1..4,3", "--out", str(out), *more]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


@pytest.mark.slow
def test_killed_again_and_again(tmp_path):
    out, drawn, before = tmp_path / "s.parquet", random.Random(1), []
    for _ in range(4):
        process = begin(out)
        until(lambda: len(rows_in(out)) > len(before))  # noqa: B023
        time.sleep(drawn.uniform(0, 0.5))
        process.kill()
        process.communicate()
        found = rows_in(out)
        assert all(row["status"] == "solved" for row in found)
        assert [row for row in found if row in before] == before
        before = found
        until(lambda: not left_by(process.pid))  # noqa: B023
    process = begin(out)
    process.communicate()
    assert process.returncode == 0
    found = rows_in(out)
    assert [row for row in found if row in before] == before
    assert len(found) == 12


@pytest.mark.slow
def test_interrupted(tmp_path):
    out = tmp_path / "s.csv"
    process = begin(out)
    until(lambda: len(rows_in(out)) > 1)
    process.terminate()
    _, said = process.communicate()
    assert process.returncode == 128 + 15
    said_how_it_ended(said)
    assert f"rows of {out} are kept" in said
    assert not list(tmp_path.glob(".*"))
    until(lambda: not left_by(process.pid))
