"""Trees as JSON: node-link data, and nested, either objects with ``children`` or lists and numbers."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from analysis.errors import TreeError
from analysis.games.trees.numbers import PlacedNumber
from analysis.games.trees.tree_file import TreeFile

TOKEN = re.compile(
    r'\s*(?:(?P<mark>[{}\[\],:])|(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?\d[\d.eE+-]*)'
    r"|(?P<word>-?[A-Za-z]+)|(?P<end>$)|(?P<other>\S))",
    re.DOTALL,
)
WORDS = {"true": True, "false": False, "null": None}
INFINITE = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}

LINK, NESTED, LISTS = "node-link JSON", "nested JSON", "JSON"
"""What messages call them."""

MOVE_KEYS = ("move", "action")
"""Attributes of a child by which a move to it is named."""


class Placed(dict[str, Any]):
    """A node with the line in which it begins."""

    line = 0


class PlacedList(list[Any]):
    """A node that is a list, with its line."""

    line = 0


def read_json(text: str, name: str) -> Any:
    """Return what is written as JSON. Raises `TreeError`."""
    try:
        return json.loads(text, object_pairs_hook=_each_once)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise TreeError(f"{name} is not valid JSON: {error.msg} at {where}") from None
    except (RecursionError, LookupError):
        return read_placed(text, name)
    except ValueError:  # an integer of thousands of digits
        raise TreeError(f"{name} has a number of too many digits") from None


def _each_once(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Raises `LookupError` if it says something twice, of which `json` keeps the last."""
    if len(dict(items)) < len(items):
        raise LookupError
    return dict(items)


def read_placed(text: str, name: str) -> Any:
    """Return what is written as JSON, however deep it is nested, with the lines of objects and lists. Raises
    `TreeError`.
    """
    return _Placing(text, name).read()


