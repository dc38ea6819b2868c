"""One side of a solved game as an environment of Gymnasium, against a level of play."""

from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np

from ...errors import OptionError
from ...rules.game import GameLike
from ...rules.positions import Place
from ...search.finding import Knowledge
from ..exploitability import SIGNS
from ..levels import find_player
from ..player import Player
from .table import Table


class GymnasiumEnv(gymnasium.Env[np.ndarray, int]):
    """An agent that plays ``side`` (X, O, or None: drawn for each game) of a game from ``start`` on against an
    ``opponent``, a level of play or a player.

    An observation is `Game.planes` of a position where the agent moves, or of the last one, uint8[4, rows, cols]; an
    action is the code of a move. The reward is 0, and at the end the agent's payoff; an illegal move ends the game with
    the least payoff. A game is truncated after ``max_plies``. The ``info`` has ``action_mask``, int8[moves], for
    ``action_space.sample(mask)``; ``value``, what the agent gets by optimal play from here on; and ``regret``, the
    value that its last move lost, by the solution. Raises `OptionError` for an unknown side or level,
    `MissingDataError` for a game without a board, and what `analysis.solve` raises.

    >>> env = GymnasiumEnv("tictactoe", "perfect")
    >>> env.reset(seed=1)[1]["value"], env.step(1)[4]["regret"]
    (0.0, 0.0)
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        game: GameLike,
        opponent: str | Player = "perfect",
        side: str | None = "X",
        *,
        start: Place | None = None,
        max_plies: int = 1000,
        render_mode: str | None = None,
    ) -> None:
        if side not in (None, *SIGNS):
            raise OptionError(f"unknown side {side!r}; expected X or O, or None for either")
        self.table, self.side, self.max_plies, self.render_mode = Table(game, start), side, max_plies, render_mode
        if isinstance(opponent, str):
            knowledge = Knowledge(self.table.game, self.table.solution)
            opponent = find_player(opponent, self.table.game, knowledge=knowledge)
        self.opponent, self.state, self.mine, self.plies = opponent, self.table.start, 1, 0
        self.observation_space = gymnasium.spaces.Box(0, 1, self.table.shape, np.uint8)
        self.action_space = gymnasium.spaces.Discrete(self.table.moves)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a game; the opponent moves first if it is its turn."""
        super().reset(seed=seed)
        self._rng = random.Random(int(self.np_random.integers(1 << 62)))
        self.mine = self._rng.choice((1, -1)) if self.side is None else SIGNS[self.side]
        self.state, self.plies = self.table.start, 0
        self.opponent.new_game(self.state)
        self._answer()
        return self.table.planes(self.state), self._info(0.0)

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Make a move of the agent, and the opponent's until the agent is to move. Raises `OptionError` if the game is
        over.
        """
        table, before, moves = self.table, self.state, dict(self.table.rules.moves(self.state))
        if not moves:
            raise OptionError("the game is over; reset() begins another one")
        if int(action) not in moves:
            least = table.worst(self.mine)
            return table.planes(before), least, True, False, self._info(table.value(before, self.mine) - least)
        self.state, self.plies = moves[int(action)], self.plies + 1
        regret = table.regret(before, self.state)
        self._answer()
        over = not table.rules.moves(self.state)
        reward = table.payoff(self.state, self.mine) if over else 0.0
        return table.planes(self.state), reward, over, not over and self.plies >= self.max_plies, self._info(regret)

    def render(self) -> str:
        """Return the position as text."""
        return self.table.game.format_position(self.state)

    def _answer(self) -> None:
        rules = self.table.rules
        while (moves := dict(rules.moves(self.state))) and rules.mover(self.state) != self.mine:
            self.state, self.plies = moves[self.opponent.choose(self.state, self._rng)], self.plies + 1

    def _info(self, regret: float) -> dict[str, Any]:
        value = self.table.value(self.state, self.mine)
        return {"action_mask": self.table.mask(self.state), "value": value, "regret": regret}
