"""What the moves in a part leave: for each of them some parts, in pairs of equal ones left out.

Two equal parts are worth nothing together, whatever they are worth alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from analysis.errors import GametreeError, RulesError
from analysis.rules.game import Parts

Option = tuple[int, ...]
"""The parts that a move leaves, ascending."""


def options_of(parts: Parts, part: int) -> set[Option]:
    """Return the different options of a part. Raises `RulesError` if the functions of the game fail."""
    return {parts_of(parts, position) for position in made_in(parts, part)}


def parts_of(parts: Parts, position: Any) -> Option:
    """Return the parts of a position, without pairs of equal ones. Raises `RulesError` if the functions fail."""
    found: list[int] = []
    try:
        for part in sorted(parts.split(position)):
            if found and found[-1] == part:
                found.pop()
            else:
                found.append(part)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise _failed("split", position, error) from error
    return tuple(found)


def made_in(parts: Parts, position: Any) -> Collection[Any]:
    """Return the positions after each move. Raises `RulesError` if the author's functions fail."""
    assert parts.moves is not None
    try:
        return list(parts.moves(position))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise _failed("moves", position, error) from error


def _failed(name: str, position: Any, error: Exception) -> GametreeError:
    if isinstance(error, GametreeError):
        return error
    return RulesError(f"{name}() of the parts fails at {position!r}: {type(error).__name__}: {error}")
