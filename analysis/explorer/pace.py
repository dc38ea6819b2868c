"""How long work may go on for one answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Protocol

from analysis.explorer.asked import SECONDS

ENOUGH = 0.7
"""After this share of `SECONDS` no more rows are looked at, so that there is time for what comes after them."""


class Work(Protocol):
    """What is done step by step, such as a search."""

    def steps(self) -> Iterator[None]:
        """Go on, a short while at a time, until it is done."""

    def hurry(self) -> None:
        """Look at no more rows."""


def in_time(work: Work) -> Iterator[None]:
    """The steps of some work, as far as there is time."""
    began = time.monotonic()
    for _ in work.steps():
        took = time.monotonic() - began
        if took > SECONDS:
            return
        if took > ENOUGH * SECONDS:
            work.hurry()
        yield
