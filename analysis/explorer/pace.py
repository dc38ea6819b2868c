"""How long a search may go on for one answer."""

from __future__ import annotations

import time
from collections.abc import Iterator

from analysis.explorer.asked import SECONDS
from analysis.solution.searching import Search

ENOUGH = 0.7
"""After this share of `SECONDS` no more rows are looked at, so that there is time for the moves of those that match."""


def in_time(search: Search) -> Iterator[None]:
    """The steps of a search, as far as there is time."""
    began = time.monotonic()
    for _ in search.steps():
        took = time.monotonic() - began
        if took > SECONDS:
            return
        if took > ENOUGH * SECONDS:
            search.hurry()
        yield
