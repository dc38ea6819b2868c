"""Where a match is played: a game from one of its positions, what is known of it, and its players."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence

from ..errors import OptionError, PositionError, TooLargeError
from ..rules.game import ONGOING, GameLike
from ..rules.positions import Place
from ..solution.solution import Solution
from ..solving.find import find_values, read_start
from .knowledge import Knowledge, find_knowledge
from .levels import Agent, Function, find_player, parse_level
from .player import Player
from .simulation import SolvedArrays
from .terms import Effort


class Ground:
    """A GAME_OR_DIR from a position on; what is known of it is found out when it is first needed. Raises `OptionError`,
    `PositionError`, and what finding a game raises.
    """

    def __init__(self, name: GameLike, position: Place | None, effort: Effort) -> None:
        self.game, self.root = read_start(name, position)
        self.name, self.position, self.effort = name, position, effort
        if self.game.worths is not None:
            raise OptionError(
                f"matches add up payoffs, and those of {self.game.spec} are not whole numbers from -32000 to 32000"
            )
        self.start = self.game.format_position(self.root)
        if position is not None and self.game.rules().outcome(self.root) != ONGOING:
            raise PositionError(f"the game is over at {self.start}; start from an earlier position")
        self.solution: Solution | None = None
        """The solution, once it is known."""
        self._knowledge: Knowledge | None = None
        self._arrays: SolvedArrays | None = None

    def solve(self, seconds: float | None = None) -> Solution:
        """Return the solution. Raises `TooSlowError` if making one takes more than ``seconds``."""
        if self.solution is None:
            position = None if self.root == self.game.rules().start else self.start
            self.solution = find_values(self.name, position, self.effort.symmetry, seconds=seconds)
        return self.solution

    def player(self, level: str | Function) -> Player:
        """Return a player of a level, or of a function from a position to a move."""
        if not isinstance(level, str):
            return Agent(self.game, level)
        if knows(level) and self._knowledge is None:
            self._knowledge = find_knowledge(self.name, self.position, effort=self.effort)
            self.solution = self.solution or self._knowledge.solution
        return find_player(level, self.name, knowledge=self._knowledge, seconds=self.effort.seconds)

    def in_memory(self) -> bool:
        """Return whether there is a solution that fits in memory; a larger one is looked up position by position."""
        with contextlib.suppress(TooLargeError):
            return self.solution is not None and bool(self.arrays())
        return False

    def arrays(self) -> SolvedArrays:
        """Return all classes of the solution. Raises `TooLargeError` if they do not fit in memory."""
        if self._arrays is None:
            self._arrays = SolvedArrays.solved(self.solve(), self.root)
        return self._arrays


def knows(level: str) -> bool:
    """Return whether a level plays by the values of positions."""
    return parse_level(level, bots=True).kind in ("perfect", "blunder")


def told_apart(names: Sequence[str]) -> list[str]:
    """Return the names, with a number after each that occurred before.

    >>> told_apart(["random", "greedy", "random"])
    ['random', 'greedy', 'random (2)']
    """
    seen = Counter[str]()
    return [name if seen[name] == 1 else f"{name} ({seen[name]})" for name in names if seen.update([name]) is None]


@contextlib.contextmanager
def playing(players: Sequence[Player]) -> Iterator[None]:
    """Start the bots among the players; end them after the block. Raises `OptionError` where one does not start."""
    try:
        for player in players:
            player.get_ready()
        yield
    finally:
        for player in players:
            player.close()


def forfeits(players: Sequence[Player]) -> dict[str, tuple[str, ...]]:
    """Return, by name, how players lost games by not moving as they should."""
    return {player.level: tuple(player.forfeits) for player in players if player.forfeits}
