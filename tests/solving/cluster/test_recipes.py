"""What docs/how-to/cluster.md tells people to write starts what it should."""

import re
import shlex
from typing import Any

import pytest
from distributed import Client

from tests.support.program import ROOT

FOLDER = ROOT / "docs" / "how-to"


@pytest.mark.slow
def test_slurm(monkeypatch):
    """Jobs are not submitted: there is no SLURM here."""
    jobqueue = pytest.importorskip("dask_jobqueue")
    made: list[Any] = []
    scaled: list[int] = []

    class Noted(jobqueue.SLURMCluster):
        def __init__(self, **options):
            super().__init__(**options, scheduler_options={"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"})
            made.append(self)

        def scale(self, n=None, jobs=0, **options):
            scaled.append(jobs)

    monkeypatch.setattr(jobqueue.slurm, "SLURMCluster", Noted)
    code: dict[str, Any] = {}
    exec((FOLDER / "examples" / "slurm.py").read_text(), code)
    with code["workers"]() as client, made[0] as cluster:
        assert isinstance(client, Client)
        script = cluster.job_script()
    assert scaled[0] == 8
    lines = script.splitlines()
    assert {"#SBATCH -p normal", "#SBATCH -n 1", "#SBATCH --cpus-per-task=32", "#SBATCH -t 12:00:00"} <= {*lines}
    assert "export DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False" in lines
    assert re.search(r"#SBATCH --mem=(60G|64000M)", script)
    words = shlex.split(next(line for line in lines if "--nthreads" in line))
    assert {"--nthreads", "--nworkers", "--memory-limit"} <= {*words}
    assert words[words.index("--nthreads") + 1] == "1"
    assert words[words.index("--nworkers") + 1] == "32"
    limits = [words[place + 1] for place, word in enumerate(words) if word == "--memory-limit"]
    assert limits[-1] == "0"
    assert any(word.startswith("tcp://127.0.0.1:") for word in words)
    assert any("dask_worker" in word or word == "worker" for word in words)
