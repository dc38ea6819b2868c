"""What the solved tiers know of one board, column by column: in memory here, on the disk in `tables`."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Protocol

import numpy as np

from analysis.bidding.bidding_induction import SolvedBoards
from analysis.bidding.bidding_position import Bid
from analysis.bidding.exact_values import Value, stored_as
from analysis.bidding.kernels.saddles import NO_BID
from analysis.bidding.state_layout import StateLayout
from analysis.games.bidding import SIDES

Bids = dict[str, tuple[Bid, ...]]


class BoardRecord(Protocol):
    """One board."""

    @property
    def over(self) -> bool:
        """Whether the game is over there; every column then has the same value and no bids."""

    def value(self, column: int) -> Value:
        """X's expected payoff."""

    def bids(self, column: int) -> Bids:
        """The optimal bids of both sides."""


class BoardTable(Protocol):
    """The boards of one tier."""

    def find(self, board: int) -> BoardRecord | None:
        """A canonical board, or None where the tier does not have it."""


@dataclasses.dataclass(frozen=True)
class _Over:
    payoff: int
    over: bool = True

    def value(self, column: int) -> Value:
        return Fraction(self.payoff)

    def bids(self, column: int) -> Bids:
        return {}


@dataclasses.dataclass(frozen=True)
class _InPlay:
    layout: StateLayout
    tier: SolvedBoards
    row: int
    over: bool = False

    def value(self, column: int) -> Value:
        return self.tier.table[self.tier.ranks[self.row, column]]

    def bids(self, column: int) -> Bids:
        x, o = int(self.tier.x_bids[self.row, column]), int(self.tier.o_bids[self.row, column])
        if x != NO_BID:
            return {"X": (Bid(x, Fraction(1)),), "O": (Bid(o, Fraction(1)),)}
        mixed = self.tier.mixed[self.row, column]
        legal = self.layout.bids(column % self.layout.purses)
        drawn = zip(SIDES, legal, (mixed.rows, mixed.columns), strict=True)
        return {
            side: tuple(Bid(bid, stored_as(p)) for bid, p in zip(bids, probabilities, strict=True) if p)
            for side, bids, probabilities in drawn
        }


@dataclasses.dataclass(frozen=True)
class MemoryTable:
    """A solved tier in memory."""

    layout: StateLayout
    tier: SolvedBoards

    def find(self, board: int) -> BoardRecord | None:
        """See `BoardTable`."""
        boards = self.tier.boards
        row = int(np.searchsorted(boards.states, board))
        if row == len(boards) or boards.states[row] != board:
            return None
        place = int(np.searchsorted(boards.playing, row))
        if place < len(boards.playing) and boards.playing[place] == row:
            return _InPlay(self.layout, self.tier, place)
        return _Over(int(boards.payoffs[row]))
