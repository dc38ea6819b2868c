"""What is searched, as a caller or the command line names it: a game, or an explicit tree.

An explicit tree is a `networkx.DiGraph` whose leaves carry ``value``. For the searches a node becomes a record of
words: how many children (negative where the second player moves), what it is worth if the search stops there, and the
places of its children. Nodes that several paths reach (a graph without cycles is as good as a tree) share a record if
the same side moves there, after the same number of plies where the depth is limited. `tree_sides` says who moves;
where the tree does not, the sides move in turn.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numba
import numpy as np

from analysis.engine.kernels.raw import memory
from analysis.errors import OptionError, TreeError
from analysis.games.families import FAMILIES, is_user_game
from analysis.rules.game import HasRules
from analysis.rules.symmetry import Group
from analysis.search.kernels.layout import MOST, TREE
from analysis.search.kernels.steps import expand_signature
from analysis.search.leaf_values import find_ranks, read_value
from analysis.search.problem import SearchProblem, check_depth, find_game, game_problem
from analysis.search.tree_files import TreeFile, is_json, parse_tree, read_tree
from analysis.search.tree_sides import Sides, find_sides

if TYPE_CHECKING:
    import networkx as nx

LOG = logging.getLogger("gametree")

Target: TypeAlias = "nx.DiGraph[Any] | TreeFile | HasRules | str"
"""A graph whose leaves carry ``value``, what a file or a text says of one, or a game; as text, a specification or the
directory of a solution, or of a tree its file, ``-`` for standard input, or the tree written out.
"""

Evaluate = Callable[[Any], float]
Place = tuple[Hashable, int]
"""A node, and the plies to it where the depth is limited, else whether their number is odd: 0 or 1, or always 0 where
the tree says who moves.
"""


def find_problem(
    target: Target,
    source: Any = None,
    *,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], float] | str | None = None,
    marks: Sequence[float] = (),
) -> SearchProblem:
    """What a target is, as all searches take it.

    It begins at ``source``: the text of a position (default: the start), or a node of a tree (default: the root), whose
    name will do where the tree is a text or a file. ``depth`` is the plies after which a position counts ``evaluate``:
    of a game the name of one of its evaluations, of a tree a function of its nodes. ``maximizing`` says who moves at
    the source of a tree that does not say so itself, ``marks`` are numbers that the searches of a tree will compare
    values with. Raises `SpecError`, `StoreError`, `RulesError`, `PositionError`, `OptionError`, `TreeError`.
    """
    if evaluate is not None and not isinstance(evaluate, str) and not callable(evaluate):
        raise OptionError(f"evaluate {evaluate!r} is neither a function nor a name")
    name, written = "tree", False
    if isinstance(target, str) and is_tree(target):
        if isinstance(evaluate, str):
            raise OptionError("an explicit tree carries its own values; --evaluate is for games")
        (target, name), written = _read(target), True
        source = None if source is None else _node(target, str(source), name)
    if isinstance(target, str) or hasattr(target, "rules"):
        return _game(target, source, depth, maximizing, evaluate)
    if not isinstance(target, TreeFile) and not hasattr(target, "is_directed"):
        raise TreeError(f"{type(target).__name__} is no networkx.DiGraph, no game and no specification of one")
    if isinstance(evaluate, str):
        raise OptionError("an explicit tree is evaluated by a function of its nodes, not by a name")
    tree = target if isinstance(target, TreeFile) else TreeFile.of(target)
    return _tree(tree, source, depth, maximizing, evaluate, marks=marks, name=name, written=written)


def _game(game: Any, position: Any, depth: int | None, maximizing: bool | None, evaluate: Any) -> SearchProblem:
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
    if not (is_json(target) or ("(" in target and not is_user_game(target))):
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


def _node(tree: TreeFile, text: str, name: str) -> Any:
    """The node of this name."""
    for node in tree.graph:
        if str(node) == text:
            return node
    raise TreeError(f"{name} has no node {text!r}")


def _tree(
    tree: TreeFile,
    source: Any,
    depth: int | None,
    maximizing: bool | None,
    evaluate: Evaluate | None,
    *,
    marks: Sequence[float],
    name: str,
    written: bool,
) -> SearchProblem:
    """The tree below a node. In one that is ``written`` as a text, a node has the side to move that it has there."""
    graph = tree.graph
    _check_graph(graph, name)
    home = tree.source
    if home is None:
        home = source if source is not None and len(_roots(graph)) != 1 else _root(graph, name)
    source = home if source is None else source
    for node in (home, source):
        if node not in graph:
            raise TreeError(f"{name} has no node {node!r}")
    sides = find_sides(graph, source, {home: tree.maximizing}, name)
    if sides is not None and source in sides:
        maximizing = _agreed(sides[source], maximizing, source, name)
    elif sides is None and (written or tree.maximizing is not None):
        maximizing = _by_turns(tree, home, source, maximizing, name)
    return tree_problem(
        graph, source, depth=depth, maximizing=maximizing, evaluate=evaluate, name=name, marks=marks, sides=sides
    )


def _by_turns(tree: TreeFile, home: Hashable, source: Hashable, maximizing: bool | None, name: str) -> bool | None:
    """Who moves at a node below the root where the sides take turns."""
    _longest_path(tree.graph, home, name)  # refuses a cycle
    parities = {parity for place, parity in _below(tree.graph, home, None) if place == source}
    if not parities or (tree.maximizing is None and maximizing is not None):
        return maximizing
    if len(parities) == 1:
        return _agreed((tree.maximizing is not False) == (parities == {0}), maximizing, source, name)
    if maximizing is None:
        raise TreeError(
            f"node {source} of {name} is reached after odd and even numbers of moves: either side may move there"
        )
    return maximizing


def _agreed(said: bool, maximizing: bool | None, source: Hashable, name: str) -> bool:
    """Who moves at the source as the tree says. Raises `OptionError` where the caller says something else."""
    if maximizing is not None and bool(maximizing) != said:
        mover = "first" if said else "second"
        raise OptionError(
            f"maximizing is {maximizing}, but {name} says that the {mover} player moves at node {source}; leave it out"
        )
    return said


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
    maximizing: bool | None = None,
    evaluate: Evaluate | None = None,
    name: str = "tree",
    marks: Sequence[float] = (),
    sides: Sides | None = None,
) -> SearchProblem:
    """The tree below ``source`` (default: the only node without a parent). ``sides`` says at which of its nodes the
    first player moves, see `find_sides`; without them the first player moves at the source, or the second if
    ``maximizing`` is false, and then the sides in turn. Where ``depth`` plies are spent, a node counts
    ``evaluate(node)``, or the ``value`` that it carries. ``name`` is what errors call the tree, ``marks`` are finite
    numbers that `SearchProblem.place` will be asked for. Raises `OptionError` for a depth that is none, and `TreeError`
    for a cycle, parallel or undirected edges, a source that is not there or not clear, and a leaf (or a node at the
    depth) without a finite number.
    """
    check_depth(depth)
    _check_graph(graph, name)
    source = _root(graph, name) if source is None else source
    if source not in graph:
        raise TreeError(f"{name} has no node {source!r}")
    longest = _longest_path(graph, source, name)
    begins = maximizing is None or bool(maximizing)
    below = _below(graph, source, depth, told=sides is not None)
    worth = {node: _worth(graph, node, evaluate, name) for (node, _), children in below.items() if not children}
    ranks = find_ranks([*worth.values(), *marks])
    numbers = None if ranks is None else {value: rank for rank, value in enumerate(ranks)}
    *starts, total = itertools.accumulate((2 + len(children) for children in below.values()), initial=0)
    offsets = dict(zip(below, starts, strict=True))
    children_at = {at: [offsets[child] for child in below[place]] for place, at in offsets.items()}
    records = np.zeros(total, dtype=np.int64)
    for (node, level), at in offsets.items():
        children = children_at[at]
        if children:
            first = begins == (level % 2 == 0) if sides is None else sides[node]
            records[at] = len(children) if first else -len(children)
            records[at + 2 : at + 2 + len(children)] = children
        else:
            records[at] = graph.out_degree(node)  # not 0 where the depth is spent
            records[at + 1] = worth[node] if numbers is None else numbers[worth[node]]
    if depth is None and evaluate is None:
        _note_other_values(graph, below, worth, begins if sides is None else sides, name)
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
        ranks=ranks,
        recipe=functools.partial(
            tree_problem,
            graph,
            source,
            depth=depth,
            maximizing=maximizing,
            evaluate=evaluate,
            name=name,
            marks=marks,
            sides=sides,
        ),
    )


def _check_graph(graph: nx.DiGraph[Any], name: str) -> None:
    if not graph.is_directed():
        raise TreeError(f"{name} is no directed graph: its edges have to lead from parents to children")
    if graph.is_multigraph():
        raise TreeError(f"{name} has parallel edges; use a DiGraph")


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


def _note_other_values(
    graph: nx.DiGraph[Any],
    below: dict[Place, list[Place]],
    worth: dict[Hashable, float],
    sides: Sides | bool,
    name: str,
) -> None:
    """Say of which node the value that it carries is not what its children make of it: a search to the end asks leaves
    alone. ``sides`` is as in `find_sides`, or whether the first player begins.
    """
    import networkx as nx

    inner = [node for node in graph if graph.out_degree(node) and graph.nodes[node].get("value") is not None]
    if not inner:
        return
    found: dict[Place, float] = {}
    for node in reversed([*nx.topological_sort(graph.subgraph({node for node, _ in below}))]):
        for place in ((node, 0), (node, 1)):
            if place in below:
                first = sides == (place[1] == 0) if isinstance(sides, bool) else sides.get(node)
                values = [found[child] for child in below[place]]
                found[place] = (max if first else min)(values) if values else worth[node]
    wrong = [place for place in found if place[0] in inner and graph.nodes[place[0]]["value"] != found[place]]
    if wrong:
        node, made = wrong[0][0], found[wrong[0]]
        others = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        LOG.info(
            f"{name}: node {node} carries the value {str(graph.nodes[node]['value'])[:40]}, and its children make it "
            f"{made}{others}; a search to the end reads the values of leaves alone"
        )


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


def _below(
    graph: nx.DiGraph[Any], source: Hashable, depth: int | None, *, told: bool = False
) -> dict[Place, list[Place]]:
    """Everything that has a record, and what lies below it within the depth; the source first, nearer ones before
    those further away. Where the tree has ``told`` who moves, a node has one record, whatever the plies to it.
    """
    found: dict[Place, list[Place]] = {}
    waiting: list[Place] = [(source, 0)]
    for place in waiting:  # grows as it goes
        if place not in found:
            node, level = place
            below = level + 1 if depth is not None else 0 if told else 1 - level
            found[place] = [] if level == depth else [(child, below) for child in graph.successors(node)]
            waiting += found[place]
    return found


def _only(data: Mapping[str, Any]) -> str:
    """What a leaf has instead of a value."""
    return f", only {' and '.join(repr(str(key)[:20]) for key in itertools.islice(data, 4))}" if data else ""


def _worth(graph: nx.DiGraph[Any], node: Hashable, evaluate: Evaluate | None, name: str) -> float:
    """What a node counts where the search stops."""
    inner = graph.out_degree(node) > 0
    value = graph.nodes[node].get("value")
    if evaluate is not None and (inner or value is None):
        value = evaluate(node)
    what = f"{name}: {'node' if inner else 'leaf'} {node}{' at the depth limit' if inner else ''}"
    if value is None:
        raise TreeError(f"{what} has no value" + (" and there is no evaluation" if inner else _only(graph.nodes[node])))
    return read_value(value, what)
