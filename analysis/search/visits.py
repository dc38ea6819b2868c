"""Search explicit trees and games by textbook `minimax` and `alphabeta`; list the nodes they visit."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from ..errors import OptionError, TooLargeError
from ..games.trees.numbers import read_value
from .catalogue import ALGORITHMS, Task, Window
from .kernels import layout
from .kernels.layout import GREATEST_PAYOFF, INFINITY
from .problem import SearchProblem
from .targets import Target, find_problem
from .workspace import MOST_PLIES, Workspace

MOST_VISITS = 1_000_000
"""The maximum number of visits that a result lists."""


@dataclasses.dataclass(frozen=True)
class Visit:
    """One call of a search."""

    node: Any
    """The node of an explicit tree, or the text of a position."""
    ply: int
    parent: int | None
    """The number of the calling visit, or None."""
    move: int | None
    """The code of the move that leads here: in a tree, the index of the child, from 0."""
    alpha: float
    beta: float
    value: float | None
    """The returned value: exact, or a bound if it lies outside the window; None if the call never returned."""
    maximizing: bool | None
    """Whether the first player moves; None at a leaf."""
    answered: bool
    """Whether the table answered, so that nothing below was visited."""
    cut: tuple[Any, ...]
    """The children that were never visited."""


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """The outcome of a search, and the nodes it visited."""

    value: float
    """The first player's value: exact if it lies inside the window, else a bound."""
    best: Any
    """The best child of the root, the first of equals: a node, or the text of a position. None if the root is a leaf,
    or if all its children are known only to fall outside the window.
    """
    move: int | None
    """The code of the move to it: in a tree, the index of the child, from 0."""
    nodes: int
    """Calls of the search, the root and leaves included."""
    leaves: int
    """Nodes where the game is over or the depth limit is reached."""
    cutoffs: int
    """Times that alpha >= beta held after a child."""
    cutoffs_effective: int
    """Cutoffs that skipped a child."""
    _search: Callable[[], list[Visit]] = dataclasses.field(repr=False, compare=False)

    @functools.cached_property
    def visits(self) -> list[Visit]:
        """Every call, in order, with its window, its value and its cut children, found by repeating the search. Raises
        `TooLargeError` for more than `MOST_VISITS`.
        """
        if self.nodes > MOST_VISITS:
            raise TooLargeError(f"{self.nodes:,} visits are more than the {MOST_VISITS:,} listed; set a depth")
        return self._search()

    @property
    def values(self) -> dict[Any, float]:
        """The value that each visited node returned, the last if it was visited more than once."""
        return {visit.node: visit.value for visit in self.visits if visit.value is not None}

    @property
    def cut(self) -> list[Any]:
        """The nodes that were cut off, in order, without those below them."""
        return [node for visit in self.visits for node in visit.cut]


def minimax(
    what: Target,
    source: Any = None,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], float] | str | None = None,
) -> SearchResult:
    """Return the value of ``source`` by visiting everything below it.

    ``what`` is a `networkx.DiGraph` whose leaves carry ``value`` (finite numbers), a game, or the text of
    a game or a tree as ``gametree prune`` takes it. ``source`` is a node (default: the root), or the text of a position
    (default: the start). After ``depth`` plies a node counts ``evaluate(node)``, or the value that it carries (for a
    game, ``evaluate`` is the name of one of its evaluations). Nodes of a tree may say whose turn it is;
    if none does, the first player moves at the source unless ``maximizing`` is false, and the
    sides alternate. Raises `TreeError` for a tree that cannot be searched or contradicts itself, `OptionError` (also
    for a ``maximizing`` that contradicts the tree), and the errors of `analysis.load_game` and ``parse_position``.

    >>> import networkx
    >>> tree = networkx.DiGraph([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    >>> for leaf, value in zip("cdef", (3, 12, 2, 8)):
    ...     tree.nodes[leaf]["value"] = value
    >>> minimax(tree).value, minimax(tree).best
    (3, 'a')
    >>> minimax("tictactoe", "XX?OO????").value
    1
    """
    return _search(
        "minimax", (-math.inf, math.inf), what, source, depth=depth, maximizing=maximizing, evaluate=evaluate
    )


def alphabeta(
    what: Target,
    source: Any = None,
    depth: int | None = None,
    alpha: float = -math.inf,
    beta: float = math.inf,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], float] | str | None = None,
) -> SearchResult:
    """Return the value of ``source`` if it lies between ``alpha`` and ``beta``, else a bound, by fail-soft alpha-beta
    (Knuth and Moore 1975; Fishburn 1983): children in natural order, cut where alpha >= beta.

    The window of a game has whole or infinite ends. ``what``, ``source``, ``depth`` (plies), ``maximizing``,
    ``evaluate`` and the errors are those of `minimax`; also raises `OptionError` for an invalid window.

    >>> result = alphabeta("root(a(c:3 d:12) b(e:2 f:8))")
    >>> result.value, result.best, result.values["b"], result.cut
    (3, 'a', 2, ['f'])
    """
    return _search("alphabeta", (alpha, beta), what, source, depth=depth, maximizing=maximizing, evaluate=evaluate)


