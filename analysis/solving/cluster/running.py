"""Set the limits of the work within a ``with``. Dask is imported only here, and only if it is used."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...common.context import Progress, within
from ...common.memory import bytes_of
from ...common.wording import described
from ...errors import ArgumentError, OptionError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    class Client(Protocol):
        """Dask's client, for type checkers where Dask may not be installed."""

        def scheduler_info(self, n_workers: int = ...) -> Any:
            """Describe the workers."""
            ...


@contextlib.contextmanager
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
    """Set the limits of what is called inside, in this thread; those not given stay as they are.

    Args:
        workers: How many threads, or tasks of an executor, work at once (initially one per processor).
        memory: The limit of all memory, bytes or a text such as ``"4GB"`` (initially what is free).
        progress: Called from time to time as ``progress(stage, done, total)``; ``total`` is None if unknown.
        executor: Runs the tasks of a solve in shards, of a sweep, or of a match of levels that search, instead of
            this process: an executor of `concurrent.futures`, or a Dask client.
        scratch: A folder for the temporary files of a solve in shards (initially the solution's directory).
        sharded: Whether to solve in shards, when solving into a directory, even if the game fits in memory.
        anyway: Whether to begin a solve that is not expected to fit, by the estimate of `plan`.

    Raises `OptionError` for less than one worker and an invalid amount of memory, and `ClusterError` if no
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
    if executor is not None and (isinstance(executor, type) or not hasattr(executor, "submit")):
        raise ArgumentError(
            f"executor must be an executor of concurrent.futures or a Dask client, not {described(executor)}"
        )
    with contextlib.ExitStack() as stack:
        stack.enter_context(within(**{name: value for name, value in given.items() if value is not None}))
        if executor is not None:
            if type(executor).__module__.partition(".")[0] == "distributed":
                from .dask_crew import crew_of

                client: Any = getattr(executor, "_client", executor)
                executor = stack.enter_context(crew_of(client))
            stack.enter_context(within(executor=executor))
        yield


@contextlib.contextmanager
def on_dask(where: str | None) -> Iterator[None]:
    """Have `--dask` workers do the tasks inside the block, if ``where`` names any; see
    `analysis.solving.cluster.dask_crew.connected`.
    """
    if where is None:
        yield
        return
    try:
        from .dask_crew import connected
    except ModuleNotFoundError as error:
        if error.name not in ("dask", "distributed"):
            raise
        raise OptionError("--dask needs Dask, which is not installed: pip install 'gametree[dask]'") from None
    with connected(where) as crew, within(executor=crew):
        yield
