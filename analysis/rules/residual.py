"""What is left to play, as a game that the engine solves like any other; see `Game.residual`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.errors import OptionError
from analysis.rules.fields import check_residual
from analysis.rules.game import Game, Residual, Rules, kept

KIND = "residual"
"""The kind of symmetry that merges positions with the same game left to play."""


@dataclasses.dataclass(frozen=True)
class ResidualGame(Game):
    """What is left to play in the game ``base``: its states are those of `Game.residual`.

    >>> from analysis.games.mnk import TicTacToe
    >>> ResidualGame(TicTacToe()).spec
    'tictactoe'
    """

    family = KIND
    moves_may_repeat = True

    base: Game

    def rules(self) -> Rules:
        """Return the rules over residual states. Raises what `residual_of` raises."""
        return residual_of(self.base).rules

    def parameters(self) -> dict[str, Any]:
        """Return those of the base game."""
        return self.base.parameters()

    @property
    def spec(self) -> str:
        """That of the base game."""
        return self.base.spec

    @property
    def lasting_spec(self) -> str:
        """That of the base game."""
        return self.base.lasting_spec

    def rules_hash(self) -> str:
        """Return that of the base game, which covers residual states too."""
        return self.base.rules_hash()

    def format_position(self, state: int) -> str:
        """Return a residual state as text on one line."""
        return residual_of(self.base).text(state)

    def format_positions(self, states: np.ndarray) -> Sequence[str]:
        """Return the texts of all states."""
        return list(map(residual_of(self.base).text, states.tolist()))


def solved_game(game: Game, symmetry: str) -> Game:
    """Return the game whose positions are the classes of a solution: the game itself, or what is left to play in it."""
    return ResidualGame(game) if symmetry == KIND else game


@kept
def residual_of(game: Game) -> Residual:
    """Return what a game has left to play. Raises `OptionError` if the game does not define it, `SymmetryError` if it
    does not fit in a state, and `RulesError` if it cannot be used.
    """
    if type(game).residual is Game.residual:
        raise OptionError(
            f"{game.spec} does not say what is left to play in a position, so --symmetry {KIND} has nothing to merge; "
            "use geometric"
        )
    return check_residual(game.residual(), game.rules())
