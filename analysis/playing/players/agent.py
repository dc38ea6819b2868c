"""A player of one's own: a function from positions to moves."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from analysis.errors import PositionError
from analysis.playing.players.player import Player
from analysis.rules.game import Game

Function = Callable[[str], Any]
"""``function(position)`` -> a move, as its code or as the game writes it."""


class Agent(Player):
    """Plays what a function says; it is asked anew each time, so it may draw by lot.

    >>> from analysis.games.families import load_game
    >>> game = load_game("tictactoe")
    >>> Agent(game, lambda position: position.index("?")).choose(game.parse_position("XO???????"), random.Random())
    2
    """

    def __init__(self, game: Game, function: Function) -> None:
        name = getattr(function, "__name__", type(function).__name__)
        super().__init__(game, name if name.isidentifier() else "agent")
        self.function = function

    def preferred(self, state: int) -> list[int]:
        """What the function says, this time. Raises `PositionError` where it is no legal move."""
        position, legal = self.game.format_position(state), [code for code, _ in self.rules.moves(state)]
        move = self.function(position)
        code = self.game.parse_move(move) if isinstance(move, str) else move
        if code not in legal or isinstance(code, bool):
            raise PositionError(f"{self.level} plays {move!r} in {position}; legal are {' '.join(map(str, legal))}")
        return [int(code)]

    def choose(self, state: int, rng: random.Random) -> int:
        """What the function says, whatever ``rng`` is. Raises `PositionError` where it is no legal move."""
        return self.preferred(state)[0]
