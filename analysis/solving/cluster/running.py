"""What the work may take, as users say it. Dask is imported only here, and only where it is meant."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError
from analysis.machine.arguments import checked
from analysis.machine.context import Progress, within
from analysis.machine.memory import bytes_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from distributed import Client


@contextlib.contextmanager
@checked
def running(
    *,
    workers: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
    executor: Executor | Client | None = None,
    scratch: str | Path | None = None,
    sharded: bool | None = None,
    anyway: bool | None = None,
) -> Iterator[None]:
    """What is called inside, in this thread, works so; what is not given stays as it is.

    Args:
        workers: How many threads, or tasks of an executor, work at once (at first as many as processors).
        memory: What it may take in all, bytes or a text such as ``"4GB"`` (at first what is free).
        progress: Called now and then as ``progress(stage, done, total)``; ``total`` is None where it is not known.
        executor: What does the tasks of a solve in shards, of a sweep, or of a match of levels that search, instead of
            this process: an executor of `concurrent.futures`, or a Dask client. docs/cluster.md says what it needs.
        scratch: A folder for the files of a solve in shards (at first where the solution goes).
        sharded: Whether what is solved into a directory is solved in shards though it fits in memory.
        anyway: Whether a solve begins also where it is not expected to fit, as `plan` tells.

    Raises `OptionError` for less than one worker and for what is no amount of memory, and `ClusterError` where no
    worker of a Dask client answers.

    >>> import analysis
    >>> stages = set()
    >>> with analysis.running(workers=1, progress=lambda stage, done, total: stages.add(str(stage))):
    ...     value = analysis.solve("tictactoe", symmetry="none").value
    >>> value, "finding positions" in stages
    (0, True)
    """
    given = {
        "workers": workers,
        "memory": None if memory is None else bytes_of(memory),
        "progress": progress,
        "scratch": None if scratch is None else Path(scratch),
        "sharded": sharded,
        "anyway": anyway,
    }
    with contextlib.ExitStack() as stack:
        stack.enter_context(within(**{name: value for name, value in given.items() if value is not None}))
        if executor is not None:
            if type(executor).__module__.partition(".")[0] == "distributed":
                from analysis.solving.cluster.dask_crew import crew_of

                client: Any = getattr(executor, "_client", executor)
                executor = stack.enter_context(crew_of(client))
            stack.enter_context(within(executor=executor))
        yield


@contextlib.contextmanager
def on_dask(where: str | None) -> Iterator[None]:
    """What is called inside has its tasks done by what ``--dask`` names, see
    `analysis.solving.cluster.dask_crew.connected`, if that is given.
    """
    if where is None:
        yield
        return
    try:
        from analysis.solving.cluster.dask_crew import connected
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise OptionError("--dask needs Dask, which is not installed: pip install 'gametree[dask]'") from None
    with connected(where) as crew, within(executor=crew):
        yield
