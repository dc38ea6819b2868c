"""A bot of OpenSpiel that plays and scores by a solution."""

from __future__ import annotations

from typing import Any

import pyspiel

from ...rules.game import GameLike
from ...rules.positions import read_position
from ...solution.position import preference
from ...solving.find import find_values


class OpenSpielBot(pyspiel.Bot):
    """Plays perfectly in a game of OpenSpiel, ``open_spiel:NAME``, or a solution of one: it wins soonest, ties soonest,
    loses latest. States of OpenSpiel are looked up by their boards.

    >>> bot = OpenSpielBot("open_spiel:tic_tac_toe", 1)
    >>> state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    >>> state.apply_action(0)
    >>> bot.step(state), bot.score(state), bot.regrets(state)[1]
    (4, 0.0, 1.0)
    """

    def __init__(self, game: GameLike, player: int) -> None:
        """Solve the game, unless it is stored, for a ``player``, 0 or 1. Raises what `analysis.solve` raises."""
        super().__init__()
        self.solution, self._player = find_values(game), player

    def player_id(self) -> int:
        """Return whose bot it is."""
        return self._player

    def provides_policy(self) -> bool:
        """Return that it says how likely its actions are."""
        return True

    def restart_at(self, state: Any) -> None:
        """Go on from any state: nothing is remembered."""

    def step(self, state: Any) -> int:
        """Return its action, the first among equals."""
        mover = 1 - 2 * state.current_player()
        actions = state.legal_actions()
        worths = self._look_up([state.child(action) for action in actions]).worths()
        ranks = [preference(mover, worth, action) for worth, action in zip(worths, actions, strict=True)]
        return actions[ranks.index(min(ranks))]

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Return the probability of each action, and its action."""
        chosen = self.step(state)
        return [(action, float(action == chosen)) for action in state.legal_actions()], chosen

    def score(self, state: Any) -> float:
        """Return what its player gets from a state on by optimal play."""
        return float((1 - 2 * self._player) * self._look_up([state]).value[0])

    def regrets(self, state: Any) -> dict[int, float]:
        """Return the value that each legal action loses to its player or to the other one, whoever moves."""
        mover = 1 - 2 * state.current_player()
        actions = state.legal_actions()
        value, *after = self._look_up([state, *map(state.child, actions)]).value.tolist()
        return {action: float(mover * (value - each)) for action, each in zip(actions, after, strict=True)}

    def _look_up(self, states: list[Any]) -> Any:
        return self.solution.lookup([read_position(self.solution.game, str(state)) for state in states])
