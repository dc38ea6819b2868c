"""Play tournaments of bots and levels of play, rate them, and judge every move by the complete solution.

>>> from analysis.tournaments import elo_ratings
>>> [round(rating.elo) for rating in elo_ratings([[0, 3], [1, 0]])]
[85, -85]
"""

from analysis.machine.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
