"""What a program owes its terminal: Ctrl-C at any moment, and a reader that has gone away."""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any, NoReturn


def discard_output() -> None:
    """What is still buffered for standard output goes nowhere, instead of failing again when the program ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def interrupt_at_once(*_: object) -> NoReturn:
    """Ctrl-C while there is nothing to tidy up: the compiler's callbacks would swallow a KeyboardInterrupt."""
    os.write(2, b"gametree: interrupted\n")
    os._exit(130)


def interrupt_again(swallowed: Any) -> None:
    """Ctrl-C while Python runs a destructor or a weak reference's callback is lost there: raise it once more."""
    if issubclass(swallowed.exc_type, KeyboardInterrupt):
        threading.Timer(0.05, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(swallowed)


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends the program at any moment, unless what runs sees to it otherwise."""
    before = signal.signal(signal.SIGINT, interrupt_at_once)
    hook, sys.unraisablehook = sys.unraisablehook, interrupt_again
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = hook
