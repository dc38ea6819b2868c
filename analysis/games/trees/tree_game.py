"""Make games of trees and graphs, from files and from networkx."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...common.files import reading
from ...errors import SpecError, TreeError
from ..graphs.graph import MOST_MOVES, Graph
from ..graphs.graph_game import GraphGame, TreeGame, graph_game, reopened
from .reading import parse_tree, read_tree
from .tree_graph import GREATEST, log_reading, tree_graph

if TYPE_CHECKING:
    import networkx as nx

VERSION = 6  # raised when trees are read in another way, so that stored games are solved again


def load_tree(spec: str, written: bool = False) -> GraphGame:
    """Return the game of a tree in a file, or ``written`` out; it is read when needed. Raises `SpecError`."""
    typed = spec.strip()
    if written:
        digest = hashlib.sha256(f"{VERSION} {typed}".encode()).hexdigest()
        read = functools.partial(_explored, parse_tree, typed, "tree")
        return TreeGame(typed, digest, read, kind="tree", reopen=(load_tree, (typed, True)))
    with reading(typed, SpecError):
        if Path(typed).is_char_device():
            raise SpecError(f"{typed} is a device, which may never end; name a file")
        content = Path(typed).read_bytes()
    path = os.path.abspath(typed)  # noqa: PTH100 - links stay as they are
    digest = hashlib.sha256(f"{VERSION} ".encode() + content).hexdigest()
    reopen = reopened, (load_tree, typed, path, "", digest)
    return TreeGame(
        typed, digest, functools.partial(_explored, read_tree, typed, typed), path, typed, Path(typed).stem, reopen
    )


def tree_object(tree: nx.DiGraph[Any]) -> GraphGame:
    """Return the game of a graph of networkx. Raises `TreeError`."""
    return graph_game(_explored(lambda _: tree, "", "graph"), "graph", "graph")


def _explored(read: Callable[[str], nx.DiGraph[Any]], text: str, title: str) -> Graph:
    """Return the graph of a tree, and log how it was read. Raises `TreeError`."""
    graph, _ = tree_graph(read(text), title)
    most = int(np.diff(graph.first).max())
    if most > MOST_MOVES:
        raise TreeError(f"{title}: a node has {most:,} children; at most {MOST_MOVES} moves are possible")
    if graph.payoffs.dtype != np.int16:
        raise TreeError(f"{title}: there are more different payoffs than the {GREATEST:,} of a sign that are possible")
    log_reading(title, graph.notes)
    return graph
