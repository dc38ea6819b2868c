"""What ``legal_moves`` writes, looked at in plain Python: where it breaks its contract, in words."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import Any

from analysis.errors import RulesError
from analysis.rules.game import Game, Rules
from analysis.rules.residual import may_repeat
from analysis.rules.source_lines import excerpt, place

PATIENCE = 1 << 16
"""Entries outside of its list that ``legal_moves`` may write before it is stopped."""


class Buffer(list[int]):
    """What ``legal_moves`` writes into: as long as ``max_moves``, it notices what is written elsewhere."""

    def __init__(self, size: int, filling: int = 0) -> None:
        super().__init__([filling] * size)
        self.beyond: int | None = None
        """The place of the first move written outside."""
        self.line: tuple[str, int, str] | None = None
        """File, line and function that wrote it."""
        self._left = PATIENCE

    def __setitem__(self, index: Any, value: Any) -> None:
        if 0 <= index < len(self):
            super().__setitem__(index, value)
            return
        if self.beyond is None:
            writer = sys._getframe(1)
            self.beyond = index
            self.line = writer.f_code.co_filename, writer.f_lineno, writer.f_code.co_name
        self._left -= 1
        if self._left < 0:
            raise IndexError(f"it writes to out[{self.beyond}] and on, but the list ends at out[{len(self) - 1}]")


def wrong_count(rules: Rules, count: Any, beyond: int | None = None) -> str:
    """What is wrong with how many moves ``legal_moves`` gives, or nothing; ``beyond`` is where it wrote outside."""
    most, whole = rules.max_moves, isinstance(count, int)
    if beyond is not None and whole and count > most:
        return f"legal_moves() writes {count} moves, but max_moves={most}"
    if beyond is not None:
        return f"legal_moves() writes to out[{beyond}], but max_moves={most}"
    if not whole or not 0 <= count <= most:
        return f"legal_moves() returns {count!r}; it is a number from 0 to max_moves={most}"
    return ""


def wrong_code(rules: Rules, codes: Sequence[Any], *, repeating: bool = False) -> tuple[Any, str] | None:
    """The first move code that cannot stand where it does, and why; codes that are ``repeating``, as those of residual
    rules may, need not ascend.
    """
    for before, code in itertools.pairwise((-1, *codes)):
        if not isinstance(code, int) or not 0 <= code <= rules.largest_code:
            return code, f"the move code {code!r} is not from 0 to largest_code={rules.largest_code}"
        if code <= before and not repeating:
            return code, f"the move code {code} comes after {before}; codes ascend"
    return None


def ask_moves(game: Game, rules: Rules, state: int) -> list[int]:
    """The codes of the legal moves of a state where the game goes on; ``rules`` are those of the game, or like them.
    Raises `RulesError` where they are not what they have to be, and what ``legal_moves`` raises.
    """
    buffer = Buffer(rules.max_moves)
    count = rules.legal_moves(state, buffer)
    message, line = wrong_count(rules, count, buffer.beyond), buffer.line
    if not message:
        message = (wrong_code(rules, buffer[:count], repeating=may_repeat(game)) or (0, ""))[1]
    if not message:
        return buffer[:count]
    where = place(*line) if line else game.spec
    error = RulesError(f"{where}, at position {game.format_position(state)}: {message}")
    raise error.showing(excerpt(*line[:2]) if line else "")
