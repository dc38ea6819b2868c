"""A word where code of somebody's own does not return: only its author knows how long it may take, but the person can
be told.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterator

LOG = logging.getLogger("gametree")

SILENCE = 30.0
"""Seconds after which it is said."""
STEP = 1.0
"""Seconds between two looks."""

_busy: dict[int, tuple[float, str, Callable[[int], str]]] = {}
"""By thread: since when it runs such code, whose that is, and what is said of it."""
_told: set[str] = set()
"""Of whom it was said."""
_watch: threading.Thread | None = None
_starting = threading.Lock()


@contextlib.contextmanager
def watched_over(whose: str, words: Callable[[int], str]) -> Iterator[None]:
    """Log ``words`` of the thread, once for each name, if what stands inside takes long. May be nested."""
    global _watch
    own = threading.get_ident()
    outer = _busy.get(own)
    _busy[own] = (time.monotonic(), whose, words)
    with _starting:
        if _watch is None or not _watch.is_alive():
            _watch = threading.Thread(target=_look, name="watch over rules", daemon=True)
            _watch.start()
    try:
        yield
    finally:
        del _busy[own]
        if outer is not None:
            _busy[own] = outer


def _look() -> None:
    """Look at all threads now and then, until none is busy."""
    while _busy:
        time.sleep(STEP)
        for thread, (since, whose, words) in list(_busy.items()):
            if time.monotonic() - since > SILENCE and whose not in _told:
                _told.add(whose)
                LOG.warning(words(thread))
