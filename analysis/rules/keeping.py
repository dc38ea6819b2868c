"""Keep what is made from a game, and its rules."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .game import Game, Rules

T = TypeVar("T")


def kept(make: Callable[[Game], T]) -> Callable[[Game], T]:
    """Cache a function of a game, unless the game has no hash, or rules that its parameters do not determine."""
    remembered = functools.lru_cache(16)(make)

    @functools.wraps(make)
    def answer(game: Game) -> T:
        try:
            hash(game)
        except TypeError:
            return make(game)
        return make(game) if "rules" in vars(game) else remembered(game)

    return answer


@kept
def kept_rules(game: Game) -> Rules:
    """Return the rules of a game, made once."""
    return game.rules()
