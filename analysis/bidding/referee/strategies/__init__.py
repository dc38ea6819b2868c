"""The players of the referee's protocol, by name: one file each."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable

from analysis.bidding.referee.referee_protocol import Strategy
from analysis.bidding.referee.strategies.looked_up import LookUp
from analysis.bidding.referee.strategies.minimax_bids import Minimax
from analysis.bidding.referee.strategies.perfect_bids import PerfectBids
from analysis.bidding.referee.strategies.random_bids import RandomBids
from analysis.bidding.referee.strategies.rules_of_thumb import RulesOfThumb
from analysis.errors import OptionError


@dataclasses.dataclass(frozen=True)
class StrategyLevel:
    """One level of play."""

    name: str
    description: str
    make: Callable[[], Strategy] | None = None
    make_solved: Callable[[LookUp], Strategy] | None = None
    """Instead of ``make`` where it plays from solved states: it is given the way to look them up."""


LEVELS = {
    level.name: level
    for level in (
        StrategyLevel("random", "any bid, any free cell, all alike", make=RandomBids),
        StrategyLevel("rules", "three rules of thumb, random where none applies", make=RulesOfThumb),
        StrategyLevel("minimax", "the line evaluation at a depth", make_solved=Minimax),
        StrategyLevel("perfect", "the solved game", make_solved=PerfectBids),
    )
}
DEFAULT = "perfect"


def make_strategy(name: str = DEFAULT, look_up: LookUp | None = None) -> Strategy:
    """The player of this name; ``look_up`` gives those that play from solved states the state of a turn. It is called
    at a turn, not before, so it may solve when it is first asked. Raises `OptionError` if there is none of the name.

    >>> sorted(LEVELS)
    ['minimax', 'perfect', 'random', 'rules']
    >>> make_strategy("rulse")
    Traceback (most recent call last):
    analysis.errors.OptionError: strategy 'rulse' is unknown; did you mean 'rules'?
    """
    level = LEVELS.get(name)
    if level is None:
        close = difflib.get_close_matches(name, list(LEVELS), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(LEVELS)}"
        raise OptionError(f"strategy {name!r} is unknown; {hint}")
    if level.make:
        return level.make()
    if level.make_solved is None or look_up is None:
        raise OptionError(f"strategy {name!r} plays from solved states; give look_up, which finds the state of a turn")
    return level.make_solved(look_up)
