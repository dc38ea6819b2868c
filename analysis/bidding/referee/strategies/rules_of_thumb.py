"""Three rules of thumb: save chips when the opponent has none, spend all when the next mark can end the game, take the
line or block it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from analysis.bidding.referee.referee_protocol import LINES, RefereeTurn, format_cell


class RulesOfThumb:
    """Follows the first rule that applies, and is random where none does."""

    def bid(self, turn: RefereeTurn, rng: random.Random) -> int:
        """In chips, the first that applies: 1 (or 0 of an empty purse) if the opponent has none; the whole purse if one
        mark of either side would complete a line; any bid.
        """
        bids, _ = _bids(turn)
        return rng.choice(bids)

    def place(self, turn: RefereeTurn, rng: random.Random) -> int:
        """The cell that completes an own line, else one that blocks a line, else any empty cell."""
        cells, _ = _cells(turn)
        return rng.choice(cells)

    def explain(self, turn: RefereeTurn) -> str:
        """Which rule applies."""
        _, reason = _bids(turn) if turn.phase == "BID" else _cells(turn)
        return reason


def completing(board: str, side: str) -> tuple[int, ...]:
    """The empty cells where one mark of ``side`` completes a line.

    >>> completing("XX?OO????", "X"), completing("XX?OO????", "O")
    ((2,), (5,))
    """
    found = set()
    for line in LINES:
        marks = [board[cell] for cell in line]
        if marks.count(side) == len(line) - 1 and "?" in marks:
            found.add(line[marks.index("?")])
    return tuple(sorted(found))


def _bids(turn: RefereeTurn) -> tuple[Sequence[int], str]:
    """The bids to draw from, and why these."""
    purse, opponent = turn.own_chips, turn.opponent
    if turn.chips(opponent) == 0:
        bid = min(1, purse)
        return [bid], f"{opponent} has no chips: bid {bid}"
    for side, then in ((turn.player, "win"), (opponent, "lose")):
        cells = completing(turn.board, side)
        if cells:
            return [purse], f"about to {then}, {side} completes a line at {_named(cells)}: bid everything"
    return range(purse + 1), f"nothing urgent: any bid from 0 to {purse}, all alike"


def _cells(turn: RefereeTurn) -> tuple[Sequence[int], str]:
    """The cells to draw from, and why these."""
    for side, what in ((turn.player, "complete a line"), (turn.opponent, "block a line")):
        cells = completing(turn.board, side)
        if cells:
            return cells, f"{what} at {_named(cells)}"
    return turn.free(), "no line to complete or to block: any free cell, all alike"


def _named(cells: Sequence[int]) -> str:
    return " or ".join(format_cell(cell) for cell in cells)
