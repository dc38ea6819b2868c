"""What docs/how-to/cluster.md tells people to write starts what it should."""

import re
import shlex
from typing import Any

import pytest
import yaml
from distributed import Client

from tests.support.program import ROOT

FOLDER = ROOT / "docs" / "how-to"
PAGE = (FOLDER / "cluster.md").read_text(encoding="utf-8")


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


def test_kubernetes():
    """The operator's form: what runs, and that all see one folder."""
    manifest = yaml.safe_load((FOLDER / "examples" / "kubernetes.yaml").read_text())
    assert (manifest["apiVersion"], manifest["kind"]) == ("kubernetes.dask.org/v1", "DaskCluster")
    scheduler, worker = manifest["spec"]["scheduler"], manifest["spec"]["worker"]
    (at_scheduler,), (at_worker,) = scheduler["spec"]["containers"], worker["spec"]["containers"]
    assert at_scheduler["image"] == at_worker["image"]
    assert at_scheduler["args"] == ["dask", "scheduler"]
    assert at_worker["args"][:2] == ["dask", "worker"]
    assert at_worker["args"][at_worker["args"].index("--nthreads") + 1] == "1"
    assert at_worker["args"][at_worker["args"].index("--memory-limit") + 1] == "0"
    assert at_worker["args"][-2:] == ["--name", "$(DASK_WORKER_NAME)"]
    assert worker["replicas"] > 1
    (mount,), (volume,) = at_worker["volumeMounts"], worker["spec"]["volumes"]
    assert mount["name"] == volume["name"]
    assert f"--out {mount['mountPath']}/" in PAGE
    ports = {port["name"]: port["containerPort"] for port in at_scheduler["ports"]}
    for port in scheduler["service"]["ports"]:
        assert ports[port["targetPort"]] == port["port"]
    name = manifest["metadata"]["name"]
    assert scheduler["service"]["selector"]["dask.org/cluster-name"] == name
    assert f"tcp://{name}-scheduler:{ports['tcp-comm']}" in PAGE
    assert at_scheduler["env"] == [{"name": "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "value": "10"}]
