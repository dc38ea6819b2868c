"""A dialogue at the keyboard, in any game: it can be left at any moment."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from analysis.playing.terminal.conversation import Conversation


def run(dialogue: Conversation[Any, Any]) -> None:
    """Play; Ctrl-C leaves at any moment, also while the opponent thinks inside compiled code."""

    def interrupted(*_: object) -> NoReturn:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one must not break the farewell
        with contextlib.suppress(OSError):  # the other end of a pipe may be closed
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
