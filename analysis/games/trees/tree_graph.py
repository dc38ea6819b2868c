"""Make tables of a tree or a graph of networkx: who moves at each node, the names of moves, and the payoffs of ends."""

from __future__ import annotations

import array
import functools
import logging
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...common.wording import shortened, with_count
from ...errors import OptionError, TreeError
from ..graphs.graph import MOST_CODES, NO_PAYOFF, Graph, by_rank, longest_ways, ranked
from .numbers import Number, exact, read_value
from .reading import DEEPEST, too_deep

if TYPE_CHECKING:
    import networkx as nx

LOG = logging.getLogger("gametree")
GREATEST = 32_000  # the greatest payoff that tables hold without a code
PAYOFFS = ("value", "val", "utility", "score", "payoff", "reward", "eval", "evaluation")
"""The last words of names of attributes with the value of a node, in any case, such as ``leafValue``."""
LABELS = ("label", "name", "action", "move")  # attributes of edges that name moves
TRUTH = {"true": True, "false": False, "1": True, "0": False}
TURN, MAXIMIZING = ("player", "current_player", "turn", "to_move", "type", "node_type"), ("maximizing", "is_max")
"""Attributes that say who moves at a node,"""
SIDES = dict.fromkeys(("max", "x", "first", "1"), True) | dict.fromkeys(("min", "o", "second", "2", "-1"), False)
"""and the words for players."""
PROBABILITY = ("probability", "prob")  # of games of chance, which are refused


def tree_graph(
    tree: nx.DiGraph[Any],
    title: str = "tree",
    source: Hashable | None = None,
    maximizing: bool | None = None,
    evaluate: Callable[[Any], Any] | None = None,
) -> tuple[Graph, list[Any]]:
    """Return a tree, or a graph with shared nodes, as tables by rank, and the node of each rank. A node has two ranks
    if sides alternate and either may move there. Codes and payoffs are int64 if they are too large for the tables of
    games; the notes say how the tree was read.

    Args:
        tree: The graph. Its own attribute ``source`` names the root (default: the only node without a parent), and
            ``maximizing`` says who moves there.
        title: Its name in messages.
        source: The node where play begins (default: the root).
        maximizing: Whether the first player moves there, if the tree does not say so.
        evaluate: Returns the value of a leaf that has none.

    Raises `TreeError` if it is not a game of two players, and `OptionError` if ``maximizing`` contradicts it.
    """
    try:
        return _tree_graph(tree, source, maximizing, evaluate)
    except (TreeError, OptionError) as error:
        raise type(error)(f"{title}: {error}") from None


def log_reading(title: str, notes: Sequence[str]) -> None:
    """Log how a tree was read."""
    LOG.info(f"{title}: {'; '.join(notes)}")


