"""What the rules and the states after them say of states: values, remoteness and nimbers."""

from __future__ import annotations

import dataclasses

import numpy as np

from analysis.checks.solutions.kernels.deriving import find_labels, find_nimbers
from analysis.checks.solutions.kernels.expanding import ReplayedMoves
from analysis.checks.solutions.known import Known


@dataclasses.dataclass
class Children:
    """What is stored of the child of each move."""

    rows: np.ndarray  # int64[moves], where in what follows
    labels: np.ndarray  # int32[n]
    nimbers: np.ndarray | None  # uint8[n], of an impartial game
    tallies: np.ndarray | None  # uint64[n, FIELDS, limbs], where games are counted
    found: list[tuple[Known, np.ndarray, np.ndarray | slice]]
    """For each tier that moves lead to: what is known of it, the rows there, and which moves these are."""


class Derived:
    """What the rules and the children say of some states."""

    def __init__(self, expanded: ReplayedMoves, child: Children) -> None:
        self.expanded, self.child = expanded, child
        n = len(expanded.branching)
        self.value, self.remoteness = np.empty((2, n), dtype=np.int64)
        self.kept = np.empty(len(expanded.children), dtype=bool)
        """Whether each move keeps the value."""
        self.quotient: np.ndarray | None = None
        """Paths to the end in the graph of classes, uint64[n, limbs], once they are counted."""
        find_labels(expanded, child.rows, child.labels, self.value, self.remoteness, self.kept)

    @property
    def over(self) -> np.ndarray:
        """Whether the game is over."""
        return np.asarray(self.expanded.branching == 0)

    def nimbers(self) -> np.ndarray:
        """Those of an impartial game."""
        assert self.child.nimbers is not None
        found = np.empty(len(self.value), dtype=np.int64)
        find_nimbers(self.expanded.branching, self.child.rows, self.child.nimbers, found)
        return found
