"""GraphML, as `networkx` reads it: nodes with data, and directed edges."""

from __future__ import annotations

import warnings
from typing import Any
from xml.etree import ElementTree

from analysis.errors import TreeError
from analysis.games.trees.tree_file import TreeFile

FORM = "GraphML"
LABELS = ("position", "label", "name")
"""Attributes by which nodes are called, if each has another one."""


def parse_graphml(text: str, name: str) -> TreeFile:
    """Parse a graph; errors call it ``name``. Raises `TreeError`."""
    import networkx as nx

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of elements that it leaves out
            graph: Any = nx.parse_graphml(text)
    except (nx.NetworkXError, ElementTree.ParseError, LookupError, ValueError, TypeError) as error:
        raise TreeError(f"{name}, read as {FORM}: {' '.join(str(error).split())}") from None
    return TreeFile.of(nx.relabel_nodes(graph, _names(graph)), name, FORM)


def _names(graph: Any) -> dict[Any, Any]:
    """Return what nodes are called: their positions in our exports, or their labels, if these tell them apart."""
    for key in LABELS:
        found = {node: data[key] for node, data in graph.nodes(data=True) if data.get(key) not in (None, "")}
        if found and len(found) == len(graph) == len({*found.values()}):
            return found
    return {}
