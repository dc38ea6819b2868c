"""Whether what is still to come of a solve will fit: the plan is asked while the solve goes on."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

from analysis.engine.engine import Engine
from analysis.errors import TooLargeError
from analysis.machine.files import free_bytes
from analysis.machine.memory import Budget, readable
from analysis.planning.costs import Needs, needs_of
from analysis.planning.sizes import GameSizes
from analysis.storage.store import Tables
from analysis.wording import between, lasting, rough

ASKED = ((12.0, 3.0), (120.0, 15.0))
"""After how many seconds of finding states the plan is asked, and how many it may take to answer."""
PATIENCE = (3.0, 15.0, 60.0)
"""Seconds that the plan may take before a solve in shards begins; longer where it knows only a least size."""


@dataclasses.dataclass
class Outlook:
    """Asks, after some seconds, how large the game is; what does not fit at the low end of the plan is refused."""

    engine: Engine
    tables: Tables
    budget: Budget
    in_memory: bool
    """Whether all tiers stay in memory, or are written and dropped."""
    sizes: GameSizes | None = None
    """The last answer."""
    _began: float | None = None
    _times: int = 0

    def __call__(self) -> None:
        """Ask if it is time to. Raises `NoRoomError` where a solution cannot fit, and `CountOverflowError`."""
        now = time.monotonic()
        if self._began is None:
            self._began = now
            self._ask_formula()
        if self._times < len(ASKED) and now - self._began >= ASKED[self._times][0]:
            seconds = ASKED[self._times][1]
            self._times += 1
            self.ask(seconds)

    def _ask_formula(self) -> None:
        """Ask at once where the size is known exactly, and not again."""
        from analysis.planning.formulas import exact_sizes

        sizes = exact_sizes(self.engine)
        if sizes is not None:
            self._times = len(ASKED)
            self._refuse(sizes)

    def ask(self, seconds: float) -> None:
        """Ask now; the answer may take so many seconds."""
        self._refuse(_estimate(self.engine, seconds))

    def _refuse(self, sizes: GameSizes) -> None:
        """Raise `NoRoomError` where a solution of a game of these sizes cannot fit."""
        self.sizes = sizes
        needs = needs_of(self.engine, self.sizes, self.tables)
        needed = (needs.memory if self.in_memory else needs.writing).low
        if needed > self.budget.limit:
            self.budget.require(needed, f"{has_at_least(self.engine, self.sizes)}: a solution")


def _estimate(engine: Engine, seconds: float) -> GameSizes:
    from analysis.planning.estimate import find_sizes  # and with it the kernels

    return find_sizes(engine, seconds, engine.progress)


def has_at_least(engine: Engine, sizes: GameSizes) -> str:
    """How large the game is at the least, as the beginning of a sentence."""
    return f"{engine.game.spec} has at least {rough(sizes.canonical.low)} classes"


def check_shards(
    engine: Engine,
    tables: Tables,
    places: tuple[Path, Path],
    memory: int,
    why: str,
    sizes: GameSizes | None,
    asked_for: bool = False,
) -> str:
    """What a solve in shards will take, to be told after other words; ``places`` are where its result and its scratch
    go, and ``sizes`` how large the game is, if that was asked. The plan is asked again, for longer, while it knows no
    more than a least size. Raises `TooLargeError` where disk or ``memory`` are too small for sure, ``why`` they are
    needed first, and where no more is known at last, unless shards are ``asked_for``.
    """
    for seconds in PATIENCE:
        sizes = sizes or _estimate(engine, seconds)
        needs = needs_of(engine, sizes, tables)
        _refuse_shards(needs, places, memory, why or f"{has_at_least(engine, sizes)}: ")
        if not sizes.canonical.open:
            return (
                f"; {between(*needs.scratch + needs.directory, readable)} of disk, "
                f"{between(*needs.sharded_seconds, lasting)}"
            )
        least, sizes = has_at_least(engine, sizes), None
    if asked_for:
        return f"; {least}, and how many more is not known: it may never end"
    raise TooLargeError(
        f"{why}{least}, and how many more is not known: in shards it may never end; --sharded begins anyway, "
        f"`gametree plan {engine.game.spec} --seconds {PATIENCE[-1] * 10:g}` may know more"
    )


def _refuse_shards(needs: Needs, places: tuple[Path, Path], memory: int, begins: str) -> None:
    """Raise `TooLargeError` where even what is needed at the least is not there."""
    if needs.sharded.low > memory:
        raise TooLargeError(
            f"{begins}in shards it needs at least {readable(needs.sharded.low)} of memory, and {readable(memory)} are "
            "free; give more --memory"
        )
    for needed, place in zip((needs.directory, needs.scratch), places, strict=True):
        if needed.low > (free := free_bytes(place)):
            raise TooLargeError(
                f"{begins}in shards it needs at least {readable(needed.low)} of disk, and {readable(free)} are free at "
                f"{place}"
            )
