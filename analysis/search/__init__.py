"""The pruning laboratory: searches of games and explicit trees, and how many nodes each visits.

>>> from analysis.search import alphabeta
>>> alphabeta("tictactoe").nodes
18297
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
