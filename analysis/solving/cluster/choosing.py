"""Who does the tasks: an executor that was given, or the workers that an option names. Dask is imported only here, and
only where it is meant.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError

if TYPE_CHECKING:
    from distributed import Client


@contextlib.contextmanager
def given(executor: Executor | Client | None) -> Iterator[Executor | None]:
    """An executor as it is; of a Dask client, and of the executor that it makes, the workers of its scheduler."""
    if type(executor).__module__.partition(".")[0] != "distributed":
        yield executor  # type: ignore[misc]
        return
    from analysis.solving.cluster.dask_crew import crew_of

    client: Any = getattr(executor, "_client", executor)
    with crew_of(client) as crew:
        yield crew


@contextlib.contextmanager
def named(where: str | None, workers: int | None) -> Iterator[Executor | None]:
    """What ``--dask`` names, see `analysis.solving.cluster.dask_crew.connected`; None where it is not given."""
    if where is None:
        yield None
        return
    try:
        from analysis.solving.cluster.dask_crew import connected
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise OptionError("--dask needs Dask, which is not installed: pip install 'gametree[dask]'") from None
    with connected(where, workers) as crew:
        yield crew
