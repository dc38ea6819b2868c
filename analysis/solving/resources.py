"""What a solve may take."""

from __future__ import annotations

import dataclasses
from concurrent.futures import Executor
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Resources:
    """What a solve may take; no number of its result depends on it."""

    workers: int | None = None
    """Tasks at a time; by default as many as processors."""
    memory: int | None = None
    """Bytes of all processes together; by default what the machine has free. With a crew, of this process, and of each
    of its workers.
    """
    scratch: Path | None = None
    """A folder for what a solve in shards does not keep; by default in the directory of the solution."""
    sharded: bool = False
    """Whether to solve in shards what fits in memory, too."""
    anyway: bool = False
    """Whether to begin also where it is not expected to fit, unless that is sure."""
    executor: Executor | None = None
    """What runs the tasks of a solve in shards; by default threads of this process."""
