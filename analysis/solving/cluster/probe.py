"""What runs on Dask's workers besides tasks."""

from __future__ import annotations

import platform
import signal
from typing import Any

from ...common.memory import Budget, taken_bytes


def dask_setup(worker: Any) -> None:
    """Prepare a worker that this program has started; Dask calls this. Ctrl-C in their shared terminal is for the
    program.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def free_memory(dask_worker: Any) -> tuple[str, int, int, int]:
    """Return this worker's host and threads, and the bytes that are free on the host and in this worker."""
    limit, free = dask_worker.memory_manager.memory_limit, Budget.of_machine().limit
    own = max(0, min(free, limit - taken_bytes())) if limit else free
    return platform.node(), max(1, dask_worker.state.nthreads), free, own
