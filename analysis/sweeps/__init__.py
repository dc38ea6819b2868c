"""Solve ranges of games into one table, and compare it with an earlier one.

>>> from analysis.sweeps import sweep
>>> found = sweep("mnk:rows=1..2,cols=3,k=3|4")
>>> [(row["game"], row["status"], row["value"]) for row in found]
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
