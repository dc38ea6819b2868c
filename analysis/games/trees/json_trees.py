"""Trees as nested objects with ``children``, lists and numbers, and graphs as node-link data: JSON, and GraphML."""

from __future__ import annotations

import itertools
import json
import reprlib
import sys
import warnings
from collections import Counter
from typing import Any
from xml.etree import ElementTree

from ...errors import TreeError
from .numbers import read_value
from .tree_file import DEEPEST, UNDIRECTED, TreeFile, too_deep

LINK, NESTED, LISTS, GRAPHML = "node-link JSON", "nested JSON", "JSON", "GraphML"
"""What messages call them."""

MOVE_KEYS = ("move", "action")
"""Attributes of a child by which a move to it is named."""
LABELS = ("position", "label", "name")
"""Attributes by which nodes of GraphML are called, if each has another one."""


def read_json(text: str, name: str) -> Any:
    """Return what is written as JSON. Raises `TreeError`."""

    def each_once(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(found := dict(items)) < len(items):
            key = Counter(key for key, _ in items).most_common(1)[0][0]
            raise ValueError(f"an object has {key!r} twice")
        return found

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 2 * DEEPEST)  # an object and its list of children are two levels
    try:
        return json.loads(text, object_pairs_hook=each_once)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise TreeError(f"{name} is not valid JSON: {error.msg} at {where}") from None
    except RecursionError:
        raise too_deep(name) from None
    except ValueError as error:  # also an integer of thousands of digits
        raise TreeError(f"{name}, read as JSON: {error}") from None
    finally:
        sys.setrecursionlimit(limit)


def parse_json(text: str, name: str) -> TreeFile:
    """Parse nested objects, or lists, or node-link data. Raises `TreeError`."""
    data = read_json(text, name)
    if isinstance(data, dict) and "children" not in data and data.keys() & {"nodes", "edges", "links"}:
        return _linked(data, TreeFile(LINK, name))
    root = data.get("root", data) if isinstance(data, dict) else data
    return grow(root, TreeFile(NESTED if isinstance(root, dict) else LISTS, name))


# Nested ---------------------------------------------------------------------------------------------------------------


def grow(root: Any, tree: TreeFile) -> TreeFile:
    """Fill a tree with nested nodes: objects with ``children``, lists of children, or numbers (leaves), level by level.
    Raises `TreeError`.
    """
    nodes, parents = [root], [-1]
    for number, node in enumerate(nodes):  # grows as it goes
        children = _children(node, tree)
        nodes += children
        parents += [number] * len(children)
    for number, (node, name, parent) in enumerate(zip(nodes, _names(nodes, tree), parents, strict=True)):
        said = node if isinstance(node, dict) else {} if isinstance(node, list) else {"value": node}
        more = {key: value for key, value in said.items() if key not in ("id", "children", "value")}
        tree.add(name, said.get("value"), more)
        if number:
            shared = said.get("name") if "id" not in said and said.get("name") != name else None
            named = (said.get(key) for key in MOVE_KEYS)
            tree.join(parent, number, next((each for each in named if isinstance(each, (str, int))), shared))
    return tree


def _children(node: Any, tree: TreeFile) -> list[Any]:
    """Return the children of a nested node. Raises `TreeError` for what is none."""
    children = node if isinstance(node, list) else node.get("children") if isinstance(node, dict) else None
    if not isinstance(children, (list, type(None))) or node in (None, [], {}) or isinstance(node, (str, bool)):
        raise tree.fault(f"{reprlib.repr(node)} needs a list of 'children' or a 'value'")
    return children or []


def _names(nodes: list[Any], tree: TreeFile) -> list[Any]:
    """Return what nested nodes are called: by their ``id``, or by their ``name`` if no other is called so. Leaves with
    neither are called by their values if all these differ; all other nodes by their numbers, level by level from 0, or
    by the next after the last where a leaf is called so. Raises `TreeError`.
    """
    keys = [next((k for k in ("id", "name") if k in node), "") if isinstance(node, dict) else "" for node in nodes]
    told = [_label(node, key, tree) if key else None for node, key in zip(nodes, keys, strict=True)]
    times = Counter(told)
    names = [None if key == "name" and times[name] > 1 else name for key, name in zip(keys, told, strict=True)]
    tree.renamed = sum(one != other for one, other in zip(names, told, strict=True))
    leaves = [n for n, key in enumerate(keys) if not key and not _children(nodes[n], tree)]
    worths = [node.get("value") if isinstance(node, dict) else node for node in map(nodes.__getitem__, leaves)]
    if None not in worths:
        try:
            values = [read_value(worth, f"leaf {n}") for n, worth in zip(leaves, worths, strict=True)]
        except TreeError as error:
            raise tree.fault(str(error)) from None
        if len({*values}) == len(values) and times.keys().isdisjoint(values):
            for n, value in zip(leaves, values, strict=True):
                names[n] = value
    taken = {*names}
    spare = (n for n in itertools.count(len(nodes)) if n not in taken)
    return [name if name is not None else n if n not in taken else next(spare) for n, name in enumerate(names)]


def _label(item: Any, key: str, tree: TreeFile, what: str = "a node") -> Any:
    """Return the name that an object has under a key. Raises `TreeError`."""
    label = item.get(key) if isinstance(item, dict) else None
    if isinstance(label, bool) or not isinstance(label, (str, int)):
        raise tree.fault(f"{what} {reprlib.repr(item)} needs a name or a number as its {key!r}")
    return label


# Graphs ---------------------------------------------------------------------------------------------------------------


def _linked(data: dict[str, Any], tree: TreeFile) -> TreeFile:
    """Fill a tree with node-link data, as networkx and D3 have them. Raises `TreeError`."""
    nodes, edges = data.get("nodes"), data.get("edges", data.get("links"))
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise tree.fault("it has no lists 'nodes' and 'edges' (or 'links'); a tree may have nested 'children' instead")
    if data.get("directed") is False:
        raise tree.fault(UNDIRECTED)
    tree.attributes = data["graph"] if isinstance(data.get("graph"), dict) else {}
    for node in nodes:
        label = _label(node, "id", tree)
        tree.add(label, node.get("value"), {key: value for key, value in node.items() if key not in ("id", "value")})
    for edge in edges:
        ends = [_label(edge, key, tree, "an edge") for key in ("source", "target")]
        if missing := [end for end in ends if end not in tree.numbers]:
            raise tree.fault(f"an edge names node {missing[0]}, which is not in 'nodes'")
        said = {key: value for key, value in edge.items() if key not in ("source", "target")}
        tree.join(tree.numbers[ends[0]], tree.numbers[ends[1]], said or None)
    return tree


def parse_graphml(text: str, name: str) -> TreeFile:
    """Parse a graph as networkx reads it. Its nodes are called by their positions, as our exports have them, or by
    their labels, if these tell them apart. Raises `TreeError`.
    """
    import networkx as nx

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of elements that it leaves out
            graph: Any = nx.parse_graphml(text)
    except (nx.NetworkXError, ElementTree.ParseError, LookupError, ValueError, TypeError) as error:
        raise TreeError(f"{name}, read as {GRAPHML}: {' '.join(str(error).split())}") from None
    for key in LABELS:
        found = {node: data[key] for node, data in graph.nodes(data=True) if data.get(key) not in (None, "")}
        if len(found) == len(graph) == len({*found.values()}):
            return TreeFile.of(nx.relabel_nodes(graph, found), name, GRAPHML)
    return TreeFile.of(graph, name, GRAPHML)
