"""`minimax` and `alphabeta` as a textbook calls them, on explicit trees and games alike."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.errors import OptionError, TooLargeError
from analysis.machine.arguments import checked
from analysis.search.catalogue import ALGORITHMS, Task, Window
from analysis.search.kernels import layout
from analysis.search.kernels.layout import GREATEST_PAYOFF, INFINITY
from analysis.search.targets import Target, find_problem
from analysis.search.visits import Visit, read_visits
from analysis.search.workspace import MOST_PLIES, Workspace

MOST_VISITS = 1_000_000
"""Visits that a result lists, at most."""


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """What a search found and where it went."""

    value: int
    """The first player's value: exact if it lies inside the window, else a bound."""
    best: Any
    """The best child of the root, the first of equals: a node, or the text of a position. None where the root is a
    leaf, and where all its children are only known to be too bad for the window.
    """
    move: int | None
    """The code of the move to it: for a tree, which child it is, from 0."""
    nodes: int
    """Calls of the search, the root and leaves included."""
    leaves: int
    """Nodes where the game is over or the depth is spent."""
    cutoffs: int
    """Times that alpha >= beta held after a child."""
    cutoffs_effective: int
    """Those of them that skipped a child."""
    _search: Callable[[], list[Visit]] = dataclasses.field(repr=False, compare=False)

    @functools.cached_property
    def visits(self) -> list[Visit]:
        """Every call, in order, with its window, its value and the children that it cut: the search is repeated for
        it. Raises `TooLargeError` for more than `MOST_VISITS`.
        """
        if self.nodes > MOST_VISITS:
            raise TooLargeError(f"{self.nodes:,} visits are more than the {MOST_VISITS:,} that are listed; try a depth")
        return self._search()

    @property
    def values(self) -> dict[Any, int]:
        """The value that each visited node returned (the last one, if it was visited more than once)."""
        return {visit.node: visit.value for visit in self.visits if visit.value is not None}

    @property
    def cut(self) -> list[Any]:
        """The nodes that were cut off, in order; what is below them was not visited either."""
        return [node for visit in self.visits for node in visit.cut]


@checked
def minimax(
    what: Target,
    source: Any = None,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> SearchResult:
    """The value of ``source`` by visiting everything below it.

    ``what`` is a `networkx.DiGraph` whose leaves carry ``value`` (any whole numbers), a `TreeFile`, a game, or the text
    of a game or a tree as ``gametree prune`` takes it; ``source`` a node (default: the root), or the text of a position
    (default: the start); ``depth`` the plies after which a node counts ``evaluate(node)``, or the value that it carries
    (of a game: ``evaluate`` is the name of one of its evaluations); ``maximizing`` whether the first player moves at
    the source of a tree (default), and then the sides in turn. Raises `TreeError` for a tree that cannot be searched,
    `OptionError`, and what `analysis.load_game` and ``parse_position`` raise.

    >>> import networkx
    >>> tree = networkx.DiGraph([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    >>> for leaf, value in zip("cdef", (3, 12, 2, 8)):
    ...     tree.nodes[leaf]["value"] = value
    >>> minimax(tree).value, minimax(tree).best
    (3, 'a')
    >>> minimax("tictactoe", "XX?OO????").value
    1
    """
    return _search("minimax", Window(), what, source, depth=depth, maximizing=maximizing, evaluate=evaluate)


@checked
def alphabeta(
    what: Target,
    source: Any = None,
    depth: int | None = None,
    alpha: float = -math.inf,
    beta: float = math.inf,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> SearchResult:
    """The value of ``source`` if it lies between ``alpha`` and ``beta`` (infinite, or whole numbers), else a bound, by
    fail-soft alpha-beta (Knuth and Moore 1975; Fishburn 1983): children in their own order, cut where alpha >= beta.
    ``what``, ``source``, ``depth`` (plies), ``maximizing`` and ``evaluate``, and the errors, are those of `minimax`;
    also `OptionError` for a window that is none.

    >>> result = alphabeta("root(a(c:3 d:12) b(e:2 f:8))")
    >>> result.value, result.best, result.values["b"], result.cut
    (3, 'a', 2, ['f'])
    """
    window = Window(_end(alpha, "alpha"), _end(beta, "beta"), f"{alpha}..{beta}")
    if window.alpha >= window.beta:
        raise OptionError(f"alpha {alpha} is not below beta {beta}")
    return _search("alphabeta", window, what, source, depth=depth, maximizing=maximizing, evaluate=evaluate)


def _search(name: str, window: Window, what: Target, source: Any, **options: Any) -> SearchResult:
    problem = find_problem(what, source, **options)
    task = Task(ALGORITHMS[name], window=window)

    def visited(most: int, plies: int) -> tuple[int, Workspace]:
        workspace = Workspace(problem, task, visits=most, visit_plies=plies)
        value, stopped = workspace.run(task.algorithm.load())
        if value is None:
            raise OptionError(f"{problem.name} cannot be searched: {stopped}")
        return value, workspace

    value, workspace = visited(problem.most + 1, 1)
    nodes = workspace[layout.NODES]
    root, *children = read_visits(problem, workspace.visits())
    too_bad = root.maximizing is not None and (value <= window.alpha if root.maximizing else value >= window.beta)
    best = next((visit for visit in children if visit.value == value and not too_bad), None)
    return SearchResult(
        value,
        None if best is None else best.node,
        None if best is None else best.move,
        nodes,
        workspace[layout.LEAVES],
        workspace[layout.CUTOFFS],
        workspace[layout.EFFECTIVE],
        lambda: read_visits(problem, visited(nodes, MOST_PLIES)[1].visits()),
    )


def _end(bound: Any, name: str) -> int:
    if isinstance(bound, (float, np.floating)) and math.isinf(bound):
        return INFINITY if bound > 0 else -INFINITY
    is_number = isinstance(bound, (int, float, np.number))
    if not is_number or bound != bound // 1 or abs(int(bound)) > GREATEST_PAYOFF:
        raise OptionError(f"{name} {str(bound)[:40]} is neither infinite nor a whole number within 2**62")
    return int(bound)
