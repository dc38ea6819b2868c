"""Turn what a caller or the command line names, a game or an explicit tree, into a search problem.

An explicit tree is a `networkx.DiGraph`; `analysis.games.trees.tree_graph` makes it a table. Each of its positions
becomes a record of words: the number of children (negative where the second player moves), its value if the search
stops there, and the offsets of its children. A node reached by several paths (any acyclic graph will do) has one record
if the same side moves there, and after the same number of plies if the depth is limited.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numba
import numpy as np

from ..engine.kernels.raw import memory
from ..errors import OptionError, TreeError
from ..games import families
from ..games.families import is_specification, is_user_game, is_written_out
from ..games.graphs.graph import Graph, longest_ways
from ..games.trees.numbers import Number, read_value
from ..games.trees.reading import parse_tree as parse_tree
from ..games.trees.reading import read_tree as read_tree
from ..games.trees.tree_graph import read_worth, tree_graph
from ..rules.game import GameLike
from ..rules.symmetry import Group
from ..solution.solution import Solution
from ..solving.find import named_game
from .kernels.layout import GREATEST_PAYOFF, MOST, TREE
from .kernels.steps import expand_signature
from .problem import SearchProblem, check_depth, game_problem

if TYPE_CHECKING:
    import networkx as nx

Target: TypeAlias = "nx.DiGraph[Any] | GameLike"
"""A graph whose leaves carry ``value``, a game, or a solution, searched from its start. As text: a game's
specification, the directory of a solution, a tree's file, ``-`` for standard input, or a tree written out.
"""

Evaluate = Callable[[Any], float]
Place = tuple[int, int]
"""The rank of a position and its ply, 0 if the depth is not limited."""


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
    of a game's evaluations, or a function of a tree's nodes. ``maximizing`` says whether the first player moves at the
    source of a tree that does not say so itself; ``marks`` are numbers that searches of a tree will compare values
    with. Raises `SpecError`, `StoreError`, `RulesError`, `PositionError`, `OptionError`, `TreeError`.
    """
    target, title = str(target) if isinstance(target, Path) else target, "tree"
    if isinstance(target, str) and is_tree(target):
        title = "standard input" if target == "-" else "tree" if is_written_out(target) else target
        target = _read(target, title)
        source = next((node for node in target if str(node) == str(source)), source)
    elif not families.is_graph(target):
        if evaluate is not None and not isinstance(evaluate, str):
            raise OptionError("a game is evaluated by one of its own evaluations; give its name, such as 'lines'")
        begin = target.start if isinstance(target, Solution) and source is None else source
        problem = game_problem(named_game(target), begin, depth=depth, evaluation=evaluate)
        if maximizing is not None and bool(maximizing) != (problem.side(problem.root) > 0):
            raise OptionError(f"maximizing is {maximizing}, but the position says who moves; leave it out for a game")
        return problem
    if evaluate is not None and not callable(evaluate):
        raise OptionError("a tree carries its own values, or is evaluated by a function of its nodes in Python")
    options: Any = {"depth": depth, "maximizing": maximizing, "evaluate": evaluate, "marks": marks}
    return tree_problem(target, source, title=title, **options)


def is_tree(target: str) -> bool:
    """Return whether a text names an explicit tree (a file, ``-`` for standard input, or a tree), not a game."""
    return target == "-" or families.is_tree(target)


def is_target(text: str) -> bool:
    """Return whether a text after a target is another target, not the place from which to search the first."""
    file = text.partition(":")[0]
    return is_specification(text) and (not is_user_game(text) or Path(file).exists())


def _read(target: str, title: str) -> nx.DiGraph[Any]:
    if target != "-":
        return parse_tree(target) if is_written_out(target) else read_tree(target)
    try:
        return parse_tree(sys.stdin.read(), title)
    except (AttributeError, OSError, UnicodeDecodeError):
        raise TreeError("standard input is closed or not text") from None


# Explicit trees -------------------------------------------------------------------------------------------------------


