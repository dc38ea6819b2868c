"""Guard against functions of a game's author that never return: stop them or, if they may take long, report them."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

AGAIN = 0.5
"""Seconds after which a function that kept running is stopped again."""


class OvertimeError(BaseException):
    """A function did not return in time. This is not an `Exception`, which the function might catch."""


class TimeLimit:
    """Stops slow plain Python by a signal; so there is no limit outside the main thread."""

    def __init__(self, seconds: float, more: str = "--seconds allows more") -> None:
        self.seconds, self._more = seconds, more
        self._active = False

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        """Enable `start` and `stop` inside the block."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: FrameType | None) -> None:
            if self._active:
                raise OvertimeError

        before = signal.signal(signal.SIGALRM, stop)
        try:
            yield
        finally:
            self._active = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def start(self) -> None:
        """Start the time limit."""
        if signal.getsignal(signal.SIGALRM) not in (signal.SIG_DFL, None):
            self._active = True
            signal.setitimer(signal.ITIMER_REAL, self.seconds, AGAIN)

    def stop(self) -> None:
        """End the time limit."""
        if self._active:
            self._active = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    @property
    def message(self) -> str:
        """The message about a function that exceeds the limit."""
        return f"it does not return within {self.seconds:g} s: an endless loop? ({self._more})"


LOG = logging.getLogger("gametree")

SILENCE, PLAIN_SILENCE = 30.0, 10.0
"""Seconds after which slow code is reported: compiled, which may have to be compiled first, and in plain Python."""
STEP = 1.0
"""Seconds between two checks."""

_busy: dict[int, tuple[float, str, Callable[[int], str], float]] = {}
"""For each thread: the time from which its code is slow, whose code it is, the message about it, and its seconds."""
_reported: set[str] = set()
"""Names already reported."""
_watch: threading.Thread | None = None
_starting = threading.Lock()


@contextlib.contextmanager
def watched_over(whose: str, words: Callable[[int], str], seconds: float | None = None) -> Iterator[None]:
    """Log ``words(thread)``, once for each name ``whose``, if the block takes longer than ``seconds`` (None:
    `SILENCE`). May be nested.
    """
    global _watch
    thread = threading.get_ident()
    outer_entry = _busy.get(thread)
    seconds = seconds or SILENCE
    _busy[thread] = (time.monotonic() + seconds, whose, words, seconds)
    with _starting:
        if _watch is None or not _watch.is_alive():
            _watch = threading.Thread(target=_watch_all, name="watch over rules", daemon=True)
            _watch.start()
    try:
        yield
    finally:
        del _busy[thread]
        if outer_entry is not None:
            _busy[thread] = outer_entry


def begin_anew() -> None:
    """Restart the time of this thread's `watched_over` block, if there is one: another call begins."""
    thread = threading.get_ident()
    if thread in _busy:
        _, whose, words, seconds = _busy[thread]
        _busy[thread] = (time.monotonic() + seconds, whose, words, seconds)


def _watch_all() -> None:
    """Check all threads periodically until none is busy."""
    while _busy:
        time.sleep(STEP)
        for thread, (until, whose, words, _) in list(_busy.items()):
            if time.monotonic() > until and whose not in _reported:
                _reported.add(whose)
                LOG.warning(words(thread))
