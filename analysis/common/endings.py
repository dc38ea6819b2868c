"""Leave nothing half done when the program is ended by Ctrl-C, by `kill`, or by the terminal closing.

Pending clean-ups are registered here, so that a signal handler can run them and end the process on the spot; an
exception might be swallowed by a compiler or callback, or wait for threads.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

SIGNALS: tuple[int, ...] = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
"""Signals that tell a process to end."""

_kept: list[Callable[[], str | None]] = []

_unfinished: dict[object, Callable[[], object]] = {}


@contextlib.contextmanager
def cleanup(undo: Callable[[], object]) -> Iterator[None]:
    """Call ``undo`` at the end of the block or in an earlier `tidy_up`; it may therefore be called twice."""
    key = object()
    _unfinished[key] = undo
    try:
        yield
    finally:
        undo()
        _unfinished.pop(key, None)


@contextlib.contextmanager
def kept(words: Callable[[], str | None]) -> Iterator[None]:
    """Register that the block's work may be kept if it is interrupted; if so, ``words`` say how to continue."""
    _kept.append(words)
    try:
        yield
    finally:
        _kept.pop()


def what_is_kept() -> str | None:
    """Return what to tell the user if the program ends now, if anything is kept."""
    return _kept[-1]() if _kept else None


def tidy_up() -> None:
    """Undo everything unfinished, the latest first."""
    for undo in reversed(list(_unfinished.values())):
        with contextlib.suppress(Exception):  # the others must still be undone
            undo()


@contextlib.contextmanager
def defer_signals() -> Iterator[None]:
    """Defer signals to end until the block, which must be short, is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    before = {number: handler for number, handler in before.items() if callable(handler)}
    for number in before:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in received[:1]:
            signal.raise_signal(number)


@contextlib.contextmanager
def interrupts() -> Iterator[None]:
    """Turn Ctrl-C inside the block into `KeyboardInterrupt`, so that it can report what it has found so far."""
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
    """Return whether any thread is writing a kernel's file in Numba, which does not clean up after itself."""
    for frame in sys._current_frames().values():
        at: FrameType | None = frame
        while at is not None:
            if at.f_code.co_name == "save_overload" and at.f_globals.get("__name__") == "numba.core.caching":
                return True
            at = at.f_back
    return False
