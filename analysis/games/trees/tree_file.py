"""The one form of all trees and graphs from files, texts and networkx: numbered nodes, with what is said of them."""

from __future__ import annotations

import array
import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from analysis.errors import TreeError
from analysis.games.trees.numbers import Number, read_value
from analysis.games.trees.words import TRUTH, word_of

if TYPE_CHECKING:
    import networkx as nx

NOTHING: Mapping[str, Any] = {}


@dataclasses.dataclass(eq=False)
class TreeFile:
    """A tree, or a graph with shared nodes, with what its text says about it."""

    form: str = "a graph"
    """What it was read as, as messages say it."""
    title: str = "tree"
    """What messages call it: its file."""
    name: str | None = None
    """What searches call a tree given as text; its nodes keep the side to move of the whole tree."""
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
    lines: dict[int, int] = dataclasses.field(default_factory=dict)
    """The line of a node in its text, where it is known."""
    again: Callable[[], TreeFile] | None = None
    """Reads the text again, more slowly, to find the lines."""

    def __len__(self) -> int:
        return len(self.nodes)

    def add(self, name: Any, value: Any = None, said: Mapping[str, Any] = NOTHING, line: int = 0) -> int:
        """Add a node; return its number. Raises `TreeError` if there is one of its name."""
        number = self.numbers.setdefault(name, len(self.nodes))
        if number != len(self.nodes):
            there = self.lines.get(number)
            lines = f", in lines {there} and {line}" if there and there != line else ""
            raise self.fault(f"two nodes are called {name}{lines}; give each a name of its own, or none", line)
        self.nodes.append(name)
        self.values.append(value)
        if said:
            self.said[number] = said
        if line:
            self.lines[number] = line
        return number

    def join(self, parent: int, child: int, move: Any = None) -> None:
        """Add an edge between two nodes by their numbers."""
        self.sources.append(parent)
        self.targets.append(child)
        self.moves.append(move)

    def fault(self, what: str, line: int = 0, *, node: int | None = None) -> TreeError:
        """Return the error that says ``what`` is wrong, where it is known in which ``line``, or at which node."""
        if node is not None and not line:
            again = self if self.again is None else self.again()
            line = again.lines.get(node, 0)
        return TreeError(f"{self.title}{f', line {line}' if line else ''}, read as {self.form}: {what}")

    def value(self, number: int) -> Number | None:
        """Return what a node is said to be worth. Raises `TreeError` unless it is a finite number."""
        value = self.values[number]
        if value is None:
            return None
        what = f"{'node' if self.degrees[number] else 'leaf'} {self.nodes[number]}"
        try:
            return read_value(value, what)
        except TreeError:
            again = self if self.again is None else self.again()
        try:  # as it is written
            return read_value(again.values[number], what)
        except TreeError as error:
            raise again.fault(str(error), again.lines.get(number, 0)) from None

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
        """Make a tree of a graph and its attributes ``source`` and ``maximizing``. Raises `TreeError`, naming the tree
        ``name``, read as ``form``.
        """
        found = cls(form, name, attributes=graph.graph)
        if not graph.is_directed():
            raise TreeError(f"{name} is not a directed graph; its edges must lead from parents to children")
        if graph.is_multigraph():
            raise TreeError(f"{name} has parallel edges; use a DiGraph")
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
            kept = [edge for edge, parent in enumerate(self.sources) if parent not in dropped]
            self.sources = array.array("q", [self.sources[edge] for edge in kept])
            self.targets = array.array("q", [self.targets[edge] for edge in kept])
            self.moves = [self.moves[edge] for edge in kept]
        return self
