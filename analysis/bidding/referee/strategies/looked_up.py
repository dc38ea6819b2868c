"""What the players that look their answers up have in common."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from analysis.bidding.referee.referee_protocol import RefereeTurn, format_cell

Number = Fraction | float
"""A value or a probability: a fraction is exact, a float rounded."""


class LookedUpBid(Protocol):
    """One bid of a mixed strategy."""

    @property
    def bid(self) -> int:
        """In chips."""

    @property
    def probability(self) -> Number:
        """How often it is to be bid."""


class LookedUpPlacement(Protocol):
    """One cell a side can mark."""

    @property
    def move(self) -> int:
        """The cell, 0 to 8."""

    @property
    def value(self) -> Number:
        """What it leads to, seen by X."""


class LookedUpState(Protocol):
    """A solved state; `analysis.bidding` gives these for a board, two purses and a holder."""

    @property
    def value(self) -> Number:
        """Seen by X."""

    @property
    def bids(self) -> Mapping[str, Sequence[LookedUpBid]]:
        """By side, ``X`` and ``O``: the bids to draw from."""

    def placements(self, side: str) -> Sequence[LookedUpPlacement]:
        """Where ``side`` can place if it has just paid for the move, best first."""


LookUp = Callable[[RefereeTurn], LookedUpState]
"""The state of a turn: its board, its purses (in a ``PLAY`` turn those after the payment) and its holder."""


class SolvedStates:
    """Bids what the solution bids, drawing where that is mixed, and places best. ``look_up`` is called once a turn,
    when it is asked.
    """

    source: str
    """Where the values come from, for `explain`."""

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = functools.lru_cache(maxsize=1)(look_up)  # the answer and its explanation share it

    def bid(self, turn: RefereeTurn, rng: random.Random) -> int:
        """One of the solution's bids, in chips, each as often as it says."""
        bids = self._look_up(turn).bids[turn.player]
        if len(bids) == 1:
            return bids[0].bid
        return rng.choices([bid.bid for bid in bids], [float(bid.probability) for bid in bids])[0]

    def place(self, turn: RefereeTurn, rng: random.Random) -> int:
        """The first of the best placements."""
        return self._look_up(turn).placements(turn.player)[0].move

    def explain(self, turn: RefereeTurn) -> str:
        """The value and both sides' bids, or every placement with its value; values are seen by X."""
        state = self._look_up(turn)
        if turn.phase == "PLAY":
            cells = ", ".join(f"{format_cell(p.move)} ({_number(p.value)})" for p in state.placements(turn.player))
            return f"placements best first, with the value to X {self.source}: {cells}"
        bids = "; ".join(f"{side} bids {_mixed(state.bids[side])}" for side in (turn.player, turn.opponent))
        return f"value to X {self.source}: {_number(state.value)}; {bids}"


def _mixed(bids: Sequence[LookedUpBid]) -> str:
    """Bids as people read them; the only one without its probability, 1."""
    if len(bids) == 1:
        return str(bids[0].bid)
    return ", ".join(f"{bid.bid} ({_number(bid.probability)})" for bid in bids)


def _number(number: Number) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)
