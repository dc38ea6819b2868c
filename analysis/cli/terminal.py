"""Treat the terminal well: end at any moment when asked to, survive a reader that has gone away, and print only
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

GRACE_SECONDS = 1.0
"""Seconds that the main thread has to handle a signal itself."""
RETRY_SECONDS = 0.02
"""Seconds until a signal that comes while kernels are stored is handled again."""


PLAIN = str.maketrans({**dict(zip("─│├└╭╮╰╯━╸╺·•", "-||`++++---.*", strict=True)), "…": "...", "∞": "inf"})
"""Replacements for characters of this program that a stream cannot encode."""


def _in_plain(error: UnicodeError) -> tuple[str, int]:
    """See `codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(PLAIN)
    return text.encode("ascii", "backslashreplace").decode("ascii"), error.end


def encode_anything() -> None:
    """Print characters that a stream's encoding lacks as plain characters, or as their codes."""
    codecs.register_error("gametree", _in_plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="gametree")


def discard_output(stream: TextIO | None = None) -> None:
    """Discard what is still buffered for a stream (default: standard output), which would fail again when the program
    ends.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), (stream or sys.stdout).fileno())


def lacking(error: BaseException | None) -> str:
    """Return what the system had too little of, if that is why something failed, else an empty text. Libraries that
    cannot be loaded for want of memory or files say so in their own words, or in an earlier error.
    """
    while error is not None:
        number, message = getattr(error, "errno", None), str(error)
        if isinstance(error, MemoryError) or number == errno.ENOMEM or "failed to map segment" in message:
            return "out of memory; try a smaller game, or fewer --workers"
        hidden = (os.strerror(errno.EMFILE), "can't start new thread")
        if number in (errno.EMFILE, errno.ENFILE, errno.EAGAIN) or any(words in message for words in hidden):
            return "too few files, threads or processes are allowed; try fewer --workers, and see `ulimit -a`"
        error = error.__cause__ or error.__context__
    return ""


def _again(number: signal.Signals) -> None:
    time.sleep(RETRY_SECONDS)
    _thread.interrupt_main(number)


@contextlib.contextmanager
def _second_listener(end: Callable[[int, object], None]) -> Iterator[None]:
    """Let another thread call the handler ``end`` if the main thread, in compiled code that does not return, cannot."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    def listen() -> None:
        while numbers := os.read(reader, 1):
            time.sleep(GRACE_SECONDS)
            if signal.getsignal(numbers[0]) is end:
                end(numbers[0], None)
        os.close(reader)

    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    _thread.start_new_thread(listen, ())
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)


@contextlib.contextmanager
def notes(*, reads: bool) -> Iterator[None]:
    """Print what the library logs on standard error, a line each; how a program is read only if it ``reads`` it."""
    import logging

    logger, handler = logging.getLogger("gametree"), logging.StreamHandler(sys.stderr)
    handler.format = lambda record: f"gametree: {visible(record.getMessage())}"  # type: ignore[method-assign]
    handler.addFilter(lambda record: reads or record.name != "gametree.read")
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def interrupted() -> str:
    """Return the message for a person who interrupts a command."""
    return f"interrupted; {what_is_kept() or 'nothing unfinished was kept; the same command starts again'}"


def _announce() -> None:
    os.write(2, f"gametree: {interrupted()}\n".encode())


@contextlib.contextmanager
def interruptible(announce: Callable[[], object] = _announce, *, whole: bool = False) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP end the program at any moment with code 128 plus their number, after tidying up
    and calling ``announce``. Signals ignored from the start stay ignored, as nohup wants, except Ctrl-C. If the whole
    program runs inside the block (``whole``), they are ignored afterwards, while Python takes its time to end.
    """

    begun = threading.Lock()

    def end(number: int, _: object) -> None:
        if stores_kernels():
            _thread.start_new_thread(_again, (signal.Signals(number),))  # threading's own would wait for locks
            return
        if not begun.acquire(blocking=False):
            return
        if threading.current_thread() is threading.main_thread():
            for signal_number in SIGNALS:
                signal.signal(signal_number, signal.SIG_IGN)  # a second one must not break this off
        tidy_up()
        with contextlib.suppress(OSError):  # the terminal or the reader may be gone
            announce()
        os._exit(128 + number)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    ignored = {number for number, handler in before.items() if handler in (signal.SIG_IGN, None)} - {signal.SIGINT}
    for number in before.keys() - ignored:
        signal.signal(number, end)
    try:
        with _second_listener(end):
            yield
    finally:
        for number in before.keys() - ignored:
            signal.signal(number, signal.SIG_IGN if whole else before[number] or signal.SIG_DFL)
