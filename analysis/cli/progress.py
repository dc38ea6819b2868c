"""Progress on standard error, and how fast it goes: a bar in a terminal, lines in a log, lines of JSON for programs."""

from __future__ import annotations

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

from ..errors import OptionError
from ..machine.endings import cleanup
from ..machine.memory import readable
from ..machine.workers import Stage, telling
from ..wording import lasting, rough, visible
from .terminal import discard_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.progress import Progress, TaskID

SMOOTHED_SECONDS, SMOOTHED_SHARE = 20.0, 0.1
"""What was measured so long ago, or so large a share of all the time ago if that is longer, counts a third."""

PAUSE_SECONDS, PAUSE = 60.0, 10
"""A report that comes so late, and so many times later than any before it, shows that the process had been stopped."""

KNOWN_SHARE = 0.1
"""Of the work that was left when it began must be measured before the time left is told: what comes first, such as
small tiers, is seldom like the rest.
"""

COLUMNS = 80
"""Of a line."""

PERCENT = 100
"""Of so many things at least a percentage is told."""


class Pace:
    """How fast one kind of work goes on. What was ``done`` when it was first told, as where a solve is taken up again,
    is no part of the rate, nor is what came before a pause: until two reports after it nothing is known.
    """

    def __init__(self, done: float, now: float) -> None:
        self._longest = 0.0
        self._begin(done, now)

    def _begin(self, done: float, now: float) -> None:
        self._began, self._at, self._done, self._first = now, now, done, done
        self._gained = self._seconds = 0.0

    def tell(self, done: float, now: float) -> None:
        """So much is ``done`` ``now``, in seconds of a clock."""
        passed = now - self._at
        if self._longest and passed > max(PAUSE_SECONDS, PAUSE * self._longest):
            self._longest = passed  # so that what comes as late again is work
            self._begin(done, now)
            return
        self._longest = max(self._longest, passed)
        kept = math.exp(-passed / max(SMOOTHED_SECONDS, SMOOTHED_SHARE * (now - self._began)))
        self._gained = kept * self._gained + max(0.0, done - self._done)
        self._seconds = kept * self._seconds + passed
        self._at, self._done = now, done

    @property
    def rate(self) -> float | None:
        """What is done a second; None before there is anything to measure."""
        return self._gained / self._seconds if self._seconds else None

    def seconds_left(self, total: float | None) -> float | None:
        """Until ``total`` is done; None where nobody knows, see `KNOWN_SHARE`."""
        if total is None:
            return None
        if self._done >= total:
            return 0.0
        known = self._done - self._first >= KNOWN_SHARE * (total - self._first)
        rate = self.rate if known else None
        return (total - self._done) / rate if rate else None


@dataclasses.dataclass(frozen=True)
class Told:
    """How far the work is."""

    stage: str
    done: float
    total: float | None
    rate: float | None
    elapsed_seconds: float
    seconds_left: float | None

    @property
    def share(self) -> str:
        """The part that is done, or how much where the total is not known."""
        if self.total is None:
            return rough(self.done)
        if 0 < self.total < PERCENT:
            return f"{rough(self.done)} of {rough(self.total)}"
        return f"{min(100, int(100 * self.done / self.total)) if self.total else 0} %"

    @property
    def speed(self) -> str:
        """What is done a second, if that is known."""
        return "" if self.rate is None else f"{rough(self.rate)}/s"

    @property
    def left(self) -> str:
        """The time that is left, if that is known."""
        return "" if self.seconds_left is None else f"{lasting(self.seconds_left)} left"

    def line(self) -> str:
        """All of it in a line that fits a log."""
        whole = f"of {rough(self.total)}" if self.total and self.total >= PERCENT else "done"
        done = f"{self.share} {whole}"
        numbers = ", ".join(filter(None, (done, self.speed, self.left or f"{lasting(self.elapsed_seconds)} so far")))
        stage, room = visible(self.stage), COLUMNS - len(numbers) - len(": ")
        return f"{stage if len(stage) <= room else stage[: room - 3] + '...'}: {numbers}"

    def to_json(self) -> dict[str, Any]:
        """All of it for programs, with nulls for what is not known."""
        stage = self.stage if isinstance(self.stage, Stage) else Stage(self.stage)
        parts: dict[str, Any] = {"stage": stage.verb, "tier": stage.tier, "shard": stage.shard, "shards": stage.shards}
        parts |= {name: value for name in ("workers", "on") if (value := getattr(stage, name)) is not None}
        numbers = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)[1:]}
        return parts | {name: None if value is None else _plain(value) for name, value in numbers.items()}


def _plain(value: float) -> float:
    """A number as JSON has it: whole, or with three decimals."""
    rounded = round(float(value), 3)
    return int(rounded) if rounded.is_integer() else rounded


PATIENCE_SECONDS = 2.0
"""Before a bar is drawn."""
LINE_SECONDS = 30.0
"""Before the first line, and between two."""
JSON_SECONDS = 1.0
"""Between two lines of JSON."""

