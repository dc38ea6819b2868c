"""Sums: impartial games solved by the independent parts of their positions.

>>> from analysis.sums import solve
>>> solve("sum:cram:rows=3,cols=6").nimber
4
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
