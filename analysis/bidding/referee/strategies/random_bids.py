"""Any bid the purse allows, any free cell, all alike: the player to beat first."""

from __future__ import annotations

import random

from analysis.bidding.referee.referee_protocol import RefereeTurn


class RandomBids:
    """Bids and places uniformly at random."""

    def bid(self, turn: RefereeTurn, rng: random.Random) -> int:
        """0 to the purse, in chips, all alike."""
        return rng.randint(0, turn.own_chips)

    def place(self, turn: RefereeTurn, rng: random.Random) -> int:
        """Any empty cell, all alike."""
        return rng.choice(turn.free())

    def explain(self, turn: RefereeTurn) -> str:
        """What it draws from."""
        if turn.phase == "BID":
            return f"any bid from 0 to {turn.own_chips}, all alike"
        return "any free cell, all alike"
