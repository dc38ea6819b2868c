"""Loops over arrays: compiled, no objects, no input or output. What they mean is said one layer up.

Every kernel has an explicit signature and takes the game as a first-class function, so it is compiled once per
installation and not once per game. ``NUMBA_DISABLE_JIT=1`` runs the same code as ordinary Python. Here are the numbers
that kernels and readers of their arrays agree on; importing them loads no compiler.
"""

from __future__ import annotations

import numpy as np

NEVER = np.uint16(65535)
"""Remoteness of a position from which play never ends (null in the tables); no other position is that remote."""

POSITIONS, CLASSES, MOVES = 0, 1, 2
VALUE, TERMINAL, DRAWN = 3, 6, 9
"""What a census of a tier counts: entries 3..5 are positions worth less than 0, 0 (ties only) and more than 0; entries
6..8 those of them that are terminal; entry 9 drawn positions, from which play never ends."""
ENTRIES = 10
