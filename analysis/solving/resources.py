"""What a solve may take, and whether what is still to come will fit: the plan is asked while the solve goes on."""

from __future__ import annotations

import dataclasses
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

from analysis.engine.engine import Engine
from analysis.errors import TooLargeError
from analysis.machine.context import options
from analysis.machine.files import free_bytes
from analysis.machine.memory import Budget, readable, taken_bytes
from analysis.solution.storage.store import Tables
from analysis.solving.planning.costs import Costs, costs_of
from analysis.solving.planning.sizes import GameSizes
from analysis.wording import between, lasting, rough

ASKED = ((5.0, 3.0), (30.0, 10.0), (120.0, 15.0))
"""After how many seconds of finding states the plan is asked, and how many it may take to answer."""
PATIENCE = (3.0, 15.0)
"""Seconds that the plan may take before a solve in shards begins; the latter also where what a shorter answer expects
would be refused: on a busy machine, or of a large game, that is told by few tiers.
"""


@dataclasses.dataclass
class SizeGuard:
    """Asks, after some seconds, how large the game is; what is not expected to fit is refused."""

    engine: Engine
    tables: Tables
    budget: Budget
    in_memory: bool
    """Whether all tiers stay in memory, or are written and dropped."""
    anyway: bool = dataclasses.field(default_factory=lambda: options().anyway)
    """Whether to refuse only what does not fit at the low end of the plan either."""
    sizes: GameSizes | None = None
    """The last answer."""
    _began: float | None = None
    _times: int = 0

    def __call__(self, found: int) -> None:
        """Ask if it is time to, once so many classes were found. Raises `NoRoomError` where a solution is not expected
        to fit, also by what a longer look says, and `CountOverflowError`.
        """
        now = time.monotonic()
        if self._began is None:
            from analysis.solving.planning.sizes import exact_sizes

            self._began = now
            sizes = exact_sizes(self.engine)
            if sizes is not None:  # nothing more can be known
                self._judge(sizes, last=True)
                self._times = len(ASKED)
        if self._times < len(ASKED) and now - self._began >= ASKED[self._times][0]:
            seconds = ASKED[self._times][1]
            self._times += 1
            if not self._judge(_estimate(self.engine, seconds).at_least(found), last=False):
                self._judge(_estimate(self.engine, PATIENCE[-1]).at_least(found), last=True)

    def _judge(self, sizes: GameSizes, *, last: bool) -> bool:
        """Whether a solution of a game of these sizes is expected to fit; ask no more where it surely does. Raises
        `NoRoomError` where it surely does not, and if this is the ``last`` answer where it is not expected to.
        """
        self.sizes = sizes
        costs = costs_of(self.engine, sizes, self.tables)
        needed = costs.memory if self.in_memory else costs.writing
        if needed.high <= self.budget.limit:
            self._times = len(ASKED)
        what = f"{_how_large(self.engine, sizes)}: a solution"
        self.budget.require(needed.low, what)
        expected = self.anyway or sizes.canonical.open or needed.middle <= self.budget.limit
        if last and not expected:
            self.budget.require(needed.middle, what, _anyway(self.engine))
        return expected


def check_shards(
    engine: Engine,
    tables: Tables,
    places: tuple[Path, Path],
    memory: int,
    why: str,
    sizes: GameSizes | None,
) -> str:
    """What a solve in shards will take, to be told after other words; ``places`` are where its result and its scratch
    go, and ``sizes`` how large the game is, if that was asked. The plan is asked again, for longer, before what it
    expects is refused, and while it knows no more than a least size. Raises `TooLargeError` where disk or ``memory``
    are too small for sure, ``why`` they are needed first, and, unless it is to begin `anyway`, where they are
    expected to be or nothing is known at last.
    """
    for seconds in PATIENCE:
        sizes = sizes or _estimate(engine, seconds)
        costs, large, known = costs_of(engine, sizes, tables), _how_large(engine, sizes), not sizes.canonical.open
        surely, expected = _what_is_missing(engine, costs, places, memory)
        refused = surely or ("" if options().anyway or not known else expected)
        if surely or (refused and seconds == PATIENCE[-1]):
            raise TooLargeError(f"{why or f'{large}: '}{refused}")
        if known and not refused:
            return (
                f"; {between(*costs.scratch + costs.directory, readable)} of disk, "
                f"{between(*costs.sharded_seconds, lasting)}"
            )
        sizes = None
    unknown = f"{large}, and how many more is not known: in shards it may never end"
    if options().anyway:
        return f"; {unknown}"
    raise TooLargeError(f"{why}{unknown}; {_instead(engine)}, {_anyway(engine)} begins all the same")


def _what_is_missing(engine: Engine, costs: Costs, places: tuple[Path, Path], memory: int) -> tuple[str, str]:
    """What is said of memory or disk of which there is too little for sure, and as far as is expected; ``""`` where
    there is enough.
    """
    wanted = [(costs.task, memory, "memory", "")]
    wanted += [
        (span, free_bytes(place), "disk", f" at {place}")
        for span, place in zip((costs.directory, costs.scratch), places, strict=True)
    ]

    def missing(end: str, about: str, begin: str) -> Iterator[str]:
        for span, free, of, where in wanted:
            if getattr(span, end) > free:
                own = f"; the program itself takes {readable(taken_bytes())}: give more --{of}" if not where else ""
                yield (
                    f"in shards it needs {about} {readable(getattr(span, end))} of {of}, and {readable(free)} are free"
                    f"{where}{own}; {_instead(engine)}{begin}"
                )

    begins = f", {_anyway(engine)} begins all the same"
    return next(missing("low", "at least", ""), ""), next(missing("middle", "about", begins), "")


def _estimate(engine: Engine, seconds: float) -> GameSizes:
    from analysis.solving.planning.estimate import find_sizes  # and with it the kernels

    return find_sizes(engine, seconds)


def _how_large(engine: Engine, sizes: GameSizes) -> str:
    """How large the game is, as the beginning of a sentence."""
    low, high, _ = sizes.canonical
    about = f"at least {rough(low)} classes" if sizes.canonical.open else f"{between(low, high, rough)} classes"
    return f"{engine.game.spec} has {about}"


def _anyway(engine: Engine) -> str:
    return f"`gametree solve {shlex.quote(engine.game.spec)} --anyway`"


def _instead(engine: Engine) -> str:
    return f"`gametree show {shlex.quote(engine.game.spec)}` looks for a proof of the start"
