"""How much of a solution is in memory at a time while it is verified."""

from __future__ import annotations

import pyarrow as pa

from analysis.checks.solutions.replay import BATCH
from analysis.engine.columns import COUNT_COLUMNS

NUMBER, TEXT = 8, 100
"""Bytes of a number of a row and of a text, of which copies are made while they are read; a decimal takes two."""

AT_ONCE = 4
"""Batches that may be checked at once, however little memory there is."""


class Room:
    """What fits into so many bytes: two fifths are for tiers that are held, one for rows that are checked, one for the
    children of such rows.
    """

    def __init__(self, memory: int, schema: pa.Schema) -> None:
        self.memory = memory
        counted = COUNT_COLUMNS[0] in schema.names
        limbs = sum(pa.types.is_decimal(field.type) for field in schema) // len(COUNT_COLUMNS) + counted
        numbers = NUMBER * len(COUNT_COLUMNS)
        row = sum(TEXT if pa.types.is_string(field.type) else NUMBER for field in schema) + numbers * max(0, limbs - 1)
        widths = sum(TEXT if pa.types.is_string(field.type) else -(-field.type.bit_width // 8) for field in schema)
        self._held = max(widths, row * (limbs > 1)) + 5 * NUMBER + numbers * limbs + 2 * NUMBER * counted
        self._parent = 2 * row + 8 * NUMBER + 2 * numbers * limbs
        self._move = 5 * NUMBER + numbers * limbs
        self._child = 8 * NUMBER + 3 * numbers * limbs

    def holds(self, rows: int) -> bool:
        """Whether so many rows may stay in memory."""
        return rows * self._held <= 0.4 * self.memory and rows < 1 << 32

    def batch(self, most_moves: int) -> int:
        """So many rows, with at most as many moves each, are checked together, in one thread."""
        return max(1, min(BATCH, int(0.2 * self.memory / AT_ONCE / (self._parent + most_moves * self._move))))

    def threads(self, most_moves: int) -> int:
        """Threads that may check a batch each."""
        return max(1, int(0.2 * self.memory / (self.batch(most_moves) * (self._parent + most_moves * self._move))))

    def span(self, branching: float) -> int:
        """Rows, with as many moves each, whose children may be in memory beside tiers that are held."""
        return max(1, int(0.2 * self.memory / (max(1, branching) * self._child)))

    def states(self) -> int:
        """So many states may be sorted."""
        return max(1, int(0.2 * self.memory / (4 * NUMBER)))
