"""How far the work is, and how Ctrl-C, SIGTERM and SIGHUP end every command alike with nothing half done."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time

import pexpect
import psutil
import pytest

import analysis
from analysis.cli import progress
from analysis.cli.progress import ProgressBar, waiting
from analysis.common.endings import SIGNALS, cleanup, defer_signals, tidy_up
from analysis.common.workers import Stage, tell_progress
from tests.support.killed import COUNTED
from tests.support.program import PATIENCE, ROOT, one_line, said_how_it_ended, until

INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
LARGE = "mnk:rows=4,cols=4,k=4"


@pytest.fixture
def started(tmp_path):
    """Start a command and wait until a file of this pattern is there, and a little longer."""
    running = []

    def start(*arguments, there=None, seconds=0.1, **settings):
        command = [sys.executable, str(ROOT / "cli.py"), *arguments]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=-1, stderr=-1, text=True, **settings)
        running.append(process)
        if there:
            until(lambda: any(tmp_path.glob(there)) or process.poll() is not None)
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
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + signals[0]
    notes = "gametree: compiling for this machine"
    said_how_it_ended("".join(line for line in err.splitlines(keepends=True) if not line.startswith(notes)))


@pytest.mark.parametrize(
    "signals", [(TERM,), *(pytest.param(each, marks=pytest.mark.slow) for each in ((HUP,), (INT,), (INT,) * 5))]
)
def test_solve(started, tmp_path, signals):
    ended(started("solve", "connect:rows=4,cols=5,k=4", "--workers", "2", there="data/*/.partial"), *signals)
    assert list(tmp_path.iterdir()) == []


MOVED = """
SIGNAL, sys.argv = getattr(signal, sys.argv[3]), ["gametree", "solve", "mnk:2,3,2", "--force", "--out", sys.argv[2]]
from analysis.cli.main import main
main()
"""


@pytest.mark.parametrize("number", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3, 4, 5))])
def test_what_is_being_moved_into_place_is_moved(gametree, tmp_path, number):
    gametree("solve", "mnk:2,2,2", "--out", "s")
    command = [sys.executable, "-c", COUNTED + MOVED, str(number), str(tmp_path / "s"), "SIGTERM"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 128 + TERM
    said_how_it_ended(done.stderr)
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["manifest.json", "positions", "tiers"]
    assert gametree("verify", "s", "--format", "json").json["game"] == "mnk:rows=2,cols=3,k=2"


@pytest.mark.slow
@pytest.mark.parametrize("number", [TERM, HUP])
def test_an_earlier_solution_stays(gametree, started, tmp_path, number):
    gametree("solve", "mnk:2,2,2", "--out", "s")
    ended(started("solve", LARGE, "--out", "s", "--force", there="s/.partial/positions/*"), number)
    assert not (tmp_path / "s" / ".partial").exists()
    assert gametree("verify", "s", "--format", "json").json["game"] == "mnk:rows=2,cols=2,k=2"


@pytest.mark.slow
def test_programs_that_were_started_end_too(started, tmp_path):
    pid = "import os, pathlib, time\n\n\ndef play(position):\n    pathlib.Path('pid').write_text(str(os.getpid()))\n"
    (tmp_path / "bot.py").write_text(f"{pid}    time.sleep(60)\n")
    ended(started("match", "nim", "bot.py:play", "random", "--seconds", "50", there="pid", seconds=0.3), TERM)
    with contextlib.suppress(psutil.NoSuchProcess):
        assert psutil.Process(int((tmp_path / "pid").read_text())).status() == psutil.STATUS_ZOMBIE


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(
    ("arguments", "there"),
    [
        (["export", LARGE, "--out", "all.jsonl"], ".all.jsonl.*"),
        (["paths", LARGE, "--out", "all.csv", "--limit", "10000000"], ".all.csv.*"),
        (["match", "tictactoe", "perfect", "random", "--games", "9999999", "--out", "g.csv"], ".g.csv.*"),
        (["audit", "tictactoe", "games.txt", "--out", "m.parquet"], ".m.parquet.*"),
        (["report", "connect:rows=4,cols=4"], "reports/connect-rows4-cols4/.report.tmp/figures"),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_commands_that_write(started, tmp_path, arguments, there, number):
    (tmp_path / "games.txt").write_text("041263578\n" * 300_000)
    ended(started(*arguments, there=there, seconds=0), number)
    left = sorted(path.name for path in tmp_path.rglob("*") if path.name != "games.txt")
    assert left == [] or ("index.html" in left and ".report.tmp" not in left)  # a report is whole within a moment


@pytest.mark.parametrize(
    ("number", "seconds"),
    [
        (INT, 0.3),
        *(pytest.param(INT, seconds, marks=pytest.mark.slow) for seconds in (0.0, 0.6, 0.9)),
        *(pytest.param(n, seconds, marks=pytest.mark.slow) for n in (TERM, HUP) for seconds in (0.1, 0.7, 1.6)),
    ],
)
def test_while_compiling(started, tmp_path, number, seconds):
    """At any moment, also within the compiler's callbacks."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "XDG_CACHE_HOME": str(tmp_path / "home")}
    ended(started("solve", LARGE, there="cache", seconds=seconds, env=environment), number)
    assert not [path for path in tmp_path.rglob("*") if ".tmp" in path.name]
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["paths", LARGE], None),
        (["export", "mnk:rows=3,cols=4,k=3", "--to", "jsonl"], "{"),
        (["audit", "tictactoe", "games.txt", "--format", "csv"], "game,row"),
        (["prune", "tictactoe", "--trace"], "searched"),
        (["play", "tictactoe", "--you", "both"], ""),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_a_reader_that_has_seen_enough(started, tmp_path, arguments, line):
    """It ends a command without a word; the first of 3,848,888,994,048 paths comes at once."""
    (tmp_path / "games.txt").write_text("041263578\n0412673\n41\n" * 5_000)
    process = started(*arguments, seconds=0, stdin=-1)
    first = f"{analysis.solve(LARGE).optimal_paths()[0]}\n" if line is None else line
    assert process.stdout.readline().startswith(first)
    process.stdout.close()
    process.stdin.write("5\n1\n" * (arguments[0] == "play"))
    process.stdin.close()
    assert process.wait(timeout=PATIENCE) == 0
    assert process.stderr.read() == ""
    process.stderr.close()


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


