"""Loop over arrays: compiled functions without objects, input or output. Their meaning is explained one layer up.

Every kernel has an explicit signature and takes the game as a first-class function, so it is compiled once per
installation and not once per game. ``NUMBA_DISABLE_JIT=1`` runs the same code as ordinary Python. This file has the
numbers shared with readers of the arrays; importing it does not load the compiler.
"""

from __future__ import annotations

import numpy as np

NEVER = np.uint16(65535)
"""The remoteness of a position from which play never ends (null in the tables); no other position has it."""

POSITIONS, CLASSES, MOVES = 0, 1, 2
VALUE, TERMINAL, DRAWN = 3, 6, 9
"""The entries of a tier's census: 3..5 count positions worth less than 0, 0 (ties only) and more than 0; 6..8 those of
them that are terminal; 9 drawn positions, from which play never ends.
"""
ENTRIES = 10

MISSING = -1
"""The result of a kernel if a state that it looks for is missing."""

BLOCK = 64
"""The states of one word of a bit set, and of one offset into the lists of parents of a tier where play may return."""
