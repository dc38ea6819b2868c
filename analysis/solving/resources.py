"""Check during a solve whether the rest will fit, by asking the plan."""

from __future__ import annotations

import dataclasses
import shlex
import time
from pathlib import Path

from ..common.context import options
from ..common.files import free_bytes
from ..common.memory import Budget, readable
from ..common.wording import between, rough
from ..engine.engine import Engine
from ..engine.plan import refuse_more_positions
from ..errors import TooLargeError
from ..solution.storage.store import Tables
from .planning.costs import Costs, costs_of
from .planning.sizes import GREATEST, GameSizes

ASKED = {5.0: 0.2, 30.0: 1.0, 120.0: 3.0}
"""Seconds of finding states after which the plan is asked, and those that it may then take."""
QUICK, LONGER = 0.2, 15.0
"""Seconds that it may take before shards begin, and before what it does not expect to fit is refused, since a shorter
look rests on few tiers.
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

    def __call__(self, classes: int) -> None:
        """Ask if it is time to, once this many ``classes`` are known. Raises `NoRoomError` if a solution is not
        expected to fit, confirmed by a longer look, `CountOverflowError`, and `RulesError` if there are more positions
        than the rules say.
        """
        refuse_more_positions(self.engine, classes)
        now = time.monotonic()
        self._began = self._began or now
        for after, seconds in list(ASKED.items())[self._times : self._times + 1]:
            if now - self._began >= after:
                self._times += 1
                if not self._judge(_estimate(self.engine, seconds).within(classes, GREATEST, GREATEST), last=False):
                    self._judge(_estimate(self.engine, LONGER).within(classes, GREATEST, GREATEST), last=True)

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
        expected = self.anyway or sizes.classes.open or needed.middle <= self.budget.limit
        if last and not expected:
            self.budget.require(needed.middle, what, "--anyway")
        return expected


def check_shards(
    engine: Engine, tables: Tables, places: tuple[Path, Path], memory: int, why: str, sizes: GameSizes | None
) -> None:
    """Raise `TooLargeError`, beginning with ``why`` shards are needed, if disk or ``memory`` are expected to be too
    small for them, or may be if only bounds are known; if the solve is to begin `anyway`, only if they certainly are.

    ``places`` are the folders of its result and of its scratch files, and ``sizes`` the size of the game if already
    known.
    """
    for seconds in (QUICK, LONGER) if sizes is None else (0.0,):
        known = sizes or _estimate(engine, seconds)
        end = "low" if options().anyway else "high" if known.classes.open else "middle"
        lacking = _lacking(costs_of(engine, known, tables), places, memory, end)
        if not lacking:
            return
    begin = "" if options().anyway else ", --anyway begins all the same"
    instead = f"`gametree show {shlex.quote(engine.game.spec)}` looks for a proof of the start"
    raise TooLargeError(f"{why or f'{_how_large(engine, known)}: '}in shards it needs {lacking}; {instead}{begin}")


def _lacking(costs: Costs, places: tuple[Path, Path], memory: int, end: str) -> str:
    """Say what memory or disk is missing if what is needed at this ``end`` of the plan; ``""`` if there is enough."""
    wanted = [(costs.task, memory, "memory", "besides the program itself")]
    for span, place in zip((costs.directory, costs.scratch), places, strict=True):
        wanted.append((span, free_bytes(place), "disk", f"at {place}"))
    for span, free, what, where in wanted:
        if (needed := getattr(span, end)) > free:
            return f"{readable(needed)} of {what}, but {readable(free)} are free {where}"
    return ""


def _estimate(engine: Engine, seconds: float) -> GameSizes:
    from .planning.estimate import find_sizes  # which loads the kernels

    return find_sizes(engine, seconds)


def _how_large(engine: Engine, sizes: GameSizes) -> str:
    """Return the size of the game, as the beginning of a sentence."""
    return f"{engine.game.spec} has {between(sizes.classes.low, sizes.classes.high, rough)} classes"
