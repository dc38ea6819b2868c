from __future__ import annotations

import pytest

from tests.support.cluster import Cluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """One scheduler for all tests; each says which workers it wants."""
    with Cluster(tmp_path_factory.mktemp("cluster") / "dask") as found:
        yield found
