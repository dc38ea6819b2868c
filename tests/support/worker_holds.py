"""Preloaded into workers: the next task that comes to a place waits there, so that a test can see to its worker.

A test makes the file PLACE in the folder HOLDS; the worker that comes there first renames it to PLACE.PID, and waits
until there is a file ``go-PLACE``. Places are ``forward`` and ``backward`` (a task begins), ``record-forward`` and
``record-backward`` (it has written all but its record).
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analysis.solving.sharded import tasks
from analysis.solving.sharded.run import ShardedRun

LONGEST = 60.0


def _hold(place: str) -> None:
    holds = Path(os.environ["HOLDS"])
    taken = holds / f"{place}.{os.getpid()}"
    try:
        (holds / place).rename(taken)
    except FileNotFoundError:
        return
    ends = time.monotonic() + LONGEST
    while not (holds / f"go-{place}").exists() and time.monotonic() < ends:
        time.sleep(0.01)


def _held(place: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def run(first: Any, path: Any, *args: Any) -> Any:
        _hold(f"record-{path.parent.name}" if place == "record" else place)
        return function(first, path, *args)

    return run


def dask_setup(worker: Any) -> None:
    """Called by Dask."""
    for place in ("forward", "backward"):
        tasks.TASKS[place] = _held(place, tasks.TASKS[place])
    ShardedRun.record = _held("record", ShardedRun.record)  # type: ignore[method-assign]
