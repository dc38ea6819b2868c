"""What the check of a stored solution of a bidding game says: what was found right, or where it is not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from analysis.games.bidding import Bidding, BiddingState

if TYPE_CHECKING:
    import pyarrow as pa


@dataclasses.dataclass(frozen=True)
class BiddingReport:
    """What was checked. Boards and states that differ by a symmetry count apart, as in `gametree stats`."""

    game: str
    files: int
    boards: int
    states: int
    mixed: int
    """States with mixed bids."""
    totals: int
    """Totals of chips for which the least chips were derived again."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree verify --format json`` prints it."""
        return dataclasses.asdict(self)

    def sentence(self) -> str:
        """For people."""
        return (
            f"{self.game}: all {self.files} files are intact, and the value, the bids and the placements of each of "
            f"{self.states:,} states, {self.mixed:,} of them with mixed bids, on {self.boards:,} boards follow "
            f"from the rules; so do the least chips for {self.totals:,} totals."
        )


def place_of(game: Bidding, table: pa.Table, row: int) -> str:
    """The tier, and the state or the finished board, of a row of a table of positions, or of its last one."""
    found = table.slice(min(row, len(table) - 1), 1).to_pylist()[0]
    if found["terminal"]:
        return f"tier {found['tier']}, board {game.base.format_position(found['state'])}"
    holder = {1: "X", -1: "O", None: None}[found["advantage"]]
    state = BiddingState(found["state"], found["x_chips"], found["o_chips"], holder)
    return f"tier {found['tier']}, state {game.format_state(state)}"
