"""Files of optimal paths are weighed before they are written: how many there are is known by then."""

import functools
import json

import pyarrow.parquet as pq
import pytest

import analysis
from analysis.storage import path_files
from analysis.storage.path_files import bytes_of_a_path, write_path_rows
from tests.support.program import one_line

GAME, COUNT = "tictactoe", 3584


@pytest.fixture
def few(monkeypatch, tmp_path):
    monkeypatch.setattr(path_files, "MOST", 1000)
    monkeypatch.setattr(path_files, "TOLD", 100)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("more", [[], ["--sharded"]])
def test_too_many_paths_leave_the_solution(more, few, gametree, tmp_path):
    one_line_of(gametree("solve", GAME, "--paths", "--out", "s", *more), f"{COUNT:,} optimal paths", "--anyway")
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["manifest.json", "positions", "tiers"]
    assert json.loads((tmp_path / "s" / "manifest.json").read_text())["tables"]["paths"] is False
    assert gametree("verify", "s").code == 0
    found = gametree("solve", GAME, "--paths", "--anyway", "--force", "--out", "s", *more)
    assert found.code == 0
    assert f"{COUNT:,} optimal paths take about" in found.err
    assert pq.read_metadata(tmp_path / "s" / "optimal_paths.parquet").num_rows == COUNT


def one_line_of(found, *words):
    """Exit code 1, and its last line has these words."""
    assert (found.code, found.out) == (1, "")
    for word in words:
        assert word in found.err.splitlines()[-1]


def test_uncounted_paths(few, gametree, tmp_path):
    one_line_of(gametree("solve", GAME, "--no-counts", "--paths", "--out", "s"), "more than 1,000")
    assert not (tmp_path / "s" / "optimal_paths.parquet").exists()
    assert gametree("stats", "s").code == 0


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.json", "a.jsonl", "a.parquet", "a.md"])
def test_files_of_paths(name, few, gametree, tmp_path):
    gametree("solve", GAME)
    one_line(gametree("paths", GAME, "--out", name), 1, f"{COUNT:,} optimal paths", "--limit")
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    found = gametree("paths", GAME, "--limit", "2000", "--out", name)
    assert (found.code, found.out) == (0, "")
    assert "2,000 optimal paths take about" in found.err


@pytest.mark.parametrize("option", ["solve", "paths"])
def test_no_room(option, few, monkeypatch, gametree, tmp_path):
    gametree("solve", GAME)
    monkeypatch.setattr(path_files, "free_bytes", lambda place: 6000)
    asked = ["solve", GAME, "--paths", "--anyway", "--out", "s"] if option == "solve" else ["paths", GAME, "--out", "a"]
    one_line_of(gametree(*asked), "6.0 kB")
    assert not (tmp_path / "a").exists()
    assert (tmp_path / "s" / "manifest.json").exists() == (option == "solve")


def test_progress(few, gametree):
    found = gametree("paths", GAME, "--limit", "2000", "--out", "a.txt", "--progress", "json")
    told = [json.loads(line) for line in found.err.splitlines() if line.startswith("{")]
    assert (told[-1]["done"], told[-1]["total"]) == (2000, 2000)


def test_the_estimate(tmp_path):
    """Within a half of what is written."""
    paths = analysis.solve("mnk:rows=3,cols=3,k=3").optimal_paths()
    analysis.solve(GAME, directory=tmp_path / "s", tables=["paths"])
    size = (tmp_path / "s" / "optimal_paths.parquet").stat().st_size
    write = functools.partial(write_path_rows, paths, "parquet")
    assert 0.5 * size < bytes_of_a_path(paths, write) * COUNT < 1.5 * size
