"""Where a game is played: lines are asked for and said."""

from __future__ import annotations

import io
import sys


class Console:
    """Standard input and output, a terminal or a pipe; anything else with these two methods will do as well."""

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
            print(flush=True)  # nobody has pressed Enter on the screen
        return line.strip()
