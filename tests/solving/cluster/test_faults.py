"""A solve on a cluster has the bytes of one here, whoever is there and goes on, killed and stopped meanwhile."""

import contextlib
import os
import signal
import subprocess
import sys

import psutil
import pytest

import analysis
from analysis.errors import ClusterError, InUseError, StoreError
from tests.support.cluster import Background, Cluster
from tests.support.own_game import MINE
from tests.support.program import PATIENCE, ROOT, until
from tests.support.sharding import SMALL_SHARDS, bytes_of, solved_by_one, use_small_shards

pytestmark = pytest.mark.slow
GAME = "connect:rows=3,cols=4,k=3"


@pytest.fixture
def solving(small_shards, tmp_path):
    """A solve in the background."""
    return lambda client: Background(
        lambda: analysis.running(executor=client)(analysis.solve)(GAME, directory=tmp_path / "s")
    )


@pytest.mark.parametrize("place", ["forward", "record-forward", "backward", "record-backward"])
def test_a_worker_is_killed(place, cluster, solving, wanted, tmp_path):
    cluster.come("a", "b")
    with cluster.held(place) as taken:
        running = solving(cluster.client)
        cluster.kill(cluster.name_of(taken()))
        running.result()
    assert bytes_of(tmp_path / "s") == wanted(GAME)


def test_the_only_worker_goes_and_another_comes(cluster, solving, wanted, tmp_path):
    cluster.come("a")
    with cluster.held("forward") as taken:
        running = solving(cluster.client)
        taken()
        cluster.kill("a")
        until(lambda: cluster.there() == set())
        cluster.add("late")
        running.result()
    assert bytes_of(tmp_path / "s") == wanted(GAME)


@pytest.mark.parametrize("place", ["backward", "record-backward"])
def test_a_worker_is_stopped(place, cluster, solving, wanted, tmp_path):
    """Dask drops it after the scheduler's `worker-ttl`; when it goes on, it changes nothing."""
    cluster.come("a", "b")
    with cluster.held(place) as taken:
        running = solving(cluster.client)
        pid = taken()
        os.kill(pid, signal.SIGSTOP)
        running.result()
        assert bytes_of(tmp_path / "s") == wanted(GAME)
    cluster.awaken(pid)
    assert bytes_of(tmp_path / "s") == wanted(GAME)
    assert not (tmp_path / "s" / ".partial").exists()


@pytest.mark.parametrize("here", [True, False])
def test_the_scheduler_is_killed(here, solving, wanted, cluster, tmp_path):
    """Another one goes on, or this machine alone."""
    with Cluster(tmp_path / "other") as other:
        other.come("a")
        with other.held("backward") as taken:
            running = solving(other.client)
            taken()
            other.scheduler.kill()
            with pytest.raises((StoreError, ClusterError), match="to resume"):
                running.result()
    cluster.come("a", "b")
    solving(None if here else cluster.client).result()
    assert bytes_of(tmp_path / "s") == wanted(GAME)


@contextlib.contextmanager
def other_driver(cluster, directory, **settings):
    """The same solve, in another process."""
    command = ["gametree", "solve", GAME, "--dask", str(cluster.file), "--out", str(directory)]
    program = f"import sys\n{SMALL_SHARDS}\nfrom analysis.cli.main import main\nsys.argv = {command!r}\nmain()"
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, **settings) as driver:
        yield driver


def test_interrupted_while_a_cluster_of_its_own_begins(tmp_path):
    command = [sys.executable, "-m", "analysis", "solve", GAME, "--out", str(tmp_path / "s"), "--dask", "local"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as driver:
        until(lambda: psutil.Process(driver.pid).children(recursive=True))
        driver.send_signal(signal.SIGINT)
        err = driver.communicate(timeout=PATIENCE)[1]
    assert all(line.startswith("gametree: ") for line in err.splitlines()), err
    assert driver.returncode == 130


def test_the_driver_is_killed(solving, wanted, cluster, tmp_path):
    """While it lives no other one may write there; then another goes on."""
    cluster.come("a", "b")
    with cluster.held("record-backward") as taken, other_driver(cluster, tmp_path / "s") as driver:
        taken()
        with pytest.raises(InUseError):
            solving(cluster.client).result()
        driver.kill()
    solving(cluster.client).result()
    assert bytes_of(tmp_path / "s") == wanted(GAME)


def test_a_task_outlives_its_run(cluster, wanted, tmp_path, monkeypatch):
    """The solve was given up and begun anew: what the task still writes comes nowhere."""
    cluster.come("a", "b")
    place = "record-forward"
    with cluster.held(place) as taken, other_driver(cluster, tmp_path / "s") as driver:
        pid = taken()
        os.kill(pid, signal.SIGSTOP)
        driver.kill()
        driver.wait()
        use_small_shards(monkeypatch)
        with cluster.held("forward") as again:
            new = Background(
                lambda: analysis.running(executor=cluster.client)(analysis.solve)(
                    GAME, directory=analysis.Output(tmp_path / "s", force=True)
                )
            )
            again()
            cluster.go(place)
            cluster.awaken(pid)
        new.result()
    assert bytes_of(tmp_path / "s") == wanted(GAME)


KINDS = [
    "connect:rows=3,cols=4,k=3",  # by ply
    "nim:heaps=3-4-5",  # tiers that are no plies, nimbers
    "dots_and_boxes:rows=2,cols=2",  # scores, and turns that are kept
    "dodgem:n=3",  # loops
    "connect:rows=3,cols=3,k=3,misere=true",
    "othello:size=4",  # passes
]


def test_the_executor_of_a_client(wanted, cluster, small_shards, tmp_path):
    cluster.come("a", "b")
    analysis.running(executor=cluster.client.get_executor(), scratch=tmp_path / "scratch")(analysis.solve)(
        KINDS[0], directory=tmp_path / "s"
    )
    assert bytes_of(tmp_path / "s") == wanted(KINDS[0])
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_game_of_the_users(cluster, small_shards, tmp_path):
    cluster.come("a", "b")
    path = tmp_path / "rules.py"
    path.write_text(MINE)
    spec = f"{path}:Mine:rows=3,cols=3,k=3"
    analysis.running(executor=cluster.client)(analysis.solve)(spec, directory=tmp_path / "s")
    assert bytes_of(tmp_path / "s") == solved_by_one(spec, tmp_path / "one")
