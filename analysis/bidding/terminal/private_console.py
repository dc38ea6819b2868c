"""A console that also asks for what nobody else is to see: the bids of two people at one keyboard."""

from __future__ import annotations

import getpass
import signal
import sys
from typing import Protocol

from analysis.playing.terminal.console import Console


class Screen(Protocol):
    """What `PrivateConsole` does."""

    def say(self, text: str = "") -> None:
        """Print lines."""

    def ask(self, prompt: str) -> str | None:
        """What is typed; None at the end of the input."""

    def ask_secretly(self, prompt: str) -> str | None:
        """The same without showing it."""


class PrivateConsole(Console):
    """Standard input and output, where some lines are not to be seen."""

    def ask_secretly(self, prompt: str) -> str | None:
        """What is typed, not shown if it is typed in a terminal; None at the end of the input."""
        if sys.stdin is None or not sys.stdin.isatty():
            return self.ask(prompt)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # the terminal is set right again on Ctrl-C
        try:
            return getpass.getpass(prompt).strip()
        except EOFError:
            print(flush=True)
            return None
        except UnicodeDecodeError:  # bytes that are no text are no bid either
            return "?" * 3
        finally:
            signal.signal(signal.SIGINT, before)
