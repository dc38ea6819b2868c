"""A solved game as environments show it: planes, masks of moves, and the regret of a move."""

from __future__ import annotations

import numpy as np

from ...rules.game import GameLike
from ...rules.positions import Place
from ...solving.find import find_values
from ..judge import Judge


class Table:
    """A game and its solution, from ``start`` on (default: its start). Raises `MissingDataError` for a game without a
    board, and what `analysis.solve` raises.
    """

    def __init__(self, game: GameLike, start: Place | None = None) -> None:
        self.solution = find_values(game, start)
        self.game, self.rules = self.solution.game, self.solution.game.rules()
        self.start, self.moves = Judge(self.solution, start).start, self.rules.largest_code + 1
        self.shape = self.planes(self.start).shape

    def planes(self, state: int) -> np.ndarray:
        """Return `Game.planes` of a state, uint8[4, rows, cols]."""
        return self.game.planes([state])[0]

    def mask(self, state: int) -> np.ndarray:
        """Return 1 for each legal move of a state, int8[largest code + 1]."""
        return self.game.legal_mask([state])[0].astype(np.int8)

    def payoff(self, state: int, side: int) -> float:
        """Return the payoff of a finished game to a side, 1 or -1."""
        return float(side * self.game.worth(self.rules.payoff(state)))

    def worst(self, side: int) -> float:
        """Return the least payoff that a side can have."""
        return min(float(side * self.game.worth(payoff)) for payoff in self.rules.payoffs)

    def value(self, state: int, side: int) -> float:
        """Return what optimal play brings a side from a state on."""
        return float(side * self.solution.lookup([state]).value[0])

    def regret(self, before: int, after: int) -> float:
        """Return the value that the mover lost by a move from one state to another."""
        side = self.rules.mover(before)
        return self.value(before, side) - self.value(after, side)
