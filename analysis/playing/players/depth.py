"""The level ``depth:N``: alpha-beta so many plies deep, with the game's evaluation."""

from __future__ import annotations

from analysis.errors import OptionError
from analysis.playing.players.player import Player
from analysis.rules.game import Game
from analysis.search.advice import advise


class Depth(Player):
    """Prefers the moves that are best by a search of limited depth, or as deep as the ``seconds`` for a move allow.
    Raises `OptionError` where these are none.
    """

    def __init__(self, game: Game, level: str, depth: int, seconds: float | None = None) -> None:
        super().__init__(game, level)
        if seconds is not None and not seconds > 0:
            raise OptionError(f"{seconds} seconds are no time to search; give more than 0")
        self.depth, self.seconds = depth, seconds
        self.evaluation = self.rules.default_evaluation
        valued = f"by {self.evaluation}" if self.evaluation else "at 0"
        how_deep = f"{depth} {'ply' if depth == 1 else 'plies'}"
        if seconds is not None:
            how_deep += f" or as deep as {seconds:g} s a move allow"
        self.note = f"searches {how_deep}, values open positions {valued}"

    def preferred(self, state: int) -> list[int]:
        """The moves that the search finds best. Raises `OptionError` where the seconds are over before one ply is."""
        advice = advise(
            self.game,
            self.game.format_position(state),
            depth=self.depth,
            seconds=self.seconds,
            evaluation=self.evaluation,
        )
        return sorted(move.move for move in advice.moves if move.optimal)