def _tree_graph(
    tree: nx.DiGraph[Any], source: Any, maximizing: bool | None, evaluate: Callable[[Any], Any] | None
) -> tuple[Graph, list[Any]]:
    if not tree.is_directed() or tree.is_multigraph():
        raise TreeError("not a directed graph without parallel edges; edges must lead from parents to children")
    roots, players, declared = _roots(tree, source), _players(tree), _declared(tree)
    names, n = list(tree), len(tree)
    numbers = {name: number for number, name in enumerate(names)}
    begin = numbers[roots[0] if source is None else source]
    sources, children, texts = _edges(tree, numbers)
    levels = longest_ways(n, sources, children, DEEPEST)
    if levels is not None and levels.min() < 0:
        raise TreeError(too_deep())
    inner = np.bincount(sources, minlength=n) > 0
    marks = _marks(tree, [names[i] for i in np.flatnonzero(inner).tolist()], players)
    if marks and declared is not None:
        wrong = next((root for root in roots if marks.setdefault(root, declared) != declared), None)
        if wrong is not None:
            raise TreeError(f"the mark of node {wrong} and 'maximizing' of the graph name different players")
    if marks and any(root not in marks and inner[numbers[root]] for root in roots):
        raise TreeError(f"node {roots[0]} does not say whose turn it is, although others do")
    ranks = ranked(np.searchsorted(sources, np.arange(n + 1)), children, begin)
    codes, labels = _codes(texts, sources, ranks[sources])
    order = np.lexsort((codes, sources))
    sources, children, codes = sources[order], children[order], codes[order]
    # Each node twice, as the first player moves there and as the second does; an end only as the former.
    second = inner & np.array([not marks.get(name, False) for name in names])
    always = inner & np.array([not marks.get(name, True) for name in names])
    children = np.concatenate([children + n * second[children], children + n * always[children]])
    first = np.searchsorted(np.concatenate([sources, sources + n]), np.arange(2 * n + 1))
    begins = marks.get(names[begin])
    if begins is None and declared is None and maximizing is not None:
        begins = bool(maximizing)
    elif begins is None and names[begin] in roots:
        begins = declared is not False
    elif begins is None:
        starts = np.array([numbers[root] + n * (not marks.get(root, declared is not False)) for root in roots])
        ranks = ranked(first, children, starts)
        begins = bool(ranks[begin] >= 0 or ranks[begin + n] < 0)
        if begins and ranks[begin + n] >= 0:
            raise TreeError(f"node {names[begin]} is reached after odd and even numbers of moves; mark its player")
    if maximizing is not None and inner[begin] and begins != bool(maximizing):
        mover = "first" if begins else "second"
        raise OptionError(f"maximizing is {maximizing}, but the {mover} player moves at node {names[begin]}")
    movers = np.concatenate([inner, -1 * inner]).astype(np.int8)
    places: Any = np.arange(2 * n)
    pair = (players[0], players[1]) if players else ("MAX", "MIN")
    graph = Graph(first, np.concatenate([codes, codes]), children, movers, places, places, labels, pair, (), named=True)
    graph = by_rank(graph, begin + n * (inner[begin] and not begins))
    places = graph.payoffs % n
    nodes = [names[place] for place in places.tolist()]
    if source is None and not {"source", "start"} & tree.graph.keys() and (unreached := {*names} - {*nodes}):
        raise TreeError(f"node {min(map(str, unreached))} is not reached from {names[begin]}")
    graph = graph._replace(keys=_keys(nodes, np.bincount(places, minlength=n)[places] > 1, graph.movers))
    return _with_payoffs(tree, graph, nodes, evaluate, bool(marks)), nodes


def _marks(tree: nx.DiGraph[Any], inner: Sequence[Any], players: Sequence[str]) -> dict[Any, bool]:
    """Return whether the first player moves, for each node with children that says so. Raises `TreeError` where the
    attribute names no player, or two of them different ones, and for chance.
    """
    words = SIDES | dict(zip(map(str.casefold, players), (True, False), strict=False))
    marks: dict[Any, bool] = {}
    for node in inner:
        for name, value in tree.nodes[node].items():
            key = snake_case(str(name))
            if value in (None, "") or key not in (*TURN, *MAXIMIZING):
                if key in PROBABILITY:
                    raise TreeError(f"node {node} has a {name}; games are without chance")
                continue
            side = (TRUTH if key in MAXIMIZING else words).get(str(value).strip().casefold())
            if side is None or marks.setdefault(node, side) != side:
                raise TreeError(
                    f"node {node} has {name} {str(value)[:40]!r}; 'player' may be {', '.join(words)}, and 'maximizing' "
                    "true or false"
                )
    return marks


