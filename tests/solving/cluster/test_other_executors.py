"""Executors that are not ours do the tasks as they are; what commands tell of work on a cluster."""

import json
import os
import shutil
import subprocess
import sys

import pytest

import analysis
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
