"""How fast work goes on and how long it still takes, smoothed, and both as people read them."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from analysis.machine.workers import Stage
from analysis.wording import lasting, rough, visible

SMOOTHED_SECONDS, SMOOTHED_SHARE = 20.0, 0.1
"""What was measured so long ago, or so large a share of all the time ago if that is longer, counts a third."""

COLUMNS = 80
"""Of a line."""


class Pace:
    """How fast one kind of work goes on. What was ``done`` when it was first told, as where a solve is taken up again,
    is no part of the rate.
    """

    def __init__(self, done: float, now: float) -> None:
        self._began, self._at, self._done = now, now, done
        self._gained = self._seconds = 0.0

    def tell(self, done: float, now: float) -> None:
        """So much is ``done`` ``now``, in seconds of a clock."""
        passed = now - self._at
        kept = math.exp(-passed / max(SMOOTHED_SECONDS, SMOOTHED_SHARE * (now - self._began)))
        self._gained = kept * self._gained + max(0.0, done - self._done)
        self._seconds = kept * self._seconds + passed
        self._at, self._done = now, done

    @property
    def rate(self) -> float | None:
        """What is done a second; None before there is anything to measure."""
        return self._gained / self._seconds if self._seconds else None

    def seconds_left(self, total: float | None) -> float | None:
        """Until ``total`` is done; None where nobody knows."""
        if total is None:
            return None
        if self._done >= total:
            return 0.0
        return (total - self._done) / self.rate if self.rate else None


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
        done = f"{self.share} done" if self.total is None else f"{self.share} of {rough(self.total)}"
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
