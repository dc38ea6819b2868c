"""Sums: impartial games solved by the independent parts of their positions.

>>> from analysis.sums import solve
>>> solve("sum:cram:rows=3,cols=6").nimber
4
"""

from analysis.machine.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
