"""Progress bars for a program that waits again and again, for a person in between."""

from __future__ import annotations

import os
import signal
import sys
from types import TracebackType
from typing import Any

from analysis.commands.progress import ProgressBar

LINE_AND_CURSOR = b"\r\x1b[2K\x1b[?25h"
"""What a terminal takes for: clear this line, and show the cursor, which bars hide."""


class Waiting:
    """A progress callback that draws a bar where one wait, inside ``with``, takes more than two seconds. Ctrl-C does
    what it did before, once the terminal is as it was.
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
