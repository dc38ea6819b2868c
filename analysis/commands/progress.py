"""Progress on standard error, for people: nothing for the first two seconds, then a bar with the time left."""

from __future__ import annotations

import re
import signal
import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

PATIENCE_SECONDS = 2.0


class _Done(ProgressColumn):
    """How much is done: a percentage, or a number where nobody can say of how many."""

    def render(self, task: Task) -> Text:
        """See `ProgressColumn.render`."""
        return Text(f"{task.completed:,.0f}" if task.total is None else f"{task.percentage:>3.0f}%")


class ProgressBar:
    """A progress callback that draws a bar for each stage; use it as a context manager."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._stage = ""

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """See `workers.Progress`. From the first word of progress on, Ctrl-C raises KeyboardInterrupt, whatever it did
        before: the compiler is done, and files may have to be tidied up.
        """
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if not sys.stderr.isatty() or time.monotonic() - self._began < PATIENCE_SECONDS:
            return
        if self._progress is None:
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                _Done(),
                TextColumn("elapsed"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
        kind = re.sub(r"\d+", "", stage)  # a stage that counts is still the same stage
        if self._task is None or kind != self._stage:
            self._stage, self._task = kind, self._progress.add_task(stage, total=total)
        self._progress.update(self._task, description=stage, completed=done, total=total)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
