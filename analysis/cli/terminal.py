"""What a program owes its terminal: to end at any moment when it is told to, a reader that has gone away, and
characters that it can show.
"""

from __future__ import annotations

import _thread
import codecs
import contextlib
import errno
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from ..common.endings import SIGNALS, stores_kernels, tidy_up, what_is_kept
from ..common.wording import visible

DEAF = 1.0
"""Seconds that the main thread has to handle a signal itself."""
SOON = 0.02
"""Seconds until a signal is looked at again that comes while kernels are stored."""


PLAIN = str.maketrans({**dict(zip("─│├└╭╮╰╯━╸╺·•", "-||`++++---.*", strict=True)), "…": "...", "∞": "inf"})
"""What stands for characters of our own where a stream cannot encode them."""


def _in_plain(error: UnicodeError) -> tuple[str, int]:
    """See `codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(PLAIN)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def encode_anything() -> None:
    """Whatever is printed, what a stream's encoding lacks is written in plain characters, or as its code."""
    codecs.register_error("gametree", _in_plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="gametree")


def discard_output(stream: TextIO | None = None) -> None:
    """What is still buffered for a stream (default: standard output) goes nowhere, instead of failing again when the
    program ends.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def lacking(error: BaseException | None) -> str:
    """Return what the system had too little of, if that is why something failed; libraries that cannot be loaded for
    want of memory or files say so in their own words, or in an error before.
    """
    while error is not None:
        number, said = getattr(error, "errno", None), str(error)
        if isinstance(error, MemoryError) or number == errno.ENOMEM or "failed to map segment" in said:
            return "out of memory; try a smaller game, or fewer --workers"
        if number in (errno.EMFILE, errno.ENFILE) or os.strerror(errno.EMFILE) in said:
            return "too few files may be open at once; `ulimit -n` tells how many, and allows more"
        if number == errno.EAGAIN or "can't start new thread" in said:
            return (
                "no more threads or processes can be started; try fewer --workers, or see `ulimit -u` and `ulimit -v`"
            )
        error = error.__cause__ or error.__context__
    return ""


def _again(number: signal.Signals) -> None:
    time.sleep(SOON)
    _thread.interrupt_main(number)


@contextlib.contextmanager
def _heard_elsewhere(end: Callable[[int, object], None]) -> Iterator[None]:
    """Have another thread call the handler ``end`` where the main thread does not get to it, being in compiled code
    that does not return.
    """
    if os.name != "posix":
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    def listen() -> None:
        while heard := os.read(reader, 1):
            time.sleep(DEAF)
            if signal.getsignal(heard[0]) is end:
                end(heard[0], None)
        os.close(reader)

    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _thread.start_new_thread(listen, ())
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)


@contextlib.contextmanager
def notes(known: Callable[[], bool]) -> Iterator[None]:
    """What the library logs while it is at work is said on standard error, a line each, but how a program is read only
    where that is not ``known`` from before.
    """
    import logging

    logger, handler = logging.getLogger("gametree"), logging.StreamHandler(sys.stderr)
    handler.format = lambda record: f"gametree: {visible(record.getMessage())}"  # type: ignore[method-assign]
    handler.addFilter(lambda record: record.name != "gametree.read" or not known())
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def interrupted() -> str:
    """What a person is told who breaks a command off."""
    return f"interrupted; {what_is_kept() or 'nothing unfinished was kept; the same command starts again'}"


def _say() -> None:
    os.write(2, f"gametree: {interrupted()}\n".encode())


@contextlib.contextmanager
def interruptible(say: Callable[[], object] = _say, *, whole: bool = False) -> Iterator[None]:
    """Ctrl-C, SIGTERM and SIGHUP end the program at any moment with 128 and their number, once all is tidied up and
    ``say`` has told it. What was ignored from the start stays so, as nohup wants, but for Ctrl-C. Where the ``whole``
    program stands inside they are ignored afterwards: all is done then, while Python takes its time to end.
    """

    begun = threading.Lock()

    def end(number: int, _: object) -> None:
        if stores_kernels():
            _thread.start_new_thread(_again, (signal.Signals(number),))  # threading's own would wait for locks
            return
        if not begun.acquire(blocking=False):
            return
        if threading.current_thread() is threading.main_thread():
            for each in SIGNALS:
                signal.signal(each, signal.SIG_IGN)  # a second one must not break this off
        tidy_up()
        with contextlib.suppress(OSError):  # the terminal or the reader may be gone
            say()
        os._exit(128 + number)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    ignored = {number for number, handler in before.items() if handler in (signal.SIG_IGN, None)} - {signal.SIGINT}
    for number in before.keys() - ignored:
        signal.signal(number, end)
    try:
        with _heard_elsewhere(end):
            yield
    finally:
        for number in before.keys() - ignored:
            signal.signal(number, signal.SIG_IGN if whole else before[number] or signal.SIG_DFL)
