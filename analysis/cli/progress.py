"""Report progress on standard error: a bar in a terminal, lines in a log, lines of JSON for programs."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..common.endings import cleanup
from ..common.memory import readable
from ..common.wording import duration_text, rough, visible
from ..common.workers import Stage, telling
from ..errors import OptionError
from .terminal import discard_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rich.progress import Progress, Task

RATE_SECONDS = 60.0
"""The rate is measured over these last seconds."""
COLUMNS = 80
"""Width of a line in a log."""
PERCENT = 100
"""From this many items on, show a percentage."""

PATIENCE_SECONDS = 2.0
"""Seconds before a bar is drawn."""
LINE_SECONDS = 30.0
"""Seconds before the first line in a log, and between two."""
JSON_SECONDS = 1.0
"""Seconds between two lines of JSON."""

FORMS = ("bar", "lines", "json", "none")

_chosen: ContextVar[str] = ContextVar("progress", default="bar")


def choose(form: str | None) -> None:
    """Choose how the command that begins now reports progress; None for the default. Raises `OptionError`."""
    if form not in (None, *FORMS):
        raise OptionError(f"progress {form!r} is unknown; it is one of {', '.join(FORMS)}")
    _chosen.set(form or "bar")


class ProgressBar:
    """A progress callback that reports in one of `FORMS`, by default the chosen one; use it as a context manager."""

    clock = staticmethod(time.monotonic)

    def __init__(self, form: str | None = None) -> None:
        form = form or _chosen.get()
        self._form = "lines" if form == "bar" and not sys.stderr.isatty() else form
        self._began, self._next, self._stage = self.clock(), 0.0, ""
        self._tasks: dict[str, Task] = {}
        self._bars: Progress | None = None
        self._shown = contextlib.ExitStack()

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """Report progress (see `workers.Progress`)."""
        now = self.clock() - self._began
        if self._form == "none" or (self._form != "json" and now < PATIENCE_SECONDS):
            return
        if self._bars is None:
            self._bars = _make_bars(self.clock)
            if self._form == "bar":
                self._shown.enter_context(cleanup(self._bars.stop))  # it shows the cursor again
                self._bars.start()
            self._next = LINE_SECONDS if self._form == "lines" else 0.0
        kind = stage.verb if isinstance(stage, Stage) else re.sub(r"\d+", "", stage)  # numbers do not count
        self._stage, fresh = stage, kind not in self._tasks
        if fresh:
            number = self._bars.add_task(visible(stage), completed=done, total=total)  # type: ignore[arg-type]
            self._tasks[kind] = self._bars.tasks[number]
        task = self._tasks[kind]
        self._bars.update(task.id, description=visible(stage), completed=done, total=total)  # type: ignore[arg-type]
        if self._form == "json" and (fresh or now >= self._next):
            self._next = now + JSON_SECONDS
            _print(json.dumps(_as_json(stage, task, now)))
        if self._form == "lines" and now >= self._next:
            self._next = now + LINE_SECONDS
            _print(_line(task, now))

    def __enter__(self) -> ProgressBar:
        self._listening = telling(self)
        self._listening.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.__exit__(kind, error, trace)
        self._shown.close()
        if self._form == "json" and kind is None and self._tasks:
            task = [*self._tasks.values()][-1]
            task.total = task.completed = task.completed if task.total is None else task.total
            _print(json.dumps(_as_json(self._stage, task, self.clock() - self._began)))


def _make_bars(clock: Callable[[], float]) -> Progress:
    from rich.console import Console  # slow to load
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    class Numbers(ProgressColumn):
        """What is done, how fast, and the time left."""

        def render(self, task: Task) -> Text:
            return Text(_numbers(task))

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        Numbers(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    return Progress(
        *columns, console=console, transient=True, expand=True, get_time=clock, speed_estimate_period=RATE_SECONDS
    )


def _numbers(task: Task) -> str:
    """Return the part that is done, or the amount if the total is unknown; the speed, and the time left if known."""
    if task.total is None:
        share = rough(task.completed)
    elif task.total < PERCENT:
        share = f"{rough(task.completed)} of {rough(task.total)}"
    else:
        share = f"{min(100, int(100 * task.completed / task.total))} % of {rough(task.total)}"
    left = "" if task.time_remaining is None else f"{duration_text(task.time_remaining)} left"
    speed = f"{rough(task.speed)}/s" if task.speed else ""
    return ", ".join(filter(None, (share, speed, left)))


def _line(task: Task, seconds: float) -> str:
    """Return progress as a line for a log."""
    numbers = _numbers(task) + ("" if task.time_remaining is not None else f", {duration_text(seconds)} so far")
    stage, room = task.description, COLUMNS - len(numbers) - len(": ")
    return f"{stage if len(stage) <= room else stage[: room - 3] + '...'}: {numbers}"


def _as_json(text: str, task: Task, seconds: float) -> dict[str, Any]:
    """Return progress for programs, null for what is unknown."""
    stage = text if isinstance(text, Stage) else Stage(text)
    parts: dict[str, Any] = {"stage": stage.verb, "tier": stage.tier, "shard": stage.shard, "shards": stage.shards}
    parts |= {name: value for name in ("workers", "on") if (value := getattr(stage, name)) is not None}
    numbers = {"done": task.completed, "total": task.total, "rate": task.speed, "elapsed_seconds": seconds}
    for name, value in (numbers | {"seconds_left": task.time_remaining}).items():
        rounded = None if value is None else round(float(value), 3)
        parts[name] = int(rounded) if rounded is not None and rounded.is_integer() else rounded
    return parts


def _print(line: str) -> None:
    """Print a line; if nobody reads it any more, the work still goes on."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        discard_output(sys.stderr)


@contextlib.contextmanager
def writing(out: Path | None) -> Iterator[None]:
    """Report progress; once the file ``out`` is written, print its size."""
    with ProgressBar():
        yield
    if out is not None and out.is_file():
        _print(f"gametree: {visible(str(out))}: {readable(out.stat().st_size)}")


def waiting() -> ProgressBar:
    """Return a bar for one wait of an interactive program; without a terminal it is silent."""
    return ProgressBar("bar" if sys.stderr.isatty() else "none")
