"""Read trees and graphs in files and texts into graphs of networkx; the first character tells the form."""

from __future__ import annotations

import itertools
import json
import math
import re
import reprlib
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from ...common.files import reading
from ...errors import TreeError
from .numbers import NUMBER, RATIO, parse_number, read_value

if TYPE_CHECKING:
    import networkx as nx

DEEPEST = 1000  # the most moves of a line of play without loops: solving time grows with the square
NAMES, MOVES = ("id", "name", "label"), ("move", "action")
"""Attributes that name nested nodes, and the moves to them."""
POSITIONS = ("position", "label", "name")  # attributes that name nodes of GraphML, if they differ at all nodes
FORMS = "((3 12 8) (2 4 6)) or A(B(3 12) c:4), as JSON (nested or node-link) or as GraphML"
TOKEN = re.compile(
    r"(?P<open>(?:(?P<side>(?i:max|min))\b\s*)?(?P<node>[^\W\d]\w*)?\s*\()|(?P<close>\))"
    rf"|(?:(?P<leaf>[^\W\d]\w*)\s*:\s*)?(?P<value>(?:{RATIO}|{NUMBER})(?![\w./]))"
)
BLANK = re.compile(r"[\s,]*")


def read_tree(path: str | Path) -> nx.DiGraph[Any]:
    """Read the tree in the file at ``path``. Raises `TreeError` if it is unreadable or not a tree."""
    with reading(path, TreeError):
        text = Path(path).read_text(encoding="utf-8-sig")
    return parse_tree(text, str(path))


def parse_tree(text: str, name: str = "tree") -> nx.DiGraph[Any]:
    """Parse the tree that ``text`` describes; errors call it ``name``. Raises `TreeError` if it is not a tree.

    >>> tree = parse_tree("((3 12 8) (2 4 6) (14 5 2))")
    >>> len(tree), list(tree.successors(0)), tree.nodes[4]["value"]
    (13, [1, 2, 3], 3)
    """
    start = text.lstrip()[:1]
    try:
        if start and start in "{[":
            return _from_json(text)
        return _from_graphml(text) if start == "<" else nested_tree(_parse_parentheses(text), {})
    except TreeError as error:
        raise TreeError(f"{name}: {error}") from None


def _parse_parentheses(text: str) -> Any:
    """Return the root as nested objects and lists, as in JSON; without recursion, so that trees may be deep.

    A node is written as its children in parentheses, and a leaf as its value. Both may have a name, ``A(...)`` and
    ``a:3``; ``max`` or ``min`` before a node says who moves there. Raises `TreeError`.
    """
    top = list[Any]()
    opened, place = [top], BLANK.match(text).end()  # type: ignore[union-attr] # it matches everywhere
    while place < len(text):
        match, children = TOKEN.match(text, place), opened[-1]
        value = parse_number(match["value"]) if match and match["value"] else 0
        wrong = match is None or abs(value) == math.inf or (match["close"] and (len(opened) == 1 or not children))
        if match is None or wrong:
            line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
            word = re.match(r"\S*", text[place:])[0][:20]  # type: ignore[index] # it matches everywhere
            raise TreeError(f"line {line}, column {column}: {word!r} is out of place; write a tree as {FORMS}")
        if match["close"]:
            opened.pop()
        elif match["open"]:
            inner: list[Any] = []
            data = {key: match[group] for key, group in (("id", "node"), ("to_move", "side")) if match[group]}
            children.append(data | {"children": inner} if data else inner)
            opened.append(inner)
        else:
            children.append({"id": match["leaf"], "value": value} if match["leaf"] else value)
        place = BLANK.match(text, match.end()).end()  # type: ignore[union-attr]
    if len(opened) > 1 or len(top) != 1:
        what = f"{len(opened) - 1} ')' missing" if len(opened) > 1 else f"it holds {len(top)} trees"
        raise TreeError(f"{what}; write one tree as {FORMS}")
    return top[0]


# JSON -----------------------------------------------------------------------------------------------------------------


def _from_json(text: str) -> nx.DiGraph[Any]:
    data = _load_json(text)
    if isinstance(data, dict) and "children" not in data and data.keys() & {"nodes", "edges", "links"}:
        return _linked_tree(data)
    if isinstance(data, dict) and isinstance(data.get("root"), (dict, list)):
        return nested_tree(data["root"], {key: value for key, value in data.items() if key != "root"})
    return nested_tree(data, {})


def _load_json(text: str) -> Any:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 2 * DEEPEST)  # an object and its list of children are two levels
    try:
        return json.loads(text)
    except RecursionError:
        raise TreeError(too_deep()) from None
    except ValueError as error:  # also an integer of thousands of digits
        raise TreeError(f"not valid JSON: {error}") from None
    finally:
        sys.setrecursionlimit(limit)


def too_deep() -> str:
    """Return the message for a tree in which play lasts longer than `DEEPEST`."""
    return f"the tree is too deep: play may last {DEEPEST:,} moves at most"


