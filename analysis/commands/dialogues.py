"""A dialogue at the keyboard, of whatever game: it can be left at any moment."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import NoReturn, Protocol

import typer


class Screen(Protocol):
    """Where it is held."""

    def say(self, text: str = "") -> None:
        """Print lines."""


class Dialogue(Protocol):
    """What is asked and answered."""

    @property
    def console(self) -> Screen:
        """Where it is held."""

    def run(self) -> None:
        """Ask and answer until it is over or left."""

    def farewell(self) -> str:
        """Where it stands, and how to go on from there."""


def run(dialogue: Dialogue) -> None:
    """Play; Ctrl-C leaves at any moment, also while the opponent thinks inside compiled code."""

    def interrupted(*_: object) -> NoReturn:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one must not break the farewell
        with contextlib.suppress(OSError):  # nobody may be listening any more
            os.write(1, f"\nInterrupted. {dialogue.farewell()}\n".encode())
        os._exit(130)

    from analysis.errors import GametreeError, RulesError

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        dialogue.run()
    except RulesError:
        raise
    except GametreeError:  # the opponent cannot move
        dialogue.console.say(dialogue.farewell())
        raise
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        dialogue.console.say(f"\nInterrupted. {dialogue.farewell()}")
        raise typer.Exit(130) from None
    finally:
        signal.signal(signal.SIGINT, before)
