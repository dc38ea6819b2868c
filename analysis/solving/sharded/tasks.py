"""What an executor is given: a function that can be sent to another process, and numbers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import NamedTuple

from analysis.errors import StoreError
from analysis.machine.workers import Progress, Workers, no_progress
from analysis.solving.sharded.backward import backward
from analysis.solving.sharded.forward import forward
from analysis.solving.sharded.run import FORWARD, Run


class Task(NamedTuple):
    """A piece of work; doing it again does no harm."""

    directory: str
    """Of the solution."""
    run: str
    """The run that it belongs to."""
    kind: str
    """``forward`` or ``backward``."""
    tier: int
    number: int
    """Of the range, or of the shard."""
    limbs: int = 1
    """Of counts; known after the forward pass."""


def perform(task: Task, memory: float = 0, workers: Workers | None = None, progress: Progress = no_progress) -> int:
    """Do a task: its files are written, and then its record. A tier of a loopy game may take so much ``memory``, in
    bytes, and several threads, which changes nothing of the result. Returns how many states it was about.
    """
    run = Run.read(Path(task.directory))
    if run.id != task.run:
        raise StoreError(f"{task.directory} is being solved by another run; this task is of {task.run}")
    engine = run.engine()
    if workers is not None:
        engine = dataclasses.replace(engine, workers=workers, progress=progress)
    if task.kind == FORWARD:
        return forward(run, engine, task.tier, task.number, memory)
    return backward(run, engine, task.tier, task.number, task.limbs, memory)
