"""Levels of play, bots, and matches between them.

>>> from analysis.playing import expect
>>> expect("tictactoe", "perfect", "random").x_wins
Fraction(75257, 77760)
"""

from ..machine.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
