"""The player of a level in a bidding game."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BiddingRules
from analysis.bidding.players.greedy_bidder import GreedyBidder
from analysis.bidding.players.uniform_bidder import UniformBidder
from analysis.errors import OptionError

Solve = Callable[[], BiddingSolution]


class BiddingLevel(Protocol):
    """What the text of a level says; `analysis.playing.players.levels.parse_level` gives these."""

    @property
    def kind(self) -> str:
        """``random``, ``greedy``, ``depth``, ``perfect`` or ``blunder``."""

    @property
    def depth(self) -> int:
        """Rounds that ``depth:N`` looks ahead."""

    @property
    def chance(self) -> Fraction:
        """How often ``blunder:P`` decides at random."""

    @property
    def shortest(self) -> bool:
        """Whether it is ``perfect:shortest``."""


def make_player(level: BiddingLevel, name: str, table: BiddingRules, solve: Solve) -> BiddingPlayer:
    """The player of a level; ``solve`` gives those that play by the solution the game's, when it is needed. Raises
    `OptionError` for a level that bidding games do not have.
    """
    if level.shortest:
        raise OptionError(
            f"level {name!r} is not for bidding games: bids by lot leave no remoteness to shorten; write perfect"
        )
    if level.kind == "random":
        return UniformBidder(table, name)
    if level.kind == "greedy":
        return GreedyBidder(table, name)
    if level.kind == "depth":
        from analysis.bidding.players.depth_bidder import DepthBidder

        return DepthBidder(table, name, level.depth)
    if level.kind in ("perfect", "blunder"):
        from analysis.bidding.players.perfect_bidder import PerfectBidder

        return PerfectBidder(table, name, solve(), level.chance)
    raise OptionError(f"level {name!r} is not for bidding games; they have random, greedy, depth:N, perfect, blunder:P")
