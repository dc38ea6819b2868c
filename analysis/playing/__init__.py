"""Play at several levels, match players, judge their moves, and find what a policy loses to a best response.

>>> from analysis.playing import audit, expect
>>> expect("tictactoe", "perfect", "random").x_wins
Fraction(75257, 77760)
>>> found = audit("tictactoe", ["0412637", "01326"])
>>> [(row["side"], row["mistakes"], row["value_lost"]) for row in found.by_side()]
[('X', 1, 1), ('O', 1, 1)]
"""

from ..common.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
