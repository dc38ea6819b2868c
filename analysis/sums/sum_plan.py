"""Predict what solving a sum takes, from the smaller games of its kind that are solved in some seconds."""

from __future__ import annotations

import dataclasses
import math
import time
from typing import Any

from analysis.errors import OptionError
from analysis.machine.workers import patient
from analysis.rules.game import HasRules
from analysis.sums.graph_nimbers import nimbers_of
from analysis.sums.nimbers import Nimbers
from analysis.sums.options import parts_of
from analysis.sums.sum_solution import load_sum

LEARNT = 4
"""Of how many of the last games it is learnt how they grow."""
DOUBT = 4.0
"""Factor by which a prediction may be wrong for each game to come, at most `MOST_DOUBT` in all."""
MOST_DOUBT = 100.0
ENOUGH = 1000
"""Parts from which on it is told whether a sum fits."""
MOST_LOG = 100.0
"""Limit on the logarithm of a growth."""


class _LateError(Exception):
    """The time is over."""


@dataclasses.dataclass(frozen=True)
class SumPlan:
    """What solving a sum takes; intervals are None if too little could be solved to tell."""

    game: str
    solved: tuple[dict[str, Any], ...]
    """The games of the kind that were solved: ``n`` (None without a series) and ``nimber``, and the ``parts`` and
    ``seconds`` of all so far.
    """
    complete: bool
    """Whether the game itself was solved."""
    parts: tuple[int, int] | None
    seconds: tuple[float, float] | None
    memory_bytes: tuple[int, int] | None

    @property
    def advice(self) -> str:
        """Return what to do."""
        if self.complete:
            return f"it fits: gametree solve {self.game}"
        if self.seconds is None:
            return "too little of it could be solved to tell; more --seconds may"
        return f"it may fit: gametree solve {self.game}, which goes on where it was interrupted"

    def to_json(self) -> dict[str, Any]:
        """Return what ``gametree plan --format json`` prints."""
        return dataclasses.asdict(self) | {"advice": self.advice}


def plan(game: str | HasRules, *, seconds: float = 20.0) -> SumPlan:
    """Solve as much of a sum as fits in so many ``seconds``, and predict the rest from how it grows."""
    summed = load_sum(game)
    if not 0 < seconds < math.inf:
        raise OptionError(f"{seconds:g} seconds are not enough to plan; give more than 0")
    nimbers = nimbers_of(summed.parts)
    rows, complete = _measured(nimbers, seconds)
    parts = times = None
    if complete:
        parts, times = (rows[-1]["parts"],) * 2, (rows[-1]["seconds"],) * 2
    elif len(rows) > LEARNT:
        to_come = len(summed.parts.series) - len(rows)
        doubt = min(MOST_DOUBT, DOUBT ** math.sqrt(to_come))
        spans = {name: _grown([row[name] for row in rows], to_come) for name in ("parts", "seconds")}
        parts = (rows[-1]["parts"], int(spans["parts"] * doubt))
        times = (rows[-1]["seconds"], spans["seconds"] * doubt)
    memory = None if parts is None else (parts[0] * nimbers.part_bytes, parts[1] * nimbers.part_bytes)
    return SumPlan(summed.spec, tuple(rows), complete, parts, times, memory)


def refuse_too_large(game: str, nimbers: Nimbers, parts: list[tuple[int, int]], last: int) -> None:
    """Raise `NoRoomError` where the parts of all games up to the ``last`` will not fit in memory, even if they grow no
    faster than a power of n does, and are `MOST_DOUBT` times fewer. ``parts`` are n and the parts of those so far.
    """
    if len(parts) <= LEARNT or parts[-1][1] < ENOUGH:
        return
    (n, before), (now, there) = parts[-LEARNT - 1], parts[-1]
    power = math.log(there / max(1, before)) / math.log(now / max(1, n))
    expected = there * max(1.0, math.exp(min(MOST_LOG, power * math.log(last / now))) / MOST_DOUBT)
    nimbers.budget.require(nimbers.part_bytes * expected, f"a solution of {game}", "a smaller game")


def _measured(nimbers: Nimbers, seconds: float) -> tuple[list[dict[str, Any]], bool]:
    parts = nimbers.parts
    nimbers.prepare()
    began = time.monotonic()
    rows: list[dict[str, Any]] = []
    series: list[tuple[int | None, Any]] = [*parts.series]
    series = series or [(None, parts.start)]
    try:
        with patient(seconds, _LateError()):
            for number, position in series:
                nimber = nimbers.of(parts_of(parts, position))
                taken = round(time.monotonic() - began, 3)
                rows.append({"n": number, "nimber": nimber, "parts": len(nimbers), "seconds": taken})
                if taken > seconds and len(rows) < len(series):
                    return rows, False
    except _LateError:
        return rows, False
    return rows, True


def _grown(numbers: list[float], steps: int) -> float:
    """Return a number after so many more steps, if it grows on average as in the last ones."""
    first, last = max(numbers[-LEARNT - 1], 0.01), max(numbers[-1], 0.01)
    return float(min(1e18, last * (last / first) ** (steps / LEARNT)))
