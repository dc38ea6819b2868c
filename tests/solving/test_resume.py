"""A solve in shards goes on to the same bytes if it is cut off, loses files or fills a disk (KILLS, DISKS times)."""

import os
import random
import signal
import subprocess
import sys

import pytest

from tests.support.cut_off import FILLED, KILLED, UNPLUGGED, run
from tests.support.program import ROOT
from tests.support.sharding import SMALL_SHARDS, solved_by_one

KILLS = int(os.environ.get("KILLS", "8"))
EVERYTHING = ["--moves", "--text", "--paths"]
CASES = [
    ("mnk:rows=3,cols=4,k=3", [], False),
    ("nim:heaps=5-6-7", [], True),
    ("dots_and_boxes:rows=2,cols=2", [], False),
    ("connect:rows=4,cols=3,k=3", EVERYTHING, True),
    ("dodgem:n=3", ["--moves"], False),
]


def killed(spec, options, elsewhere, times, folder):
    found, again = run(KILLED, spec, folder, times, times, *options, elsewhere=elsewhere)
    assert found["code"] == 0, found["said"]
    assert found["kills"] > times // 2
    assert found["same"]
    assert again == []
    assert not (folder / "cut" / ".partial").exists()
    assert not elsewhere or list((folder / "scratch").iterdir()) == []


def test_killed_now_and_then(tmp_path):
    killed("kayles:pins=9", [], True, 4, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "options", "elsewhere"), CASES)
def test_killed_at_random_moments(spec, options, elsewhere, tmp_path):
    """No task that was done is done again, and nothing of a kill is left in the result."""
    killed(spec, options, elsewhere, KILLS, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "options"), [("kayles:pins=14", ["--moves"]), ("connect:rows=4,cols=3,k=3", []), ("dodgem:n=3", [])]
)
def test_power_cuts(spec, options, tmp_path):
    """Bytes that were not flushed are lost, and of what happened in folders anything, in any order."""
    found, _ = run(UNPLUGGED, spec, tmp_path, KILLS, KILLS, *options)
    assert found["cuts"] == KILLS
    assert found["lost"] > KILLS
    for each in found["found"]:
        assert (each["code"], each["same"], each["left"]) == (0, True, []), each["said"]


KILLED_AT = (
    SMALL_SHARDS
    + """
import os, signal, sys
from pathlib import Path
import analysis
from analysis.solving.sharded.run import ShardedRun
from analysis.solving.to_directory import solve_to_directory
from analysis.solution.storage.store import Tables
spec, directory, left, counts = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "True"
record = ShardedRun.record
def counting(self, path, *more):
    global left
    found, left = record(self, path, *more), left - 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return found
ShardedRun.record = counting
with analysis.running(workers=1, sharded=True):
    solve_to_directory(spec, directory, tables=Tables(counts=counts))
"""
)
"""Kills itself with -9 once so many records are there."""

GAMES = ["mnk:rows=2,cols=4,k=3", "dots_and_boxes:rows=1,cols=2", "nim:heaps=2-3-4"]
SPOILS = {
    "lost": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "damaged": lambda path: path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:]),
}


def cut_off(spec, directory, records, *, counts=True):
    """Whether it was killed: else it was done before."""
    command = [sys.executable, "-c", KILLED_AT, spec, str(directory), str(records), str(counts)]
    code = subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode
    assert code in (0, -signal.SIGKILL)
    return code != 0


def scratch_files(directory):
    return sorted(path for path in (directory / ".partial").glob("gametree-*/*/*") if path.is_file())


def spoilt_ones(spec, folder, records, spoil, *, counts, drawn):
    """One file of each kind, and all of a tier."""
    whole = solved_by_one(spec, folder / "whole", counts=counts)
    for kind in ("keys", "asks", "answers", "histories", "tier"):
        directory = folder / f"{kind}"
        if not cut_off(spec, directory, records, counts=counts):
            return
        files = [path for path in scratch_files(directory) if kind == "tier" or path.name.startswith(kind)]
        if files:
            one = drawn.choice(files)
            for path in [path for path in files if path.parent == one.parent] if kind == "tier" else [one]:
                SPOILS[spoil](path)
        assert solved_by_one(spec, directory, counts=counts) == whole, (kind, files)
        assert not (directory / ".partial").exists()


@pytest.mark.parametrize(("spoil", "records"), [("lost", 9), ("damaged", 34)])
def test_spoilt_scratch(spoil, records, tmp_path):
    spoilt_ones(GAMES[0], tmp_path, records, spoil, counts=True, drawn=random.Random(1))


def test_tables_that_are_lost(tmp_path):
    spec, directory = GAMES[0], tmp_path / "s"
    whole = solved_by_one(spec, tmp_path / "whole")
    assert cut_off(spec, directory, 34)
    tables = sorted((directory / ".partial" / "positions").iterdir())
    tables[-1].unlink()
    assert solved_by_one(spec, directory) == whole


DISKS = int(os.environ.get("DISKS", "3"))
MOUNT = "mount -t tmpfs -o size=4k tmpfs /mnt"


@pytest.fixture(scope="module")
def _mounts():
    """In a name space of its own, so that nothing stays mounted."""
    try:
        allowed = subprocess.run(["unshare", "--mount", "sh", "-c", MOUNT], check=False, capture_output=True)
    except OSError:
        pytest.skip("there is no unshare")
    if allowed.returncode:
        pytest.skip("this user may not mount a file system")


@pytest.mark.slow
@pytest.mark.usefixtures("_mounts")
@pytest.mark.parametrize("elsewhere", [False, True], ids=["solution", "scratch"])
@pytest.mark.parametrize(
    ("spec", "options"), [("connect:rows=4,cols=3,k=3", ["--paths"]), ("nim:heaps=5-6-7", ["--moves", "--text"])]
)
def test_full_disks(spec, options, elsewhere, tmp_path):
    found, _ = run(FILLED, spec, tmp_path, DISKS, DISKS, *options, elsewhere=elsewhere)
    assert any(each["code"] for each in found)
    for each in found:
        assert (each["again"], each["same"], each["left"]) == (0, True, [])
        if each["code"]:
            lines = [line for line in each["said"].splitlines() if "solving in shards" not in line]
            assert (each["code"], len(lines)) == (1, 1), each["said"]
            assert lines[0].startswith("gametree: ")
