"""Minimax to a depth: the bids of the game that ends after a few rounds, with the evaluation of lines there."""

from __future__ import annotations

from analysis.bidding.referee.strategies.looked_up import SolvedStates


class Minimax(SolvedStates):
    """Plays from states solved to a depth; what is further away counts as the evaluation ``lines`` says."""

    source = "by the line evaluation at a depth"
