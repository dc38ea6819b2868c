"""Plan a solve: how large the game is, and what that needs of memory, disk and time."""

from __future__ import annotations

import dataclasses
import math
import shlex
from pathlib import Path
from typing import Any, NamedTuple

from ...common.context import options
from ...common.files import check_writable, free_bytes
from ...common.memory import Budget, readable
from ...common.results import Printable
from ...common.wording import between, rough
from ...common.workers import Workers
from ...engine.engine import make_engine
from ...engine.plan import refuse_long_games, refuse_too_long
from ...errors import CountOverflowError, OptionError, TooLargeError
from ...rules.game import Game
from ...rules.positions import Place, read_position
from ...rules.symmetry import RESIDUAL
from ...solution.storage.store import Tables
from ...solution.storage.stored_games import place_of
from .costs import Costs, Span, costs_of
from .sizes import MEASURED, GameSizes, TierSizes

KEPT_SECONDS = 2.0
"""Seconds of a plan that are not for finding out how large the game is."""
SIZES = ("positions", "classes", "moves")
WAYS = {"memory": "in memory", "disk": "in shards on the disk"}
YES, LIKELY, UNLIKELY, NO, UNKNOWN = "yes", "likely", "unlikely", "no", "unknown"
"""What is said of each way."""


class Need(NamedTuple):
    """What is needed of ``memory`` or ``disk``, and what is free, in bytes."""

    what: str
    needed: Span
    free: int


@dataclasses.dataclass(frozen=True)
class GamePlan(Printable):
    """What solving a game would take."""

    game: str
    start: str | None
    """Where it begins; None: at the game's own start."""
    symmetry: str
    workers: int
    loopy: bool
    """Whether games may have no end, so that they are not counted."""
    sizes: GameSizes
    counted: Costs | None
    """With all counts; None if they are impossible, as in a loopy game."""
    uncounted: Costs
    """Without counts."""
    why_uncounted: str | None
    """Why games cannot be counted."""
    options: tuple[str, ...]
    """Further options of ``gametree solve``, as words of a shell."""
    free_memory: int
    """Bytes that a solve may take besides the program itself."""
    free_disk: int
    """Bytes that are free where the solution would go."""
    free_scratch: int
    """Bytes that are free where shards would be."""
    too_long: str
    """Why no solve can hold the game, whatever is free: it is too long; else an empty text."""

    def needs(self, costs: Costs) -> dict[str, list[Need]]:
        """Return what each of `WAYS` needs; nothing for one that there is not."""
        if self.start is not None:
            return {"memory": [Need("memory", costs.memory, self.free_memory)], "disk": []}
        return {
            "memory": [
                Need("memory", costs.writing, self.free_memory),
                Need("disk", costs.directory, self.free_disk),
            ],
            "disk": [
                Need("memory", costs.task, self.free_memory),
                Need("disk", costs.disk, min(self.free_disk, self.free_scratch)),
            ],
        }

    def verdicts(self, costs: Costs) -> dict[str, str]:
        """Return for each of `WAYS` whether what it needs is free: `YES` if the most that it may need is, `NO` if the
        least is not, `UNKNOWN` if only bounds are known, else `LIKELY` or `UNLIKELY`.
        """
        return {way: self._verdict(needs) for way, needs in self.needs(costs).items()}

    def _verdict(self, needs: list[Need]) -> str:
        if not needs or any(need.needed.low > need.free for need in needs):
            return NO
        if all(need.needed.high <= need.free for need in needs):
            return YES
        if self.sizes.classes.open:
            return UNKNOWN
        return LIKELY if all(need.needed.middle <= need.free for need in needs) else UNLIKELY

    def fits(self, costs: Costs) -> dict[str, bool | None]:
        """Return whether it can be solved in ``memory``, and in shards on the ``disk``; None where that is not sure."""
        return {way: {YES: True, NO: False}.get(verdict) for way, verdict in self.verdicts(costs).items()}

    @property
    def advice(self) -> str:
        """Say what to do, with a command to run: the first way that certainly fits, else the first that is expected to,
        else what is missing.
        """
        if self.too_long:
            return self.too_long
        kinds = [("", self.counted), ("--no-counts", self.uncounted)]
        if self.loopy or self.start is not None:
            kinds = [("", self.counted or self.uncounted)]
        for wanted, words in ((YES, "it fits"), (LIKELY, "it may fit")):
            for option, costs in kinds:
                ways = {} if costs is None else self.verdicts(costs)
                if way := next((WAYS[way] for way, verdict in ways.items() if verdict == wanted), None):
                    return f"{words}, {way}: {self._command(option)}"
        verdicts, size = self.verdicts(self.uncounted).values(), self.sizes.classes
        needed = "; ".join(
            f"{WAYS[way]} it needs {between(*need.needed, readable)} of {need.what}, and {readable(need.free)} are free"
            for way, needs in self.needs(self.uncounted).items()
            for need in [need for need in needs if need.needed.middle > need.free][:1]
        )
        why = f"nothing fits: {needed}" if {*verdicts} == {NO} else f"it is not expected to fit: {needed}"
        if UNKNOWN in verdicts:
            why = f"it has {between(size.low, size.high, rough)} classes; more --seconds may tell"
        anyway = f", and `{self._command(kinds[-1][0])} --anyway` begins all the same"
        show = f"`gametree show {shlex.quote(self.game)} POSITION` says what searches can tell"
        return f"{why}. Of one position, {show}{anyway if self.start is None and {*verdicts} != {NO} else ''}"

    def _command(self, option: str) -> str:
        """Return the command that solves it so."""
        symmetry = [] if self.symmetry == "geometric" else ["--symmetry", self.symmetry]
        if self.start is not None:
            return shlex.join(["gametree", "stats", self.game, "--from", self.start, *symmetry])
        return shlex.join(["gametree", "solve", self.game, *symmetry, *([option] if option else []), *self.options])

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree plan --format json`` prints."""
        sizes = self.sizes
        return {
            "game": self.game,
            "start": self.start,
            "symmetry": self.symmetry,
            **self._sizes(sizes),
            "by_tier": [{"tier": tier.number, **self._sizes(tier)} for tier in sizes.tiers],
            "memory_bytes": self._both("memory"),
            "into_directory": {"memory_bytes": self._both("writing")},
            "out_of_core": {
                "memory_bytes": self._both("task"),
                "scratch_bytes": self._both("scratch"),
                "disk_bytes": self._both("disk"),
                "seconds": self._both("sharded_seconds"),
            },
            "directory_bytes": self._both("directory"),
            "seconds": self._both("seconds"),
            "fits": {
                **(self.fits(self.counted) if self.counted else {"memory": None, "disk": None}),
                "without_counts": self.fits(self.uncounted),
            },
            "counts": {
                "possible": self.counted is not None and not self.loopy,
                "why_not": "play can return to a position" if self.loopy else self.why_uncounted,
            },
            "workers": self.workers,
            "free": {
                "memory_bytes": self.free_memory,
                "disk_bytes": self.free_disk,
                "scratch_disk_bytes": self.free_scratch,
            },
            "advice": self.advice,
        }

    columns = ("tier", *(f"{name}_{end}" for name in SIZES for end in ("low", "high", "how")))

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each tier: of each size the ends, and how it was found."""
        return [
            {"tier": tier.number}
            | {f"{name}_{end}": of for name, size in self._sizes(tier).items() if size for end, of in size.items()}
            for tier in self.sizes.tiers
        ]

    def _sizes(self, sizes: GameSizes | TierSizes) -> dict[str, Any]:
        """Return sizes of the game or of a tier; positions are null if classes are residual."""
        data = {name: getattr(sizes, name)._asdict() for name in SIZES}
        return data | ({"positions": None} if self.symmetry == RESIDUAL else {})

    def _both(self, name: str) -> dict[str, Any]:
        """Return one need, with and without counts."""
        counted: dict[str, int | None] = {"low": None, "high": None}
        if self.counted is not None:
            counted |= getattr(self.counted, name).to_json()
        return counted | {"without_counts": getattr(self.uncounted, name).to_json()}


