"""The level ``random``: any legal move, all equally likely."""

from __future__ import annotations

from analysis.playing.players.player import Player


class Uniform(Player):
    """Moves at random."""

    def preferred(self, state: int) -> list[int]:
        """All legal moves."""
        return [code for code, _ in self.rules.moves(state)]
