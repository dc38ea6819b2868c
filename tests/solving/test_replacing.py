"""A solve that takes the place of another solution: cut off it goes on, and failed it leaves what was there."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import analysis
from analysis.errors import TooLargeError
from analysis.solution.storage import directory as storing
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support.program import PATIENCE, ROOT, one_line

GAME = "connect:rows=4,cols=5,k=4"


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".partial" not in path.parts
    }


def solve(*options: str, place: Path) -> subprocess.Popen:
    command = [sys.executable, "-m", "analysis", "solve", GAME, "--no-counts", "--out", "s", *options]
    return subprocess.Popen(
        command,
        cwd=place,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
    )


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_forced_solve_that_is_cut_off_goes_on(tmp_path, how):
    before = solve_to_directory(GAME, tmp_path / "s", tables=Tables(counts=False))
    there = files_of(tmp_path / "s")
    again = ("--sharded", "--force", "--moves")
    process, until = solve(*again, place=tmp_path), time.monotonic() + PATIENCE
    while not list((tmp_path / "s" / ".partial" / "backward").glob("tier-*.json")):
        assert time.monotonic() < until
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(how)
    _, said = process.communicate(timeout=PATIENCE)
    assert files_of(tmp_path / "s") == there
    if how == signal.SIGINT:
        assert "repeat the command to resume" in said
    done = solve(*again, place=tmp_path)
    _, said = done.communicate(timeout=PATIENCE)
    assert done.returncode == 0
    assert "going on with what was cut off" in said
    found = analysis.open_solution(tmp_path / "s")
    assert (tmp_path / "s" / "moves").is_dir()
    assert (found.value, found.canonical) == (before.value, before.canonical)


def test_force_begins_anew_what_was_not_forced(tmp_path):
    from analysis.solving.sharded.run import was_forced

    assert not was_forced(tmp_path, None, Tables())


@pytest.mark.parametrize("room", ["none for the paths", "too many"])
def test_a_solve_that_fails_leaves_the_old_solution_whole(tmp_path, monkeypatch, room):
    solve_to_directory("tictactoe", tmp_path / "s", tables=Tables(paths=True))
    there = files_of(tmp_path / "s")
    if room == "too many":
        monkeypatch.setattr("analysis.solution.storage.path_files.TOLD", 1)
        monkeypatch.setattr("analysis.solution.storage.path_files.MOST", 10)
    else:

        def full(*_, **__):
            raise TooLargeError("optimal_paths.parquet needs about 1 GB of disk, but 1 kB are free")

        monkeypatch.setattr("analysis.solving.to_directory.write_paths_table", full)
    with pytest.raises(TooLargeError, match="stays as it was"):
        solve_to_directory("tictactoe", tmp_path / "s", tables=Tables(paths=True), force=True)
    assert files_of(tmp_path / "s") == there
    assert analysis.verify(tmp_path / "s").states == 765


def test_reading_completes_a_solve_that_was_killed_while_files_moved(tmp_path, monkeypatch, gametree):
    solve_to_directory("tictactoe", tmp_path / "s")
    whole, moved = files_of(tmp_path / "s"), tmp_path / "s" / ".partial"
    moved.mkdir()
    for name in ("manifest.json", "positions"):  # as after the first of the moves
        (tmp_path / "s" / name).rename(moved / name)
    assert not storing.is_solution(tmp_path / "s")
    assert gametree("stats", tmp_path / "s", "--format", "json").json["positions"] == 5478
    assert files_of(tmp_path / "s") == whole


def test_what_may_not_be_written_is_said_to_be_finished(tmp_path, monkeypatch, gametree):
    solve_to_directory("tictactoe", tmp_path / "s")
    moved = tmp_path / "s" / ".partial"
    moved.mkdir()
    for name in ("manifest.json", "positions"):
        (tmp_path / "s" / name).rename(moved / name)

    def refused(directory):
        raise storing.StoreError("read-only")

    monkeypatch.setattr(storing, "recover", refused)
    one_line(gametree("stats", tmp_path / "s"), 2, "killed while files moved into place")
