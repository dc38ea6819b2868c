"""The level ``blunder:P``: perfect, but now and then it moves at random. P turns the skill from perfect to random."""

from __future__ import annotations

from fractions import Fraction

from analysis.playing.players.knowledge import Knowledge
from analysis.playing.players.perfect import Perfect
from analysis.rules.game import Game


class Blunder(Perfect):
    """A `Perfect` player that with this chance makes any legal move instead, all equally likely."""

    def __init__(self, game: Game, level: str, knowledge: Knowledge, chance: Fraction) -> None:
        super().__init__(game, level, knowledge)
        self.blunders = chance
