"""A tree or a graph as a game: who moves at each node, what the moves are called, and what ends pay."""

from __future__ import annotations

import functools
import hashlib
import logging
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import SpecError, TreeError
from ...machine.files import reading
from ...wording import listed, shortened, some
from ..graphs.graph import MOST_CODES, NO_PAYOFF, Graph, by_rank, longest_ways, ranked
from ..graphs.graph_game import GraphGame, TreeGame, graph_game, reopened
from .numbers import Number, exact
from .reading import parse_tree, read_tree
from .tree_file import NOTHING, TreeFile
from .words import sides_of, words_for

LOG = logging.getLogger("gametree")
VERSION = 4
"""Raised when trees are read in another way, so that what is stored is solved again."""
GREATEST = 32_000
"""The greatest payoff that is itself in tables."""
LABELS = ("names", "label", "name", "action", "move")
"""Attributes of edges by which moves are called."""


def load_tree(spec: str, written: bool = False) -> GraphGame:
    """Return the game of a tree in a file, or ``written`` out, which is read when it is needed. Raises `SpecError`."""
    typed = spec.strip()
    if written:
        digest = hashlib.sha256(f"{VERSION} {typed}".encode()).hexdigest()
        read = functools.partial(_told, parse_tree, typed)
        return TreeGame(typed, digest, read, kind="tree", reopen=(load_tree, (typed, True)))
    with reading(typed, SpecError):
        if Path(typed).is_char_device():
            raise SpecError(f"{typed} is a device, which may never end; name a file")
        content = Path(typed).read_bytes()
    path = os.path.abspath(typed)  # noqa: PTH100 - links stay as they are
    digest = hashlib.sha256(f"{VERSION} ".encode() + content).hexdigest()
    reopen = reopened, (load_tree, typed, path, "", digest)
    read = functools.partial(_told, read_tree, typed)
    return TreeGame(typed, digest, read, path, typed, Path(typed).stem, reopen)


def tree_object(tree: Any) -> GraphGame:
    """Return the game of a graph of networkx, or of a `TreeFile`. Raises `TreeError`."""
    tree = tree if isinstance(tree, TreeFile) else TreeFile.of(tree, "graph")
    return graph_game(_said_of(tree, tree_graph(tree)), tree.title, "graph")


def _told(read: Any, *given: Any) -> Graph:
    tree = read(*given)
    return _said_of(tree, tree_graph(tree))


def _said_of(tree: TreeFile, graph: Graph) -> Graph:
    LOG.info(f"{tree.title} is read as {tree.form}: {'; '.join(graph.notes)}")
    return graph


# The graph ------------------------------------------------------------------------------------------------------------


def tree_graph(tree: TreeFile) -> Graph:
    """Return the positions of a tree as a graph of ranks: its nodes, each as often as either side may move there.
    Raises `TreeError` for what is no game of two players.
    """
    n, order = len(tree), tree.order
    if not n:
        raise tree.fault("there are no nodes in it")
    sources = np.array(tree.sources, np.int64)[order]
    children = np.array(tree.targets, np.int64)[order]
    root = _root(tree, children)
    degrees = tree.degrees
    sides = _sides(tree, root, degrees > 0)
    met = ranked(np.searchsorted(sources, np.arange(n + 1)), children, root)[sources]
    moves, labels = _moves(tree, order, sources, met)
    if isinstance(moves, tuple):  # several moves an edge
        repeated, moves = moves
        sources, children = sources[repeated], children[repeated]
    again = np.lexsort((moves, sources))
    sources, moves, children = sources[again], moves[again], children[again]
    twice = np.flatnonzero((sources[1:] == sources[:-1]) & (moves[1:] == moves[:-1]))
    if len(twice):
        node = int(sources[twice[0]])
        raise tree.fault(f"two moves of node {tree.nodes[node]} have the same name")
    if sides is None:  # a node twice, as the first player moves there and as the second does; an end once
        ends = degrees[children] == 0
        sources = np.concatenate([sources, sources + n])
        children = np.concatenate([np.where(ends, children, children + n), children])
        moves = np.concatenate([moves, moves])
        movers = np.repeat(np.array([1, -1], np.int8), n)
        movers[:n][degrees == 0] = 0
        start = root + n * (tree.maximizing is False and degrees[root] > 0)
    else:
        movers, start = sides, root
    first = np.searchsorted(sources, np.arange(len(movers) + 1))
    most = int(np.diff(first).max())
    if most > MOST_CODES:
        raise tree.fault(f"a node has {most} children; at most {MOST_CODES} moves are possible")
    everything: Any = range(len(movers))  # until it is known which of them play reaches
    graph = by_rank(
        Graph(first, moves, children, movers, np.arange(len(movers)), everything, labels, _players(tree), (),
                   named=True),
        start,
    )  # fmt: skip
    nodes = graph.payoffs % n
    return _paid(tree, graph._replace(keys=_keys(tree, graph, nodes)), nodes)