FORMS = ("bar", "lines", "json", "none")

_chosen: ContextVar[str] = ContextVar("progress", default="bar")


def choose(form: str | None) -> None:
    """The form in which the command that now begins tells how far it is; None for the default. Raises `OptionError`."""
    if form not in (None, *FORMS):
        raise OptionError(f"progress {form!r} is unknown; it is one of {', '.join(FORMS)}")
    _chosen.set(form or "bar")


class Teller:
    """Tells how far the work is, in one form: this one, nothing."""

    def tell(self, told: Told, kind: str) -> None:
        """The work is so far; stages of one ``kind`` are one pass over the same things."""

    def close(self, last: Told | None) -> None:
        """The work is done, as ``last`` has it; None where it was never told, or is broken off."""


class Bars(Teller):
    """A bar for each kind of work, once it has taken a while."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._shown = contextlib.ExitStack()

    def tell(self, told: Told, kind: str) -> None:
        """See `Teller`."""
        if told.elapsed_seconds < PATIENCE_SECONDS:
            return
        if self._progress is None:
            self._progress = _bars()
            self._shown.enter_context(cleanup(self._progress.stop))  # which shows the cursor again
            self._progress.start()
        shown: dict[str, Any] = {"description": visible(told.stage), "completed": told.done, "total": told.total}
        shown |= {"said": ", ".join(filter(None, (told.share, told.speed))), "left": told.left}
        if kind in self._tasks:
            self._progress.update(self._tasks[kind], **shown)
        else:
            self._tasks[kind] = self._progress.add_task(**shown)

    def close(self, last: Told | None) -> None:
        """See `Teller`."""
        self._shown.close()


def _bars() -> Progress:
    """What draws bars: it is loaded for those who wait."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[said]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
        console=Console(stderr=True),
        transient=True,
        expand=True,
    )


class Lines(Teller):
    """A line now and then, for a log; ``as_json`` for programs, sooner, at each change of the kind of work, and at the
    end.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json, self._kind = as_json, ""
        self._next = 0.0 if as_json else LINE_SECONDS

    def tell(self, told: Told, kind: str) -> None:
        """See `Teller`."""
        if told.elapsed_seconds >= self._next or (self._as_json and kind != self._kind):
            self._next = told.elapsed_seconds + (JSON_SECONDS if self._as_json else LINE_SECONDS)
            self._kind = kind
            _say(json.dumps(told.to_json()) if self._as_json else told.line())

    def close(self, last: Told | None) -> None:
        """See `Teller`."""
        if last is not None and self._as_json:
            _say(json.dumps(last.to_json()))


def _say(line: str) -> None:
    """Print a line; where nobody reads it any more the work goes on all the same."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        discard_output(sys.stderr)


def _teller() -> Teller:
    """What tells it in the chosen form; without a terminal there is no bar."""
    form = _chosen.get()
    if form == "bar" and not sys.stderr.isatty():
        form = "lines"
    return {"bar": Bars(), "lines": Lines(), "json": Lines(as_json=True), "none": Teller()}[form]


class ProgressBar:
    """A progress callback that tells how far the work is, as was chosen; use it as a context manager."""

    clock = staticmethod(time.monotonic)

    def __init__(self, teller: Teller | None = None) -> None:
        self._teller = _teller() if teller is None else teller
        self._began = self.clock()
        self._paces: dict[str, Pace] = {}
        self._last: Told | None = None

    def __call__(self, stage: str, done: float, total: float | None) -> None:
        """See `workers.Progress`."""
        now = self.clock()
        kind = stage.verb if isinstance(stage, Stage) else re.sub(r"\d+", "", stage)  # a stage that counts is one stage
        pace = self._paces.setdefault(kind, Pace(done, now))
        pace.tell(done, now)
        self._last = Told(stage, done, total, pace.rate, now - self._began, pace.seconds_left(total))
        self._teller.tell(self._last, kind)

    def __enter__(self) -> ProgressBar:
        self._told = telling(self)
        self._told.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._told.__exit__(kind, error, trace)
        last = self._last
        if last is not None:
            done = last.done if last.total is None else last.total
            now = self.clock() - self._began
            last = dataclasses.replace(last, done=done, total=done, elapsed_seconds=now, seconds_left=0)
        self._teller.close(last if kind is None else None)


@contextlib.contextmanager
def writing(out: Path | None) -> Iterator[None]:
    """Tell how far the work is; once the file ``out`` is written, tell its size."""
    with ProgressBar():
        yield
    if out is not None and out.is_file():
        _say(f"gametree: {visible(str(out))}: {readable(out.stat().st_size)}")


def waiting() -> ProgressBar:
    """Return a bar for one wait of a program that waits again and again, for a person in between; off a terminal it
    says nothing.
    """
    return ProgressBar(Bars() if sys.stderr.isatty() else Teller())
