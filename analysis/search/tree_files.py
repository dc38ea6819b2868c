"""Trees as text: node-link JSON, and a compact form such as ``((3 12 8) (2 4 6) (14 5 2))``.

In the compact form a node is its children in parentheses, and a leaf its value. Either may have a name, ``A(...)`` and
``a:3``; nodes without one are numbered from 0, level by level from the root. ``min`` in front says that the second
player moves first, ``#`` begins a comment.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import TreeError
from analysis.machine.arguments import checked
from analysis.machine.files import reason

if TYPE_CHECKING:
    import networkx as nx

TOKEN = re.compile(
    r"\s+|,|#[^\n]*|(?P<open>\()|(?P<close>\))|(?P<value>[+-]?\d+(?![\w.]))|(?P<name>[^\W\d]\w*)|(?P<is>[:=])"
)


LONGEST_NUMBER = 30


@dataclasses.dataclass(frozen=True)
class TreeFile:
    """A tree and what its text says about it."""

    graph: nx.DiGraph[Any]
    source: Any = None
    maximizing: bool = True


@dataclasses.dataclass
class _Node:
    name: str | None = None
    value: int | None = None
    children: list[_Node] = dataclasses.field(default_factory=list)


@checked
def read_tree(path: str | Path) -> TreeFile:
    """The tree in the file at ``path``, in either form. Raises `TreeError` for a file that is no tree or unreadable."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TreeError(f"{path} is no text") from None
    except OSError as error:
        raise TreeError(f"cannot read {path}: {reason(error)}") from None
    return parse_tree(text, str(path))


@checked
def parse_tree(text: str, name: str = "tree") -> TreeFile:
    """The tree that a ``text`` describes; errors call it ``name``. Raises `TreeError` where the text is no tree.

    >>> tree = parse_tree("((3 12 8) (2 4 6) (14 5 2))")
    >>> len(tree.graph), list(tree.graph.successors(0)), tree.graph.nodes[4]["value"]
    (13, [1, 2, 3], 3)
    """
    return _parse_json(text, name) if text.lstrip().startswith("{") else _parse_compact(text, name)


# Compact --------------------------------------------------------------------------------------------------------------


def _parse_compact(text: str, name: str) -> TreeFile:
    import networkx as nx

    first = re.match(r"(?:\s|#[^\n]*(?:\n|$))*(min|max)(?=[\s#(])", text, re.IGNORECASE)
    maximizing = first is None or first.group(1).lower() == "max"
    root = _read(_tokens(text, name, 0 if first is None else first.end()), name)
    graph: nx.DiGraph[Any] = nx.DiGraph()
    names: dict[int, Any] = {}
    queue = [root]
    for number, node in enumerate(queue):  # grows as it goes: level by level
        queue += node.children
        names[id(node)] = label = number if node.name is None else node.name
        if label in graph:
            raise TreeError(f"{name}: two nodes are called {label}")
        graph.add_node(label, **({} if node.value is None else {"value": node.value}))
    for node in queue:
        graph.add_edges_from((names[id(node)], names[id(child)]) for child in node.children)
    return TreeFile(graph, names[id(root)], maximizing)


def _tokens(text: str, name: str, at: int) -> Iterator[tuple[str, str]]:
    """Kind and text of each token from a place on."""
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            line, column = text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
            word = re.match(r"\S*", text[at:]).group()[:20]  # type: ignore[union-attr]
            raise TreeError(
                f"{name}, line {line}, column {column}: {word!r} is no whole number, name or parenthesis; "
                "a tree is written ((3 12 8) (2 4 6))"
            )
        if match.lastgroup:
            yield match.lastgroup, match.group()
        at = match.end()


def _read(tokens: Iterator[tuple[str, str]], name: str) -> _Node:
    """The tree built token by token; without recursion, so that it may be deep."""
    top = _Node()
    stack = [top]
    pending: str | None = None  # a name whose children or value are still to come
    wants_value = False
    for kind, word in itertools.chain(tokens, [("end", "")]):
        if kind == "is" and (pending is None or wants_value):
            raise TreeError(f"{name}: {word!r} follows no name")
        if kind == "value" and len(word) > LONGEST_NUMBER:
            raise TreeError(f"{name}: {word[:20]}... is too large a value")
        follows = kind == "is" or (kind == "value" if wants_value else kind == "open")
        if pending is not None and not follows:
            raise TreeError(
                f"{name}: {pending} has neither children nor a value; write {pending}(3 12) or, for a leaf, {pending}:3"
            )
        if kind == "is":
            wants_value = True
        elif kind == "name":
            pending = word
        elif kind in ("value", "open"):
            node = _Node(pending, int(word) if kind == "value" else None)
            stack[-1].children.append(node)
            stack += [node] if kind == "open" else []
            pending, wants_value = None, False
        elif kind == "close":
            if len(stack) == 1:
                raise TreeError(f"{name}: there is a ')' too many")
            if not stack.pop().children:
                raise TreeError(f"{name}: '()' is a node without children and without a value")
    if len(stack) > 1:
        raise TreeError(f"{name}: {len(stack) - 1} ')' missing")
    if len(top.children) != 1:
        found = "nothing" if not top.children else f"{len(top.children)} trees side by side"
        raise TreeError(f"{name} holds {found}; one tree is written ((3 12 8) (2 4 6))")
    return top.children[0]


# JSON -----------------------------------------------------------------------------------------------------------------


def _parse_json(text: str, name: str) -> TreeFile:
    import networkx as nx

    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TreeError(f"{name} is no JSON: {error}") from None
    nodes, edges = data.get("nodes"), data.get("edges", data.get("links"))
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise TreeError(f"{name} is no node-link JSON: it needs lists 'nodes' and 'edges' (or 'links')")
    if data.get("directed") is False:
        raise TreeError(f"{name} is no directed graph: its edges have to lead from parents to children")
    labels = [_label(node, "id", name) for node in nodes]
    ends = [(_label(edge, "source", name), _label(edge, "target", name)) for edge in edges]
    graph: nx.DiGraph[Any] = nx.DiGraph()
    for label, node in zip(labels, nodes, strict=True):
        if label in graph:
            raise TreeError(f"{name}: two nodes are called {label}")
        graph.add_nodes_from([(label, {key: value for key, value in node.items() if key != "id"})])
    for end in itertools.chain.from_iterable(ends):
        if end not in graph:
            raise TreeError(f"{name}: an edge names node {end}, which is not in 'nodes'")
    graph.add_edges_from(ends)
    about = data.get("graph") if isinstance(data.get("graph"), dict) else {}
    maximizing = about.get("maximizing", True)
    if not isinstance(maximizing, bool):
        raise TreeError(f"{name}: graph.maximizing is {maximizing!r}; it is true or false")
    return TreeFile(graph, about.get("source"), maximizing)


def _label(item: Any, key: str, name: str) -> Any:
    label = item.get(key) if isinstance(item, dict) else None
    if isinstance(label, bool) or not isinstance(label, (str, int)):
        what = "a node" if key == "id" else "an edge"
        raise TreeError(f"{name}: {what} {str(item)[:60]} has no {key!r} that is a name or a number")
    return label