KEYS = ["stage", "tier", "shard", "shards", "done", "total", "rate", "elapsed_seconds", "seconds_left"]
BOARD = "connect:rows=4,cols=4,k=3"
IMPATIENT = """
import sys
from analysis.cli import main, progress
progress.PATIENCE_SECONDS = progress.LINE_SECONDS = progress.JSON_SECONDS = 0
import numba
main.main()
"""
"""The program, waiting for nothing before it tells something, and solving small games by tiers too."""


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands; ``clock[0]`` is what it shows."""
    now = [1000.0]
    monkeypatch.setattr(ProgressBar, "clock", staticmethod(lambda: now[0]))
    return now


def impatient(*arguments, **settings):
    command = [sys.executable, "-c", IMPATIENT, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, env=environment, text=True, timeout=300, check=False,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings},
    )  # fmt: skip


def shards(bar, clock, tiers=3, of=4, size=100, seconds=10.0, first=0):
    """A solve by shards at an even pace, so many classes and seconds each."""
    total = tiers * of * size
    todo = itertools.product(range(tiers, 0, -1), range(1, of + 1))
    for number, (tier, shard) in enumerate(todo):
        if number >= first:
            bar(Stage("solving", tier, shard, of), number * size, total)
            clock[0] += seconds
    bar("solving", total, total)


# What is told ---------------------------------------------------------------------------------------------------------


def test_the_rate_and_the_time_left_of_a_steady_pass(clock, capfd):
    """What was there before is not in the rate."""
    for first in (0, 9):
        with ProgressBar("json") as bar:
            shards(bar, clock, first=first)
        told = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
        assert [list(each) for each in told] == [KEYS] * len(told)
        assert [each["done"] for each in told] == [*range(100 * first, 1300, 100), 1200]
        assert {each["total"] for each in told} == {1200}
        assert (told[0]["stage"], told[0]["tier"], told[0]["shard"], told[0]["shards"]) == (
            ("solving", 3, 1, 4) if first == 0 else ("solving", 1, 2, 4)
        )
        assert [each["rate"] for each in told[:4]] == [None, None, 10, 10]
        assert [each["seconds_left"] for each in told[2:-1]] == [*range(100 - 10 * first, -1, -10)]
        assert told[-1]["seconds_left"] == 0


# Lines ----------------------------------------------------------------------------------------------------------------


def test_a_line_every_half_minute(clock, capfd):
    with ProgressBar("lines") as bar:
        shards(bar, clock, tiers=30, of=8, size=2_175_000, seconds=1.0)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 8  # of 240 seconds
    assert lines[0] == "solving tier 27, shard 7 of 8: 12 % of 522 M, 2.2 M/s, 4 min left"
    assert [int(re.search(r"(\d+) %", line)[1]) for line in lines] == [12, 25, 37, 50, 62, 75, 87, 100]


def test_a_line_fits_and_steers_nothing(clock, capfd):
    with ProgressBar("lines") as bar:
        clock[0] += 31
        bar("searching\x1b[31m " + 90 * "x", 5e6, None)
    (line,) = capfd.readouterr().err.splitlines()
    assert len(line) == 80
    assert line.isprintable()
    assert line.endswith("...: 5 M, 31 s so far")


@pytest.mark.parametrize(
    "form", [[], *(pytest.param(["--progress", form], marks=pytest.mark.slow) for form in ("bar", "lines"))]
)
def test_a_log_has_lines(tmp_path, form):
    done = impatient("solve", BOARD, *form, cwd=tmp_path)
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert any(re.match(r"solving tier 7: \d+ % of ", line) for line in lines), lines
    assert all(line.isprintable() and len(line) <= 80 for line in lines)


# JSON -----------------------------------------------------------------------------------------------------------------


def test_json_for_programs(tmp_path):
    done = impatient("solve", BOARD, "--format", "json", "--progress", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["positions"] > 0
    told = [json.loads(line) for line in done.stderr.splitlines()]
    assert all(list(each) == KEYS for each in told)
    stages = [stage for stage, _ in itertools.groupby(each["stage"] for each in told)]
    assert stages == ["compiling the rules", "finding positions", "solving"]
    for stage in stages:
        parts = [each for each in told if each["stage"] == stage]
        assert all(a["done"] <= b["done"] for a, b in itertools.pairwise(parts))
    assert all(a["elapsed_seconds"] <= b["elapsed_seconds"] for a, b in itertools.pairwise(told))
    assert told[-1]["done"] == told[-1]["total"] == json.loads(done.stdout)["classes"]
    tiers = [each["tier"] for each in told if each["tier"] is not None]
    assert tiers == sorted(tiers, reverse=True)
    assert tiers[0] == 16


def test_the_work_goes_on_where_nobody_reads(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = impatient("solve", BOARD, "--format", "json", "--progress", "json", stderr=closed, cwd=tmp_path)
    assert done.returncode == 0
    assert json.loads(done.stdout)["positions"] > 0


# In a terminal --------------------------------------------------------------------------------------------------------


def test_a_bar_in_a_terminal(tmp_path):
    child = pexpect.spawn(
        sys.executable, ["-c", IMPATIENT, "solve", BOARD], cwd=tmp_path, encoding="utf-8", timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}, dimensions=(30, 80),
    )  # fmt: skip
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    frames = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", child.before.partition("╭")[0])
    lines = [line for line in re.split(r"[\r\n]+", frames) if line.strip()]
    shown = re.compile(r"solving( tier \d+)? +━+ +100 % of .* \d:\d\d:\d\d *")
    assert any(shown.fullmatch(line) for line in lines), lines
    assert max(map(len, lines)) <= 80
    assert child.before.count("\x1b[?25h") == 1  # the cursor is shown again


def test_a_dialogue_is_not_broken_by_lines(clock, capfd):
    with waiting():
        clock[0] += 100
        tell_progress("solving", 1, 2)
    assert capfd.readouterr().err == ""


# The option -----------------------------------------------------------------------------------------------------------


def test_an_unknown_form(gametree):
    for command in (["solve", "tictactoe"], ["show", "tictactoe"], ["prune", "tictactoe", "-a", "alphabeta"]):
        one_line(gametree(*command, "--progress", "xml"), 2, *progress.FORMS)