class _Placing:
    """A reader of JSON with a stack of its own; some ten times as slow as `json`."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.at, self.line, self.counted = text, name, 0, 1, 0

    def read(self) -> Any:
        top: list[Any] = []
        stack: list[tuple[Any, str | None]] = [(top, None)]  # what is open, with the key of its next value
        ready = True  # whether a value may follow
        while True:
            kind, word = self.take()
            held, key = stack[-1]
            if kind == "mark" and word in "]}" and len(stack) > 1:
                if isinstance(held, dict) != (word == "}") or key is not None or (ready and len(held)):
                    self.refuse(word)
                stack.pop()
                ready = False
            elif kind == "mark" and word == "," and not ready and len(stack) > 1:
                ready = True
            elif kind == "end" and not ready and len(stack) == 1:
                return top[0]
            elif ready and isinstance(held, dict) and key is None:
                if kind != "text" or self.take() != ("mark", ":"):
                    self.refuse(word)
                stack[-1] = held, json.loads(word)
            elif ready and (kind != "mark" or word in "[{") and kind not in ("end", "other"):
                value = self.value(kind, word)
                if isinstance(held, dict):
                    if key in held:
                        raise TreeError(f"{self.name}, read as JSON: {key!r} is there twice, in line {self.line}")
                    held[key or ""] = value
                    stack[-1] = held, None
                else:
                    held.append(value)
                ready = kind == "mark"
                if ready:
                    stack.append((value, None))
            else:
                self.refuse(word)

    def take(self) -> tuple[str, str]:
        match = TOKEN.match(self.text, self.at)
        assert match is not None
        kind = str(match.lastgroup)
        start = match.start(kind)
        self.line, self.counted = self.line + self.text.count("\n", self.counted, start), start
        self.at = match.end()
        return kind, match[kind]

    def value(self, kind: str, word: str) -> Any:
        if kind == "mark":
            found: Any = PlacedList() if word == "[" else Placed()
            found.line = self.line
            return found
        if word in INFINITE:
            return self.placed(PlacedNumber(INFINITE[word]))
        try:
            found = WORDS[word] if kind == "word" else json.loads(word)
        except (ValueError, KeyError):
            return self.refuse(word)
        return self.placed(PlacedNumber(found, word)) if found in (math.inf, -math.inf) else found

    def placed(self, number: PlacedNumber) -> PlacedNumber:
        number.line = self.line
        return number

    def refuse(self, word: str) -> None:
        if not word:
            raise TreeError(f"{self.name}, read as JSON, ends too early, in line {self.line}")
        column = self.counted - (self.text.rfind("\n", 0, self.counted) + 1) + 1
        raise TreeError(
            f"{self.name}, read as JSON: {word[:20]!r} does not belong in line {self.line}, column {column}"
        )


def with_lines(make: Callable[[Any], TreeFile], text: str, name: str, data: Any) -> TreeFile:
    """Make a tree of ``data``; if that is refused, again of data that know their lines, so that the message says it."""
    try:
        tree = make(data)
    except TreeError:
        make(read_placed(text, name))
        raise
    tree.again = lambda: make(read_placed(text, name))
    return tree


# Nested ---------------------------------------------------------------------------------------------------------------


def grow(root: Any, tree: TreeFile) -> TreeFile:
    """Fill a tree with nodes that are objects with children, lists of children, or numbers (leaves), level by level.
    They are called by their ``id``, or by their ``name`` if no other is called so, else by their number.
    """
    names = Counter[Any]()
    level: list[Any] = [root]
    while level:
        after: list[Any] = []
        for node in level:
            if isinstance(node, dict):
                if "id" not in node and isinstance(node.get("name"), (str, int)):
                    names[node["name"]] += 1
                after += node["children"] if isinstance(node.get("children"), list) else ()
            elif isinstance(node, list):
                after += node
        level = after
    waiting: list[Any] = [root]
    parents = [-1]
    for number, told in enumerate(waiting):  # grows as it goes
        line = getattr(told, "line", 0)
        if isinstance(told, (int, float, Fraction)) and not isinstance(told, bool):
            tree.add(number, told, line=line)
            children: Any = ()
            move = None
        else:
            children, move = _add_object(tree, number, told, names, line)
        if number:
            tree.join(parents[number], number, move)
        waiting[number] = None
        waiting += children or ()
        parents += [number] * len(children or ())
    return tree


def _add_object(tree: TreeFile, number: int, told: Any, names: Counter[Any], line: int) -> tuple[Any, Any]:
    """Add a node that is an object or a list; return its children, and what a move to it is called."""
    node = told if isinstance(told, dict) else {"children": told if isinstance(told, list) else 0}
    children = node.get("children")
    if not isinstance(told, (dict, list)) or not isinstance(children, (list, type(None))):
        raise tree.fault(f"{json.dumps(told)[:60]} needs a list of 'children' or a 'value'", line)
    if isinstance(told, list) and not told:
        raise tree.fault("[] has neither children nor a value", line)
    key = next((key for key in ("id", "name") if key in node), None)
    label = number if key is None else label_of(node, key, tree)
    said = {key: value for key, value in node.items() if key not in ("id", "children", "value")}
    move = next((node[each] for each in MOVE_KEYS if isinstance(node.get(each), (str, int))), None)
    if key == "name" and names[label] > 1:
        label, move = number, label if move is None else move
        tree.renamed += 1
    tree.add(label, node.get("value"), said, line)
    return children, move


def label_of(item: Any, key: str, tree: TreeFile) -> Any:
    """Return the name that an object has under this key. Raises `TreeError`."""
    label = item.get(key) if isinstance(item, Mapping) else None
    if isinstance(label, bool) or not isinstance(label, (str, int)):
        what = "a node" if key == "id" else "an edge"
        raise tree.fault(f"{what} {str(item)[:60]} needs a name or a number as its {key!r}", getattr(item, "line", 0))
    return label


def parse_nested(text: str, name: str) -> TreeFile:
    """Parse nested objects, or lists. Raises `TreeError`."""

    def make(data: Any) -> TreeFile:
        root = data.get("root", data) if isinstance(data, dict) else data
        if isinstance(root, dict) and not ("children" in root or "value" in root):
            raise TreeError(f"{name}, read as {NESTED}: the root has neither 'children' nor a 'value'")
        return grow(root, TreeFile(NESTED if isinstance(root, dict) else LISTS, name))

    return with_lines(make, text, name, read_json(text, name))


# Node-link ------------------------------------------------------------------------------------------------------------


def parse_node_link(text: str, name: str) -> TreeFile:
    """Parse node-link data, as networkx and D3 have them. Raises `TreeError`."""

    def make(data: Any) -> TreeFile:
        if isinstance(data, dict) and data.get("directed") is False:
            raise TreeError(f"{name} is not a directed graph; its edges must lead from parents to children")
        return linked(data, name)

    return with_lines(make, text, name, read_json(text, name))


def linked(data: Any, name: str) -> TreeFile:
    """Return the nodes and edges of node-link data, directed or not. Raises `TreeError`."""
    tree = TreeFile(LINK, name)
    nodes, edges = (data.get("nodes"), data.get("edges", data.get("links"))) if isinstance(data, dict) else (0, 0)
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise TreeError(
            f"{name} is JSON without lists 'nodes' and 'edges' (or 'links'); a tree may have nested 'children' instead"
        )
    tree.attributes = data["graph"] if isinstance(data.get("graph"), dict) else {}
    for node in nodes:
        label = label_of(node, "id", tree)
        said = {key: value for key, value in node.items() if key not in ("id", "value")}
        tree.add(label, node.get("value"), said, getattr(node, "line", 0))
    for edge in edges:
        ends = [label_of(edge, key, tree) for key in ("source", "target")]
        missing = next((end for end in ends if end not in tree.numbers), None)
        if missing is not None:
            raise tree.fault(f"an edge names node {missing}, which is not in 'nodes'", getattr(edge, "line", 0))
        parent, child = (tree.numbers[end] for end in ends)
        tree.join(parent, child, {key: value for key, value in edge.items() if key not in ("source", "target")} or None)
    return tree
