"""Whether what is still to come of a solve will fit: the plan is asked while the solve goes on."""

from __future__ import annotations

import dataclasses
import shlex
import time
from pathlib import Path

from analysis.engine.engine import Engine
from analysis.errors import TooLargeError
from analysis.machine.files import free_bytes
from analysis.machine.memory import Budget, readable, taken_bytes
from analysis.machine.workers import Progress, no_progress
from analysis.planning.costs import Needs, needs_of
from analysis.planning.sizes import GameSizes
from analysis.storage.store import Tables
from analysis.wording import between, lasting, rough

ASKED = ((5.0, 3.0), (30.0, 10.0), (120.0, 15.0))
"""After how many seconds of finding states the plan is asked, and how many it may take to answer."""
PATIENCE = (3.0, 15.0)
"""Seconds that the plan may take before a solve in shards begins; longer where it knows only a least size."""


@dataclasses.dataclass
class Outlook:
    """Asks, after some seconds, how large the game is; what is not expected to fit is refused."""

    engine: Engine
    tables: Tables
    budget: Budget
    in_memory: bool
    """Whether all tiers stay in memory, or are written and dropped."""
    anyway: bool = False
    """Whether to refuse only what does not fit at the low end of the plan either."""
    sizes: GameSizes | None = None
    """The last answer."""
    _began: float | None = None
    _times: int = 0

    def __call__(self, found: int) -> None:
        """Ask if it is time to, once so many classes were found. Raises `NoRoomError` where a solution is not expected
        to fit, and `CountOverflowError`.
        """
        now = time.monotonic()
        if self._began is None:
            self._began = now
            self._ask_formula()
        if self._times < len(ASKED) and now - self._began >= ASKED[self._times][0]:
            seconds = ASKED[self._times][1]
            self._times += 1
            self._judge(_estimate(self.engine, seconds, no_progress).at_least(found))

    def _ask_formula(self) -> None:
        """Ask at once where the size is known exactly, and not again."""
        from analysis.planning.formulas import exact_sizes

        sizes = exact_sizes(self.engine)
        if sizes is not None:
            self._judge(sizes)
            self._times = len(ASKED)

    def _judge(self, sizes: GameSizes) -> None:
        """Raise `NoRoomError` where a solution of a game of these sizes is not expected to fit; ask no more where it
        surely does.
        """
        self.sizes = sizes
        needs = needs_of(self.engine, sizes, self.tables)
        needed = needs.memory if self.in_memory else needs.writing
        if needed.high <= self.budget.limit:
            self._times = len(ASKED)
        what = f"{how_large(self.engine, sizes)}: a solution"
        self.budget.require(needed.low, what)
        if not (self.anyway or sizes.canonical.open):
            self.budget.require(needed.middle, what, _anyway(self.engine))


def _estimate(engine: Engine, seconds: float, progress: Progress) -> GameSizes:
    from analysis.planning.estimate import find_sizes  # and with it the kernels

    return find_sizes(engine, seconds, progress)


def how_large(engine: Engine, sizes: GameSizes) -> str:
    """How large the game is, as the beginning of a sentence."""
    low, high, _ = sizes.canonical
    about = f"at least {rough(low)} classes" if sizes.canonical.open else f"{between(low, high, rough)} classes"
    return f"{engine.game.spec} has {about}"


def _anyway(engine: Engine) -> str:
    return f"`gametree solve {shlex.quote(engine.game.spec)} --anyway`"


def check_shards(
    engine: Engine,
    tables: Tables,
    places: tuple[Path, Path],
    memory: int,
    why: str,
    sizes: GameSizes | None,
    anyway: bool = False,
) -> str:
    """What a solve in shards will take, to be told after other words; ``places`` are where its result and its scratch
    go, and ``sizes`` how large the game is, if that was asked. The plan is asked again, for longer, while it knows no
    more than a least size. Raises `TooLargeError` where disk or ``memory`` are too small for sure, ``why`` they are
    needed first, and, unless it is to begin ``anyway``, where they are expected to be or nothing is known at last.
    """
    for seconds in PATIENCE:
        sizes = sizes or _estimate(engine, seconds, engine.progress)
        needs, large, known = needs_of(engine, sizes, tables), how_large(engine, sizes), not sizes.canonical.open
        _refuse_shards(engine, needs, places, memory, why or f"{large}: ", anyway=anyway or not known)
        if known:
            return (
                f"; {between(*needs.scratch + needs.directory, readable)} of disk, "
                f"{between(*needs.sharded_seconds, lasting)}"
            )
        sizes = None
    unknown = f"{large}, and how many more is not known: in shards it may never end"
    if anyway:
        return f"; {unknown}"
    raise TooLargeError(f"{why}{unknown}; {_instead(engine)}, {_anyway(engine)} begins all the same")


def _refuse_shards(
    engine: Engine, needs: Needs, places: tuple[Path, Path], memory: int, begins: str, *, anyway: bool
) -> None:
    """Raise `TooLargeError` where what is needed at the least is not there or, unless ``anyway``, what is expected."""
    wanted = [(needs.task, memory, "memory", "")]
    for span, place in zip((needs.directory, needs.scratch), places, strict=True):
        wanted.append((span, free_bytes(place), "disk", f" at {place}"))
    for span, free, of, where in wanted:
        surely = span.low > free
        if not surely and (anyway or span.middle <= free):
            continue
        needed = f"at least {readable(span.low)}" if surely else f"about {readable(span.middle)}"
        more = f"; the program itself takes {readable(taken_bytes())}: give more --{of}" if of == "memory" else ""
        begin = "" if surely else f", {_anyway(engine)} begins all the same"
        raise TooLargeError(
            f"{begins}in shards it needs {needed} of {of}, and {readable(free)} are free{where}{more}; "
            f"{_instead(engine)}{begin}"
        )


def _instead(engine: Engine) -> str:
    return f"`gametree show {shlex.quote(engine.game.spec)}` looks for a proof of the start"
