"""One pass over solved states that counts positions by what they are."""

from __future__ import annotations

import numba
import numpy as np

from analysis.engine.kernels.constants import CLASSES, DRAWN, MOVES, NEVER, POSITIONS, TERMINAL, VALUE
from analysis.engine.kernels.types import int64_table, int64s, kernel, labels_type, uint16s


@kernel(numba.void(labels_type, uint16s, int64s, int64_table))
def census(labels, orbits, totals, by_remoteness):
    """Add a chunk to ``totals`` [ENTRIES] and to ``by_remoteness`` [remoteness, 3]: positions that the mover loses,
    ties and wins, draws left out.
    """
    branching, movers, values, remoteness = labels
    for i in range(len(values)):
        orbit = np.int64(orbits[i])
        sign = 1 if values[i] > 0 else -1 if values[i] < 0 else 0
        totals[POSITIONS] += orbit
        totals[CLASSES] += 1
        totals[MOVES] += orbit * branching[i]
        if remoteness[i] == NEVER:
            totals[DRAWN] += orbit
            continue
        totals[VALUE + 1 + sign] += orbit
        if branching[i] == 0:
            totals[TERMINAL + 1 + sign] += orbit
        by_remoteness[remoteness[i], 1 + movers[i] * sign] += orbit