def make_plan(
    game: Game,
    *,
    start: Place | None,
    symmetry: str,
    seconds: float,
    directory: str | Path | None,
) -> GamePlan:
    """Predict what solving a game, or what follows from a position of it, would take; see `analysis.plan`."""
    if not 0 < seconds < math.inf:
        raise OptionError(f"cannot plan in {seconds:g} seconds; give more than 0")
    scratch = options().scratch
    for folder in (directory, scratch):
        if folder is not None:
            check_writable(Path(folder), folder=True)
    first = None if start is None else read_position(game, start)
    with Workers() as pool:
        from .estimate import find_sizes  # which loads the kernels

        engine = make_engine(game, symmetry=symmetry, start=first, workers=pool).classes
        place = Path(directory or place_of(game, engine.group.kind))
        free_disk, free_scratch = free_bytes(place), free_bytes(scratch or place)
        sizes = find_sizes(engine, max(seconds / 2, seconds - KEPT_SECONDS))
        counted, why = None, None
        try:
            counted = costs_of(engine, sizes, Tables())
        except CountOverflowError as error:
            why = str(error).partition("; ")[0]
        too_long = ""
        try:
            refuse_long_games(engine)
            refuse_too_long(engine, len(sizes.tiers) - 1 if sizes.classes.how == MEASURED and not engine.loopy else 0)
        except TooLargeError as error:
            too_long = str(error)
        return GamePlan(
            game=game.spec,
            start=None if first is None else game.format_position(first),
            symmetry=engine.group.kind,
            workers=pool.threads,
            loopy=engine.loopy,
            sizes=sizes,
            counted=counted,
            uncounted=costs_of(engine, sizes, Tables(counts=False)),
            why_uncounted=why,
            options=_words(directory),
            free_memory=Budget.of_machine().limit,
            free_disk=free_disk,
            free_scratch=free_scratch,
            too_long=too_long,
        )


def _words(directory: str | Path | None) -> tuple[str, ...]:
    """Return where the solution would go and the limits of a solve, as options of the command line."""
    given = options()
    memory = None if given.memory is None else f"{given.memory}B"
    named = (("out", directory), ("scratch", given.scratch), ("memory", memory), ("workers", given.workers))
    return tuple(word for name, value in named if value is not None for word in (f"--{name}", str(value)))
