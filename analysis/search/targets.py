"""What is searched, as a caller or the command line names it: a game, or an explicit tree.

An explicit tree is a `networkx.DiGraph` whose leaves carry ``value``. For the searches a node becomes a record of
words: how many children (negative where the second player moves), what it is worth if the search stops there, and the
places of its children. Nodes that several paths reach (a graph without cycles is as good as a tree) share a record if
the same side moves there, after the same number of plies where the depth is limited.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numba
import numpy as np

from analysis.engine.kernels.raw import memory
from analysis.errors import OptionError, TreeError
from analysis.games.families import FAMILIES, is_user_game
from analysis.rules.game import Game
from analysis.rules.symmetry import Group
from analysis.search.kernels.layout import GREATEST_PAYOFF, MOST, TREE
from analysis.search.kernels.steps import expand_signature
from analysis.search.problem import SearchProblem, check_depth, find_game, game_problem
from analysis.search.tree_files import TreeFile, parse_tree, read_tree

if TYPE_CHECKING:
    import networkx as nx

Target: TypeAlias = "nx.DiGraph[Any] | TreeFile | Game | str"
"""A graph whose leaves carry ``value``, what a file or a text says of one, or a game; as text, a specification or the
directory of a solution, or of a tree its file, ``-`` for standard input, or the tree written out.
"""

Evaluate = Callable[[Any], int]
Place = tuple[Hashable, int]
"""A node, and the plies to it where the depth is limited, else 0 or 1: whether their number is odd."""


def find_problem(
    target: Target,
    source: Any = None,
    *,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> SearchProblem:
    """What a target is, as all searches take it.

    It begins at ``source``: the text of a position (default: the start), or a node of a tree (default: the root), whose
    name will do where the tree is a text or a file. ``depth`` is the plies after which a position counts ``evaluate``:
    of a game the name of one of its evaluations, of a tree a function of its nodes. ``maximizing`` says who moves at
    the source of a tree. Raises `SpecError`, `StoreError`, `RulesError`, `PositionError`, `OptionError`, `TreeError`.
    """
    if evaluate is not None and not isinstance(evaluate, str) and not callable(evaluate):
        raise OptionError(f"evaluate {evaluate!r} is neither a function nor a name")
    name = "tree"
    if isinstance(target, str) and is_tree(target):
        if isinstance(evaluate, str):
            raise OptionError("an explicit tree carries its own values; --evaluate is for games")
        target, name = _read(target)
        if source is not None:
            target, source = _from(target, str(source), name), None
    if isinstance(target, TreeFile):
        source = target.source if source is None else source
        maximizing = target.maximizing if maximizing is None else maximizing
        target = target.graph
    if isinstance(target, (str, Game)):
        return _game(target, source, depth, maximizing, evaluate)
    if not hasattr(target, "is_directed"):
        raise TreeError(f"{type(target).__name__} is no networkx.DiGraph, no game and no specification of one")
    if isinstance(evaluate, str):
        raise OptionError("an explicit tree is evaluated by a function of its nodes, not by a name")
    first = maximizing is None or bool(maximizing)
    return tree_problem(target, source, depth=depth, maximizing=first, evaluate=evaluate, name=name)


def _game(game: str | Game, position: Any, depth: int | None, maximizing: bool | None, evaluate: Any) -> SearchProblem:
    if evaluate is not None and not isinstance(evaluate, str):
        raise OptionError("a game is evaluated by one of its own evaluations; give its name, such as 'lines'")
    if position is not None and not isinstance(position, str):
        raise OptionError(f"source {position!r} is no position; write it as text, such as 'XO???????'")
    problem = game_problem(find_game(game), position, depth=depth, evaluation=evaluate)
    if maximizing is not None and bool(maximizing) != (problem.side(problem.root) > 0):
        raise OptionError(f"maximizing is {maximizing}, but the position says who is to move; leave it out for a game")
    return problem


def is_tree(target: str) -> bool:
    """Whether a text names an explicit tree (a file, ``-`` for standard input, or the tree itself) and not a game."""
    if target == "-" or _is_written_out(target):
        return True
    if target.partition(":")[0] in FAMILIES or is_user_game(target):
        return False
    with contextlib.suppress(OSError, ValueError):  # too long for a name, or a character that none can have
        if Path(target).exists():
            return not Path(target).is_dir()
    return "/" in target or Path(target).suffix != ""


def is_target(text: str) -> bool:
    """Whether a text that comes after a target is another one, and not where to search the first one from."""
    return text.partition(":")[0] in FAMILIES or (is_user_game(text) and Path(text.partition(":")[0]).exists())


def _is_written_out(target: str) -> bool:
    """Whether a target is itself a tree, and no path that has brackets in it."""
    if "(" not in target or is_user_game(target):
        return False
    with contextlib.suppress(OSError, ValueError):
        return not Path(target).exists()
    return True


def _read(target: str) -> tuple[TreeFile, str]:
    if target == "-":
        try:
            text = sys.stdin.read()
        except (AttributeError, OSError, UnicodeDecodeError):
            raise TreeError("standard input is closed, or no text") from None
        return parse_tree(text, "standard input"), "standard input"
    return (parse_tree(target), "tree") if _is_written_out(target) else (read_tree(target), target)


def _from(tree: TreeFile, text: str, name: str) -> TreeFile:
    """The tree from a node on, with the side to move that it has there."""
    node: Any = next((node for node in tree.graph if str(node) == text), None)
    if node is None:
        raise TreeError(f"{name} has no node {text!r}")
    source, roots = tree.source, _roots(tree.graph)
    if source is None:
        source = roots[0] if len(roots) == 1 else node
    _longest_path(tree.graph, source, name)  # refuses a cycle
    parities = {parity for place, parity in _below(tree.graph, source, None) if place == node}
    if len(parities) > 1:
        raise TreeError(
            f"node {text} of {name} is reached after odd and even numbers of moves: either side may move there"
        )
    return TreeFile(tree.graph, node, tree.maximizing == (parities != {1}))


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