def nested_tree(root: Any, attributes: Mapping[str, Any]) -> nx.DiGraph[Any]:
    """Return the graph of nested nodes, level by level: objects with ``children``, lists of children, or numbers
    (leaves). Raises `TreeError`.
    """
    nodes, parents = [root], [-1]
    for number, node in enumerate(nodes):  # grows during the loop
        children = node if isinstance(node, list) else node.get("children") if isinstance(node, dict) else None
        if not isinstance(children, (list, type(None))) or node == []:
            raise TreeError(f"{reprlib.repr(node)} needs a list of 'children' or a 'value'")
        nodes += children or []
        parents += [number] * len(children or [])
    data = [_attributes(node) for node in nodes]
    names = _names(data, {*parents})
    links = ((names[parent], names[n], _move_label(data[n], names[n])) for n, parent in enumerate(parents) if n)
    return _graph(attributes, zip(names, data, strict=True), links)


def _attributes(node: Any) -> dict[str, Any]:
    """Return the attributes of a nested node. Raises `TreeError` if they contain nodes that are not its children."""
    if not isinstance(node, dict):
        return {} if isinstance(node, list) else {"value": node}
    data = {key: value for key, value in node.items() if key != "children"}
    for key, value in data.items():
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value)):
            raise TreeError(f"{reprlib.repr(node)} has nodes in {key!r}; write them as a list, 'children'")
    return data


def _first_name(data: Mapping[str, Any], keys: Iterable[str]) -> str | int | None:
    """Return the first of the attributes that is a text or a whole number; None if none is."""
    names = (data.get(key) for key in keys)
    return next((name for name in names if isinstance(name, (str, int)) and not isinstance(name, bool)), None)


def _move_label(data: Mapping[str, Any], name: Any) -> dict[str, Any]:
    """Return the label of the move to a nested node: its own name, or the node's if other nodes share that."""
    move, shared = _first_name(data, MOVES), _first_name(data, NAMES)
    move = move if move is not None else shared if shared != name else None
    return {} if move is None else {"label": move}


def _names(data: list[dict[str, Any]], inner: set[int]) -> list[Any]:
    """Return the names of nested nodes: their ``id``, ``name`` or ``label`` if it is unique; for leaves without one,
    their values if these all differ; for all others, their numbers level by level from 0, or numbers after the last if
    a leaf has that name.
    """
    own_names = [_first_name(node, NAMES) for node in data]
    counts = Counter(own_names)
    names: list[Any] = [None if counts[name] > 1 else name for name in own_names]
    leaves = [n for n, name in enumerate(own_names) if name is None and n not in inner]
    try:
        values = [read_value(data[n]["value"], "leaf") for n in leaves]
    except (KeyError, TreeError):  # reported when the graph is used
        values = []
    if len({*values}) == len(values) and counts.keys().isdisjoint(values):
        for n, value in zip(leaves, values, strict=False):
            names[n] = value
    taken = {*names}
    spare = (n for n in itertools.count(len(names)) if n not in taken)
    return [name if name is not None else n if n not in taken else next(spare) for n, name in enumerate(names)]


def _graph(attributes: Mapping[str, Any], nodes: Iterable[tuple[Any, Any]], links: Iterable[Any]) -> nx.DiGraph[Any]:
    import networkx as nx

    tree: nx.DiGraph[Any] = nx.DiGraph()
    tree.graph.update(attributes)
    tree.add_nodes_from(nodes)
    tree.add_edges_from(links)
    return tree


# Graphs ---------------------------------------------------------------------------------------------------------------


def _linked_tree(data: dict[str, Any]) -> nx.DiGraph[Any]:
    """Return the graph of node-link data, as networkx and D3 write it. Raises `TreeError`."""
    import networkx as nx

    key = "edges" if "edges" in data else "links"
    try:
        tree: Any = nx.node_link_graph({"graph": {}, **data, "multigraph": False}, directed=True, edges=key)
    except (AttributeError, KeyError, TypeError, nx.NetworkXError) as error:
        raise TreeError(f"'nodes' need an 'id', and '{key}' a 'source' and a 'target': {error!r}") from None
    if not isinstance(data["nodes"], list) or len(tree) != len(data["nodes"]):
        raise TreeError("two nodes have one 'id', or an edge names a node that is not in 'nodes'")
    return tree


def _from_graphml(text: str) -> nx.DiGraph[Any]:
    """Return a graph as networkx reads it, with nodes named by their positions, which our exports have, or by their
    labels, if these are unique. Raises `TreeError`.
    """
    import networkx as nx

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about elements that it leaves out
            graph: Any = nx.parse_graphml(text)
    except (nx.NetworkXError, ElementTree.ParseError, LookupError, ValueError, TypeError) as error:
        raise TreeError(f"read as GraphML: {' '.join(str(error).split())}") from None
    for key in POSITIONS:
        names = {node: data[key] for node, data in graph.nodes(data=True) if data.get(key) not in (None, "")}
        if len(names) == len(graph) == len({*names.values()}):
            return nx.relabel_nodes(graph, names)
    return graph
