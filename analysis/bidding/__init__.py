"""Bidding games: before every move both players bid chips in secret, and the higher bid buys the move.

>>> from analysis.bidding import find_thresholds
>>> find_thresholds("tictactoe").thresholds[0].threshold
Fraction(133, 256)
"""

from analysis.machine.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