def _root(tree: TreeFile, children: np.ndarray) -> int:
    """Return the number of the node where play begins; all others have to be below it unless the tree names it."""
    if tree.source is not None:
        if tree.source not in tree.numbers:
            raise tree.fault(f"it begins at node {tree.source!r}, which is not there")
        return tree.numbers[tree.source]
    roots = np.flatnonzero(np.bincount(children, minlength=len(tree)) == 0).tolist()
    if not roots:
        raise tree.fault(
            "every node has a parent, so that nothing says where play begins; name that node in the attribute "
            '\'source\' of the graph, in JSON "graph": {"source": NODE}'
        )
    if len(roots) > 1:
        names = shortened([str(tree.nodes[each]) for each in roots], 4)
        raise tree.fault(f"{len(roots)} nodes have no parent: {names}; play begins at one of them")
    return int(roots[0])


def _sides(tree: TreeFile, root: int, inner: np.ndarray) -> np.ndarray | None:
    """Return who moves at each node, 1 or -1, and 0 at leaves, int8[n]; None if the sides alternate."""
    names = tree.nodes
    said = {names[node]: tree.said.get(node, NOTHING) for node in np.flatnonzero(inner).tolist()}
    edges = ((names[one], names[other]) for one, other in zip(tree.sources, tree.targets, strict=True))
    try:
        sides = sides_of(said, edges, words_for(tree.attributes.get("players")), {names[root]: tree.maximizing})
    except TreeError as error:
        raise tree.fault(str(error)) from None
    if sides is None:
        return None
    movers = np.zeros(len(tree), np.int8)
    movers[inner] = [1 if sides[name] else -1 for name in said]
    return movers


def _players(tree: TreeFile) -> tuple[str, str]:
    players = tree.attributes.get("players")
    if isinstance(players, (list, tuple)) and len(players) == 2 and len({*map(str, players)}) == 2 and all(players):
        return str(players[0]), str(players[1])
    return "MAX", "MIN"


def _keys(tree: TreeFile, graph: Graph, nodes: np.ndarray) -> list[str]:
    """Return the names of the nodes as texts, with the side to move where either may move at a node."""
    names = [" ".join(str(name).split()) or f"node {number}" for number, name in enumerate(tree.nodes)]
    if len({*names}) < len(names):
        known: dict[str, int] = {}
        node = next(number for number, name in enumerate(names) if known.setdefault(name, number) != number)
        raise tree.fault(f"two nodes are called {names[node]}")
    twice = np.bincount(nodes, minlength=len(tree)) > 1
    keys = [names[node] for node in nodes.tolist()]
    for rank in np.flatnonzero(twice[nodes]).tolist():
        keys[rank] += " (max)" if graph.movers[rank] > 0 else " (min)"
    return keys


# Moves ----------------------------------------------------------------------------------------------------------------


