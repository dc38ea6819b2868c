"""A solve on a cluster has the bytes of one on this machine, whoever is there, and whoever goes on with it."""

from __future__ import annotations

import functools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pytest

import analysis
from analysis.errors import StoreError
from analysis.machine.memory import taken_bytes
from tests.support.cluster import MINE, Background
from tests.support.sharding import bytes_of, solved_by_one, use_small_shards

pytestmark = pytest.mark.slow
KINDS = [
    "connect:rows=3,cols=4,k=3",  # by ply
    "nim:heaps=3-4-5",  # tiers that are no plies, nimbers
    "dots_and_boxes:rows=2,cols=2",  # scores, and turns that are kept
    "dodgem:n=3",  # loops
    "connect:rows=3,cols=3,k=3,misere=true",
    "othello:size=4",  # passes
]


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """The files of a solve by one process."""
    return functools.cache(lambda spec: solved_by_one(spec, tmp_path_factory.mktemp("one") / "s"))


def test_the_same_shards_of_the_same_memory(cluster, tmp_path):
    """As large as they really are: on a cluster, too, they follow from the memory that was named."""
    game, memory = "connect:rows=4,cols=5,k=4", taken_bytes() + 500_000_000
    cluster.come(*"ab")
    analysis.solve(game, directory=tmp_path / "s", memory=memory, executor=cluster.client)
    analysis.solve(game, directory=tmp_path / "one", memory=memory, sharded=True)
    assert bytes_of(tmp_path / "s") == bytes_of(tmp_path / "one")


@pytest.mark.parametrize("spec", KINDS)
@pytest.mark.parametrize("names", ["a", "ab", "abcd"])
def test_any_number_of_workers(spec, names, wanted, cluster, monkeypatch, tmp_path):
    cluster.come(*names)
    use_small_shards(monkeypatch)
    analysis.solve(spec, directory=tmp_path / "s", executor=cluster.client)
    assert bytes_of(tmp_path / "s") == wanted(spec)


def test_the_executor_of_a_client(wanted, cluster, monkeypatch, tmp_path):
    cluster.come("a", "b")
    use_small_shards(monkeypatch)
    analysis.solve(
        KINDS[0], directory=tmp_path / "s", executor=cluster.client.get_executor(), scratch=tmp_path / "scratch"
    )
    assert bytes_of(tmp_path / "s") == wanted(KINDS[0])
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_game_of_the_users(cluster, monkeypatch, tmp_path):
    cluster.come("a", "b")
    use_small_shards(monkeypatch)
    path = tmp_path / "rules.py"
    path.write_text(MINE)
    spec = f"{path}:Mine:rows=3,cols=3,k=3"
    analysis.solve(spec, directory=tmp_path / "s", executor=cluster.client)
    assert bytes_of(tmp_path / "s") == solved_by_one(spec, tmp_path / "one")


@pytest.mark.parametrize("spec", KINDS[:3])
def test_begun_by_processes_and_ended_by_the_cluster(spec, wanted, cluster, monkeypatch, tmp_path):
    cluster.come("a", "b")
    use_small_shards(monkeypatch)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as executor:
        running = Background(lambda: analysis.solve(spec, directory=tmp_path / "s", executor=executor))
        while not [*(tmp_path / "s" / ".partial").glob("forward/tier-*.json")] and running.is_alive():
            pass
        for process in list(executor._processes.values()):
            process.kill()
        try:
            running.result()
        except StoreError:
            analysis.solve(spec, directory=tmp_path / "s", executor=cluster.client)
    assert bytes_of(tmp_path / "s") == wanted(spec)
