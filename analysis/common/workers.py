"""Threads for the kernels, which release the GIL, executors and crews for work elsewhere, and reports of progress."""

from __future__ import annotations

import collections
import contextlib
import math
import os
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any, TypeVar

from .context import Progress, RunOptions, adopt, options, within
from .memory import keep_freed_memory, return_freed_memory
from .wording import with_count

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    import numpy as np

AHEAD = 2
"""Tasks per slot that may be started before the caller takes the first result."""

T = TypeVar("T")
R = TypeVar("R")


class Stage(str):
    """A stage of work on one tier or shard, as text such as ``solving tier 12, shard 3 of 8``.

    ``verb`` is what is done, the same in all tiers and shards of one pass, over which ``done`` and ``total`` of
    `Progress` count; ``shard``, counted from 1, is one of ``shards``; ``workers`` is how many work on it, if their
    number varies; ``on`` is the object of the work if that is not a tier. What does not apply is None.

    >>> Stage("solving", 12, 3, 8), Stage("solving", 12).shard
    ('solving tier 12, shard 3 of 8', None)
    """

    verb: str
    tier: int | None
    shard: int | None
    shards: int | None
    workers: int | None
    on: str | None

    def __new__(
        cls,
        verb: str,
        tier: int | None = None,
        shard: int | None = None,
        shards: int | None = None,
        workers: int | None = None,
        on: str | None = None,
    ) -> Stage:
        """Make the text from its parts."""
        text = verb + ("" if tier is None else f" tier {tier}") + ("" if on is None else f" {on}")
        text += "" if shard is None else f", shard {shard} of {shards}"
        stage = super().__new__(cls, text + ("" if workers is None else f", {with_count(workers, 'worker')}"))
        stage.verb, stage.tier, stage.shard, stage.shards, stage.workers = verb, tier, shard, shards, workers
        stage.on = on
        return stage


def tell_progress(stage: str, done: float, total: float | None) -> None:
    """Report progress to the listener (see `telling`); ``total`` is None if unknown."""
    options().progress(stage, done, total)


def telling(progress: Progress) -> contextlib.AbstractContextManager[RunOptions]:
    """Report progress inside the block to ``progress``."""
    return within(progress=progress)


def patient(
    seconds: float | None, error: Exception, *, least: float = 0
) -> contextlib.AbstractContextManager[RunOptions]:
    """Raise ``error`` inside the block at the first report of progress after ``seconds`` of processor time (None:
    never) once at least ``least`` is done.
    """
    ends, progress, most = math.inf if seconds is None else time.process_time() + seconds, options().progress, 0.0

    def report(stage: str, done: float, total: float | None) -> None:
        nonlocal most
        most = max(most, done)
        if most >= least and time.process_time() > ends:
            raise error
        progress(stage, done, total)

    return telling(report)


def processors() -> int:
    """Return how many threads work at once: those of `RunOptions`, else one per processor of this process."""
    if (workers := options().workers) is not None:
        return workers
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_pool(threads: int) -> ThreadPoolExecutor:
    """Make a pool of threads that work with the current options (see `adopt`)."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, initializer=adopt, initargs=(options(),))


def results_in_order(
    executor: Executor, function: Callable[[T], R], tasks: Iterable[T], at_once: Callable[[], int]
) -> Iterator[R]:
    """Yield results in the order of the tasks, with `AHEAD` tasks per slot started ahead of the caller, so that few
    results wait in memory; ``at_once`` gives the number of slots. If a task fails or the caller stops, tasks not yet
    started are dropped.
    """
    ahead: collections.deque[Future[R]] = collections.deque()
    try:
        for task in tasks:
            ahead.append(executor.submit(function, task))
            while len(ahead) >= AHEAD * at_once():
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        for future in ahead:
            future.cancel()


class Workers:
    """A fixed number of threads, by default `processors`; with one, tasks run in the calling thread. Inside ``with``,
    freed memory is kept for the next task.
    """

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or processors()
        self._pool = thread_pool(self.threads) if self.threads > 1 else None
        self._scratch = threading.local()

    def __enter__(self) -> Workers:
        keep_freed_memory()
        return self

    def __exit__(self, *failure: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
        return_freed_memory()

    def scratch(self, name: str, size: int, dtype: type) -> np.ndarray:
        """Return an uninitialised array that the calling thread gets again for the same name: paging in new memory for
        every chunk costs as much as expanding it.
        """
        import numpy as np  # slow to import

        buffer = getattr(self._scratch, name, None)
        if buffer is None or len(buffer) < size or buffer.dtype != dtype:
            buffer = np.empty(size, dtype=dtype)
            setattr(self._scratch, name, buffer)
        return buffer[:size]

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Return the results in the order of the tasks (see `results_in_order`)."""
        if self._pool is None:
            return map(function, tasks)
        return results_in_order(self._pool, function, tasks, lambda: self.threads)

    def start(self, function: Callable[[], R]) -> Callable[[], R]:
        """Start a task; call the returned function for its result. With one thread, that call runs it."""
        return function if self._pool is None else self._pool.submit(function).result

    def run(self, function: Callable[[Any], object], tasks: Iterable[Any]) -> None:
        """Run all tasks."""
        for _ in self.map(function, tasks):
            pass


class Crew(Executor):
    """An executor whose workers, on other machines, come and go."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """Number of workers now."""

    @property
    @abstractmethod
    def slots(self) -> int:
        """Number of tasks that these workers can do at once; at least 1."""

    @abstractmethod
    def memory(self) -> int:
        """Return the bytes of memory for each task in the worker that has least. Raises `ClusterError`."""


def slots_of(executor: Executor) -> int:
    """Return how many tasks an executor does at once: the workers requested, its own number, or one per processor."""
    return options().workers or (executor.slots if isinstance(executor, Crew) else processors())


def in_order(executor: Executor, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
    """Return the results in the order of the tasks (see `results_in_order`)."""
    return results_in_order(executor, function, tasks, lambda: slots_of(executor))
