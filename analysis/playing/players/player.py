"""What every level of play is: somebody who chooses moves in one game."""

from __future__ import annotations

import abc
import functools
import random
from fractions import Fraction

from analysis.rules.game import Game

REMEMBERED = 1 << 18
"""Positions of which a player keeps in mind what it prefers there."""


class Player(abc.ABC):
    """Chooses moves in one game: evenly among those it prefers or, with probability `blunders`, among all.

    A level is a class with `preferred` alone; both what it plays and its exact `distribution` follow from that.
    """

    blunders: Fraction = Fraction(0)
    """How often it moves entirely at random."""
    note: str = ""
    """How it knows what it knows, for people; empty where there is nothing to say."""

    def __init__(self, game: Game, level: str) -> None:
        self.game, self.rules = game, game.rules()
        self.level = level
        """The text that names it, such as ``depth:4``."""
        self._preferred = functools.lru_cache(REMEMBERED)(self.preferred)

    @abc.abstractmethod
    def preferred(self, state: int) -> list[int]:
        """The codes of the moves that it prefers, ascending; at least one where the game goes on."""

    def choose(self, state: int, rng: random.Random) -> int:
        """The code of a move; there must be one."""
        if self.blunders and rng.random() < self.blunders:
            return rng.choice([code for code, _ in self.rules.moves(state)])
        return rng.choice(self._preferred(state))

    def distribution(self, state: int | str) -> dict[int, Fraction]:
        """How likely each legal move is in a state or a position, by code, also of moves that are never chosen."""
        state = self.game.parse_position(state) if isinstance(state, str) else state
        codes = [code for code, _ in self.rules.moves(state)]
        chosen = self._preferred(state)
        evenly = self.blunders / len(codes) if codes else Fraction(0)
        extra = (1 - self.blunders) / len(chosen) if chosen else Fraction(0)
        return {code: evenly + (extra if code in chosen else 0) for code in codes}
