"""Report progress on standard error: a bar in a terminal, lines in a log, lines of JSON for programs."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import math
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
    from collections.abc import Iterator
    from pathlib import Path

    from rich.progress import Progress

RATE_SECONDS, RATE_SHARE = 20.0, 0.1
"""The rate is measured over these last seconds, or over this last share of all the time if that is longer."""
MEASURED_SHARE = 0.1
"""Share of the work to measure before the time left is shown: the first part, such as small tiers, is seldom
typical.
"""
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


class Pace:
    """How fast one kind of work proceeds. What was ``done`` at the first report, as when a solve is resumed, does not
    count.
    """

    def __init__(self, done: float, now: float) -> None:
        self.first, self._began = done, now
        self._reports = collections.deque([(now, done)])

    def tell(self, done: float, now: float) -> None:
        """Take the report that so much is ``done`` at the time ``now``, in seconds."""
        window = max(RATE_SECONDS, RATE_SHARE * (now - self._began))
        if len(self._reports) > 2 and now - self._reports[-2][0] < window / 100:
            self._reports.pop()  # so that few are kept, however many come
        self._reports.append((now, max(done, self._reports[-1][1])))
        while len(self._reports) > 2 and now - self._reports[0][0] > window:
            self._reports.popleft()

    @property
    def rate(self) -> float | None:
        """The work done per second; None if nothing is measured yet."""
        (since, before), (now, done) = self._reports[0], self._reports[-1]
        return (done - before) / (now - since) if now > since else None

    def seconds_left(self, total: float | None) -> float | None:
        """Return the seconds until ``total`` is done; None if unknown (see `MEASURED_SHARE`)."""
        done = self._reports[-1][1]
        if total is None or done >= total:
            return None if total is None else 0.0
        measured = done - self.first >= MEASURED_SHARE * (total - self.first)
        return (total - done) / self.rate if measured and self.rate else None


@dataclasses.dataclass(frozen=True)
class ProgressReport:
    """How far the work is."""

    stage: str
    done: float
    total: float | None
    rate: float | None
    elapsed_seconds: float
    seconds_left: float | None

    @property
    def share(self) -> str:
        """The part that is done, or the amount if the total is unknown."""
        if self.total is None:
            return rough(self.done)
        if 0 < self.total < PERCENT:
            return f"{rough(self.done)} of {rough(self.total)}"
        return f"{min(100, int(100 * self.done / self.total)) if self.total else 0} %"

    @property
    def speed(self) -> str:
        """The work done per second; empty if unknown."""
        return "" if self.rate is None else f"{rough(self.rate)}/s"

    @property
    def left(self) -> str:
        """The time left; empty if unknown."""
        return "" if self.seconds_left is None else f"{duration_text(self.seconds_left)} left"

    def line(self) -> str:
        """Return it as a line for a log."""
        whole = f"of {rough(self.total)}" if self.total and self.total >= PERCENT else "done"
        last = self.left or f"{duration_text(self.elapsed_seconds)} so far"
        numbers = ", ".join(filter(None, (f"{self.share} {whole}", self.speed, last)))
        stage, room = visible(self.stage), COLUMNS - len(numbers) - len(": ")
        return f"{stage if len(stage) <= room else stage[: room - 3] + '...'}: {numbers}"

    def to_json(self) -> dict[str, Any]:
        """Return it for programs, null for what is unknown."""
        stage = self.stage if isinstance(self.stage, Stage) else Stage(self.stage)
        parts: dict[str, Any] = {"stage": stage.verb, "tier": stage.tier, "shard": stage.shard, "shards": stage.shards}
        parts |= {name: value for name in ("workers", "on") if (value := getattr(stage, name)) is not None}
        for name in ("done", "total", "rate", "elapsed_seconds", "seconds_left"):
            value = getattr(self, name)
            rounded = None if value is None else round(float(value), 3)
            parts[name] = int(rounded) if rounded is not None and rounded.is_integer() else rounded
        return parts


class ProgressBar:
    """A progress callback that reports in one of `FORMS`, by default the chosen one; use it as a context manager."""

    clock = staticmethod(time.monotonic)

    def __init__(self, form: str | None = None) -> None:
        form = form or _chosen.get()
        self._form = "lines" if form == "bar" and not sys.stderr.isatty() else form
        self._began = self.clock()
        self._next = {"bar": PATIENCE_SECONDS, "lines": LINE_SECONDS, "json": 0.0, "none": math.inf}[self._form]
        self._kind = ""
        self._paces: dict[str, Pace] = {}
        self._last: ProgressReport | None = None
        self._bars: Progress | None = None
        self._shown = contextlib.ExitStack()

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """Report progress (see `workers.Progress`)."""
        now = self.clock()
        kind = stage.verb if isinstance(stage, Stage) else re.sub(r"\d+", "", stage)  # numbers do not count
        pace = self._paces.setdefault(kind, Pace(done, now))
        pace.tell(done, now)
        self._last = ProgressReport(stage, done, total, pace.rate, now - self._began, pace.seconds_left(total))
        if self._last.elapsed_seconds < self._next and not (self._form == "json" and kind != self._kind):
            return
        self._kind = kind
        if self._form == "bar":
            self._draw(self._last, kind)
        else:
            as_json = self._form == "json"
            self._next = self._last.elapsed_seconds + (JSON_SECONDS if as_json else LINE_SECONDS)
            _print(json.dumps(self._last.to_json()) if as_json else self._last.line())

    def _draw(self, report: ProgressReport, kind: str) -> None:
        if self._bars is None:
            self._bars = _make_bars()
            self._shown.enter_context(cleanup(self._bars.stop))  # it shows the cursor again
            self._bars.start()
        number = [*self._paces].index(kind)
        while len(self._bars.tasks) <= number:
            self._bars.add_task("", visible=False, numbers="", left="")
        self._bars.update(
            self._bars.tasks[number].id, description=visible(report.stage), completed=report.done, total=report.total,
            numbers=", ".join(filter(None, (report.share, report.speed))), left=report.left, visible=True,
        )  # fmt: skip

    def __enter__(self) -> ProgressBar:
        self._listening = telling(self)
        self._listening.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.__exit__(kind, error, trace)
        self._shown.close()
        if self._form == "json" and kind is None and (last := self._last) is not None:
            done = last.done if last.total is None else last.total
            now = self.clock() - self._began
            last = dataclasses.replace(last, done=done, total=done, elapsed_seconds=now, seconds_left=0)
            _print(json.dumps(last.to_json()))


def _make_bars() -> Progress:
    from rich.console import Console  # slow to load
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[numbers]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
        console=Console(stderr=True),
        transient=True,
        expand=True,
    )


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
