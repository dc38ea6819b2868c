"""A solved game as an environment of PettingZoo, in which agents take turns."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv

from ...errors import PositionError
from ...rules.game import GameLike
from ...rules.positions import Place
from .table import Table


class PettingZooEnv(AECEnv[str, dict[str, np.ndarray], int]):
    """Two agents, ``player_0``, who is the first player, and ``player_1``, who play a game from ``start`` on.

    An observation has ``observation``, `Game.planes` of the position, uint8[4, rows, cols], the same for both agents,
    and ``action_mask``, int8[moves], 0 for the agent who is not to move. An action is the code of a move. Rewards are
    0, and at the end the payoffs. A game is truncated after ``max_plies``. ``infos[agent]["regret"]`` is the value that
    its last move lost, by the solution. An illegal move raises `PositionError`; PettingZoo's `TerminateIllegalWrapper`
    ends the game instead. Raises `MissingDataError` for a game without a board, and what `analysis.solve` raises.

    >>> env = PettingZooEnv("tictactoe")
    >>> env.reset()
    >>> for code in (0, 1):
    ...     env.step(code)
    >>> env.agent_selection, env.infos["player_1"]["regret"]
    ('player_0', 1.0)
    """

    metadata = {"render_modes": [], "name": "gametree_v0", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, game: GameLike, *, start: Place | None = None, max_plies: int = 1000) -> None:
        super().__init__()
        self.table, self.max_plies, self.render_mode = Table(game, start), max_plies, None
        self.possible_agents = ["player_0", "player_1"]
        self._signs = dict(zip(self.possible_agents, (1, -1), strict=True))
        planes = gymnasium.spaces.Box(0, 1, self.table.shape, np.uint8)
        mask = gymnasium.spaces.Box(0, 1, (self.table.moves,), np.int8)
        self.observation_spaces = {
            agent: gymnasium.spaces.Dict({"observation": planes, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: gymnasium.spaces.Discrete(self.table.moves) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """Return the space of observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of codes of moves."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; nothing is drawn by lot."""
        self.agents, self.at, self.plies = [*self.possible_agents], self.table.start, 0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {agent: {"regret": 0.0} for agent in self.agents}
        self._select()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what an agent sees."""
        mask = self.table.mask(self.at) * np.int8(agent == self.agent_selection)
        return {"observation": self.table.planes(self.at), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Make a move of the agent who is to move; None once the game is over."""
        agent, table, before = self.agent_selection, self.table, self.at
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        moves = dict(table.rules.moves(before))
        if action is None or int(action) not in moves:
            raise PositionError(f"move {action} is not legal in {table.game.format_position(before)}")
        self._cumulative_rewards[agent] = 0.0
        self.at, self.plies = moves[int(action)], self.plies + 1
        self.infos[agent]["regret"] = table.regret(before, self.at)
        if not table.rules.moves(self.at):
            self.rewards = {each: table.payoff(self.at, sign) for each, sign in self._signs.items()}
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.plies >= self.max_plies:
            self.truncations = dict.fromkeys(self.agents, True)
        self._select()
        self._accumulate_rewards()

    def _select(self) -> None:
        mover = self.table.rules.mover(self.at)
        self.agent_selection = self.possible_agents[0 if mover > 0 else 1]
