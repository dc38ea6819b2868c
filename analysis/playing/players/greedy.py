"""The level ``greedy``: it looks one move into the future, as the course puts it."""

from __future__ import annotations

from analysis.playing.players.player import Player
from analysis.rules.game import ONGOING


class Greedy(Player):
    """Wins at once where it can; otherwise prefers moves after which the opponent cannot; otherwise moves at random.

    To win is to end the game with a payoff above 0, as the winner sees it.
    """

    def preferred(self, state: int) -> list[int]:
        """The moves that win at once; without these the safe ones; without these all."""
        side, moves = self.rules.mover(state), self.rules.moves(state)
        wins = [code for code, child in moves if self._won(child, side)]
        if wins:
            return wins
        safe = [code for code, child in moves if self._safe(child, side)]
        return safe or [code for code, _ in moves]

    def _won(self, state: int, side: int) -> bool:
        payoff = self.rules.payoff(state)
        return payoff != ONGOING and side * payoff > 0

    def _safe(self, state: int, side: int) -> bool:
        """Whether a side's move to this state has not lost the game and lets the opponent not win it at once. Where the
        side moves again it may still see to that.
        """
        payoff = self.rules.payoff(state)
        if payoff != ONGOING:
            return side * payoff >= 0
        if self.rules.mover(state) == side:
            return True
        return not any(self._won(child, -side) for _, child in self.rules.moves(state))
