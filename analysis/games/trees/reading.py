"""Read trees and graphs as people and programs write them: their first character tells the format."""

from __future__ import annotations

from pathlib import Path

from ...errors import TreeError
from ...machine.files import reading
from .json_trees import parse_graphml, parse_json
from .parentheses import parse_parentheses
from .tree_file import TreeFile


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
    parse = {"<": parse_graphml, "{": parse_json, "[": parse_json}.get(text.lstrip()[:1], parse_parentheses)
    return parse(text, name).settle()
