"""How much of a solution is in memory at a time while it is verified."""

from __future__ import annotations

import pyarrow as pa

from analysis.checks.solutions.digits import WIDTH
from analysis.engine.columns import COUNT_COLUMNS

NUMBER, TEXT = 8, 100
"""Bytes of a number of a row and of a text, of which copies are made while they are read; a decimal takes two."""


class Room:
    """What fits into so many bytes: two fifths are for tiers that are held, two for rows that are checked."""

    def __init__(self, memory: int, schema: pa.Schema) -> None:
        self.memory = memory
        counted = COUNT_COLUMNS[0] in schema.names
        limbs = sum(pa.types.is_decimal(field.type) for field in schema) // len(COUNT_COLUMNS) + counted
        digits = NUMBER * WIDTH * counted
        row = sum(TEXT if pa.types.is_string(field.type) else NUMBER for field in schema)
        row += NUMBER * len(COUNT_COLUMNS) * max(0, limbs - 1)
        self._held = row + NUMBER + 2 * digits
        self._parent = 2 * row + 8 * NUMBER + len(COUNT_COLUMNS) * digits
        self._move = 15 * NUMBER + NUMBER * len(COUNT_COLUMNS) * limbs + 6 * digits

    def holds(self, rows: int) -> bool:
        """Whether so many rows may stay in memory."""
        return rows * self._held <= 0.4 * self.memory

    def rows(self, branching: float) -> int:
        """So many rows, with as many moves each, may be checked together."""
        return max(1, int(0.4 * self.memory / (self._parent + branching * self._move)))

    def states(self) -> int:
        """So many states may be sorted."""
        return max(1, int(0.2 * self.memory / (4 * NUMBER)))
