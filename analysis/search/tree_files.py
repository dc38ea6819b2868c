"""Trees as text: JSON, Gambit's extensive form, and a compact form such as ``((3 12 8) (2 4 6) (14 5 2))``.

JSON is node-link data, or nested: a node has its ``children``, a leaf its ``value``, or they are lists and numbers. In
the compact form a node is its children in parentheses, and a leaf its value. Either may have a name, ``A(...)`` and
``a:3``; nodes without one are numbered from 0, level by level from the root. ``max`` or ``min`` in front of a node says
who moves there, ``#`` begins a comment.
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
from analysis.search.efg_files import BEGINNING, parse_efg
from analysis.search.leaf_values import NUMBER, parse_number
from analysis.search.tree_sides import MAXIMIZING, read_side

if TYPE_CHECKING:
    import networkx as nx

TOKEN = re.compile(
    rf"\s+|,|#[^\n]*|(?P<open>\()|(?P<close>\))|(?P<value>{NUMBER}(?![\w.])|[+-]?(?i:inf(inity)?|nan)\b(?!\s*[(:=]))"
    r"|(?P<side>(?i:max|min)\b(?!\s*[:=]))|(?P<name>[^\W\d]\w*)|(?P<is>[:=])"
)
"""Infinity and NaN are values too, which are refused as such."""

GLUED, APART = re.compile(r"[-+.\w]{0,9}\d,\d[.\w]{0,9}"), re.compile(r"\d\s+[-+.\w]")
"""Two numbers with only a comma between them, or one with a decimal comma; two with only blanks between them."""

LONGEST_NUMBER = 400


@dataclasses.dataclass(frozen=True)
class TreeFile:
    """A tree and what its text says about it."""

    graph: nx.DiGraph[Any]
    source: Any = None
    """Where it is searched from; None: its only node without a parent."""
    maximizing: bool | None = None
    """Whether the first player moves there; None where only the nodes say so, or nothing does."""

    @classmethod
    def of(cls, graph: nx.DiGraph[Any], name: str = "tree") -> TreeFile:
        """The tree in a graph, and what the graph's attributes ``source`` and ``maximizing`` say about it. Raises
        `TreeError`, which calls the tree ``name``.
        """
        said = graph.graph.get(MAXIMIZING)
        maximizing = None if said is None else read_side(said)
        if said is not None and maximizing is None:
            raise TreeError(f"{name}: graph.maximizing is {str(said)[:40]!r}; it is true or false")
        return cls(_without_cut(graph), graph.graph.get("source"), maximizing)


def _without_cut(graph: nx.DiGraph[Any]) -> nx.DiGraph[Any]:
    """The graph without the moves that an export has left of a node whose other moves it ``cut``: the node counts its
    value. Optimal moves may stay, since they lead to the same value.
    """
    cut = [node for node, data in graph.nodes(data=True) if data.get("cut") is True and "value" in data]
    moves = [list(graph.out_edges(node)) for node in cut]
    dropped = [edges for edges in moves if not all(graph.edges[edge].get("optimal") for edge in edges)]
    if dropped:
        graph = graph.copy()
        graph.remove_edges_from(itertools.chain.from_iterable(dropped))
    return graph


@dataclasses.dataclass
class _Node:
    name: str | None = None
    value: float | None = None
    side: str | None = None
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
    if is_json(text):
        return TreeFile.of(_parse_json(text, name), name)
    return TreeFile.of(parse_efg(text, name) if BEGINNING.match(text) else _parse_compact(text, name), name)


def is_json(text: str) -> bool:
    """Whether a text is read as JSON.

    >>> is_json('{"children": [{"value": 3}]}'), is_json("[[3, 12], [2, 4]]"), is_json("((3 12) (2 4))")
    (True, True, False)
    """
    return text.lstrip().startswith(("{", "["))


# Compact --------------------------------------------------------------------------------------------------------------


def _parse_compact(text: str, name: str) -> nx.DiGraph[Any]:
    import networkx as nx

    root = _read(_tokens(text.replace("\N{MINUS SIGN}", "-"), name), name)
    graph: nx.DiGraph[Any] = nx.DiGraph()
    names: dict[int, Any] = {}
    queue = [root]
    for number, node in enumerate(queue):  # grows as it goes: level by level
        queue += node.children
        names[id(node)] = label = number if node.name is None else node.name
        if label in graph:
            raise TreeError(f"{name}: two nodes are called {label}")
        said = {"value": node.value, "to_move": node.side}
        graph.add_node(label, **{key: each for key, each in said.items() if each is not None})
    for node in queue:
        graph.add_edges_from((names[id(node)], names[id(child)]) for child in node.children)
    return graph


def _tokens(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each token."""
    bare, at = re.sub(r"#[^\n]*", "", text), 0
    glued = GLUED.search(bare)
    if glued and APART.search(bare):
        raise TreeError(
            f"{name}: {glued.group()[:20]!r} could be one number or two; write a decimal point, or commas between all "
            "numbers or none"
        )
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            line, column = text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1
            word = re.match(r"\S*", text[at:]).group()[:20]  # type: ignore[union-attr]
            raise TreeError(
                f"{name}, line {line}, column {column}: {word!r} is no number, name or parenthesis; "
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
    side: str | None = None  # likewise of the word that says who moves
    wants_value = False
    for kind, word in itertools.chain(tokens, [("end", "")]):
        if kind == "is" and (pending is None or wants_value):
            raise TreeError(f"{name}: {word!r} follows no name")
        if kind == "value" and len(word) > LONGEST_NUMBER:
            raise TreeError(f"{name}: {word[:20]}... is too large a value")
        _check_follows(kind, pending, side, wants_value, name)
        if kind == "is":
            wants_value = True
        elif kind == "side":
            side = word.lower()
        elif kind == "name":
            pending = word
        elif kind in ("value", "open"):
            node = _Node(pending, _value(word) if kind == "value" else None, side)
            stack[-1].children.append(node)
            stack += [node] if kind == "open" else []
            pending, side, wants_value = None, None, False
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


def _check_follows(kind: str, pending: str | None, side: str | None, wants_value: bool, name: str) -> None:
    """Refuse a token of a kind that cannot follow a name, or a word that says who moves."""
    if side is not None and kind not in ("name", "open"):
        raise TreeError(f"{name}: {side} stands in front of a node with children, such as {side}(3 12)")
    follows = kind == "is" or kind in (("value", "side") if wants_value and side is None else ("open",))
    if pending is not None and not follows:
        raise TreeError(
            f"{name}: {pending} has neither children nor a value; write {pending}(3 12) or, for a leaf, {pending}:3"
        )


def _value(word: str) -> float:
    return parse_number(word) if re.fullmatch(NUMBER, word) else float(word)


# JSON -----------------------------------------------------------------------------------------------------------------


def _parse_json(text: str, name: str) -> nx.DiGraph[Any]:
    import networkx as nx

    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise TreeError(f"{name} is read as JSON and is not valid: {error.msg} at {where}") from None
    except (ValueError, RecursionError) as error:
        raise TreeError(f"{name} is read as JSON, and cannot be: {error}") from None
    if isinstance(data, list):
        return _nested(data, name)
    root = data.get("root", data)
    if isinstance(root, dict) and "nodes" not in data and ("children" in root or "value" in root):
        return _nested(root, name)
    nodes, edges = data.get("nodes"), data.get("edges", data.get("links"))
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise TreeError(
            f"{name} is read as JSON, and is neither node-link data, with lists 'nodes' and 'edges' (or 'links'), nor "
            "nested 'children'"
        )
    if data.get("directed") is False:
        raise TreeError(f"{name} is no directed graph: its edges have to lead from parents to children")
    labels = [_label(node, "id", name) for node in nodes]
    ends = [(_label(edge, "source", name), _label(edge, "target", name)) for edge in edges]
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.graph.update(data["graph"] if isinstance(data.get("graph"), dict) else {})
    for label, node in zip(labels, nodes, strict=True):
        if label in graph:
            raise TreeError(f"{name}: two nodes are called {label}")
        graph.add_nodes_from([(label, {key: value for key, value in node.items() if key != "id"})])
    for end in itertools.chain.from_iterable(ends):
        if end not in graph:
            raise TreeError(f"{name}: an edge names node {end}, which is not in 'nodes'")
    graph.add_edges_from((*end, edge) for end, edge in zip(ends, edges, strict=True))
    return graph


def _nested(root: dict[str, Any] | list[Any], name: str) -> nx.DiGraph[Any]:
    """The tree whose nodes hold their children, or are the lists of these; a number is a leaf. A node is called by its
    ``id`` or ``name``, else by its number, level by level from 0.
    """
    import networkx as nx

    graph: nx.DiGraph[Any] = nx.DiGraph()
    waiting: list[tuple[Any, Any]] = [(None, root)]
    for number, (parent, told) in enumerate(waiting):  # grows as it goes
        node = told if isinstance(told, dict) else {"children": told} if isinstance(told, list) else {"value": told}
        children = node.get("children") if isinstance(node, dict) else None
        if not isinstance(told, (dict, list, int, float)) or not isinstance(children, (list, type(None))):
            raise TreeError(
                f"{name}, read as JSON: {json.dumps(told)[:60]} is no node with a list of 'children', or with a 'value'"
            )
        if isinstance(told, list) and not told:
            raise TreeError(f"{name}, read as JSON: [] is a node without children and without a value")
        key = next((key for key in ("id", "name") if key in node), None)
        label = number if key is None else _label(node, key, name)
        if label in graph:
            raise TreeError(f"{name}: two nodes are called {label}")
        graph.add_nodes_from([(label, {key: value for key, value in node.items() if key not in ("id", "children")})])
        graph.add_edges_from([] if parent is None else [(parent, label)])
        waiting += [(label, child) for child in children or ()]
    return graph


def _label(item: Any, key: str, name: str) -> Any:
    label = item.get(key) if isinstance(item, dict) else None
    if isinstance(label, bool) or not isinstance(label, (str, int)):
        what = "a node" if key == "id" else "an edge"
        raise TreeError(f"{name}: {what} {str(item)[:60]} has no {key!r} that is a name or a number")
    return label
