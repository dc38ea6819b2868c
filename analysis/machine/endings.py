"""What a program that is told to end leaves: nothing half done. Ctrl-C tells it, `kill`, and a terminal that is closed.

What has to be tidied up is known here at any moment, so that a handler of signals can do that and end the process where
it stands: an exception may be swallowed by a compiler or a callback, or wait for threads.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""By which a process is told to end; Windows has no SIGHUP."""

_kept: list[Callable[[], str | None]] = []

_unfinished: dict[object, Callable[[], object]] = {}


@contextlib.contextmanager
def cleanup(undo: Callable[[], object]) -> Iterator[None]:
    """Call ``undo`` at the end of what stands inside; `tidy_up` calls it before, if the process ends there, so that it
    may be called twice.
    """
    key = object()
    _unfinished[key] = undo
    try:
        yield
    finally:
        undo()
        _unfinished.pop(key, None)


@contextlib.contextmanager
def kept(words: Callable[[], str | None]) -> Iterator[None]:
    """While what stands inside is at work, what it has done may be kept: if so the ``words`` tell how it goes on."""
    _kept.append(words)
    try:
        yield
    finally:
        _kept.pop()


def what_is_kept() -> str | None:
    """What a person is told whose program ends now, if anything is kept."""
    return _kept[-1]() if _kept else None


def tidy_up() -> None:
    """Undo all that is not finished, the latest first."""
    for undo in reversed(list(_unfinished.values())):
        with contextlib.suppress(Exception):  # the others still have to be undone
            undo()


@contextlib.contextmanager
def defer_signals() -> Iterator[None]:
    """Signals to end wait until what stands inside is done, which should not take long."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    before = {number: handler for number, handler in before.items() if callable(handler)}
    for number in before:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


@contextlib.contextmanager
def interrupts() -> Iterator[None]:
    """Ctrl-C is a `KeyboardInterrupt` in what stands inside, which can then tell what it has found so far."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def stores_kernels() -> bool:
    """Whether Numba is writing a kernel's file just now, in any thread: it does not tidy up after itself."""
    for frame in sys._current_frames().values():
        at: FrameType | None = frame
        while at is not None:
            if at.f_code.co_name == "save_overload" and at.f_globals.get("__name__") == "numba.core.caching":
                return True
            at = at.f_back
    return False