def _search(name: str, ends: tuple[float, float], target: Target, source: Any, **options: Any) -> SearchResult:
    if any(isinstance(end, bool) or not isinstance(end, Real) for end in ends) or not ends[0] < ends[1]:
        raise OptionError(f"alpha {str(ends[0])[:40]} is not a number below beta {str(ends[1])[:40]}")
    if options["maximizing"] not in (None, True, False):
        raise OptionError(f"maximizing is {str(options['maximizing'])[:40]}; it must be True or False")
    finite = [read_value(bound, "the window") for bound in ends if not math.isinf(bound)]
    problem = find_problem(target, source, marks=finite, **options)
    window = Window(_end(ends[0], problem), _end(ends[1], problem), f"{ends[0]}..{ends[1]}")
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
    shown = problem.shown(value)
    best = next((visit for visit in children if visit.value == shown and not too_bad), None)
    return SearchResult(
        shown,
        None if best is None else best.node,
        None if best is None else best.move,
        nodes,
        workspace[layout.LEAVES],
        workspace[layout.CUTOFFS],
        workspace[layout.EFFECTIVE],
        lambda: read_visits(problem, visited(nodes, MOST_PLIES)[1].visits()),
    )


def _end(bound: float, problem: SearchProblem) -> int:
    """Convert an end of a window to the kernels' numbers."""
    if math.isinf(bound):
        return INFINITY if bound > 0 else -INFINITY
    if problem.ranks is None and (bound != bound // 1 or abs(int(bound)) > GREATEST_PAYOFF):
        raise OptionError(
            f"{str(bound)[:40]} is not a valid end of a window; give a whole number within 2**62, or infinity"
        )
    return problem.place(bound)


# Visits ---------------------------------------------------------------------------------------------------------------


def read_visits(problem: SearchProblem, record: np.ndarray) -> list[Visit]:
    """Convert the record of a depth-first search, int64[visits, VISIT], to visits; see `Workspace.visits`."""
    rows = record.tolist()
    children = {row[layout.VISIT_STATE]: problem.moves(row[layout.VISIT_STATE]) for row in rows}
    parents: list[int | None] = []
    path: list[int] = []
    visited: list[set[int]] = [set() for _ in rows]
    for number, row in enumerate(rows):
        del path[row[layout.VISIT_PLY] :]
        parents.append(path[-1] if path else None)
        if path:
            visited[path[-1]].add(row[layout.VISIT_STATE])
        path.append(number)
    visits = []
    for number, (ply, state, alpha, beta, value, moves) in enumerate(rows):
        parent, leaf = parents[number], not children[state] or ply == problem.depth
        above = [] if parent is None else children[rows[parent][layout.VISIT_STATE]]
        visits.append(
            Visit(
                problem.label(state),
                ply,
                parent,
                next((code for code, child in above if child == state), None),
                _readable(problem, alpha),
                _readable(problem, beta),
                None if value == layout.UNKNOWN else problem.shown(value),
                None if leaf else problem.side(state) > 0,
                not leaf and not moves,
                tuple(problem.label(child) for _, child in children[state] if moves and child not in visited[number]),
            )
        )
    return visits


def _readable(problem: SearchProblem, bound: int) -> float:
    return math.inf if bound >= layout.INFINITY else -math.inf if bound <= -layout.INFINITY else problem.shown(bound)


def trace_lines(visits: list[Visit]) -> list[str]:
    """Draw the tree of visits as lines of text: each node with its window, its value and the children that were cut.

    A maximizing node is marked ``max``, a minimizing one ``min``; a value that is only a bound has ``<=`` or ``>=``.
    """
    below: dict[int | None, list[int]] = {}
    for number, visit in enumerate(visits):
        below.setdefault(visit.parent, []).append(number)
    lines: list[str] = []
    # pending: a visit or the text of a cut, its prefix, and whether it is its parent's last
    waiting: list[tuple[int | str, str, bool | None]] = []
    waiting += [(number, "", None) for number in below.get(None, [])][::-1]
    while waiting:
        item, prefix, last = waiting.pop()
        branch = "" if last is None else "└─ " if last else "├─ "
        if isinstance(item, str):
            lines.append(prefix + branch + item)
            continue
        visit = visits[item]
        lines.append(prefix + branch + _line(visit))
        inner = prefix + ("" if last is None else "   " if last else "│  ")
        items: list[int | str] = [*below.get(item, []), *(f"{node}  cut" for node in visit.cut)]
        waiting += [(item, inner, position == len(items) - 1) for position, item in enumerate(items)][::-1]
    return lines


def _line(visit: Visit) -> str:
    side = "" if visit.maximizing is None else "  max" if visit.maximizing else "  min"
    window = f"  ({_bound(visit.alpha)}, {_bound(visit.beta)})"
    if visit.value is None:
        return f"{visit.node}{side}{window}"
    sign = "<=" if visit.value <= visit.alpha else ">=" if visit.value >= visit.beta else "="
    sign = "=" if visit.maximizing is None else sign
    return f"{visit.node}{side}{window}  {sign} {visit.value}{'  table' if visit.answered else ''}"


def _bound(end: float) -> str:
    return f"{'+' if end >= 0 else ''}{end}"
