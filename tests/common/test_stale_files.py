"""What killed processes leave is cleared by the next command in the same place, and nothing else is."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from analysis.common import files
from analysis.common.files import atomic_file, temporary_name, write_bytes
from tests.support.program import ROOT

DEAD = 3_999_999
"""No process has this number: systems count to 2^22 at most."""

KILLED = """
import os, signal, stat
def killed(descriptor):
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.kill(os.getpid(), signal.SIGKILL)
os.fsync = killed
from analysis.cli.main import main
main()
"""
"""The command line, killed when it first flushes a file to the disk."""

COMMANDS = (
    ("solve", "tictactoe", "--out", "out"),
    ("solve", "tictactoe", "--out", "out", "--sharded"),
    ("solve", "bidding:game=mnk:rows=1,cols=2,k=2,chips=1", "--out", "out"),
    ("report", "mnk:rows=2,cols=2,k=2", "--out", "out"),
    ("export", "mnk:rows=2,cols=2,k=2", "--to", "dot", "--out", "out"),
    ("paths", "tictactoe", "--format", "csv", "--out", "out"),
    ("explore", "mnk:rows=2,cols=2,k=2", "--out", "out.html"),
)


def names():
    return sorted(str(path) for path in Path().rglob("*"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(command[:1] + command[4:]))
def test_the_next_run_clears_what_a_killed_one_left(gametree, command):
    found = subprocess.run([sys.executable, "-c", KILLED, *command], env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert found.returncode == -signal.SIGKILL
    left = [name for name in names() if name.endswith(".tmp") or ".partial" in name]
    assert left
    assert gametree(*command).code == 0
    assert not {*names()} & {*left}
    assert not [name for name in names() if ".tmp" in name or ".partial" in name]


def test_the_next_check_clears_the_folder_of_a_killed_one(gametree, monkeypatch, tmp_path):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    command = ("check", "tictactoe", "--all")
    killed = KILLED.replace("stat.S_ISREG(os.fstat(descriptor).st_mode)", "any(os.scandir(os.environ['TMPDIR']))")
    found = subprocess.run([sys.executable, "-c", killed, *command], env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert found.returncode == -signal.SIGKILL
    assert any((tmp_path / "tmp").iterdir())
    assert gametree(*command).code == 0
    assert not any((tmp_path / "tmp").iterdir())


def dead(name):
    return temporary_name(name).replace(f".{os.getpid()}-", f".{DEAD}-")


def test_only_files_of_the_same_name_go(tmp_path):
    gone = [tmp_path / dead("a.csv") for _ in range(2)]
    elsewhere = dead("a.csv").replace(f"-{files._machine()}", "-" + ("0000" if files._machine() != "0000" else "1111"))
    kept = [tmp_path / name for name in (dead("b.csv"), dead("a.csv.gz"), dead("xa.csv"), elsewhere, "a.csv.tmp")]
    for path in (*gone, *kept):
        path.touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / gone[0].name).touch()
    link, folder = tmp_path / dead("a.csv"), tmp_path / dead("a.csv")
    link.symlink_to("folder")
    folder.mkdir()
    write_bytes(tmp_path / "a.csv", b"")
    assert {*tmp_path.iterdir()} == {*kept, link, folder, tmp_path / "folder", tmp_path / "a.csv"}
    assert len([*(tmp_path / "folder").iterdir()]) == 1


def test_what_a_living_process_writes_stays(tmp_path):
    with atomic_file(tmp_path / "a.csv") as first:
        first.write(b"first")
        write_bytes(tmp_path / "a.csv", b"second")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.csv", b"first")]