def _moves(tree: TreeFile, order: np.ndarray, sources: np.ndarray, met: np.ndarray) -> tuple[Any, list[str]]:
    """Return the code of each edge's move, or which edges they are of and the codes, and the texts of codes.

    Moves are called as their edges are, else as the nodes they lead to, else by their place. If that does not tell
    those of a node apart, or more than 255 different ones are needed, they are numbered in each node.
    """
    said = [tree.moves[edge] for edge in order.tolist()]
    own = _own_codes(said)
    if own is not None:
        return own
    numbered = np.arange(len(sources)) - np.searchsorted(sources, sources)
    if not any(each is not None for each in said) and not any(isinstance(name, str) for name in tree.nodes):
        return numbered, []
    found: dict[str, int] = {}
    texts = (_text(each) for each in said)
    places = zip(texts, (tree.targets[edge] for edge in order.tolist()), numbered.tolist(), strict=True)
    given = (text or _child(tree, child) or str(place) for text, child, place in places)
    ids = list[int]()
    for text in given:
        if found.setdefault(text, len(found)) >= MOST_CODES:
            return numbered, []
        ids.append(found[text])
    pairs = np.array(ids, np.int64) + sources * MOST_CODES
    if len(np.unique(pairs)) < len(pairs):
        return numbered, []
    names = list(found)
    if all(re.fullmatch("0|[1-9][0-9]{0,2}", name) and int(name) < MOST_CODES for name in names):
        labels = [""] * (max(map(int, names), default=0) + 1)
        for name in names:
            labels[int(name)] = name
        return np.array([int(names[each]) for each in ids], np.int64), labels
    codes = _in_order(names, np.array(ids, np.int64), sources, np.lexsort((numbered, met)))
    labels = [""] * len(names)
    for name, code in zip(names, codes.tolist(), strict=True):
        labels[code] = name
    return codes[ids] if ids else np.zeros(0, np.int64), labels


def _text(said: Any) -> str | None:
    """Return what a move is called by its edge."""
    if isinstance(said, Mapping):
        said = next((said[key] for key in LABELS if isinstance(said.get(key), (str, int))), None)
    if said is None or isinstance(said, bool):
        return None
    return re.sub(r"[\s,]+", "_", str(said).strip()) or None


def _child(tree: TreeFile, child: int) -> str | None:
    name = tree.nodes[child]
    return re.sub(r"[\s,]+", "_", name.strip()) or None if isinstance(name, str) else None


def _own_codes(said: Sequence[Any]) -> tuple[tuple[np.ndarray, np.ndarray], list[str]] | None:
    """Return edges, codes and texts of the moves in an export, which names all moves of an edge; None of others."""
    edges, codes, labels = list[int](), list[int](), dict[int, str]()
    for edge, each in enumerate(said):
        numbers = each.get("moves") if isinstance(each, Mapping) else None
        numbers = numbers.split() if isinstance(numbers, str) else numbers
        if not isinstance(numbers, (list, tuple)) or not all(re.fullmatch("[0-9]{1,3}", str(n)) for n in numbers):
            return None
        names = each.get("names")
        names = names.split(", ") if isinstance(names, str) else names
        if not isinstance(names, (list, tuple)) or len(names) != len(numbers):
            return None
        for number, name in zip(map(int, numbers), names, strict=True):
            if number >= MOST_CODES or labels.setdefault(number, str(name)) != str(name):
                return None
            edges.append(edge)
            codes.append(number)
    if not edges or len({*labels.values()}) < len(labels):
        return None
    texts = [labels.get(code, "") for code in range(max(labels) + 1)]
    texts = [] if all(text in ("", str(code)) for code, text in enumerate(texts)) else texts
    return (np.array(edges, np.int64), np.array(codes, np.int64)), texts


def _in_order(names: Sequence[str], ids: np.ndarray, sources: np.ndarray, met: np.ndarray) -> np.ndarray:
    """Return codes that ascend as moves are written in each node, if possible, and else as they are first met by a
    breadth-first search, which takes edges in the order ``met``.
    """
    import networkx as nx

    within = sources[1:] == sources[:-1]
    _, places = np.unique(ids[met], return_index=True)
    follows: nx.DiGraph[int] = nx.DiGraph()
    follows.add_nodes_from(range(len(names)))
    follows.add_edges_from(np.stack([ids[:-1][within], ids[1:][within]]).T.tolist())
    try:
        order = [*nx.lexicographical_topological_sort(follows, places.__getitem__)]
    except nx.NetworkXUnfeasible:
        order = np.argsort(places).tolist()
    codes = np.empty(len(names), np.int64)
    codes[order] = np.arange(len(names))
    return codes


