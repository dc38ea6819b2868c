"""The level ``perfect``: any move that keeps the value, or with ``perfect:shortest`` the quickest of them."""

from __future__ import annotations

from analysis.engine.columns import NEVER
from analysis.playing.players.judged import JudgedMove
from analysis.playing.players.knowledge import Knowledge
from analysis.playing.players.player import Player
from analysis.rules.game import Game


class Perfect(Player):
    """Plays by the values of moves, so it never gets less than the value of the position it starts from.

    ``shortest``: it also wins as fast, loses as slowly and ties as fast as it can. Where play may return to a position
    it always wins as fast as it can: a move that only keeps a won game may be repeated for ever.
    """

    def __init__(self, game: Game, level: str, knowledge: Knowledge, *, shortest: bool = False) -> None:
        super().__init__(game, level)
        self.knowledge, self.shortest = knowledge, shortest
        self.note = knowledge.source
        if shortest and knowledge.solution is None:
            self.note += ", which does not tell quick ties and margins from slow ones"

    def preferred(self, state: int) -> list[int]:
        """The optimal moves, or the quickest of them."""
        side = self.rules.mover(state)
        optimal = [move for move in self.knowledge.moves(state) if move.optimal]
        if optimal and (self.shortest or (self.rules.loopy and side * (optimal[0].value or 0) > 0)):
            optimal = [move for move in optimal if _plies(move) == _plies(optimal[0])]
        return sorted(move.code for move in optimal)


def _plies(move: JudgedMove) -> int:
    return NEVER if move.remoteness_plies is None else move.remoteness_plies
