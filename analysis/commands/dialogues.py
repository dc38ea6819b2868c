"""A dialogue at the keyboard, in any game: it can be left at any moment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from analysis.commands.terminal import interruptible
from analysis.wording import visible_lines

if TYPE_CHECKING:
    from analysis.playing.conversation import Conversation


def run(dialogue: Conversation[Any, Any]) -> None:
    """Play; Ctrl-C leaves at any moment, also while the opponent thinks inside compiled code."""
    from analysis.errors import GametreeError, RulesError

    with interruptible(lambda: os.write(1, visible_lines(f"\nInterrupted. {dialogue.farewell()}\n").encode())):
        try:
            dialogue.run()
        except RulesError:
            raise
        except GametreeError:  # the opponent cannot move
            dialogue.console.say(dialogue.farewell())
            raise
