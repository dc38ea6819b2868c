"""Executors that are not ours do the tasks as they are; what commands tell of work on a cluster."""

import json

import pytest

import analysis
from tests.support.sharding import bytes_of

pytestmark = pytest.mark.slow
GAME = "connect:rows=3,cols=4,k=3"


def test_loky(small_shards, wanted, monkeypatch, tmp_path):
    loky = pytest.importorskip("loky")
    executor = loky.get_reusable_executor(2)
    tasks, submit = [], executor.submit
    monkeypatch.setattr(executor, "submit", lambda *arguments: tasks.append(arguments) or submit(*arguments))
    with executor:
        analysis.running(executor=executor)(analysis.solve)(GAME, directory=tmp_path / "s")
    assert len(tasks) > 10
    assert bytes_of(tmp_path / "s") == wanted(GAME)


def test_commands(cluster, gametree):
    cluster.come("a", "b")
    words = ["match", "mnk:rows=3,cols=4,k=3", "depth:3", "random", "--games", "40", "--seed", "1", "--format", "csv"]
    assert gametree(*words, "--dask", str(cluster.file)).out == gametree(*words).out


def test_progress(cluster, gametree, tmp_path):
    """How many workers are at it, and where the dashboard is."""
    cluster.come("a", "b")
    words = ["solve", "connect:rows=3,cols=4,k=3", "--dask", str(cluster.file), "--progress", "json"]
    found = gametree(*words, "--out", str(tmp_path / "s"))
    assert found.code == 0, found.err
    told = [json.loads(line) for line in found.err.splitlines() if line.startswith("{")]
    solving = [each for each in told if each["stage"] == "solving"]
    assert {each["workers"] for each in solving} == {2}
    assert solving[-1]["done"] == solving[-1]["total"]
    assert "/status" in found.err
