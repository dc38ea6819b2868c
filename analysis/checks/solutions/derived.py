"""What the rules and the states after them say of states: values, remoteness, nimbers and counts.

They come from NumPy reductions, so that they share nothing with the solver's kernels.
"""

from __future__ import annotations

import dataclasses
from typing import Self

import numpy as np

from analysis.checks.solutions.digits import WIDTH, from_limbs, sums
from analysis.checks.solutions.stored_rows import StoredRows
from analysis.engine.columns import COUNT_COLUMNS, NEVER
from analysis.engine.kernels.states import ReplayedMoves

TALLIES = COUNT_COLUMNS[1:]
"""Counts that follow from the children."""


@dataclasses.dataclass
class Children:
    """What is stored of the child of each move, gathered from the tiers that they are in."""

    number: np.ndarray  # int64[moves], a number of its own for every state
    value: np.ndarray  # int32[moves]
    remoteness: np.ndarray  # int32[moves], NEVER in a draw
    nimber: np.ndarray  # int32[moves], 0 where the game has none
    counts: dict[str, np.ndarray]  # uint64[moves, limbs]

    @classmethod
    def unknown(cls, moves: int, limbs: int) -> Self:
        """So many, to be filled in; without ``limbs`` nothing is counted."""
        value, remoteness, nimber = np.zeros((3, moves), dtype=np.int32)
        counts = {name: np.empty((moves, limbs), dtype=np.uint64) for name in TALLIES if limbs}
        return cls(np.empty(moves, dtype=np.int64), value, remoteness, nimber, counts)

    def fill(self, places: np.ndarray, stored: StoredRows, rows: np.ndarray, first_number: int) -> None:
        """Take over what is stored of the children at these places."""
        self.number[places] = first_number + stored.begin + rows
        self.value[places], self.remoteness[places] = stored.value[rows], stored.remoteness[rows]
        if "nimber" in stored.table.column_names:
            self.nimber[places] = stored.nimber[rows]
        for name, numbers in self.counts.items():
            numbers[places] = stored.limbs(name)[rows]


class Derived:
    """What the rules and the children say of some states."""

    def __init__(self, expanded: ReplayedMoves, child: Children) -> None:
        self.mover, self.branching = expanded.movers, expanded.branching.astype(np.int64)
        self.over = self.branching == 0
        self.value = np.where(self.over, expanded.payoffs, 0)
        self.remoteness, self.nimber = np.zeros((2, len(self.value)), dtype=np.int64)
        self.counts: dict[str, np.ndarray] = {}
        """Digits, uint64[n, WIDTH]."""
        self.kept = np.zeros(len(expanded.rows), dtype=bool)
        """Whether each move keeps the value."""
        self._parent_of, self._child = expanded.rows, child
        self._going_on = np.flatnonzero(~self.over)
        self._starts = np.concatenate(([0], np.cumsum(self.branching[self._going_on])))[: len(self._going_on)]
        if len(self._starts):
            self._label()
        if child.counts:
            self._count()

    def _label(self) -> None:
        """Value, remoteness and nimber where the game goes on."""
        parents, starts, parent_of, child = self._going_on, self._starts, self._parent_of, self._child
        best = np.maximum.reduceat(child.value * self.mover[parent_of], starts)  # as the mover sees it
        self.value[parents] = best * self.mover[parents]
        self.kept = child.value == self.value[parent_of]
        fastest = np.minimum.reduceat(np.where(self.kept, child.remoteness, 1 << 30), starts)
        slowest = np.maximum.reduceat(np.where(self.kept, child.remoteness, -1), starts)
        plies = 1 + np.where(best >= 0, fastest, slowest)
        self.remoteness[parents] = np.where((best == 0) & (fastest == NEVER), NEVER, plies)
        self.nimber[parents] = _least_missing(child.nimber, starts)

    def _count(self) -> None:
        """One game and one path where the game is over, else what the children have."""
        ended = {"games_x": self.value > 0, "games_o": self.value < 0, "games_tie": self.value == 0}
        for name in TALLIES:
            self.counts[name] = self._digits(ended.get(name, True))
        if not len(self._starts):
            return
        hurries = self.kept & (self._child.remoteness + 1 == self.remoteness[self._parent_of])
        for name, numbers in self._child.counts.items():
            counted = {"optimal_paths": self.kept, "shortest_paths": hurries}.get(name)
            self.counts[name][self._going_on] = sums(from_limbs(numbers), self._starts, counted)

    def quotient_paths(self, of_children: np.ndarray) -> np.ndarray:
        """Paths to the end in the graph of classes, as digits, by those of the child of each move: one edge at most
        leads from one class to another.
        """
        found = self._digits(True)
        if len(self._starts):
            edges = self._parent_of * (1 + self._child.number.max()) + self._child.number
            first = np.zeros(len(edges), dtype=bool)
            first[np.unique(edges, return_index=True)[1]] = True
            found[self._going_on] = sums(of_children, self._starts, first)
        return found

    def _digits(self, counted: np.ndarray | bool) -> np.ndarray:
        """One for each state that is over and counted."""
        digits = np.zeros((len(self.over), WIDTH), dtype=np.uint64)
        digits[:, 0] = self.over & counted
        return digits


def _least_missing(nimbers: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The least number that does not occur in each run."""
    least = np.full(len(starts), -1)
    candidate = 0
    while (least < 0).any():
        absent = ~np.logical_or.reduceat(nimbers == candidate, starts)
        least[absent & (least < 0)] = candidate
        candidate += 1
    return least


def census(orbit: np.ndarray, branching: np.ndarray, value: np.ndarray, remoteness: np.ndarray) -> list[int]:
    """The counts that the totals hold of some states, see `kernels.census`."""
    sign, over, ends = np.sign(value), branching == 0, remoteness != NEVER
    counts = [int(orbit.sum()), len(orbit), int((orbit * branching).sum())]
    counts += [int(orbit[ends & (sign == s)].sum()) for s in (-1, 0, 1)]
    counts += [int(orbit[over & (sign == s)].sum()) for s in (-1, 0, 1)]
    return [*counts, int(orbit[~ends].sum())]
