"""Turn what a caller or the command line names, a game or an explicit tree, into a search problem.

An explicit tree is a `networkx.DiGraph` whose leaves carry ``value``. Each node becomes a record of words: the number
of children (negative where the second player moves), its value if the search stops there, and the offsets of its
children. A node reached by several paths (any acyclic graph will do) has one record if the same side moves there, after
the same number of plies where the depth is limited.

A node may say whose turn it is, see `analysis.games.trees.words`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import logging
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numba
import numpy as np

from ..engine.kernels.raw import memory
from ..errors import GametreeError, OptionError, TreeError
from ..games import families
from ..games.families import is_specification, is_user_game, is_written_out, load_game
from ..games.trees.numbers import Number, read_value
from ..games.trees.reading import parse_tree as parse_tree
from ..games.trees.reading import read_tree as read_tree
from ..games.trees.tree_file import TreeFile as TreeFile
from ..games.trees.words import sides_of, words_for
from ..rules.game import GameLike
from ..rules.symmetry import Group
from ..solution.solution import Solution
from .kernels.layout import GREATEST_PAYOFF, MOST, TREE
from .kernels.steps import expand_signature
from .problem import SearchProblem, check_depth, find_game, game_problem

if TYPE_CHECKING:
    import networkx as nx

LOG = logging.getLogger("gametree")

Target: TypeAlias = "nx.DiGraph[Any] | TreeFile | GameLike"
"""A graph whose leaves carry ``value``, a `TreeFile`, a game, or a solution, searched from its start. As text: a game's
specification, the directory of a solution, a tree's file, ``-`` for standard input, or a tree written out.
"""

Evaluate = Callable[[Any], float]
Sides = dict[Hashable, bool]
"""Whether the first player moves at a node."""

Place = tuple[Hashable, int]
"""A node and its level: plies where the depth is limited, else their parity; 0 where the tree says who moves."""


def find_problem(
    target: Any,
    source: Any = None,
    *,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Evaluate | str | None = None,
    marks: Sequence[Number] = (),
) -> SearchProblem:
    """Return the search problem of a `Target`.

    It begins at ``source``: the text of a position (default: the start), or a node of a tree (default: the root), whose
    name will do if the tree is a text or a file. After ``depth`` plies a position counts ``evaluate``: the name of one
    of a game's evaluations, or a function of a tree's nodes. ``maximizing`` says who moves at the source of a tree that
    does not say so itself; ``marks`` are numbers that searches of a tree will compare values with. Raises `SpecError`,
    `StoreError`, `RulesError`, `PositionError`, `OptionError`, `TreeError`.
    """
    if evaluate is not None and not isinstance(evaluate, str) and not callable(evaluate):
        raise OptionError(f"evaluate is {evaluate!r}; it must be a function or a name")
    target = str(target) if isinstance(target, Path) else target
    if isinstance(target, str) and is_tree(target):
        if isinstance(evaluate, str):
            raise OptionError("an explicit tree carries its own values; --evaluate is for games")
        target = _read(target)
        if source is not None:
            named = [node for node in target.graph if str(node) == str(source)]
            if not named:
                raise TreeError(f"{target.title} has no node {str(source)!r}")
            source = named[0]
    elif isinstance(target, Solution):
        begin = target.start if source is None else source
        return _find_game_problem(target.game, begin, depth, maximizing, evaluate)
    elif not isinstance(target, TreeFile) and not hasattr(target, "is_directed"):
        return _find_game_problem(target, source, depth, maximizing, evaluate)
    if isinstance(evaluate, str):
        raise OptionError("an explicit tree is evaluated by a function of its nodes, not by a name")
    return tree_problem(target, source, depth=depth, maximizing=maximizing, evaluate=evaluate, marks=marks)


def _find_game_problem(
    game: Any, position: Any, depth: int | None, maximizing: bool | None, evaluate: Evaluate | str | None
) -> SearchProblem:
    if evaluate is not None and not isinstance(evaluate, str):
        raise OptionError("a game is evaluated by one of its own evaluations; give its name, such as 'lines'")
    problem = game_problem(find_game(game), position, depth=depth, evaluation=evaluate)
    if maximizing is not None and bool(maximizing) != (problem.side(problem.root) > 0):
        raise OptionError(f"maximizing is {maximizing}, but the position says who moves; leave it out for a game")
    return problem


def is_tree(target: str) -> bool:
    """Return whether a text names an explicit tree (a file, ``-`` for standard input, or a tree), not a game."""
    return target == "-" or families.is_tree(target)


def is_target(text: str) -> bool:
    """Return whether a text after a target is another target, rather than where to search the first one from."""
    file = text.partition(":")[0]
    return is_specification(text) and (not is_user_game(text) or Path(file).exists())


def _read(target: str) -> TreeFile:
    if target != "-":
        return parse_tree(target) if is_written_out(target) else read_tree(target)
    try:
        text = sys.stdin.read()
    except (AttributeError, OSError, UnicodeDecodeError):
        raise TreeError("standard input is closed or not text") from None
    return parse_tree(text, "standard input")


# Explicit trees -------------------------------------------------------------------------------------------------------


def tree_problem(
    tree: TreeFile | nx.DiGraph[Any],
    source: Hashable | None = None,
    *,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Evaluate | None = None,
    marks: Sequence[Number] = (),
) -> SearchProblem:
    """Return the search problem of the tree below ``source`` (default: the tree's own, else its only node without a
    parent).

    If the tree does not say who moves, the sides alternate, and the first player begins at its root; ``maximizing``
    says who moves at the source instead. After ``depth`` plies a node counts ``evaluate(node)``, or its ``value``.
    ``marks`` are finite numbers that `SearchProblem.place` will be asked for. Raises `OptionError` for an invalid depth
    or a ``maximizing`` that contradicts the tree, and `TreeError` for words that name neither player, contradictions,
    cycles, parallel or undirected edges, a missing or ambiguous source, a source where either side may move, and a leaf
    (or a node at the depth limit) without a finite number.
    """
    check_depth(depth)
    tree = tree if isinstance(tree, TreeFile) else TreeFile.of(tree)
    name = tree.title
    again = functools.partial(
        tree_problem, tree, source, depth=depth, maximizing=maximizing, evaluate=evaluate, marks=marks
    )
    graph = tree.graph
    for node in (tree.source, source):
        if node is not None and node not in graph:
            raise TreeError(f"{name} has no node {node!r}")
    homes = [tree.source] if tree.source is not None else _roots(graph, source, name)
    source = homes[0] if source is None else source
    sides = _find_sides(graph, source, dict.fromkeys(homes, tree.maximizing), name)
    if sides is not None and source in sides:
        _check_agreed(sides[source], maximizing, source, name)
    elif sides is None and (homes != [source] or tree.maximizing is not None):
        maximizing = _mover_by_turns(tree, homes, source, maximizing, name)
    begins = maximizing is None or bool(maximizing)
    longest = _longest_path(graph, source, name)
    below = _places_below(graph, source, depth, told=sides is not None)
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
            records[at] = graph.out_degree(node)  # not 0 at the depth limit
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
        label=nodes.__getitem__,
        moves=lambda state: list(enumerate(children_at[state])),
        side=lambda state: 1 if records[state] > 0 else -1,
        group=lambda kind: Group(kind, ((),), 0, 1),
        estimate=lambda state: _said_value(graph, nodes[state], worth, name),
        depth=depth,
        longest=longest,
        evaluation=None if evaluate is None else getattr(evaluate, "__name__", "evaluate"),
        tree=records,
        ranks=ranks,
        recipe=again,
    )


def expand_in_tree(lab: int, state: int, stop: int, at: int) -> int:
    """Expand a node, see `steps.Expand`."""
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


def _roots(graph: nx.DiGraph[Any], source: Hashable | None, name: str) -> list[Hashable]:
    """Return the nodes without a parent above the source, or itself; without a source the only one of the graph."""
    import networkx as nx

    roots: list[Hashable] = [node for node, degree in graph.in_degree() if degree == 0]
    if source is not None:
        above = nx.ancestors(graph, source)
        return [root for root in roots if root in above] or [source]
    if not len(graph):
        raise TreeError(f"{name} has no nodes")
    if not roots:
        raise _cycle_error(graph, name)
    if len(roots) != 1:
        raise TreeError(
            f"{name} has {len(roots)} nodes without a parent; name its root with source, or after the graph"
        )
    return roots


def _longest_path(graph: nx.DiGraph[Any], source: Hashable, name: str) -> int:
    """Return the edges of the longest path from the source. Raises `TreeError` for a cycle."""
    import networkx as nx

    below = graph.subgraph({source} | nx.descendants(graph, source))
    try:
        return sum(1 for _ in nx.topological_generations(below)) - 1
    except nx.NetworkXUnfeasible:
        raise _cycle_error(below, name) from None


def _cycle_error(graph: nx.DiGraph[Any], name: str) -> TreeError:
    import networkx as nx

    cycle = [str(edge[0]) for edge in nx.find_cycle(graph)]
    shown = [*cycle[:10], "...", *cycle[-1:]] if len(cycle) > 12 else cycle
    return TreeError(f"{name} has a cycle: {' -> '.join([*shown, cycle[0]])}")


def _places_below(
    graph: nx.DiGraph[Any], source: Hashable, depth: int | None, *, told: bool = False
) -> dict[Place, list[Place]]:
    """Return everything that needs a record, nearest first, with what lies below it within the depth."""
    found: dict[Place, list[Place]] = {}
    waiting: list[Place] = [(source, 0)]
    for place in waiting:  # grows as it goes
        if place not in found:
            node, level = place
            below = level + 1 if depth is not None else 0 if told else 1 - level
            found[place] = [] if level == depth else [(child, below) for child in graph.successors(node)]
            waiting += found[place]
    return found


def _said_value(graph: nx.DiGraph[Any], node: Hashable, worth: Mapping[Hashable, Number], name: str) -> float:
    """Return the value at which a search stops, else that which the node carries, 0 without one."""
    value = worth[node] if node in worth else read_value(graph.nodes[node].get("value", 0), f"{name}: node {node}")
    return float(value) if isinstance(value, Fraction) else value


def _worth(graph: nx.DiGraph[Any], node: Hashable, evaluate: Evaluate | None, name: str) -> Number:
    """Return the value of a node where the search stops."""
    inner, data = graph.out_degree(node) > 0, graph.nodes[node]
    value = data.get("value")
    if evaluate is not None and (inner or value is None):
        value = evaluate(node)
    what = f"{name}: {'node' if inner else 'leaf'} {node}{' at the depth limit' if inner else ''}"
    if value is None:
        there = f", only {' and '.join(repr(str(key)[:20]) for key in itertools.islice(data, 4))}" if data else ""
        raise TreeError(f"{what} has no value" + (", and there is no evaluation" if inner else there))
    return read_value(value, what)


def _note_other_values(
    graph: nx.DiGraph[Any],
    below: dict[Place, list[Place]],
    worth: dict[Hashable, Number],
    sides: Sides | bool,
    name: str,
) -> None:
    """Report inner nodes whose own values differ from those of their children: only leaves are read."""
    import networkx as nx

    inner = [node for node in graph if graph.out_degree(node) and graph.nodes[node].get("value") is not None]
    if not inner:
        return
    found: dict[Place, Number] = {}
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
            f"{name}: node {node} has value {str(graph.nodes[node]['value'])[:40]}, but its children give "
            f"{made}{others}; a search to the end reads only the values of leaves"
        )


# Whose turn it is -----------------------------------------------------------------------------------------------------


def _mover_by_turns(
    tree: TreeFile, homes: Sequence[Hashable], source: Hashable, maximizing: bool | None, name: str
) -> bool | None:
    """Return whether the first player moves at a node below the roots if the sides alternate."""
    parities = set[int]()
    for home in homes:
        _longest_path(tree.graph, home, name)  # refuses a cycle
        parities |= {parity for place, parity in _places_below(tree.graph, home, None) if place == source}
    if not parities or (tree.maximizing is None and maximizing is not None):
        return maximizing
    if len(parities) == 1:
        said = (tree.maximizing is not False) == (parities == {0})
        _check_agreed(said, maximizing, source, name)
        return said
    if maximizing is None:
        raise TreeError(
            f"node {source} of {name} is reached after odd and even numbers of moves, so either side may move there; "
            "mark whose turn it is"
        )
    return maximizing


def _check_agreed(said: bool, maximizing: bool | None, source: Hashable, name: str) -> None:
    if maximizing is not None and bool(maximizing) != said:
        mover = "first" if said else "second"
        raise OptionError(
            f"maximizing is {maximizing}, but {name} says that the {mover} player moves at node {source}; leave it out"
        )


def _find_sides(
    graph: nx.DiGraph[Any], source: Hashable, declared: Mapping[Hashable, bool | None], name: str
) -> Sides | None:
    """Return who moves at the source and the inner nodes above and below it; None if no node says."""
    import networkx as nx

    every = (source, *nx.ancestors(graph, source), *nx.descendants(graph, source))
    inner = {node: graph.nodes[node] for node in every if graph.out_degree(node)}
    try:
        return sides_of(inner, graph.edges, words_of(graph.graph), declared)
    except TreeError as error:
        raise TreeError(f"{name}: {error}") from None


def words_of(attributes: Mapping[str, Any]) -> dict[str, bool]:
    """Map words to players, including the players' names as the graph or its game has them."""
    players, game = attributes.get("players"), attributes.get("game")
    if players is None and isinstance(game, str) and is_specification(game) and not is_user_game(game):
        with contextlib.suppress(GametreeError):
            players = load_game(game).players
    return words_for(players)


def find_ranks(values: Iterable[Number]) -> list[Number] | None:
    """Return the distinct values, ascending, if searches must use their ranks; None if all are whole and small enough.

    >>> find_ranks([3, 12, -4]), find_ranks([3, 2.5, 3])
    (None, [2.5, 3])
    """
    different = {*values}
    whole = all(isinstance(value, int) and abs(value) <= GREATEST_PAYOFF for value in different)
    return None if whole else sorted(different)
