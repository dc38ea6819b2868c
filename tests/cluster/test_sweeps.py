"""Sweeps on a cluster, and by other executors: the same rows."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from analysis.machine.workers import telling
from analysis.sweeps import Limits, compare_sweeps, read_sweep, sweep

pytestmark = pytest.mark.slow

PATTERNS = ["hex:1..3", "kayles:1..4", "mnk:3,4,3"]


def same(found, wanted):
    compared = compare_sweeps(wanted, found)
    return compared.differences == () and compared.compared == len(wanted) == len(found)


@pytest.fixture(scope="module")
def wanted():
    return sweep(PATTERNS)


def test_dask(cluster, gametree, wanted, tmp_path):
    cluster.come("a", "b")
    assert same(sweep(PATTERNS, out=tmp_path / "s.csv", executor=cluster.client), wanted)
    assert same(read_sweep(tmp_path / "s.csv"), wanted)
    few = sweep("hex:2..3", executor=cluster.client, limits=Limits(100))
    assert [row["status"] for row in few] == ["solved", "too_many_positions"]
    done = gametree("sweep", *PATTERNS, "--dask", str(cluster.file), "--out", "t.parquet")
    assert done.code == 0, done.err
    assert same(read_sweep(tmp_path / "t.parquet"), wanted)


def test_a_worker_that_dies(cluster, wanted):
    cluster.come("a", "b")
    killed = []

    def kill_one(stage, done, total):
        if stage.on and done and not killed:
            killed.append(cluster.kill("a"))

    with telling(kill_one):
        assert same(sweep(PATTERNS, executor=cluster.client), wanted)
    assert killed


def test_processes(wanted):
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        assert same(sweep(PATTERNS, executor=executor, workers=2), wanted)
