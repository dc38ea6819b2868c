"""The player of a level in a bidding game."""

from __future__ import annotations

from collections.abc import Callable

from analysis.bidding.bidding_solution import BiddingSolution
from analysis.bidding.players.bidder import BiddingPlayer
from analysis.bidding.players.bidding_rules import BiddingRules
from analysis.bidding.players.depth_bidder import DepthBidder
from analysis.bidding.players.greedy_bidder import GreedyBidder
from analysis.bidding.players.solved_bidder import PerfectBidder
from analysis.errors import OptionError
from analysis.playing.players.levels import Level

Solve = Callable[[], BiddingSolution]


def make_player(level: Level, name: str, table: BiddingRules, solve: Solve) -> BiddingPlayer:
    """The player of a ``level``, of which ``name`` is the text, at a ``table``; ``solve`` gives those that play by the
    solution the game's, when it is needed. Raises `OptionError` for a level that bidding games do not have.
    """
    if level.shortest:
        raise OptionError(
            f"level {name!r} is not for bidding games: bids by lot leave no remoteness to shorten; write perfect"
        )
    if level.kind == "random":
        return BiddingPlayer(table, name)
    if level.kind == "greedy":
        return GreedyBidder(table, name)
    if level.kind == "depth":
        return DepthBidder(table, name, level.depth)
    if level.kind in ("perfect", "blunder"):
        return PerfectBidder(table, name, solve(), level.chance)
    raise OptionError(f"level {name!r} is not for bidding games; they have random, greedy, depth:N, perfect, blunder:P")
