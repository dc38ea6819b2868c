"""The pruning laboratory: searches of games and explicit trees, and how many nodes each visits.

>>> from analysis.search import alphabeta
>>> alphabeta("tictactoe").nodes
18297
"""

from ..common.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
