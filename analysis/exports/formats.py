"""What a format of an export is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import IO

from analysis.exports.part import Part


@dataclasses.dataclass(frozen=True)
class Format:
    """One format that a part of a solution can be written in."""

    name: str
    """As ``--to`` takes it."""
    suffixes: tuple[str, ...]
    """Of its files, the usual one first."""
    tool: str
    """What reads it."""
    write: Callable[[Part, IO[bytes]], None]
    """Streams the part into a file that is open for writing. Raises `GametreeError`."""
    most: int | None = None
    """How many classes (of an extensive form: nodes) are written unless more are asked for; None: any number."""
    binary: bool = False
    """Whether it needs a file of its own and cannot be streamed to standard output."""
