"""The level ``perfect``: any move that keeps the value, or with ``perfect:shortest`` the quickest of them. With
``blunder:P`` it moves at random now and then: P turns the skill from perfect to random.
"""

from __future__ import annotations

from fractions import Fraction

from analysis.playing.players.knowledge import Knowledge
from analysis.playing.players.player import Player
from analysis.rules.game import Game


class Perfect(Player):
    """Plays by the values of moves, so it never gets less than the value of the position it starts from.

    ``shortest``: it also wins as fast, loses as slowly and ties as fast as it can. Where play may return to a position
    it always wins as fast as it can: a move that only keeps a won game may be repeated for ever. With the chance of
    ``blunders`` it makes any legal move instead, all equally likely.
    """

    def __init__(
        self, game: Game, level: str, knowledge: Knowledge, *, shortest: bool = False, blunders: Fraction = Fraction(0)
    ) -> None:
        super().__init__(game, level)
        self.knowledge, self.shortest, self.blunders = knowledge, shortest, blunders
        self.note = knowledge.source
        if shortest and knowledge.solution is None:
            self.note += ", which does not tell quick ties and margins from slow ones"

    def preferred(self, state: int) -> list[int]:
        """The optimal moves, or the quickest of them."""
        side = self.rules.mover(state)
        optimal = [move for move in self.knowledge.moves(state) if move.optimal]
        best = optimal[0].worth if optimal else None
        if best is not None and (self.shortest or (self.rules.loopy and side * best.value > 0)):
            optimal = [move for move in optimal if move.worth is not None and move.worth.plies == best.plies]
        return sorted(move.code for move in optimal)
