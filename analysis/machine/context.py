"""What the work may take and who is told how far it is: said once, around all that is done.

`analysis.running` says it for users, `within` for the package. Threads of `thread_pool` work in the context of who
made them.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError

if TYPE_CHECKING:
    from concurrent.futures import Executor

Progress = Callable[[str, float, float | None], None]
"""``progress(stage, done, total)``: called now and then; ``total`` is None where it is not known."""


def no_progress(stage: str, done: float, total: float | None) -> None:
    """Say nothing."""


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """What the work may take; no number of its result depends on it. Raises `OptionError` for less than one worker."""

    workers: int | None = None
    """Threads, or tasks of an executor, at a time (None: as many as processors)."""
    memory: int | None = None
    """Bytes of all processes together (None: what the machine has free). With a crew, of this process, and of each of
    its workers.
    """
    progress: Progress = no_progress
    """Who is told how far the work is."""
    executor: Executor | None = None
    """What does tasks that can be done elsewhere: of a solve in shards, of a sweep, of a match between levels that
    search (None: threads or processes of this machine).
    """
    scratch: Path | None = None
    """A folder for what a solve in shards does not keep (None: in the directory of the solution)."""
    sharded: bool = False
    """Whether what is solved into a directory is solved in shards though it fits in memory."""
    anyway: bool = False
    """Whether a solve begins also where it is not expected to fit, unless that is sure."""

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise OptionError(f"{self.workers} workers cannot work; give at least 1")


_options: ContextVar[RunOptions] = ContextVar("options", default=RunOptions())  # noqa: B039 - it is frozen


def options() -> RunOptions:
    """What was said of the work that is done now."""
    return _options.get()


@contextlib.contextmanager
def within(**changes: Any) -> Iterator[RunOptions]:
    """What is done inside, in this thread and in pools that it makes, has these `RunOptions`, and the others as before.

    >>> with within(workers=2), within(memory=10**9):
    ...     options().workers, options().memory
    (2, 1000000000)
    """
    before = _options.set(dataclasses.replace(options(), **changes))
    try:
        yield options()
    finally:
        _options.reset(before)


def adopt(given: RunOptions) -> None:
    """Have this thread, which is new, work with options that another has, but without telling how far it is: who hands
    out the tasks does.
    """
    _options.set(dataclasses.replace(given, progress=no_progress))
