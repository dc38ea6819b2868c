"""Where a game is played: lines are asked for and said."""

from __future__ import annotations

import getpass
import io
import signal
import sys


class Console:
    """Standard input and output, a terminal or a pipe; anything else with these methods will do as well."""

    def __init__(self) -> None:
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper):  # bytes that are no text, or text that the terminal cannot show
                stream.reconfigure(errors="backslashreplace")

    def say(self, text: str = "") -> None:
        """Print one or more lines, at once."""
        print(text, flush=True)

    def ask(self, prompt: str) -> str | None:
        """What is typed after the prompt, without spaces around it; None at the end of the input."""
        print(prompt, end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            print(flush=True)
            return None
        if not sys.stdin.isatty():
            print(flush=True)  # no Enter has been pressed on the screen
        return line.strip()

    def ask_secretly(self, prompt: str) -> str | None:
        """What is typed, not shown if it is typed in a terminal: the bids of two people at one keyboard. None at the
        end of the input.
        """
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
