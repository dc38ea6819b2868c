"""Executors that are not ours do the tasks as they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

import analysis
from tests.support.program import ROOT
from tests.support.sharding import bytes_of, solved_by_one, use_small_shards

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
        analysis.solve({GAME!r}, directory=sys.argv[1], executor=executor, workers=2)
    print(tasks)
"""


def test_loky(monkeypatch, tmp_path):
    loky = pytest.importorskip("loky")
    use_small_shards(monkeypatch)
    executor = loky.get_reusable_executor(2)
    tasks, submit = [], executor.submit
    monkeypatch.setattr(executor, "submit", lambda *arguments: tasks.append(arguments) or submit(*arguments))
    with executor:
        analysis.solve(GAME, directory=tmp_path / "s", executor=executor)
    assert len(tasks) > 10
    assert bytes_of(tmp_path / "s") == solved_by_one(GAME, tmp_path / "one")


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="no MPI")
def test_mpi(tmp_path):
    pytest.importorskip("mpi4py")
    (tmp_path / "by_mpi.py").write_text(BY_MPI)
    command = ["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures", "by_mpi.py", "s"]
    root = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    found = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False,
        env={**os.environ, **root, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert int(found.stdout.split()[-1]) > 10
    assert bytes_of(tmp_path / "s") == solved_by_one(GAME, tmp_path / "one")
