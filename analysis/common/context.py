"""The options of a run, set once around the work: what it may use, and where its progress is reported.

`analysis.running` sets them for users, `within` for the package. Threads of a `thread_pool` inherit those of their
creator.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import OptionError

if TYPE_CHECKING:
    from concurrent.futures import Executor

Progress = Callable[[str, float, float | None], None]
"""``progress(stage, done, total)``: called from time to time; ``total`` is None if unknown."""


def no_progress(stage: str, done: float, total: float | None) -> None:
    """Report nothing."""


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """What the work may use; no result depends on it. Raises `OptionError` for less than one worker."""

    workers: int | None = None
    """Threads, or tasks of an executor, at a time (None: one per processor)."""
    memory: int | None = None
    """Bytes of all processes together (None: what is free). With a crew, bytes of this process and of each worker."""
    progress: Progress = no_progress
    """Called with the progress."""
    executor: Executor | None = None
    """Runs tasks that can be done elsewhere: of a solve in shards, of a match between levels that search
    (None: threads or processes of this machine).
    """
    scratch: Path | None = None
    """A folder for the temporary files of a solve in shards (None: the solution's directory)."""
    sharded: bool = False
    """Whether to solve in shards, when solving into a directory, even if the game fits in memory."""
    until: float = math.inf
    """The processor time of this process at which exploring a program is to end."""
    anyway: bool = False
    """Whether to start solves that are expected not to fit, unless that is certain."""

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise OptionError(f"workers={self.workers} is too few; give at least 1")


_options: ContextVar[RunOptions] = ContextVar("options", default=RunOptions())  # noqa: B039 - it is frozen


def options() -> RunOptions:
    """Return the current options."""
    return _options.get()


@contextlib.contextmanager
def within(**changes: Any) -> Iterator[RunOptions]:
    """Change some `RunOptions` inside the block, in this thread and in the pools that it makes.

    >>> with within(workers=2), within(memory=10**9):
    ...     options().workers, options().memory
    (2, 1000000000)
    """
    before = _options.set(dataclasses.replace(options(), **changes))
    try:
        yield options()
    finally:
        _options.reset(before)


def exploring_within(seconds: float | None) -> contextlib.AbstractContextManager[RunOptions]:
    """Limit exploring a program inside the block to ``seconds`` of processor time (None: no further limit)."""
    return within(until=options().until if seconds is None else time.process_time() + seconds)


def adopt(inherited: RunOptions) -> None:
    """Take over another thread's options, except progress, which the thread that hands out tasks reports."""
    _options.set(dataclasses.replace(inherited, progress=no_progress))
