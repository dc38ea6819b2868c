"""What plays: the base of all players, and what names a program that plays."""

from __future__ import annotations

import abc
import functools
import random
import re
from collections.abc import Sequence
from fractions import Fraction

from ..errors import GametreeError
from ..rules.game import Game
from ..rules.positions import read_position

_BOT = re.compile(r".+\.py(:\w+)?", re.DOTALL)
"""What names a program rather than a level: see `analysis.playing.bots`."""


def is_bot(text: str) -> bool:
    """Return whether a text names a program that plays, see `analysis.playing.bots`.

    >>> is_bot("mine.py:choose"), is_bot("depth:4"), is_bot("games.csv")
    (True, False, False)
    """
    return _BOT.fullmatch(text.strip()) is not None


class ForfeitError(GametreeError):
    """A player did not move as it should, and loses the game."""


REMEMBERED = 1 << 18
"""Positions whose preferred moves a player remembers."""


class Player(abc.ABC):
    """Chooses moves in one game: uniformly among those it prefers or, with probability `blunders`, among all.

    A subclass defines `preferred`; its moves and their exact `distribution` follow.
    """

    blunders: Fraction = Fraction(0)
    """Probability of a move at random."""
    note: str = ""
    """How it knows what it knows, in words; empty where there is nothing to say."""

    def __init__(self, game: Game, level: str) -> None:
        self.game, self.rules = game, game.rules()
        self.forfeits: list[str] = []
        """What it did wrong, a line for each game that it lost by that."""
        self.level = level
        """The text that names it, such as ``depth:4``."""
        self._preferred = functools.lru_cache(REMEMBERED)(self.preferred)

    @abc.abstractmethod
    def preferred(self, state: int) -> list[int]:
        """Return the codes of the preferred moves in a ``state``, ascending; at least one unless the game is over."""

    def new_game(self, start: int) -> None:  # noqa: B027 - most players have nothing to do
        """Note that a game begins in the state ``start``."""

    def get_ready(self) -> None:  # noqa: B027 - most players have nothing to do
        """Start what works for it."""

    def close(self) -> None:  # noqa: B027 - most players have nothing to do
        """End what works for it."""

    def choose(self, state: int, rng: random.Random, played: Sequence[int] = ()) -> int:
        """Return the code of a move in a ``state``, drawn with ``rng`` among equals; there must be one. ``played`` are
        the moves since the start.
        """
        if self.blunders and rng.random() < self.blunders:
            return rng.choice([code for code, _ in self.rules.moves(state)])
        return rng.choice(self._preferred(state))

    def distribution(self, state: int | str) -> dict[int, Fraction]:
        """Return the probability of each legal move of a state or position, by code, zeros included."""
        state = read_position(self.game, state) if isinstance(state, str) else state
        codes = [code for code, _ in self.rules.moves(state)]
        chosen = self._preferred(state)
        evenly = self.blunders / len(codes) if codes else Fraction(0)
        extra = (1 - self.blunders) / len(chosen) if chosen else Fraction(0)
        return {code: evenly + (extra if code in chosen else 0) for code in codes}
