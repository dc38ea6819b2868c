"""What commands tell of work on a cluster, and that they tell what they do without."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.slow


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


def test_bidding_games_are_refused(cluster, gametree, tmp_path):
    for words in (["solve", "--out", "s"], ["match"]):
        more = ["random", "random"] if words == ["match"] else words[1:]
        found = gametree(words[0], "bidding:game=tictactoe,chips=2", *more, "--dask", str(cluster.file))
        assert found.code == 2
        assert "--dask" in found.err
