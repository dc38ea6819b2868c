"""Solve ranges of games into one table, and compare it with an earlier one.

>>> from analysis.sweeps import sweep
>>> found = sweep("hexapawn:rows=2..3,cols=3")
>>> [(row["game"], row["status"], row["value"]) for row in found]
[('hexapawn:rows=2,cols=3', 'refused', None), ('hexapawn:rows=3,cols=3', 'solved', -1)]
"""

from analysis.machine.attaching import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
