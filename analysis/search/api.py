"""`minimax` and `alphabeta` as a textbook calls them, on explicit trees and games alike."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError
from analysis.rules import Game
from analysis.search.catalogue import ALGORITHMS
from analysis.search.explicit import tree_subject
from analysis.search.games import game_subject
from analysis.search.kernels import layout
from analysis.search.kernels.layout import GREATEST_PAYOFF, INFINITY
from analysis.search.subject import Subject, Window
from analysis.search.visits import Visit, read_visits
from analysis.search.workspace import Workspace

if TYPE_CHECKING:
    import networkx as nx


@dataclasses.dataclass(frozen=True)
class SearchResult:
    """What a search found and where it went."""

    value: int
    """The first player's value: exact if it lies inside the window, else a bound."""
    best: Any
    """The best child of the root, the first of equals: a node, or the text of a position; None where it is a leaf."""
    move: int | None
    """The code of the move to it: for a tree, which child it is, from 0."""
    nodes: int
    leaves: int
    cutoffs: int
    cutoffs_effective: int
    visits: list[Visit]
    """Every call, in order, with its window, its value and the children that it cut."""

    @property
    def values(self) -> dict[Any, int]:
        """The value that each visited node returned (the last one, if it was visited more than once)."""
        return {visit.node: visit.value for visit in self.visits if visit.value is not None}

    @property
    def cut(self) -> list[Any]:
        """The nodes that were cut off, in order; what is below them was not visited either."""
        return [node for visit in self.visits for node in visit.cut]


def minimax(
    what: nx.DiGraph[Any] | Game | str,
    source: Any = None,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> SearchResult:
    """The value of ``source`` by visiting everything below it.

    ``what`` is a `networkx.DiGraph` whose leaves carry ``value`` (any whole numbers), or a game; ``source`` a node
    (default: the root), or the text of a position (default: the start); ``depth`` the plies after which a node counts
    ``evaluate(node)``, or the value that it carries (of a game: the name of one of its evaluations); ``maximizing``
    whether the first player moves at the source of a tree (default), and then the sides in turn. Raises `TreeError`,
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
    return _search("minimax", what, source, depth, maximizing, evaluate, Window())


def alphabeta(
    what: nx.DiGraph[Any] | Game | str,
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


def subject_of(
    what: nx.DiGraph[Any] | Game | str,
    source: Any = None,
    depth: int | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], int] | str | None = None,
) -> Subject:
    """What the arguments of `minimax` describe, as all searches take it."""
    if not isinstance(what, (str, Game)):
        if isinstance(evaluate, str):
            raise OptionError("an explicit tree is evaluated by a function of its nodes, not by a name")
        return tree_subject(what, source, depth=depth, maximizing=maximizing is not False, evaluate=evaluate)
    if evaluate is not None and not isinstance(evaluate, str):
        raise OptionError("a game is evaluated by one of its own evaluations; give its name, such as 'lines'")
    return game_subject(what, source, depth=depth, evaluation=evaluate)


def _search(
    name: str, what: Any, source: Any, depth: int | None, maximizing: bool | None, evaluate: Any, window: Window
) -> SearchResult:
    subject = subject_of(what, source, depth, maximizing, evaluate)
    run = ALGORITHMS[name].load()
    counting = Workspace(subject, window=window)
    _finish(counting, run)
    workspace = Workspace(subject, window=window, visits=counting[layout.NODES])
    value = _finish(workspace, run)
    visits = read_visits(subject, workspace.visits())
    best = next((visit for visit in visits if visit.parent == 0 and visit.value == value), None)
    return SearchResult(
        value,
        None if best is None else best.node,
        None if best is None else best.move,
        workspace[layout.NODES],
        workspace[layout.LEAVES],
        workspace[layout.CUTOFFS],
        workspace[layout.EFFECTIVE],
        visits,
    )


def _finish(workspace: Workspace, run: Callable[[Workspace], int]) -> int:
    value, stopped = workspace.run(run)
    if value is None:
        raise OptionError(f"{workspace.subject.name} cannot be searched: {stopped}")
    return value


def _end(bound: float, name: str) -> int:
    if math.isinf(bound):
        return INFINITY if bound > 0 else -INFINITY
    if bound != bound // 1 or abs(bound) > GREATEST_PAYOFF:
        raise OptionError(f"{name} {bound} is neither a whole number nor infinite")
    return int(bound)
