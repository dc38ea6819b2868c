"""Check during a solve whether the rest will fit, by asking the plan."""

from __future__ import annotations

import dataclasses
import shlex
import time
from collections.abc import Iterator
from pathlib import Path

from ..engine.engine import Engine
from ..errors import TooLargeError
from ..machine.context import options
from ..machine.files import free_bytes
from ..machine.memory import Budget, readable, taken_bytes
from ..solution.storage.store import Tables
from ..wording import between, lasting, rough
from .planning.costs import Costs, costs_of
from .planning.sizes import GameSizes

ASKED = ((5.0, 3.0), (30.0, 10.0), (120.0, 15.0))
"""Seconds of finding states after which the plan is asked, and seconds that it may take to answer."""
PATIENCE = (0.2, 3.0, 15.0)
"""Seconds that the plan may take before a solve in shards begins: the first answer is enough if even the most that it
expects fits. The last is also used before refusing what a shorter answer expects not to fit, since on a busy machine,
or for a large game, that rests on few tiers.
"""


@dataclasses.dataclass
class SizeGuard:
    """Asks after some seconds how large the game is, and refuses what is not expected to fit."""

    engine: Engine
    tables: Tables
    budget: Budget
    in_memory: bool
    """Whether all tiers stay in memory, instead of being written and dropped."""
    anyway: bool = dataclasses.field(default_factory=lambda: options().anyway)
    """Whether to refuse only what does not fit even at the low end of the plan."""
    sizes: GameSizes | None = None
    """The last answer."""
    _began: float | None = None
    _times: int = 0

    def __call__(self, found: int) -> None:
        """Ask if it is time to, once ``found`` classes are known. Raises `NoRoomError` if a solution is not expected to
        fit, confirmed by a longer look, and `CountOverflowError`.
        """
        now = time.monotonic()
        if self._began is None:
            self._began = now
        if self._times < len(ASKED) and now - self._began >= ASKED[self._times][0]:
            seconds = ASKED[self._times][1]
            self._times += 1
            if not self._judge(_estimate(self.engine, seconds).at_least(found), last=False):
                self._judge(_estimate(self.engine, PATIENCE[-1]).at_least(found), last=True)

    def _judge(self, sizes: GameSizes, *, last: bool) -> bool:
        """Return whether a solution of a game of these sizes is expected to fit, and stop asking if it certainly does.
        Raises `NoRoomError` if it certainly does not, and, for the ``last`` answer, if it is not expected to.
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
            self.budget.require(needed.middle, what, "--anyway")
        return expected


def check_shards(
    engine: Engine,
    tables: Tables,
    places: tuple[Path, Path],
    memory: int,
    why: str,
    sizes: GameSizes | None,
) -> str:
    """Return a text about what a solve in shards will take.

    ``places`` are the folders of its result and of its scratch files, and ``sizes`` the size of the game if already
    known. The plan is asked again, for longer, before refusing by expectation, and while it knows only a least size.
    Raises `TooLargeError`, beginning with ``why`` shards are needed, if disk or ``memory`` are certainly too small,
    and, unless the solve is to begin `anyway`, if they are expected to be or nothing is known in the end.
    """
    for seconds in PATIENCE:
        first = sizes is None and seconds == PATIENCE[0]
        sizes = sizes or _estimate(engine, seconds)
        costs, large, known = costs_of(engine, sizes, tables), _how_large(engine, sizes), not sizes.canonical.open
        surely, expected, perhaps = _what_is_missing(engine, costs, places, memory)
        refused = surely or ("" if options().anyway or not known else expected)
        if known and not (perhaps if first else refused):
            return (
                f"all take {between(*costs.scratch + costs.directory, readable)} of disk and "
                f"{between(*costs.sharded_seconds, lasting)}"
            )
        if not first and (surely or (refused and seconds == PATIENCE[-1])):
            raise TooLargeError(f"{why or f'{large}: '}{refused}")
        sizes = None
    unknown = f"{large}, and the total is unknown: in shards it may never end"
    if options().anyway:
        return unknown
    raise TooLargeError(f"{why}{unknown}; {_instead(engine)}, --anyway begins all the same")


def _what_is_missing(engine: Engine, costs: Costs, places: tuple[Path, Path], memory: int) -> list[str]:
    """Return what to say if memory or disk is certainly too small, if it is expected to be, and if it may be; ``""`` if
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
                    f"in shards it needs {about} {readable(getattr(span, end))} of {of}, but {readable(free)} are free"
                    f"{where}{own}; {_instead(engine)}{begin}"
                )

    begins = ", --anyway begins all the same"
    ends = (("low", "at least", ""), ("middle", "about", begins), ("high", "up to", begins))
    return [next(missing(*end), "") for end in ends]


def _estimate(engine: Engine, seconds: float) -> GameSizes:
    from .planning.estimate import find_sizes  # which loads the kernels

    return find_sizes(engine, seconds)


def _how_large(engine: Engine, sizes: GameSizes) -> str:
    """Return the size of the game, as the beginning of a sentence."""
    low, high, _ = sizes.canonical
    about = f"at least {rough(low)} classes" if sizes.canonical.open else f"{between(low, high, rough)} classes"
    return f"{engine.game.spec} has {about}"


def _instead(engine: Engine) -> str:
    return f"`gametree show {shlex.quote(engine.game.spec)}` looks for a proof of the start"
