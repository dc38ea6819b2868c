"""Progress on standard error, for people: nothing for the first two seconds, then a bar with the time left."""

from __future__ import annotations

import contextlib
import re
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from analysis.machine.endings import undone

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE_SECONDS = 2.0


class ProgressBar:
    """A progress callback that draws a bar for each stage; use it as a context manager."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._stage = ""
        self._shown = contextlib.ExitStack()

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """See `workers.Progress`."""
        if not sys.stderr.isatty() or time.monotonic() - self._began < PATIENCE_SECONDS:
            return
        if self._progress is None:
            self._progress = _bars()
            self._shown.enter_context(undone(self._progress.stop))  # which shows the cursor again
            self._progress.start()
        kind = re.sub(r"\d+", "", stage)  # a stage that counts is still the same stage
        if self._task is None or kind != self._stage:
            self._stage, self._task = kind, self._progress.add_task(stage, total=total, done="")
        said = f"{done:,.0f}" if total is None else f"{min(100, 100 * done / total) if total else 0:>3.0f}%"
        self._progress.update(self._task, description=stage, completed=done, total=total, done=said)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shown.close()


def _bars() -> Progress:
    """What draws bars: it is loaded for those who wait."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[done]}", markup=False),
        TextColumn("elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


class Waiting:
    """A progress callback for a program that waits again and again, for a person in between: it draws a bar where one
    wait, inside ``with``, takes more than two seconds.
    """

    def __init__(self) -> None:
        self._bars: list[ProgressBar] = []

    def __enter__(self) -> Waiting:
        self._bars.append(ProgressBar())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.pop().__exit__(kind, error, trace)

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """See `workers.Progress`."""
        if self._bars:
            self._bars[-1](stage, done, total)
