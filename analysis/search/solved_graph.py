"""The graph of all positions below a root, solved: values for orders of moves, and the least that must be visited.

A proof that the root's value is at least v is a strategy of the first player: one move where he moves, all of them
where the other does. A proof that it is at most v is one of the second player. Alpha-beta with an infinite window has
to see both, and two such strategies share exactly one line of play; so it visits at least the nodes of the smallest
such pair, and with the best order no more (Knuth and Moore 1975, section 5: on a uniform tree of breadth b and depth d
these are b**ceil(d/2) + b**floor(d/2) - 1 leaves). In a window that the value lies beyond, one of them is enough.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from analysis.engine.kernels.states import drop_repeats
from analysis.errors import RulesError
from analysis.machine.memory import readable
from analysis.machine.workers import Progress, no_progress
from analysis.search.catalogue import UNBOUNDED, Settings, Task, Window
from analysis.search.kernels import graph_values, layout
from analysis.search.problem import SearchProblem
from analysis.search.workspace import Workspace

STATE_BYTES = 200
"""Bytes of the tables for each class, its moves included."""

MOST_CLASSES = 5_000_000
"""Larger graphs are not solved here: the laboratory then goes without."""


@dataclasses.dataclass(frozen=True)
class Size:
    """Nodes and leaves of a tree."""

    nodes: int
    leaves: int


class Unsolved(str):
    """Why a graph is not solved."""


@dataclasses.dataclass(frozen=True)
class SolvedGraph:
    """All classes of positions below the root of a problem; row 0 is the root."""

    table: np.ndarray  # int64[2 * slots], see `layout.SOLVED`
    known: np.ndarray  # int64[classes, KNOWN], see `layout`
    first: np.ndarray  # int64[classes + 1]: where the children of each row begin
    children: np.ndarray  # uint32[moves]: rows
    sides: np.ndarray  # int8[classes]: who moves, 0 at a leaf
    symmetry: str
    """The group whose least images the table holds; with a symmetry of its own, a search uses the same."""
    longest: int
    """Plies of the longest line of play."""
    _proved: list[Window] = dataclasses.field(default_factory=list)
    """The window whose proofs are in ``known``."""
    _least: dict[Window, Size | None] = dataclasses.field(default_factory=dict)

    @property
    def value(self) -> int:
        """The value of the root."""
        return int(self.known[0, layout.VALUE])

    @property
    def tree(self) -> Size | None:
        """The whole tree, as minimax visits it; None if it has more than 2**60 nodes."""
        return self._size(layout.TREE_NODES, layout.TREE_LEAVES)

    def least(self, window: Window = Window()) -> Size | None:
        """The smallest numbers of nodes and of leaves (each for itself) that show all that a window asks for; None if
        they are more than 2**60.
        """
        if window not in self._least:
            columns = {
                "exact": (layout.BOTH_NODES, layout.BOTH_LEAVES),
                "lower": (layout.LOWER_NODES, layout.LOWER_LEAVES),
                "upper": (layout.UPPER_NODES, layout.UPPER_LEAVES),
            }
            self._least[window] = self._size(*columns[self.prove(window)])
        return self._least[window]

    def prove(self, window: Window) -> str:
        """Have the smallest proofs of what a window asks for in ``known``, for orders of moves to look at, until those
        of another window are asked for; returns what that is, see `Window.bound`.
        """
        bound = window.bound(self.value)
        if self._proved != [window]:
            self._proved[:] = [window]
            low, high = {
                "exact": (self.value, self.value),
                "lower": (window.beta, -layout.INFINITY),
                "upper": (layout.INFINITY, window.alpha),
            }[bound]
            graph_values.prove_all(self.first, self.children, self.sides, self.known, low, high)
        return bound

    def _size(self, nodes: int, leaves: int) -> Size | None:
        found = Size(int(self.known[0, nodes]), int(self.known[0, leaves]))
        return None if max(found.nodes, found.leaves) >= graph_values.MANY else found


def solve_problem(
    problem: SearchProblem,
    *,
    symmetry: str = "geometric",
    settings: Settings = UNBOUNDED,
    most: int = MOST_CLASSES,
    progress: Progress = no_progress,
) -> SolvedGraph | Unsolved:
    """The graph below a root, or why there is none: it has more than ``most`` classes of positions under the
    ``symmetry``, no end, or does not fit the memory of the ``settings``. Raises `RulesError` where the rules fail or
    count a position more or less than they may, and `TooLargeError` where even one row of moves does not fit.
    """
    workspace = Workspace(problem, Task(symmetry=symmetry), settings)
    tiers = _forward(workspace, most, settings.budget().limit, progress)
    if isinstance(tiers, Unsolved):
        return tiers
    states, plies = np.concatenate(tiers), np.repeat(np.arange(len(tiers)), [len(tier) for tier in tiers])
    rows = len(states) - 1 - np.unique(states[::-1], return_index=True)[1]  # the last occurrence of each state
    if len(rows) < len(states) and problem.depth is not None:
        return Unsolved("a position is reached after different numbers of plies, and counts differently at this depth")
    rows.sort()
    states, stops = states[rows], (plies[rows] == problem.depth).astype(np.uint8)
    table = np.zeros(2 << max(4, (2 * len(states)).bit_length()), dtype=np.int64)
    workspace.point_to_solved(table)
    graph_values.index(workspace.address, states)
    first, sides = np.empty(len(states) + 1, dtype=np.int64), np.empty(len(states), dtype=np.int8)
    payoffs = np.empty(len(states), dtype=np.int64)
    children = np.empty(sum(len(tier) for tier in tiers) * problem.most, dtype=np.uint32)
    linking = (problem.expand, workspace.address, states, stops, first, children, sides, payoffs)
    total = workspace.watched(graph_values.link_all, *linking)
    children = children[:total].copy()
    least, greatest = problem.payoffs
    wrong = np.flatnonzero((sides == 0) & (stops == 0) & ((payoffs < least) | (payoffs > greatest)))
    if len(wrong):
        position = problem.describe(int(states[wrong[0]]))
        raise RulesError(
            f"position {position} counts {payoffs[wrong[0]]}, outside the bounds {least} to {greatest} in its rules"
        )
    known = np.zeros((len(states), layout.KNOWN), dtype=np.int64)
    graph_values.value_all(first, children, sides, payoffs, known)
    return SolvedGraph(table, known, first, children, sides, symmetry, len(tiers) - 1)


def _forward(workspace: Workspace, most: int, memory: int, progress: Progress) -> list[np.ndarray] | Unsolved:
    """The classes of each ply, sorted, or why they are not all there."""
    problem = workspace.problem
    tiers = [np.array([workspace.canonical_root()], dtype=np.int64)]
    total = 1
    while len(tiers[-1]) and total <= most and len(tiers) <= workspace.plies + 1:
        room = len(tiers[-1]) * problem.most
        if 16 * room + STATE_BYTES * total > memory:
            needed = readable(16 * room + STATE_BYTES * total)
            return Unsolved(f"solving it takes more than {needed}, and --memory allows {readable(memory)}")
        children = np.empty(room, dtype=np.int64)
        stop = int(len(tiers) - 1 == problem.depth)
        n = workspace.watched(graph_values.expand_all, problem.expand, workspace.address, tiers[-1], stop, children)
        found = np.sort(children[:n])
        tiers.append(found[: drop_repeats(found)].copy())
        total += len(tiers[-1])
        workspace.check_rules()
        progress("solving", total, None)
    if not len(tiers[-1]):
        return tiers[:-1]
    if total > most:
        return Unsolved(f"there are more than {most:,} classes of positions")
    return Unsolved("play can go on without an end")
