"""What the solved tiers know of one board, by column: in memory, and on the disk as `bidding_store` writes it."""

from __future__ import annotations

import dataclasses
import functools
from fractions import Fraction

import numpy as np
import pyarrow as pa

from analysis.bidding.bidding_position import Bid, Bids, BoardRecord
from analysis.bidding.exact_values import Value, stored_as, stored_value
from analysis.bidding.kernels.bid_rules import NO_BID
from analysis.bidding.solved_boards import SolvedBoards
from analysis.bidding.state_layout import StateLayout
from analysis.engine.columns import array
from analysis.games.bidding import SIDES
from analysis.storage.stored_tier import StoredTier


@dataclasses.dataclass(frozen=True)
class MemoryTable:
    """A solved tier in memory."""

    layout: StateLayout
    tier: SolvedBoards

    def find(self, board: int) -> BoardRecord | None:
        """See `FindBoard`."""
        boards = self.tier.boards
        row = int(np.searchsorted(boards.states, board))
        if row == len(boards) or boards.states[row] != board:
            return None
        place = int(np.searchsorted(boards.playing, row))
        if place < len(boards.playing) and boards.playing[place] == row:
            return BoardRecord(False, functools.partial(self._value, place), functools.partial(self._bids, place))
        payoff = Fraction(int(boards.payoffs[row]))
        return BoardRecord(True, lambda column: payoff, lambda column: {})

    def _value(self, place: int, column: int) -> Value:
        return self.tier.table[self.tier.ranks[place, column]]

    def _bids(self, place: int, column: int) -> Bids:
        pure = self.tier.x_bids[place, column], self.tier.o_bids[place, column]
        if pure[0] != NO_BID:
            return {side: (Bid(int(bid), Fraction(1)),) for side, bid in zip(SIDES, pure, strict=True)}
        mixed = self.tier.mixed[place, column]
        legal = self.layout.bids(column % self.layout.purses)
        drawn = zip(SIDES, legal, (mixed.rows, mixed.columns), strict=True)
        return {
            side: tuple(Bid(bid, stored_as(p)) for bid, p in zip(bids, probabilities, strict=True) if p)
            for side, bids, probabilities in drawn
        }


class StoredBoards(StoredTier):
    """A tier on the disk."""

    def find(self, board: int) -> BoardRecord | None:
        """See `FindBoard`. Raises `StoreError`."""
        found = [_rows_of(part.group(group, part.file.schema.names), board) for part, group in self._groups(board)]
        return _stored_record(pa.concat_tables(found)) if any(map(len, found)) else None


def _rows_of(table: pa.Table, board: int) -> pa.Table:
    first, last = np.searchsorted(array(table["state"]), [board, board + 1]).tolist()
    return table.slice(first, last - first)


def _stored_record(rows: pa.Table) -> BoardRecord:
    """What the rows of one board say."""
    names = ("value", "value_numerator", "value_denominator")
    values = list(zip(*(rows[name].to_pylist() for name in names), strict=True))
    if rows["terminal"][0].as_py():
        payoff = stored_value(*values[0])
        return BoardRecord(True, lambda column: payoff, lambda column: {})

    def bids(column: int) -> Bids:
        row = rows.slice(column, 1).to_pylist()[0]
        if row["x_bid"] is not None:
            return {side: (Bid(row[f"{side.lower()}_bid"], Fraction(1)),) for side in SIDES}
        mixes = {side: row[f"{side.lower()}_mix"] for side in SIDES}
        parts = ("probability", "numerator", "denominator")
        return {
            side: tuple(Bid(drawn["bid"], stored_value(*map(drawn.get, parts))) for drawn in mix)
            for side, mix in mixes.items()
        }

    return BoardRecord(False, lambda column: stored_value(*values[column]), bids)