@functools.lru_cache(4096)
def snake_case(name: str) -> str:
    """Return a name in snake case.

    >>> snake_case("nodeType"), snake_case("To Move")
    ('node_type', 'to_move')
    """
    return re.sub(r"[\W_]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).strip("_").casefold()


def _roots(tree: nx.DiGraph[Any], source: Any) -> list[Any]:
    """Return the nodes where play may begin: the one that the graph names, else those without a parent. Raises
    `TreeError` if there are several and no ``source`` is given.
    """
    root, start = tree.graph.get("source"), tree.graph.get("start")
    if root is None and isinstance(start, str):  # our exports have the text of a position
        texts = ((node, data.get("position")) for node, data in tree.nodes(data=True))
        root = start if start in tree else next((node for node, text in texts if text == start), None)
    for node in (root, source):
        if node is not None and node not in tree:
            raise TreeError(f"there is no node {node!r}")
    if not tree:
        raise TreeError("there are no nodes in it")
    roots = [node for node, degree in tree.in_degree() if degree == 0] if root is None else [root]
    if source is None and len(roots) != 1:
        number = f"{len(roots)} nodes have no parent: {shortened([*map(str, roots)], 4)}"
        raise TreeError(
            f"{number if roots else 'every node has a parent'}; name the node where play begins in the attribute "
            '\'source\' of the graph, in JSON "graph": {"source": NODE}'
        )
    return roots or [source]


def _declared(tree: nx.DiGraph[Any]) -> bool | None:
    """Return whether the first player moves at the root, as the graph says. Raises `TreeError`."""
    value = tree.graph.get("maximizing")
    if value is not None and str(value).casefold() not in TRUTH:
        raise TreeError(f"graph.maximizing is {str(value)[:40]!r}; write true or false")
    return None if value is None else TRUTH[str(value).casefold()]


def _players(tree: nx.DiGraph[Any]) -> list[str]:
    """Return the names of the players; empty if the graph does not name them."""
    players = tree.graph.get("players")
    names = [*map(str, players)] if isinstance(players, (list, tuple)) else []
    return names if len(names) == len({*names} - {""}) == 2 else []


def _keys(nodes: Sequence[Any], twice: np.ndarray, movers: np.ndarray) -> list[str]:
    """Return the names of the nodes as texts, with the side to move if either may move at a node."""
    keys = [" ".join(str(node).split()) or f"node {rank}" for rank, node in enumerate(nodes)]
    for rank in np.flatnonzero(twice).tolist():
        keys[rank] += " (max)" if movers[rank] > 0 else " (min)"
    if len({*keys}) < len(keys):
        raise TreeError(f"two nodes are called {next(key for at, key in enumerate(keys) if keys.index(key) < at)}")
    return keys


# Moves ----------------------------------------------------------------------------------------------------------------


def _edges(tree: nx.DiGraph[Any], numbers: Mapping[Any, int]) -> tuple[np.ndarray, np.ndarray, list[str | None]]:
    """Return the numbers of parents and children, ascending by parent, and the texts of moves, None if they have none.

    A node marked ``cut``, some of whose moves an export left out, is a leaf with its own value, unless it still has
    optimal moves, which lead to the same value.
    """
    sources, children, texts = array.array("q"), array.array("q"), list[str | None]()
    for node, below in tree.adjacency():
        data = tree.nodes[node]
        if data.get("cut") is True and data.get("value") is not None:
            below = below if all(edge.get("optimal") for edge in below.values()) else {}
        for child, edge in below.items():
            for text in _texts(edge, child):
                sources.append(numbers[node])
                children.append(numbers[child])
                texts.append(text)
    return np.array(sources, np.int64), np.array(children, np.int64), texts


def _texts(edge: Mapping[str, Any], child: Any) -> list[str | None]:
    """Return the texts of the moves of an edge: several in our exports, else a label, or the name of the child."""
    names, moves = edge.get("names"), edge.get("moves")
    names = names.split(", ") if isinstance(names, str) else names
    moves = moves.split() if isinstance(moves, str) else moves
    if not (isinstance(names, list) and isinstance(moves, list) and len(names) == len(moves) > 0):
        labels = [edge.get(key) for key in LABELS]
        label = next((value for value in labels if isinstance(value, (str, int)) and not isinstance(value, bool)), None)
        names = [label if label is not None else child if isinstance(child, str) else ""]
    return [re.sub(r"[\s,]+", "_", str(name).strip()) or None for name in names]


def _codes(texts: list[str | None], sources: np.ndarray, ranks: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return the code of each move, and the texts of codes. Codes keep the order in which each node lists its moves,
    and otherwise that of a breadth-first search, which takes parents in the order ``ranks``.

    Moves without a text are named by their place. If texts are not unique, come in several orders, or are too many for
    codes, the moves of each node are only numbered.
    """
    import networkx as nx

    numbered = np.arange(len(sources)) - np.searchsorted(sources, sources)
    if not any(texts):
        return numbered, []
    ids: dict[str, int] = {}
    words = (text or str(place) for text, place in zip(texts, numbered.tolist(), strict=True))
    moves = np.array([ids.setdefault(word, len(ids)) for word in words])
    if len(ids) > MOST_CODES or len(np.unique(moves + sources * MOST_CODES)) < len(moves):
        return numbered, []
    walk = np.lexsort((numbered, ranks))
    _, places = np.unique(moves[walk], return_index=True)
    within = sources[1:] == sources[:-1]
    follows: nx.DiGraph[int] = nx.DiGraph()
    follows.add_nodes_from(range(len(ids)))
    follows.add_edges_from(np.stack([moves[:-1][within], moves[1:][within]]).T.tolist())
    try:
        order = [*nx.lexicographical_topological_sort(follows, places.__getitem__)]
    except nx.NetworkXUnfeasible:
        return numbered, []
    labels = [*ids]
    return np.argsort(order)[moves], [labels[code] for code in order]


# Payoffs --------------------------------------------------------------------------------------------------------------


def read_worth(tree: nx.DiGraph[Any], node: Any) -> Number | None:
    """Return the value of a node, None if it has none. Raises `TreeError` unless it is one finite number."""
    data = tree.nodes[node].items()
    values = {
        read_value(value, f"node {node}")
        for name, value in data
        if value is not None and snake_case(name).split("_")[-1] in PAYOFFS
    }
    if len(values) > 1:
        raise TreeError(f"node {node} has several values; leave one of them")
    return next(iter(values), None)


def _with_payoffs(
    tree: nx.DiGraph[Any], graph: Graph, nodes: list[Any], evaluate: Callable[[Any], Any] | None, marked: bool
) -> Graph:
    """Return the graph with the payoffs of ends, and notes on it. Raises `TreeError`."""
    n = len(graph.movers)
    degrees = np.diff(graph.first)
    ends, values = np.flatnonzero(degrees == 0), dict[int, Number]()
    for rank in ends.tolist():
        value = read_worth(tree, nodes[rank])
        if value is None and evaluate is not None:
            value = read_value(evaluate(nodes[rank]), f"node {nodes[rank]}")
        if value is None:
            raise TreeError(f"leaf {nodes[rank]} has no value")
        values[rank] = value
    loopy = longest_ways(n, np.repeat(np.arange(n), degrees), graph.children) is None
    codes, worths = _coded_payoffs([*values.values()], loopy)
    payoffs = np.full(n, NO_PAYOFF, np.int16 if abs(codes).max(initial=0) <= GREATEST else np.int64)
    payoffs[ends] = codes
    turns = "nodes say whose turn it is" if marked else "the sides alternate"
    notes = (
        f"{with_count(len(ends), 'end')} of {with_count(n, 'position')}; {turns}, "
        f"{graph.players[0 if graph.movers[0] >= 0 else 1]} first"
        + "; one node with its leaves, nest them for more moves, as in [[3, 5], [6, 9]]"
        * (len(ends) == n - 1 > 2)
    )
    return graph._replace(payoffs=payoffs, notes=(notes,), worths=worths)


def _coded_payoffs(values: Sequence[Number], loopy: bool) -> tuple[np.ndarray, dict[int, Number] | None]:
    """Return payoffs as codes that tables hold, and what these stand for, None for themselves: the payoffs if they are
    whole and small, else their ranks from 0 with their signs; in a game with loops, the signs. Raises `TreeError` if
    signs do not tell the payoffs of such a game apart.
    """
    distinct = sorted({*values}, key=exact)
    if not loopy and all(isinstance(value, int) and abs(value) <= GREATEST for value in distinct):
        return np.array(values, np.int64), None
    positive = [value for value in distinct if value > 0]
    negative = [value for value in distinct if value < 0][::-1]
    if loopy and max(len(positive), len(negative)) > 1:
        raise TreeError(
            "play can return to a position, and such a game can be solved if it is won, lost or tied; it has "
            f"{with_count(len(distinct), 'payoff')}, {shortened([*map(str, distinct)], 4)}"
        )
    coded = {value: rank for rank, value in enumerate(positive, 1)} | {0: 0}
    coded |= {value: -rank for rank, value in enumerate(negative, 1)}
    codes = np.array([coded[value] for value in values], np.int64)
    return codes, None if all(code == value for value, code in coded.items()) else {c: v for v, c in coded.items()}