# Payoffs --------------------------------------------------------------------------------------------------------------


def _paid(tree: TreeFile, graph: Graph, nodes: np.ndarray) -> Graph:
    """Put the payoffs of ends into a graph, and what is to be said of it. Raises `TreeError`."""
    n = len(graph.movers)
    degrees = np.diff(graph.first)
    met = np.unique(nodes)
    if len(met) < len(tree) and tree.source is None:
        lost = np.setdiff1d(np.arange(len(tree)), met).tolist()
        raise tree.fault(f"node {tree.nodes[lost[0]]} is not reached from {graph.keys[0]}")
    ends = np.flatnonzero(degrees == 0)
    found = list[Number]()
    for node in nodes[ends].tolist():
        value = tree.value(node)
        if value is None:
            data = tree.said.get(node, NOTHING)
            raise tree.fault(
                f"leaf {tree.nodes[node]} has no value{f', only {shortened([*map(repr, data)], 4)}' if data else ''}"
            )
        found.append(value)
    parents = np.repeat(np.arange(n), degrees)
    entered = np.bincount(graph.children, minlength=n)
    loopy = longest_ways(n, parents, graph.children) is None
    codes, worths = _coded_payoffs(tree, found, loopy)
    payoffs = np.full(n, NO_PAYOFF, np.int16)
    payoffs[ends] = codes
    shared = int(np.count_nonzero(entered > 1))
    inner = sum(tree.values[node] is not None for node in {*nodes[degrees > 0].tolist()})
    notes = [some(n, "position"), some(len(ends), "end")]
    notes += [f"{some(inner, 'value')} before the end not read"] if inner else []
    notes += [f"{some(shared, 'node')} with several ways to it"] if shared else []
    notes += [f"{some(tree.renamed, 'node')} numbered, as others have their names"] if tree.renamed else []
    notes += ["play can return to a position"] if loopy else []
    notes += [f"MAX is {graph.players[0]} and MIN is {graph.players[1]}"] if graph.players != ("MAX", "MIN") else []
    return graph._replace(payoffs=payoffs, notes=tuple(notes), worths=worths)


def _coded_payoffs(tree: TreeFile, found: Sequence[Number], loopy: bool) -> tuple[np.ndarray, dict[int, Number] | None]:
    """Return payoffs as whole numbers that tables hold, and what these stand for, None if they are the payoffs.

    They are the payoffs where these are whole and small, else multiples of a fraction, else ranks from 0, with their
    signs; in a game with loops, signs alone.
    """
    different = sorted({*found}, key=exact)
    fractions = {value: exact(value) for value in different}
    positive = [value for value in different if value > 0]
    negative = [value for value in different if value < 0][::-1]
    if loopy and max(len(positive), len(negative)) > 1:
        raise tree.fault(
            f"play can return to a position, and such a game can be solved if it is won, lost or tied; it has "
            f"{some(len(different), 'payoff')}, {listed([str(each) for each in different[:4]], 'and')}"
            f"{' ...' * (len(different) > 4)}"
        )
    unit = math.lcm(*(each.denominator for each in fractions.values()))
    if loopy or any(abs(each) * unit > GREATEST for each in fractions.values()):
        if max(len(positive), len(negative)) > GREATEST:
            raise tree.fault(
                f"it has {len(different):,} different payoffs; at most {GREATEST:,} of a sign are possible"
            )
        coded = {value: rank for rank, value in enumerate(positive, 1)}
        coded |= {value: -rank for rank, value in enumerate(negative, 1)} | {0: 0}
    else:
        coded = {value: int(each * unit) for value, each in fractions.items()} | {0: 0}
    codes = np.array([coded[value] for value in found], np.int64)
    if all(code == value for value, code in coded.items()):
        return codes, None
    return codes, {code: value for value, code in coded.items()}
