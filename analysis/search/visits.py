"""Which nodes a search visited, in order, with their windows, and which it cut."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from analysis.search.kernels import layout
from analysis.search.problem import SearchProblem


@dataclasses.dataclass(frozen=True)
class Visit:
    """One call of a search."""

    node: Any
    """The node of an explicit tree, or the text of a position."""
    ply: int
    parent: int | None
    """The number of the visit that made this one, or None."""
    move: int | None
    """The code of the move that leads here: for a tree, which child it is, from 0."""
    alpha: float
    beta: float
    value: float | None
    """What it returned: exact, or a bound if it lies outside the window; None if it never returned."""
    maximizing: bool | None
    """Whose turn it is; None at a leaf."""
    answered: bool
    """The table answered, so nothing below was visited."""
    cut: tuple[Any, ...]
    """Children that it never visited."""


def read_visits(problem: SearchProblem, record: np.ndarray) -> list[Visit]:
    """The visits of a depth-first search of a problem from its record, int64[visits, VISIT]; see `Workspace.visits`."""
    rows = record.tolist()
    children = {row[layout.VISIT_STATE]: problem.moves(row[layout.VISIT_STATE]) for row in rows}
    parents: list[int | None] = []
    path: list[int] = []
    seen: list[set[int]] = [set() for _ in rows]
    for number, row in enumerate(rows):
        del path[row[layout.VISIT_PLY] :]
        parents.append(path[-1] if path else None)
        if path:
            seen[path[-1]].add(row[layout.VISIT_STATE])
        path.append(number)
    visits = []
    for number, (ply, state, alpha, beta, value, moves) in enumerate(rows):
        parent, leaf = parents[number], not children[state] or ply == problem.depth
        above = [] if parent is None else children[rows[parent][layout.VISIT_STATE]]
        skipped = [child for _, child in children[state] if moves and child not in seen[number]]
        visits.append(
            Visit(
                node=problem.label(state),
                ply=ply,
                parent=parent,
                move=next((code for code, child in above if child == state), None),
                alpha=_readable(problem, alpha),
                beta=_readable(problem, beta),
                value=None if value == layout.UNKNOWN else problem.shown(value),
                maximizing=None if leaf else problem.side(state) > 0,
                answered=not leaf and not moves,
                cut=tuple(problem.label(child) for child in skipped),
            )
        )
    return visits


def _readable(problem: SearchProblem, bound: int) -> float:
    return math.inf if bound >= layout.INFINITY else -math.inf if bound <= -layout.INFINITY else problem.shown(bound)


def trace_lines(visits: list[Visit]) -> list[str]:
    """The tree of visits as lines of text: each node with its window and its value, and what was cut below it.

    A maximizing node is marked ``max``, a minimizing one ``min``; a value that is only a bound has ``<=`` or ``>=``.
    """
    below: dict[int | None, list[int]] = {}
    for number, visit in enumerate(visits):
        below.setdefault(visit.parent, []).append(number)
    lines: list[str] = []
    # what is still to be written: a visit or the text of a cut, its prefix, and whether it is the last below its parent
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
    return f"{end:+}"
