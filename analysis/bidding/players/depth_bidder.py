"""A search of a few rounds at every board, with the game's evaluation where it ends."""

from __future__ import annotations

import functools

from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.bidding_solving import search_bidding
from analysis.bidding.players.bidding_rules import BiddingRules
from analysis.bidding.players.solved_bidder import SolvedBidder

SEARCHED = 1 << 12
"""Boards whose searches are remembered."""


class DepthBidder(SolvedBidder):
    """Plays from the game that ends after ``depth`` rounds; a board there is worth what the evaluation says."""

    def __init__(self, table: BiddingRules, level: str, depth: int) -> None:
        super().__init__(table, level)
        self.depth, self.evaluation = depth, table.game.base.rules().default_evaluation
        self.symmetric = self.evaluation is None or not table.game.base.origin  # those of user games are unchecked
        self._searched = functools.lru_cache(maxsize=SEARCHED)(self._search)
        self.note = f"evaluation {self.evaluation}" if self.evaluation else "no evaluation: what goes on counts 0"

    def solution_of(self, board: int) -> BiddingSolution:
        """The search from a board."""
        return self._searched(board)

    def _search(self, board: int) -> BiddingSolution:
        game = self.table.game
        return search_bidding(game, game.base.format_position(board), self.depth, evaluation=self.evaluation, threads=1)
