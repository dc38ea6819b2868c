"""Bidding games: before every move both players bid chips in secret, and the higher bid buys the move.

>>> from analysis.bidding import solve
>>> solve("bidding:game=tictactoe,chips=4").root.value
Fraction(1, 1)
"""

from ..common.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
