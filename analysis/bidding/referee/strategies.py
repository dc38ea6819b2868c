"""The players of the referee's protocol, by name; only those that play from solved states need the solver.

``random`` and ``rules`` draw evenly from what their function of the turn leaves to choose from. ``minimax`` and
``perfect`` bid what a solved state bids, drawing where that is mixed, and place best.
"""

from __future__ import annotations

import difflib
import functools
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analysis.bidding.referee.referee_protocol import LINES, RefereeTurn, Strategy, format_cell
from analysis.errors import OptionError

if TYPE_CHECKING:
    from analysis.bidding.bidding_position import Bid, BiddingPosition
    from analysis.bidding.exact_values import Value
    from analysis.bidding.referee.resisting import Resisting

    LookUp = Callable[[RefereeTurn], BiddingPosition | Resisting]
    """The state of a turn: its board, its purses (in a ``PLAY`` turn those after the payment) and its holder."""

Choices = tuple[Sequence[int], str]
"""The bids or cells to draw from, and why these."""


class DrawnEvenly:
    """Any of the ``choices`` in a turn, all alike."""

    def __init__(self, choices: Callable[[RefereeTurn], Choices]) -> None:
        self._choices = choices

    def choose(self, turn: RefereeTurn, rng: random.Random) -> int:
        """One of them, drawn from ``rng``."""
        return rng.choice(self._choices(turn)[0])

    def explain(self, turn: RefereeTurn) -> str:
        """Why these."""
        return self._choices(turn)[1]


class SolvedStates:
    """Plays from solved states. ``look_up`` is called once a turn, when it is asked; ``source`` says where the values
    come from, for people.
    """

    def __init__(self, look_up: LookUp, source: str) -> None:
        self._look_up = functools.lru_cache(maxsize=1)(look_up)  # the answer and its explanation share it
        self._source = source

    def choose(self, turn: RefereeTurn, rng: random.Random) -> int:
        """One of the solution's bids, each as often as it says, or the first of the best placements."""
        state = self._look_up(turn)
        if turn.phase == "PLAY":
            return state.placements(turn.player)[0].move
        bids = state.bids[turn.player]
        if len(bids) == 1:
            return bids[0].bid
        return rng.choices([bid.bid for bid in bids], [float(bid.probability) for bid in bids])[0]

    def explain(self, turn: RefereeTurn) -> str:
        """The value and both sides' bids, or every placement with its value; values are seen by X."""
        state = self._look_up(turn)
        if turn.phase == "PLAY":
            cells = ", ".join(f"{format_cell(p.move)} ({_number(p.value)})" for p in state.placements(turn.player))
            return f"placements best first, with the value to X {self._source}: {cells}"
        bids = "; ".join(f"{side} bids {_mixed(state.bids[side])}" for side in (turn.player, turn.opponent))
        return f"value to X {self._source}: {_number(state.value)}; {bids}"


def _mixed(bids: Sequence[Bid]) -> str:
    """Bids as people read them; the only one without its probability, 1."""
    if len(bids) == 1:
        return str(bids[0].bid)
    return ", ".join(f"{bid.bid} ({_number(bid.probability)})" for bid in bids)


def _number(number: Value) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)


# What is drawn from ---------------------------------------------------------------------------------------------------


def anything(turn: RefereeTurn) -> Choices:
    """Any bid that the purse allows, any free cell."""
    if turn.phase == "BID":
        return range(turn.own_chips + 1), f"any bid from 0 to {turn.own_chips}, all alike"
    return turn.free(), "any free cell, all alike"


def rules_of_thumb(turn: RefereeTurn) -> Choices:
    """The first rule that applies. Bids: 1 (or 0 of an empty purse) if the opponent has no chips; the whole purse if
    one mark of either side would complete a line. Cells: one that completes an own line; one that blocks a line.
    """
    bidding = turn.phase == "BID"
    if bidding and turn.chips(turn.opponent) == 0:
        bid = min(1, turn.own_chips)
        return [bid], f"{turn.opponent} has no chips: bid {bid}"
    for side, end, mark in ((turn.player, "win", "complete"), (turn.opponent, "lose", "block")):
        cells = completing(turn.board, side)
        if cells:
            named = " or ".join(map(format_cell, cells))
            if bidding:
                return [turn.own_chips], f"about to {end}, {side} completes a line at {named}: bid everything"
            return cells, f"{mark} a line at {named}"
    choices, words = anything(turn)
    return choices, f"{'nothing urgent' if bidding else 'no line to complete or to block'}: {words}"


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


# By name --------------------------------------------------------------------------------------------------------------

DRAWING = {"random": anything, "rules": rules_of_thumb}
SOLVED = {"minimax": "by the line evaluation at a depth", "perfect": "by the solved game"}
"""Where the values of those come from that play from solved states."""
DEFAULT = "perfect"


def make_strategy(name: str = DEFAULT, look_up: LookUp | None = None) -> Strategy:
    """The player of this name, ``random``, ``rules``, ``minimax`` or ``perfect``; ``look_up`` gives the last two the
    state of a turn. It is called at a turn, not before, so it may solve when it is first asked. Raises `OptionError` if
    there is none of the name, or if ``look_up`` is missing.

    >>> make_strategy("rulse")
    Traceback (most recent call last):
    analysis.errors.OptionError: strategy 'rulse' is unknown; did you mean 'rules'?
    """
    if name in DRAWING:
        return DrawnEvenly(DRAWING[name])
    if name not in SOLVED:
        known = [*DRAWING, *SOLVED]
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known)}"
        raise OptionError(f"strategy {name!r} is unknown; {hint}")
    if look_up is None:
        raise OptionError(f"strategy {name!r} plays from solved states; give look_up, which finds the state of a turn")
    return SolvedStates(look_up, SOLVED[name])
