"""What a solve in shards will take of the disk and of time, told before it begins; docs/engine.md has measurements."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from analysis.engine.engine import Engine
from analysis.engine.foresight import least_sizes
from analysis.errors import TooLargeError
from analysis.machine.files import free_bytes
from analysis.machine.memory import readable
from analysis.storage.store import Tables
from analysis.wording import lasting


class Needs(NamedTuple):
    """What solving some classes takes, as a rule."""

    disk: float
    """Bytes, while it is solved: of scratch and of the result."""
    least_disk: float
    """Bytes that are too few for sure."""
    seconds: float
    """Of one worker."""


def needs_of(engine: Engine, tables: Tables, classes: float) -> Needs:
    """What so many classes of the game take."""
    a_class = 2.5 + (30 if tables.counts else 0) + (12 if tables.text else 0)
    a_class += 2.5 * engine.rules.max_moves / 2 if tables.moves else 0
    seconds = 1e-7 * engine.rules.max_moves * (4 if tables.counts else 1)
    return Needs(classes * a_class, classes * a_class / 4, classes * seconds)


def check_disk(engine: Engine, tables: Tables, place: Path, why: str) -> str:
    """What a solve in shards at a ``place`` will take, to be told after other words; nothing where the game cannot say
    how many positions it has. Raises `TooLargeError` where the disk is too small for sure, ``why`` it is needed first.
    """
    positions = engine.game.expected_positions() if engine.start == engine.rules.start else None
    about = "at least" if positions is None else "about"
    classes = sum(least_sizes(engine).values()) if positions is None else sum(positions) / engine.group.order
    needs, free = needs_of(engine, tables, classes), free_bytes(place)
    if needs.least_disk > free:
        raise TooLargeError(
            f"{why or f'{engine.game.spec} has {about} {rounded(classes)} classes: '}in shards it needs at least "
            f"{readable(needs.least_disk)} of disk, and {readable(free)} are free at {place}"
        )
    if positions is None:
        return ""
    return f"; about {readable(needs.disk)} of disk and {lasting(needs.seconds / engine.workers.threads)}"


def rounded(number: float) -> str:
    """A number that is not known exactly: two digits of it.

    >>> rounded(522_196_933)
    '520,000,000'
    """
    return f"{float(f'{number:.1e}'):,.0f}"
