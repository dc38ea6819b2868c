"""Recognise and read trees and graphs as people and programs write them, by what is in them: one reader a format."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

from analysis.errors import TreeError
from analysis.games.trees.graphml import parse_graphml
from analysis.games.trees.json_trees import parse_nested, parse_node_link
from analysis.games.trees.parentheses import FORMS as TYPED
from analysis.games.trees.parentheses import parse_parentheses
from analysis.games.trees.tree_file import TreeFile
from analysis.machine.files import reading

READERS: dict[str, Callable[[str, str], TreeFile]] = {
    "graphml": parse_graphml,
    "node-link": parse_node_link,
    "nested": parse_nested,
    "parentheses": parse_parentheses,
}
"""The formats, by their names."""

FORMS = f"write {TYPED}, nested or node-link JSON, or GraphML"
"""What error messages advise."""

OTHERS = {
    r"\s*EFG\s+\d": "an extensive form of Gambit",
    r"(?s).*^\s*(start_state|successors|evaluation)\s*:\s*[\"']": "a test of CS188",
}
"""Regular expressions of what others write, and what it is."""


def read_tree(path: str | Path) -> TreeFile:
    """Read the tree in the file at ``path``. Raises `TreeError` if it is unreadable or not a tree."""
    with reading(path, TreeError):
        text = Path(path).read_text(encoding="utf-8-sig")
    return parse_tree(text, str(path))


def parse_tree(text: str, name: str = "tree") -> TreeFile:
    """Parse the tree that ``text`` describes; errors call it ``name``. Raises `TreeError` for a text that is no tree.

    >>> tree = parse_tree("((3 12 8) (2 4 6) (14 5 2))")
    >>> len(tree.graph), list(tree.graph.successors(0)), tree.graph.nodes[4]["value"]
    (13, [1, 2, 3], 3)
    """
    return READERS[recognise(text, name)](text, name).settle()


def recognise(text: str, name: str = "tree") -> str:
    """Return the format of a text, as `READERS` names it. Raises `TreeError` where it is another program's.

    >>> recognise('{"children": [{"value": 3}]}'), recognise('{"nodes": [], "links": []}'), recognise("(3 12)")
    ('nested', 'node-link', 'parentheses')
    """
    begins = text[:4096].lstrip()
    if begins.startswith("<"):
        if not re.search(r"<(\w+:)?graphml\b", text[: 1 << 16]):
            found = re.search(r"<(\w[\w:.-]*)", begins)
            raise TreeError(f"{name} is XML with the element {found[1] if found else '?'}; {FORMS}")
        return "graphml"
    if is_json(text):
        return "node-link" if begins.startswith("{") and not _is_nested(text) else "nested"
    for pattern, what in OTHERS.items():
        if re.match(pattern, text, re.MULTILINE):
            raise TreeError(f"{name} is {what}, which is not read as a tree; {FORMS}")
    if name.lower().endswith((".csv", ".tsv")):
        raise TreeError(f"{name} is a table, which is not read as a tree; {FORMS}")
    if _is_python(text):
        raise TreeError(f"{name} is read as a tree; if it is a game in Python, give the file a name that ends in .py")
    return "parentheses"


def _is_python(text: str) -> bool:
    """Return whether a text is Python that defines something."""
    if not re.search(r"^(def|class) \w+", text, re.MULTILINE):
        return False
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def is_json(text: str) -> bool:
    """Return whether a text is read as JSON.

    >>> is_json('{"children": [{"value": 3}]}'), is_json("[[3, 12], [2, 4]]"), is_json("((3 12) (2 4))")
    (True, True, False)
    """
    return text.lstrip().startswith(("{", "["))


def _is_nested(text: str) -> bool:
    """Return whether objects are nested: node-link data name their nodes before anything could have children."""
    told = re.search(r'"(nodes|children)"\s*:', text) or re.search(r'"(links|edges|value)"\s*:', text)
    return told is not None and told[1] in ("children", "value")
