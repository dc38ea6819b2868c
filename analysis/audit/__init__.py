"""Judge played games and choices of moves by the complete solution, and find what a policy loses to a best response.

>>> from analysis.audit import audit, exploit
>>> found = audit("tictactoe", ["0412637", "01326"])
>>> [(row["side"], row["mistakes"], row["value_lost"]) for row in found.by_side()]
[('X', 1, 1), ('O', 1, 1)]
"""

from ..machine.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
