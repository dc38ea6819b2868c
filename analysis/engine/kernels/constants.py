"""Numbers that kernels and what reads their arrays agree on; nothing is compiled here."""

from __future__ import annotations

import numpy as np

NEVER = np.uint16(65535)
"""Remoteness of a position from which play never ends (null in the tables); no other position is that remote."""

POSITIONS, CLASSES, MOVES = 0, 1, 2
VALUE, TERMINAL, DRAWN = 3, 6, 9
"""What a census of a tier counts: entries 3..5 are positions worth less than 0, 0 (ties only) and more than 0; entries
6..8 those of them that are terminal; entry 9 drawn positions, from which play never ends."""
ENTRIES = 10
