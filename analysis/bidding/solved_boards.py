"""A solved tier of a bidding game, or the part of one that is in a file, as the tables write it."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from analysis.bidding.board_tiers import BoardTier
from analysis.bidding.exact_values import LevelWorth, Value, ascending, ranks_in
from analysis.bidding.matrix_games import MatrixSolution

Mixed = dict[tuple[int, int], MatrixSolution]
"""States without a saddle point, by board in play and column."""


@dataclasses.dataclass(frozen=True)
class SolvedBoards:
    """A tier with the value and the optimal bids of each state; rows are boards in play, columns `StateLayout`."""

    boards: BoardTier
    table: list[Value]
    ranks: np.ndarray  # int32[m, columns], of the values in the table
    x_bids: np.ndarray  # int16[m, columns], `NO_BID` without a saddle point
    o_bids: np.ndarray
    x_moves: np.ndarray  # uint8[m, columns], the best placement with the chips and the advantage as they are
    o_moves: np.ndarray
    mixed: Mixed

    @classmethod
    def of(
        cls,
        boards: BoardTier,
        table: list[Value],
        ranks: np.ndarray,
        bids: tuple[np.ndarray, np.ndarray],
        moves: tuple[np.ndarray, np.ndarray],
        mixed: Mixed,
    ) -> SolvedBoards:
        """From ranks in any ascending ``table``, those of ``mixed`` states not regarded, and what X and O do: with the
        table of the values that occur.
        """
        values = [found.value for found in mixed.values()]
        places = tuple(np.array(list(mixed), dtype=np.int64).reshape(-1, 2).T)
        counted = np.ones(ranks.shape, dtype=bool)
        counted[places] = False
        used = np.unique(ranks[counted] if mixed else ranks)
        kept = [table[rank] for rank in used.tolist()]
        new, renumbered = ascending([*kept, *values]), np.zeros(len(table) + 1, dtype=np.int32)
        renumbered[used] = ranks_in(new, kept)
        ranks = renumbered[ranks]
        ranks[places] = ranks_in(new, values)
        return cls(boards, new, ranks, *bids, *moves, mixed)

    def level(self) -> LevelWorth:
        """With the finished boards, for the tier above."""
        payoffs = [Fraction(p) for p in self.boards.payoffs.tolist()]
        table = ascending([*self.table, *payoffs])
        ranks = np.repeat(ranks_in(table, payoffs)[:, None], self.ranks.shape[1], axis=1)
        ranks[self.boards.playing] = ranks_in(table, self.table)[self.ranks]
        return LevelWorth(table, ranks)
