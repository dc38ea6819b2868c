"""Whose turn it is at the nodes of an explicit tree: what they say themselves, and what follows from it.

A node may say so under any of the names in `KEYS`, in any of the words in `FIRST` and `SECOND`, or by the name of a
player. Where some nodes of a tree say it, the others alternate with those above and below them. Leaves are not asked.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from analysis.errors import GametreeError, TreeError
from analysis.games.families import FAMILIES, load_game
from analysis.wording import listed

if TYPE_CHECKING:
    import networkx as nx

KEYS = ("to_move", "player", "current_player", "turn", "type")
"""Attributes of a node that name who moves, in any letters, with ``_`` or without; one of `TRUE_OR_FALSE` says whether
it is the first player.
"""

MAXIMIZING = "maximizing"
TRUE_OR_FALSE = (MAXIMIZING, "is_max", "is_maximizing", "maximizing_player")

FIRST = ("max", "maximizer", "maximizing", "X", "first", "1", "+1")
SECOND = ("min", "minimizer", "minimizing", "O", "second", "2", "-1")
"""Words for the players, in capitals or not. Numbers are 1 and 2, or 1 and -1."""

Sides = dict[Hashable, bool]
"""Whether the first player moves at a node."""

_TRUTH = {"true": True, "false": False, "1": True, "0": False}


def find_sides(
    graph: nx.DiGraph[Any], source: Hashable, declared: Mapping[Hashable, bool | None], name: str
) -> Sides | None:
    """Who moves at the nodes that have children, at the source, above and below it, or None where they do not say.

    ``declared`` is what the tree as a whole says of nodes. Raises `TreeError`, which calls the tree ``name``, for words
    that mean neither player, and for a tree that contradicts itself.

    >>> import networkx
    >>> tree = networkx.DiGraph([("root", "a"), ("a", "b"), ("b", "c")])
    >>> tree.nodes["b"]["player"] = "MIN"
    >>> find_sides(tree, "root", {}, "tree")
    {'b': False, 'a': True, 'root': False}
    """
    import networkx as nx

    inner = [
        node
        for node in (source, *nx.ancestors(graph, source), *nx.descendants(graph, source))
        if graph.out_degree(node)
    ]
    words = _words(graph)
    marks = {node: side for node in inner if (side := _marked(graph.nodes[node], words, node, name)) is not None}
    if not marks:
        return None
    for node, side in declared.items():
        if side is not None and node in inner and marks.setdefault(node, side) != side:
            raise TreeError(
                f"{name}: node {node} says that {_player(not side)} moves, and the tree that {_player(side)} does"
            )
    return _alternating(graph, marks, set(inner), name)


def read_side(text: Any) -> bool | None:
    """What a value of `MAXIMIZING` says; None where it is neither true nor false.

    >>> read_side(True), read_side("false"), read_side("no")
    (True, False, None)
    """
    return _TRUTH.get(_word(text))


def _player(first: bool) -> str:
    return f"the {'first' if first else 'second'} player"


def _word(value: Any) -> str:
    """How a value is spelled in the tables of words: ``1.0`` as ``1``."""
    whole = isinstance(value, Real) and not isinstance(value, bool) and value == value // 1
    return str(int(value) if whole else value).strip().casefold()


def _words(graph: nx.DiGraph[Any]) -> dict[str, bool]:
    """Who is meant by each word: the names of the players too, as the graph has them or the game that it is of."""
    players, game = graph.graph.get("players"), graph.graph.get("game")
    if players is None and isinstance(game, str) and game.partition(":")[0] in FAMILIES:
        try:
            players = load_game(game).players
        except GametreeError:
            players = None
    named = players if isinstance(players, (list, tuple)) and len(players) == 2 else ()
    pairs = [
        *((word, True) for word in FIRST),
        *((word, False) for word in SECOND),
        *zip(named, (True, False), strict=False),
    ]
    return {_word(word): first for word, first in pairs}


def _marked(data: Mapping[str, Any], words: Mapping[str, bool], node: Hashable, name: str) -> bool | None:
    """Who moves at a node as it says itself; None where it does not."""
    found: dict[str, bool] = {}
    for key, said in data.items():
        if _bare(key) not in _ASKED or said is None or said == "":
            continue
        truth = _bare(key) in _TRUE_OR_FALSE
        known = _TRUTH if truth else words
        if _word(said) not in known:
            right = "true or false" if truth else listed(["max", "min", "X", "O", "first", "second", "1", "2", "-1"])
            raise TreeError(f"{name}: node {node} has {key} {str(said)[:40]!r}; it is {right}")
        found[key] = known[_word(said)]
    if len({*found.values()}) > 1:
        raise TreeError(f"{name}: {' and '.join(found)} of node {node} name different players")
    return next(iter(found.values()), None)


def _bare(key: Any) -> str:
    """How the name of an attribute is looked for."""
    return str(key).replace("_", "").replace(" ", "").casefold()


_TRUE_OR_FALSE = frozenset(map(_bare, TRUE_OR_FALSE))
_ASKED = _TRUE_OR_FALSE | set(map(_bare, KEYS))


def _alternating(graph: nx.DiGraph[Any], marks: Sides, inner: set[Hashable], name: str) -> Sides:
    """The marks, and what follows from them: a node without a mark has another mover than all its neighbours."""
    sides, waiting = dict(marks), list(marks)
    for node in waiting:  # grows as it goes
        for other in (*graph.predecessors(node), *graph.successors(node)):
            if other not in inner or (node in marks and other in marks):
                continue
            if other not in sides:
                sides[other] = not sides[node]
                waiting.append(other)
            elif sides[other] == sides[node]:
                unmarked = node if node not in marks else other
                raise TreeError(
                    f"{name}: node {unmarked} does not say whose turn it is, and either side may move there by turns; "
                    "mark it"
                )
    return sides
