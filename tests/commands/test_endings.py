"""Ctrl-C, SIGTERM and SIGHUP end every command alike: 128 and the signal, one line, and nothing half done is left."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from analysis.machine.endings import SIGNALS, cleanup, defer_signals, tidy_up
from tests.support.killed import COUNTED
from tests.support.program import ROOT, said_how_it_ended

INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
LARGE = "mnk:rows=4,cols=4,k=4"


@pytest.fixture
def started(tmp_path):
    """Start a command and wait until a file of this pattern is there, and a little longer."""
    running = []

    def start(*arguments, until=None, seconds=0.1, **settings):
        command = [sys.executable, str(ROOT / "cli.py"), *arguments]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1, text=True, **settings)
        running.append(process)
        deadline = time.monotonic() + 60
        while until and not any(tmp_path.glob(until)) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(seconds)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
            process.communicate()


def ended(process, *signals):
    """It ends by the first of these signals, as all commands do."""
    for number in signals:
        process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + signals[0]
    said_how_it_ended(err)


@pytest.mark.parametrize(
    "signals", [(TERM,), *(pytest.param(each, marks=pytest.mark.slow) for each in ((HUP,), (INT,), (INT,) * 5))]
)
def test_solve(started, tmp_path, signals):
    ended(started("solve", "connect:rows=4,cols=5,k=4", "--workers", "2", until="data/*/.partial"), *signals)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [TERM, HUP])
def test_an_earlier_solution_stays(gametree, started, tmp_path, number):
    gametree("solve", "mnk:2,2,2", "--out", "s")
    ended(started("solve", LARGE, "--out", "s", "--force", until="s/.partial/positions/*"), number)
    assert not (tmp_path / "s" / ".partial").exists()
    assert gametree("verify", "s", "--format", "json").json["game"] == "mnk:rows=2,cols=2,k=2"


MOVED = """
SIGNAL, sys.argv = getattr(signal, sys.argv[3]), ["gametree", "solve", "mnk:2,3,2", "--force", "--out", sys.argv[2]]
from analysis.commands.main import main
main()
"""


@pytest.mark.parametrize("number", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3, 4, 5))])
def test_what_is_being_moved_into_place_is_moved(gametree, tmp_path, number):
    """Over an earlier solution, which is not lost without the new one."""
    gametree("solve", "mnk:2,2,2", "--out", "s")
    command = [sys.executable, "-c", COUNTED + MOVED, str(number), str(tmp_path / "s"), "SIGTERM"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + TERM
    said_how_it_ended(done.stderr)
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["manifest.json", "positions", "tiers"]
    assert gametree("verify", "s", "--format", "json").json["game"] == "mnk:rows=2,cols=3,k=2"


@pytest.mark.slow
def test_nohup(started, tmp_path):
    """Where SIGHUP was ignored from the start it is ignored."""

    def ignore():
        signal.signal(HUP, signal.SIG_IGN)

    process = started("solve", "connect:rows=4,cols=4,k=4", until="data/*/.partial", seconds=0, preexec_fn=ignore)
    process.send_signal(HUP)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 0
    assert (tmp_path / "data" / "connect-rows4-cols4" / "manifest.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("arguments", "until"),
    [
        (["export", LARGE, "--out", "all.sqlite"], ".all.sqlite.*"),
        (["paths", LARGE, "--out", "all.csv", "--limit", "999999999999"], ".all.csv.*"),
        (["match", "tictactoe", "perfect", "random", "--games", "9999999", "--out", "g.csv"], ".g.csv.*"),
        (["audit", "tictactoe", "games.txt", "--out", "m.parquet"], ".m.parquet.*"),
        (["report", "connect:rows=4,cols=4"], "reports/connect-rows4-cols4/.report.tmp/figures"),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_commands_that_write(started, tmp_path, arguments, until, number):
    (tmp_path / "games.txt").write_text("041263578\n" * 300_000)
    ended(started(*arguments, until=until, seconds=0), number)
    left = sorted(path.name for path in tmp_path.rglob("*") if path.name != "games.txt")
    assert left == [] or ("index.html" in left and ".report.tmp" not in left)  # a report is whole within a moment


@pytest.mark.slow
@pytest.mark.parametrize("number", [TERM, HUP])
def test_while_compiling(started, tmp_path, number):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "XDG_CACHE_HOME": str(tmp_path / "home")}
    for seconds in (0.1, 0.7, 1.6):
        ended(started("solve", LARGE, until="cache/*", seconds=seconds, env=environment), number)
        assert not [path for path in tmp_path.rglob("*") if ".tmp" in path.name]
        assert not (tmp_path / "data").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [TERM, HUP])
def test_play(started, number):
    """The farewell says how to go on."""
    process = started("play", "tictactoe", "--you", "both", stdin=-1)
    while "explains" not in process.stdout.readline():
        pass
    time.sleep(0.2)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + number, "")
    assert "Go on with:" in out


@pytest.mark.slow
def test_programs_that_were_started_end_too(started, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dot").write_text(f"#!/bin/sh\necho $$ > '{tmp_path}/pid'\nexec sleep 60\n")
    (tmp_path / "bin" / "dot").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    ended(started("export", "nim", "--out", "a.svg", until="pid", seconds=0.3, env=environment), TERM)
    with contextlib.suppress(psutil.NoSuchProcess):
        assert psutil.Process(int((tmp_path / "pid").read_text())).status() == psutil.STATUS_ZOMBIE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "pid"]


def test_the_latest_is_undone_first_whatever_fails():
    done = []

    def fail():
        done.append("failed")
        if len(done) < 4:
            raise OSError

    with cleanup(lambda: done.append("first")), cleanup(fail), cleanup(lambda: done.append("last")):
        tidy_up()
        assert done == ["last", "failed", "first"]
    assert done == ["last", "failed", "first"] * 2


@pytest.mark.parametrize("number", SIGNALS)
def test_what_is_not_to_be_broken_off(number):
    came = []
    before = signal.signal(number, lambda number, _: came.append(number))
    try:
        with defer_signals(), defer_signals():
            signal.raise_signal(number)
            signal.raise_signal(number)
            assert came == []
        assert came == [number]
    finally:
        signal.signal(number, before)
