"""What a solve will hold in memory, pass by pass, so that it can be refused before it starts or goes on."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from analysis.engine.columns import PART
from analysis.machine.memory import Budget

LOADING, FINDING = "compiling the rules", "finding positions"
"""What a solve says that it is doing first."""

STATE = 8
"""Bytes of a state."""
LABELS = 8
"""Bytes of what a solved state has besides: mover, value, remoteness, branching, orbit size."""
LIMB = 8
"""Bytes of a limb of a count."""


def not_asked(_: int) -> None:
    """Say nothing of what is still to come."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """The shape of a solve. With ``fields`` tallies a state (0: nothing is counted); solved tiers stay ``in_memory`` or
    are written and dropped.
    """

    budget: Budget
    in_memory: bool
    fields: int
    threads: int = 1
    ahead: Callable[[int], None] = not_asked
    """Called now and then while states are found, with how many there are; it raises `TooLargeError` where what is to
    come cannot fit.
    """

    def waiting(self, limbs: int = 1) -> int:
        """Bytes of a state from its discovery until it is solved."""
        return STATE + LIMB * limbs * bool(self.fields)

    def solved(self, limbs: int = 1) -> int:
        """Bytes of a solved state."""
        return self.waiting(limbs) + LABELS + LIMB * limbs * self.fields

    def backward(self, tiers: Sequence[float], limbs: int = 1) -> float:
        """The peak of the backward pass over tiers of these sizes: what waits, what is solved, and two hash tables, one
        in use and one being made.
        """
        return self.peak(sum(tiers), max(tiers), limbs)

    def peak(self, total: float, largest: float, limbs: int = 1) -> float:
        """The peak of the backward pass over tiers of ``total`` states of which one has ``largest``."""
        if self.in_memory:
            return total * self.solved(limbs) + 2 * table_bytes(largest)
        written_at_once = min(self.threads * PART, largest)  # as arrays in Parquet's encoding beside the tier's own
        solved = (2 * largest + written_at_once) * self.solved(limbs)
        return total * self.waiting(limbs) + solved + 2 * table_bytes(largest)


def table_bytes(states: float) -> int:
    """Bytes of the hash table of a tier."""
    return 8 << table_bits(int(states))


def table_bits(states: int) -> int:
    """A hash table for so many states has two to this power of slots, and is at most half full."""
    return max(4, (2 * states - 1).bit_length())
