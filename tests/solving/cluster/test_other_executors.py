"""Executors that are not ours do the tasks as they are; what commands tell of work on a cluster, and sweeps there."""

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

import analysis
from analysis.sweeps import Limits, compare_sweeps, read_sweep, sweep
from tests.support.program import ROOT
from tests.support.sharding import bytes_of

pytestmark = pytest.mark.slow
GAME = "connect:rows=3,cols=4,k=3"

BY_MPI = f"""
import sys
from pathlib import Path
if __name__ == "__main__":
    import analysis
    import pytest
    from mpi4py.futures import MPIPoolExecutor
    from tests.support.sharding import use_small_shards
    tasks = 0
    class Counting(MPIPoolExecutor):
        def submit(self, *arguments, **options):
            global tasks
            tasks += 1
            return super().submit(*arguments, **options)
    with pytest.MonkeyPatch.context() as patch, Counting() as executor:
        use_small_shards(patch)
        with analysis.running(executor=executor, workers=2):
            analysis.solve({GAME!r}, directory=sys.argv[1])
    print(tasks)
"""


def test_loky(small_shards, wanted, monkeypatch, tmp_path):
    loky = pytest.importorskip("loky")
    executor = loky.get_reusable_executor(2)
    tasks, submit = [], executor.submit
    monkeypatch.setattr(executor, "submit", lambda *arguments: tasks.append(arguments) or submit(*arguments))
    with executor:
        analysis.running(executor=executor)(analysis.solve)(GAME, directory=tmp_path / "s")
    assert len(tasks) > 10
    assert bytes_of(tmp_path / "s") == wanted(GAME)


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="no MPI")
def test_mpi(wanted, tmp_path):
    pytest.importorskip("mpi4py")
    (tmp_path / "by_mpi.py").write_text(BY_MPI)
    command = ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures", "by_mpi.py", "s"]
    root = dict.fromkeys(
        ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"), "1"
    )
    found = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, **root, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert int(found.stdout.split()[-1]) > 10
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


def test_bidding_games_are_refused(cluster, gametree, tmp_path):
    for words in (["solve", "--out", "s"], ["match"]):
        more = ["random", "random"] if words == ["match"] else words[1:]
        found = gametree(words[0], "bidding:game=tictactoe,chips=2", *more, "--dask", str(cluster.file))
        assert found.code == 2
        assert "--dask" in found.err


PATTERNS = ["hex:1..3", "kayles:1..4", "mnk:3,4,3"]


def same(found, rows):
    compared = compare_sweeps(rows, found)
    return compared.differences == () and compared.compared == len(rows) == len(found)


@pytest.fixture(scope="module")
def rows():
    return sweep(PATTERNS)


def test_dask(cluster, gametree, rows, tmp_path):
    cluster.come("a", "b")
    assert same(analysis.running(executor=cluster.client)(sweep)(PATTERNS, out=tmp_path / "s.csv"), rows)
    assert same(read_sweep(tmp_path / "s.csv"), rows)
    few = analysis.running(executor=cluster.client)(sweep)("hex:2..3", limits=Limits(100))
    assert [row["status"] for row in few] == ["solved", "too_many_positions"]
    done = gametree("sweep", *PATTERNS, "--dask", str(cluster.file), "--out", "t.parquet")
    assert done.code == 0, done.err
    assert same(read_sweep(tmp_path / "t.parquet"), rows)


def test_a_worker_that_dies(cluster, rows):
    cluster.come("a", "b")
    killed = []

    def kill_one(stage, done, total):
        if stage.on and done and not killed:
            killed.append(cluster.kill("a"))

    with analysis.running(progress=kill_one):
        assert same(analysis.running(executor=cluster.client)(sweep)(PATTERNS), rows)
    assert killed


def test_processes(rows):
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        assert same(analysis.running(executor=executor, workers=2)(sweep)(PATTERNS), rows)
