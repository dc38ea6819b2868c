"""The one form of all trees and graphs from files, texts and networkx: numbered nodes, with what is said of them."""

from __future__ import annotations

import array
import dataclasses
import functools
import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TreeError
from ..graphs.graph import longest_ways
from .numbers import Number, read_value
from .words import TRUTH, word_of

if TYPE_CHECKING:
    import networkx as nx

NOTHING: Mapping[str, Any] = {}
DEEPEST = 1000
"""The most moves of a line of play without loops: time to solve grows with their square."""
UNDIRECTED = "not a directed graph; its edges must lead from parents to children"


def too_deep(name: str) -> TreeError:
    """Return the error of a tree in which play lasts longer."""
    return TreeError(f"{name} is too deep: play may last {DEEPEST:,} moves at most")


@dataclasses.dataclass(eq=False)
class TreeFile:
    """A tree, or a graph with shared nodes, with what its text says about it."""

    form: str = "a graph"
    """What it was read as, as messages say it."""
    title: str = "tree"
    """What messages call it: its file."""
    source: Any = None
    """The root of the search; None for the only node without a parent."""
    maximizing: bool | None = None
    """Whether the first player moves at the source; None if only the nodes say so, or nothing does."""
    attributes: dict[str, Any] = dataclasses.field(default_factory=dict)
    """What is said of the whole."""
    nodes: list[Any] = dataclasses.field(default_factory=list)
    """The names of the nodes; those without a name are called by a number."""
    numbers: dict[Any, int] = dataclasses.field(default_factory=dict)
    """The places of nodes in this list by their names."""
    values: list[Any] = dataclasses.field(default_factory=list)
    """What each is said to be worth, as it was read; None where nothing is."""
    said: dict[int, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    """What else is said of nodes."""
    sources: array.array[int] = dataclasses.field(default_factory=lambda: array.array("q"))
    """Where each edge begins, and where it ends; those of a node in the order in which they are written."""
    targets: array.array[int] = dataclasses.field(default_factory=lambda: array.array("q"))
    moves: list[Any] = dataclasses.field(default_factory=list)
    """What is said of each edge: a name, attributes or None."""
    renamed: int = 0
    """How many nodes are called by a number because others have their names too."""

    def __len__(self) -> int:
        return len(self.nodes)

    def add(self, name: Any, value: Any = None, said: Mapping[str, Any] = NOTHING) -> None:
        """Add a node. Raises `TreeError` if there is one of its name."""
        number = self.numbers.setdefault(name, len(self.nodes))
        if number != len(self.nodes):
            raise self.fault(f"two nodes are called {name}; give each a name of its own, or none")
        self.nodes.append(name)
        self.values.append(value)
        if said:
            self.said[number] = said

    def join(self, parent: int, child: int, move: Any = None) -> None:
        """Add an edge between two nodes by their numbers."""
        self.sources.append(parent)
        self.targets.append(child)
        self.moves.append(move)

    def fault(self, what: str) -> TreeError:
        """Return the error that says ``what`` is wrong."""
        return TreeError(f"{self.title}, read as {self.form}: {what}")

    def value(self, number: int) -> Number | None:
        """Return what a node is said to be worth. Raises `TreeError` unless it is a finite number."""
        if self.values[number] is None:
            return None
        try:
            return read_value(self.values[number], f"leaf {self.nodes[number]}")
        except TreeError as error:
            raise self.fault(str(error)) from None

    # The graph --------------------------------------------------------------------------------------------------------

    @functools.cached_property
    def order(self) -> np.ndarray:
        """The edges by their sources, int64[m]."""
        return np.argsort(np.frombuffer(self.sources, np.int64) if len(self.sources) else np.zeros(0), kind="stable")

    @functools.cached_property
    def degrees(self) -> np.ndarray:
        """The number of children of each node, int64[n]."""
        return np.bincount(np.array(self.sources, np.int64), minlength=len(self))

    @functools.cached_property
    def graph(self) -> nx.DiGraph[Any]:
        """The same as a graph of networkx."""
        import networkx as nx

        graph: nx.DiGraph[Any] = nx.DiGraph()
        graph.graph.update(self.attributes)
        for number, (name, value) in enumerate(zip(self.nodes, self.values, strict=True)):
            worth = {} if value is None else {"value": value}
            graph.add_nodes_from([(name, {**self.said.get(number, NOTHING), **worth})])
        for parent, child, move in zip(self.sources, self.targets, self.moves, strict=True):
            said = move if isinstance(move, dict) else {} if move is None else {"label": move}
            graph.add_edges_from([(self.nodes[parent], self.nodes[child], said)])
        return graph

    @classmethod
    def of(cls, graph: nx.DiGraph[Any], name: str = "tree", form: str = "a graph") -> TreeFile:
        """Make a tree of a graph and its attributes ``source`` and ``maximizing``. Raises `TreeError`."""
        found = cls(form, name, attributes=graph.graph)
        if not graph.is_directed():
            raise found.fault(UNDIRECTED)
        if graph.is_multigraph():
            raise found.fault("parallel edges; use a DiGraph")
        for node, data in graph.nodes(data=True):
            found.add(node, data.get("value"), data)
        for parent, child, data in graph.edges(data=True):
            found.join(found.numbers[parent], found.numbers[child], data)
        kept = len(found.sources)
        found.settle()
        if len(found.sources) == kept:
            found.__dict__["graph"] = graph
        return found

    def settle(self) -> TreeFile:
        """Take what is said of the whole, once everything is there. Raises `TreeError`.

        A node marked ``cut``, some of whose moves an export left out, becomes a leaf with its own value, unless only
        optimal moves remain, which lead to the same value.
        """
        said = self.attributes.get("maximizing")
        self.maximizing = None if said is None else TRUTH.get(word_of(said))
        if said is not None and self.maximizing is None:
            raise self.fault(f"graph.maximizing is {str(said)[:40]!r}; write true or false")
        self.source = self.attributes.get("source", self.source)
        start = self.attributes.get("start")
        if self.source is None and isinstance(start, str):
            told = (self.nodes[n] for n, data in self.said.items() if data.get("position") == start)
            self.source = start if start in self.numbers else next(told, None)
        cut = {n for n, data in self.said.items() if data.get("cut") is True and self.values[n] is not None}
        if cut:
            dropped = {
                parent
                for parent, move in zip(self.sources, self.moves, strict=True)
                if parent in cut and not (isinstance(move, Mapping) and move.get("optimal"))
            }
            kept = [parent not in dropped for parent in self.sources]
            self.moves = [*itertools.compress(self.moves, kept)]
            self.targets = array.array("q", itertools.compress(self.targets, kept))
            self.sources = array.array("q", itertools.compress(self.sources, kept))
        sources, targets = np.array(self.sources, np.int64), np.array(self.targets, np.int64)
        levels = longest_ways(len(self), sources, targets, DEEPEST)
        if levels is not None and levels.min(initial=0) < 0:
            raise too_deep(self.title)
        return self
