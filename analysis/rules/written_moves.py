"""What functions of rules return and write, looked at in plain Python: where they break their contract, in words."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

from analysis.errors import RulesError
from analysis.rules.game import ONGOING, Game, Rules
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
            return code, f"the move code {code!r} is not an int from 0 to largest_code={rules.largest_code}"
        if code <= before and not repeating:
            return code, f"the move code {code} comes after {before}; codes ascend"
    return None


def wrong_mover(mover: Any) -> str:
    """What is wrong with what ``to_move`` gives, or nothing."""
    return "" if isinstance(mover, int) and mover in (1, -1) else f"to_move() gives {mover!r}; it is 1 or -1"


def wrong_payoff(rules: Rules, payoff: Any) -> str:
    """What is wrong with what ``outcome`` gives, or nothing."""
    least, greatest = rules.payoffs
    if isinstance(payoff, int) and (payoff == ONGOING or least <= payoff <= greatest):
        return ""
    return f"outcome() gives {payoff!r}; payoffs are ints from {least} to {greatest} (payoffs=), or ONGOING"


def is_state(number: Any) -> bool:
    """Whether it can be packed as a state."""
    return isinstance(number, int) and 0 <= number < 1 << 63


def wrong_state(state: Any) -> str:
    """What is wrong with what ``play`` gives, or nothing."""
    if is_state(state):
        return ""
    if not isinstance(state, int):
        return f"play() gives {state!r}, which is no int"
    return f"play() gives the state {state}, which is " + ("negative" if state < 0 else "2**63 or more")


def ask_all(game: Game, rules: Rules, state: int) -> list[int]:
    """The states after each legal move of a state; ``rules`` are those of the game, or like them. Raises `RulesError`
    where a function returns what it must not, and what the functions raise.
    """
    _accept(game, state, rules.to_move, wrong_mover(rules.to_move(state)))
    payoff = rules.outcome(state)
    _accept(game, state, rules.outcome, wrong_payoff(rules, payoff))
    if payoff != ONGOING:
        return []
    children = [rules.play(state, code) for code in ask_moves(game, rules, state)]
    for child in children:
        _accept(game, state, rules.play, wrong_state(child))
    return children


def _accept(game: Game, state: int, function: Callable[..., int], wrong: str) -> None:
    """Raise `RulesError`, at the first line of the function, if something is wrong with what it gives for a state."""
    if wrong:
        code = getattr(function, "py_func", function).__code__
        where = place(code.co_filename, code.co_firstlineno, code.co_name)
        error = RulesError(f"{where}, at position {game.format_position(state)}: {wrong}")
        raise error.showing(excerpt(code.co_filename, code.co_firstlineno))


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
