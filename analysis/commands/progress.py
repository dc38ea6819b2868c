"""Progress on standard error, for people: nothing for the first two seconds, then a bar with the time left."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE_SECONDS = 2.0
LINE_AND_CURSOR = b"\r\x1b[2K\x1b[?25h"
"""What a terminal takes for: clear this line, and show the cursor, which bars hide."""


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
            self._progress = _bars()
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
        if self._progress is not None:
            self._progress.stop()


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
    wait, inside ``with``, takes more than two seconds. Ctrl-C does what it did before, once the terminal is as it was.
    """

    def __init__(self) -> None:
        self._bars: list[tuple[ProgressBar, Any]] = []

    def __enter__(self) -> Waiting:
        self._bars.append((ProgressBar(), signal.getsignal(signal.SIGINT)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        bar, before = self._bars.pop()
        bar.__exit__(kind, error, trace)
        signal.signal(signal.SIGINT, before)

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """See `workers.Progress`."""
        if self._bars:
            self._bars[-1][0](stage, done, total)
            signal.signal(signal.SIGINT, self._interrupted)  # a bar changes it

    def _interrupted(self, number: int, frame: Any) -> None:
        """Ctrl-C: the handler that was there may end the program at once, and leave the terminal without a cursor."""
        before = self._bars[0][1] if self._bars else signal.default_int_handler
        if sys.stderr.isatty():
            os.write(2, LINE_AND_CURSOR)
        if callable(before):
            before(number, frame)