def tree_problem(
    tree: nx.DiGraph[Any],
    source: Hashable | None = None,
    *,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Evaluate | None = None,
    marks: Sequence[Number] = (),
    title: str = "tree",
) -> SearchProblem:
    """Return the search problem of the tree below ``source`` (default: the tree's own, else its only node without a
    parent).

    If the tree does not say who moves, the sides alternate, and the first player begins at its root; ``maximizing``
    says instead whether he moves at the source. After ``depth`` plies a node counts ``evaluate(node)``, or what it
    carries. ``marks`` are finite numbers that `SearchProblem.place` will be asked for. Raises `OptionError` for an
    invalid depth or a ``maximizing`` that contradicts the tree, and `TreeError`, which calls the tree ``title``, for
    what `tree_graph` refuses, for cycles, and for a node at the depth limit without a finite number.
    """
    check_depth(depth)
    options: Any = {"depth": depth, "maximizing": maximizing, "evaluate": evaluate, "marks": marks, "title": title}
    again = functools.partial(tree_problem, tree, source, **options)
    graph, nodes = tree_graph(tree, title, source, maximizing, evaluate)
    degrees = np.diff(graph.first)
    levels = longest_ways(len(nodes), np.repeat(np.arange(len(nodes)), degrees), graph.children)
    if levels is None:
        raise _cycle_error(graph, title)
    below = _places(graph, depth)
    worth = {rank: _worth(tree, graph, nodes, rank, evaluate, title) for (rank, _), under in below.items() if not under}
    ranks = find_ranks([*worth.values(), *marks])
    numbers: dict[Any, Any] | None = None if ranks is None else {value: rank for rank, value in enumerate(ranks)}
    *starts, total = itertools.accumulate((2 + len(children) for children in below.values()), initial=0)
    offsets = dict(zip(below, starts, strict=True))
    children_at = {at: [offsets[child] for child in below[place]] for place, at in offsets.items()}
    ranks_at = {at: rank for (rank, _), at in offsets.items()}
    records = np.zeros(total, dtype=np.int64)
    for at, children in children_at.items():
        rank = ranks_at[at]
        if children:
            records[at : at + 2 + len(children)] = len(children) * int(graph.movers[rank]), 0, *children
        else:  # at the depth limit its number of moves is not 0
            records[at : at + 2] = degrees[rank], worth[rank] if numbers is None else numbers[worth[rank]]

    def estimate(state: int) -> float:
        rank = ranks_at[state]
        value = worth[rank] if rank in worth else read_worth(tree, nodes[rank]) or 0
        return float(value) if isinstance(value, Fraction) else value

    leaves = [int(records[at + 1]) for at, children in children_at.items() if not children]
    most = int(degrees[[rank for rank, _ in below]].max())
    return SearchProblem(
        name=title,
        expand=_compiled(),
        root=0,
        most=most,
        codes=max(most, 1),
        payoffs=(min(leaves), max(leaves)),
        label=lambda state: nodes[ranks_at[state]],
        moves=lambda state: list(enumerate(children_at[state])),
        side=lambda state: 1 if records[state] > 0 else -1,
        group=lambda kind: Group(kind, ((),), 0, 1),
        estimate=estimate,
        depth=depth,
        longest=int(levels.max()),
        evaluation=None if evaluate is None else getattr(evaluate, "__name__", "evaluate"),
        tree=records,
        notes=graph.notes,
        ranks=ranks,
        recipe=again,
    )


def _places(graph: Graph, depth: int | None) -> dict[Place, list[Place]]:
    """Return everything that needs a record, nearest first, with what lies below it within the depth."""
    places: dict[Place, list[Place]] = {}
    waiting: list[Place] = [(0, 0)]
    for place in waiting:  # grows as it goes
        if place not in places:
            rank, ply = place
            children = [] if ply == depth else graph.children[graph.first[rank] : graph.first[rank + 1]].tolist()
            places[place] = [(child, 0 if depth is None else ply + 1) for child in children]
            waiting += places[place]
    return places


def _worth(
    tree: nx.DiGraph[Any], graph: Graph, nodes: Sequence[Any], rank: int, evaluate: Evaluate | None, title: str
) -> Number:
    """Return the value of a position where the search stops: its payoff, or what it counts at the depth limit."""
    if graph.first[rank] == graph.first[rank + 1]:
        code = int(graph.payoffs[rank])
        return code if graph.worths is None else graph.worths[code]
    title_of_node = f"{title}: node {nodes[rank]} at the depth limit"
    value = read_worth(tree, nodes[rank]) if evaluate is None else read_value(evaluate(nodes[rank]), title_of_node)
    if value is None:
        raise TreeError(f"{title_of_node} has no value, and there is no evaluation")
    return value


def _cycle_error(graph: Graph, title: str) -> TreeError:
    import networkx as nx

    parents = np.repeat(np.arange(len(graph.keys)), np.diff(graph.first))
    cycle = [graph.keys[edge[0]] for edge in nx.find_cycle(nx.DiGraph([*zip(parents, graph.children, strict=True)]))]
    shown = [*cycle[:10], "...", *cycle[-1:]] if len(cycle) > 12 else cycle
    return TreeError(f"{title} has a cycle: {' -> '.join([*shown, cycle[0]])}")


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


def find_ranks(values: Iterable[Number]) -> list[Number] | None:
    """Return the distinct values, ascending, if searches must use their ranks; None if all are whole and small enough.

    >>> find_ranks([3, 12, -4]), find_ranks([3, 2.5, 3])
    (None, [2.5, 3])
    """
    different = {*values}
    whole = all(isinstance(value, int) and abs(value) <= GREATEST_PAYOFF for value in different)
    return None if whole else sorted(different)
