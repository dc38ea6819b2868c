import functools

import pytest

from tests.support.cluster import Cluster
from tests.support.sharding import solved_by_one, use_small_shards


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """One scheduler for all tests; each says which workers it wants."""
    with Cluster(tmp_path_factory.mktemp("cluster") / "dask") as found:
        yield found


@pytest.fixture
def small_shards(monkeypatch):
    use_small_shards(monkeypatch)


@pytest.fixture(scope="session")
def wanted(tmp_path_factory):
    """The files of a solve by one process that nobody disturbs."""
    return functools.cache(lambda spec: solved_by_one(spec, tmp_path_factory.mktemp("one") / "s"))
