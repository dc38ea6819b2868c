"""Explicit trees: a `networkx.DiGraph` whose leaves carry ``value``, as the searches take it.

A node becomes a record of words: how many children (negative where the second player moves), what it is worth if the
search stops there, and the places of its children. Nodes that several paths reach (a graph without cycles is as good as
a tree) share a record if the same side moves there, after the same number of plies where the depth is limited.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from analysis.engine.kernels.raw import memory
from analysis.errors import TreeError
from analysis.rules.symmetry import Group
from analysis.search.kernels.layout import GREATEST_PAYOFF, MOST, TREE
from analysis.search.kernels.steps import expand_signature
from analysis.search.problem import SearchProblem, check_depth

if TYPE_CHECKING:
    import networkx as nx

Evaluate = Callable[[Any], int]
Place = tuple[Hashable, int]
"""A node, and the plies to it where the depth is limited, else 0 or 1: whether their number is odd."""


def expand_in_tree(lab: int, state: int, stop: int, at: int) -> int:
    """See `steps.Expand`."""
    record = memory(memory(lab)[TREE] + 8 * state)
    moves = record[0]
    if moves == 0 or stop:
        memory(at)[0] = record[1]
        memory(at)[1] = moves != 0
        return 0
    codes = memory(at + 8 * memory(lab)[MOST])
    for i in range(abs(moves)):
        memory(at)[i] = record[2 + i]
        codes[i] = i
    return moves


@functools.cache
def _compiled() -> Callable[..., int]:
    return expand_in_tree if numba.config.DISABLE_JIT else numba.cfunc(expand_signature)(expand_in_tree)


def tree_problem(
    graph: nx.DiGraph[Any],
    source: Hashable | None = None,
    *,
    depth: int | None = None,
    maximizing: bool = True,
    evaluate: Evaluate | None = None,
    name: str = "tree",
) -> SearchProblem:
    """The tree below ``source`` (default: the only node without a parent), where the first player moves if
    ``maximizing``, then the sides in turn. Where ``depth`` plies are spent, a node counts ``evaluate(node)``, or the
    ``value`` that it carries. ``name`` is what errors call the tree. Raises `OptionError` for a depth that is none, and
    `TreeError` for a cycle, parallel or undirected edges, a source that is not there or not clear, and a leaf (or a
    node at the depth) without a whole number.
    """
    check_depth(depth)
    if not graph.is_directed():
        raise TreeError(f"{name} is no directed graph: its edges have to lead from parents to children")
    if graph.is_multigraph():
        raise TreeError(f"{name} has parallel edges; use a DiGraph")
    source = _root(graph, name) if source is None else source
    if source not in graph:
        raise TreeError(f"{name} has no node {source!r}")
    longest = _longest_path(graph, source, name)
    below = _below(graph, source, depth)
    *starts, total = itertools.accumulate((2 + len(children) for children in below.values()), initial=0)
    offsets = dict(zip(below, starts, strict=True))
    children_at = {at: [offsets[child] for child in below[place]] for place, at in offsets.items()}
    records = np.zeros(total, dtype=np.int64)
    for (node, level), at in offsets.items():
        children = children_at[at]
        records[at] = graph.out_degree(node) if maximizing == (level % 2 == 0) else -graph.out_degree(node)
        records[at + 1] = 0 if children else _worth(graph, node, evaluate, name)
        records[at + 2 : at + 2 + len(children)] = children
    leaves = [int(records[at + 1]) for at, children in children_at.items() if not children]
    nodes = {at: node for (node, _), at in offsets.items()}
    most = max(graph.out_degree(node) for node, _ in below)
    return SearchProblem(
        name=name,
        expand=_compiled(),
        root=0,
        most=most,
        codes=max(most, 1),
        payoffs=(min(leaves), max(leaves)),
        describe=lambda state: "".join(mark if mark.isprintable() else "\ufffd" for mark in str(nodes[state])),
        moves=lambda state: list(enumerate(children_at[state])),
        side=lambda state: 1 if records[state] > 0 else -1,
        group=lambda kind: Group(kind, ((),), 0, 1),
        depth=depth,
        longest=longest,
        evaluation=None if evaluate is None else getattr(evaluate, "__name__", "evaluate"),
        tree=records,
        node=nodes.__getitem__,
    )


def parities(graph: nx.DiGraph[Any], source: Hashable | None, node: Hashable, name: str) -> set[int]:
    """Whether a node is an even (0) or an odd number of edges (1) below the source (default: the root), or both, or
    neither if it is not below it. Raises `TreeError` for a cycle.
    """
    if source is None:
        roots = _roots(graph)
        source = roots[0] if len(roots) == 1 else node
    _longest_path(graph, source, name)
    return {parity for place, parity in _below(graph, source, None) if place == node}


def _roots(graph: nx.DiGraph[Any]) -> list[Hashable]:
    return [node for node, degree in graph.in_degree() if degree == 0]


def _root(graph: nx.DiGraph[Any], name: str) -> Hashable:
    """The only node without a parent."""
    roots = _roots(graph)
    if not len(graph):
        raise TreeError(f"{name} has no nodes")
    if not roots:
        raise TreeError(_cycle_in(graph, name))
    if len(roots) != 1:
        raise TreeError(
            f"{name} has {len(roots)} nodes without a parent, so its root is not clear; name it with source or --from"
        )
    return roots[0]


def _longest_path(graph: nx.DiGraph[Any], source: Hashable, name: str) -> int:
    """Edges of the longest path from the source. Raises `TreeError` for a cycle."""
    import networkx as nx

    below = graph.subgraph({source} | nx.descendants(graph, source))
    try:
        return sum(1 for _ in nx.topological_generations(below)) - 1
    except nx.NetworkXUnfeasible:
        raise TreeError(_cycle_in(below, name)) from None


def _cycle_in(graph: nx.DiGraph[Any], name: str) -> str:
    """What is wrong with a graph that has a cycle."""
    import networkx as nx

    cycle = [str(edge[0]) for edge in nx.find_cycle(graph)]
    shown = [*cycle[:10], "...", *cycle[-1:]] if len(cycle) > 12 else cycle
    return f"{name} has a cycle: {' -> '.join([*shown, cycle[0]])}"


def _below(graph: nx.DiGraph[Any], source: Hashable, depth: int | None) -> dict[Place, list[Place]]:
    """Everything that has a record, and what lies below it within the depth; the source first, nearer ones before
    those further away.
    """
    found: dict[Place, list[Place]] = {}
    waiting: list[Place] = [(source, 0)]
    for place in waiting:  # grows as it goes
        if place not in found:
            node, level = place
            below = 1 - level if depth is None else level + 1
            found[place] = [] if level == depth else [(child, below) for child in graph.successors(node)]
            waiting += found[place]
    return found


def _worth(graph: nx.DiGraph[Any], node: Hashable, evaluate: Evaluate | None, name: str) -> int:
    """What a node counts where the search stops."""
    inner = graph.out_degree(node) > 0
    value = graph.nodes[node].get("value")
    if evaluate is not None and (inner or value is None):
        value = evaluate(node)
    what = f"node {node} at the depth limit" if inner else f"leaf {node}"
    if value is None:
        raise TreeError(f"{name}: {what} has no value" + (" and there is no evaluation" if inner else ""))
    whole = not isinstance(value, bool) and isinstance(value, (int, np.integer, float)) and value == value // 1
    if not whole:
        raise TreeError(f"{name}: {what} has value {value!r}; values are whole numbers")
    if abs(value) > GREATEST_PAYOFF:
        raise TreeError(f"{name}: {what} has value {value}, beyond {GREATEST_PAYOFF}")
    return int(value)
