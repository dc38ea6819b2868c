"""Two sorted arrays of states, walked through side by side."""

from __future__ import annotations

from analysis.engine.kernels import types as t
from analysis.engine.kernels.types import kernel

MISSING = -1
"""An answer: a state that is looked for is not there."""


@kernel(t.int64(t.int64s, t.int64s, t.int64s))
def merge_rows(states, wanted, rows):
    """Write the row in ``states`` of each of the ``wanted``; both ascend. Returns 0 or `MISSING`."""
    i = 0
    for j in range(len(wanted)):
        while i < len(states) and states[i] < wanted[j]:
            i += 1
        if i == len(states) or states[i] != wanted[j]:
            return MISSING
        rows[j] = i
    return 0
