"""`minimax` and `alphabeta` as a textbook calls them, on explicit trees and games alike."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.errors import OptionError, TooLargeError, TreeError
from analysis.rules.game import Game
from analysis.search.catalogue import ALGORITHMS
from analysis.search.explicit import tree_problem
from analysis.search.game_problem import game_problem
from analysis.search.kernels import layout
from analysis.search.kernels.layout import GREATEST_PAYOFF, INFINITY
from analysis.search.problem import SearchProblem, Window
from analysis.search.tree_files import TreeFile
from analysis.search.visits import Visit, read_visits
from analysis.search.workspace import Workspace

if TYPE_CHECKING:
    import networkx as nx


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
    leaves: int
    cutoffs: int
    cutoffs_effective: int
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


def minimax(
    what: nx.DiGraph[Any] | TreeFile | Game | str,
    source: Any = None,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> SearchResult:
    """The value of ``source`` by visiting everything below it.

    ``what`` is a `networkx.DiGraph` whose leaves carry ``value`` (any whole numbers), a `TreeFile`, or a game;
    ``source`` a node (default: the root), or the text of a position (default: the start); ``depth`` the plies after
    which a node counts ``evaluate(node)``, or the value that it carries (of a game: ``evaluate`` is the name of one of
    its evaluations); ``maximizing`` whether the first player moves at the source of a tree (default), and then the
    sides in turn. Raises `TreeError`, `OptionError`, and what `analysis.load_game` and ``parse_position`` raise.

    >>> import networkx
    >>> tree = networkx.DiGraph([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    >>> for leaf, value in zip("cdef", (3, 12, 2, 8)):
    ...     tree.nodes[leaf]["value"] = value
    >>> minimax(tree).value, minimax(tree).best
    (3, 'a')
    >>> minimax("tictactoe", "XX?OO????").value
    1
    """
    return _search("minimax", what, source, depth, maximizing, evaluate, Window())


def alphabeta(
    what: nx.DiGraph[Any] | TreeFile | Game | str,
    source: Any = None,
    depth: int | None = None,
    alpha: float = -math.inf,
    beta: float = math.inf,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> SearchResult:
    """The value of ``source`` if it lies between ``alpha`` and ``beta``, else a bound, by fail-soft alpha-beta:
    children in their own order, cut where alpha >= beta. The other arguments are those of `minimax`.

    >>> import networkx
    >>> tree = networkx.DiGraph([("root", "a"), ("root", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")])
    >>> for leaf, value in zip("cdef", (3, 12, 2, 8)):
    ...     tree.nodes[leaf]["value"] = value
    >>> result = alphabeta(tree)
    >>> result.value, result.best, result.values["b"], result.cut
    (3, 'a', 2, ['f'])
    """
    window = Window(_end(alpha, "alpha"), _end(beta, "beta"), f"{alpha}..{beta}")
    if window.alpha >= window.beta:
        raise OptionError(f"alpha {alpha} is not below beta {beta}")
    return _search("alphabeta", what, source, depth, maximizing, evaluate, window)


def problem_of(
    what: nx.DiGraph[Any] | TreeFile | Game | str,
    source: Any = None,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> SearchProblem:
    """What the arguments of `minimax` describe, as all searches take it."""
    if isinstance(what, TreeFile):
        source = what.source if source is None else source
        maximizing = what.maximizing if maximizing is None else maximizing
        what = what.graph
    if evaluate is not None and not isinstance(evaluate, str) and not callable(evaluate):
        raise OptionError(f"evaluate {evaluate!r} is neither a function nor a name")
    if not isinstance(what, (str, Game)):
        if not hasattr(what, "is_directed"):
            raise TreeError(f"{type(what).__name__} is no networkx.DiGraph, no game and no specification of one")
        if isinstance(evaluate, str):
            raise OptionError("an explicit tree is evaluated by a function of its nodes, not by a name")
        first = maximizing is None or bool(maximizing)
        return tree_problem(what, source, depth=depth, maximizing=first, evaluate=evaluate)
    if evaluate is not None and not isinstance(evaluate, str):
        raise OptionError("a game is evaluated by one of its own evaluations; give its name, such as 'lines'")
    if source is not None and not isinstance(source, str):
        raise OptionError(f"source {source!r} is no position; write it as text, such as 'XO???????'")
    problem = game_problem(what, source, depth=depth, evaluation=evaluate)
    if maximizing is not None and bool(maximizing) != (problem.side(problem.root) > 0):
        raise OptionError(f"maximizing is {maximizing}, but the position says who is to move; leave it out for a game")
    return problem


def _search(
    name: str, what: Any, source: Any, depth: int | None, maximizing: bool | None, evaluate: Any, window: Window
) -> SearchResult:
    problem = problem_of(what, source, depth, maximizing, evaluate)
    run = ALGORITHMS[name].load()
    workspace = Workspace(problem, window=window, visits=problem.most + 1, visit_plies=1)
    value = _finish(workspace, run)
    root, *children = read_visits(problem, workspace.visits())
    too_bad = root.maximizing is not None and (value <= window.alpha if root.maximizing else value >= window.beta)
    best = next((visit for visit in children if visit.value == value and not too_bad), None)

    def list_visits() -> list[Visit]:
        again = Workspace(problem, window=window, visits=workspace[layout.NODES])
        _finish(again, run)
        return read_visits(problem, again.visits())

    return SearchResult(
        value,
        None if best is None else best.node,
        None if best is None else best.move,
        workspace[layout.NODES],
        workspace[layout.LEAVES],
        workspace[layout.CUTOFFS],
        workspace[layout.EFFECTIVE],
        list_visits,
    )


def _finish(workspace: Workspace, run: Callable[[Workspace], int]) -> int:
    value, stopped = workspace.run(run)
    if value is None:
        raise OptionError(f"{workspace.problem.name} cannot be searched: {stopped}")
    return value


def _end(bound: Any, name: str) -> int:
    if isinstance(bound, (float, np.floating)) and math.isinf(bound):
        return INFINITY if bound > 0 else -INFINITY
    is_number = isinstance(bound, (int, float, np.number))
    if not is_number or bound != bound // 1 or abs(int(bound)) > GREATEST_PAYOFF:
        raise OptionError(f"{name} {str(bound)[:40]} is neither infinite nor a whole number within 2**62")
    return int(bound)
