"""Games on a graph, in which each move takes vertices away and whoever cannot move loses: Cram and Node-Kayles.

*Node-Kayles* takes a vertex and its neighbours (Schaefer 1978), *Arc-Kayles* the two ends of an edge; *Cram* is the
latter on a rectangle of squares, where an edge is a domino (Gardner 1974). A position is the set of vertices that are
left, as bits; its connected parts are independent. On a rectangle they are the same wherever they are and however they
are turned or reflected; on other graphs under the automorphisms of the whole graph, if these are few.

These games are solved as sums only.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import hashlib
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from analysis.errors import PositionError, SpecError
from analysis.games.shared.boards import check_range
from analysis.games.shared.only_sums import OnlySums
from analysis.rules.game import PartGraph, Parts, Permutation
from analysis.rules.symmetry import automorphisms

MOST_VERTICES = 1000
MOST_AUTOMORPHISMS = 64
"""Beyond these, equal parts of a graph are not recognised."""

_NAME = re.compile(r"[^\s;()\[\]{}'\"]+")
"""A name in a list of edges: what else may separate names, or surround them, belongs to none."""


@dataclasses.dataclass(frozen=True)
class NamedGraph:
    """A graph as it was read."""

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    grid: tuple[int, int] = (0, 0)

    @classmethod
    def rectangle(cls, rows: int, cols: int) -> NamedGraph:
        """Return the cells of a rectangle, row by row, and its edges."""
        across = [(cell, cell + 1) for cell in range(rows * cols) if (cell + 1) % cols]
        down = [(cell, cell + cols) for cell in range(rows * cols - cols)]
        return cls(tuple(map(str, range(rows * cols))), tuple(across + down), (rows, cols))

    @functools.cached_property
    def adjacent(self) -> tuple[int, ...]:
        """The neighbours of each vertex, as bits."""
        found = [0] * len(self.names)
        for one, other in self.edges:
            found[one] |= 1 << other
            found[other] |= 1 << one
        return tuple(found)

    @functools.cached_property
    def automorphisms(self) -> tuple[Permutation, ...]:
        """The automorphisms of a graph that is no rectangle; none if there are many."""
        if self.grid[1] or len(self.names) > 63:
            return ()
        group = automorphisms(len(self.names), self.edges)
        return tuple(group.elements()) if 1 < group.order <= MOST_AUTOMORPHISMS else ()


@dataclasses.dataclass(frozen=True)
class GraphGame(OnlySums):
    """A game on a rectangle of ``rows`` x ``cols`` cells or on the graph in a file."""

    rows: int = 3
    cols: int = 5
    graph: str = ""

    files = (
        "graph=FILE: .gml, .graphml, .gexf or .json (node-link) as networkx writes them, else an edge on each line, "
        "two names apart by blanks or a comma, no weight; a heading source,target and what follows # are left out"
    )

    def __post_init__(self) -> None:
        check_range(1, MOST_VERTICES, rows=self.rows, cols=self.cols)
        if self.rows * self.cols > MOST_VERTICES:
            raise SpecError(f"a {self.rows} x {self.cols} board has {self.rows * self.cols} cells; at most 1000 fit")
        _ = self.layout

    @functools.cached_property
    def layout(self) -> NamedGraph:
        """The graph. Raises `SpecError` for a file that holds none."""
        return read_graph(Path(self.graph)) if self.graph else NamedGraph.rectangle(self.rows, self.cols)

    @property
    def spec(self) -> str:
        """The specification; a graph has no rows and columns."""
        return f"{self.family}:graph={self.graph}" if self.graph else super().spec

    def rules_hash(self) -> str:
        """Return a SHA-256 of the specification and the graph, independent of its file."""
        if not self.graph:
            return super().rules_hash()
        return hashlib.sha256(f"{self.family} {self.rules_version} {self.layout}".encode()).hexdigest()

    @abc.abstractmethod
    def _moves(self) -> Iterator[tuple[int, int]]:
        """Yield the vertices that each move needs, and those that it takes."""

    def _least(self) -> int:
        return 1

    def parts(self) -> Parts:
        """Return the connected parts, without those in which nobody can move."""
        layout, choices, least = self.layout, tuple(self._moves()), self._least()
        rows, cols = layout.grid
        whole = (1 << len(layout.names)) - 1
        canonical = functools.lru_cache(1 << 18)(functools.partial(self._canonical, layout))

        def split(position: int) -> list[int]:
            found = []
            while position:
                part = front = position & -position
                while front:
                    near = layout.adjacent[front.bit_length() - 1] & position & ~part
                    part |= near
                    front = front ^ 1 << front.bit_length() - 1 | near
                position &= ~part
                if part.bit_count() >= least:
                    found.append(canonical(part))
            return found

        def moves(position: int) -> list[int]:
            return [position & ~taken for needed, taken in choices if position & needed == needed]

        series = [(width, sum(((1 << width) - 1) << row * cols for row in range(rows))) for width in range(1, cols + 1)]
        graph = PartGraph(layout.adjacent, choices, least, layout.grid, layout.automorphisms)
        return Parts(split, moves, whole, series, graph=graph)

    @staticmethod
    def _canonical(layout: NamedGraph, part: int) -> int:
        """Return the least image of a part, as the compiled kernel does."""
        rows, cols = layout.grid
        vertices = [vertex for vertex in range(part.bit_length()) if part >> vertex & 1]
        if not cols:
            images = ([permutation[vertex] for vertex in vertices] for permutation in layout.automorphisms)
            return min((sum(1 << vertex for vertex in image) for image in images), default=part)
        places = [divmod(vertex, cols) for vertex in vertices]
        top, left = min(row for row, _ in places), min(col for _, col in places)
        high, wide = max(row for row, _ in places) - top, max(col for _, col in places) - left
        least = part
        for turned, below, beyond in itertools.product((False, True), repeat=3):
            if turned and (wide >= rows or high >= cols):
                continue
            image = 0
            for row, col in places:
                r = top + high - row if below else row - top
                c = left + wide - col if beyond else col - left
                image |= 1 << (c * cols + r if turned else r * cols + c)
            least = min(least, image)
        return least

    def parse_position(self, text: str) -> int:
        """Return the position written row by row, ``.`` for a free cell and ``#`` for another, or of a graph as the
        names of the vertices that are left. Raises `PositionError` for anything else.
        """
        rows, cols = self.layout.grid
        if cols:
            marks = text.replace("/", "").replace(" ", "")
            if len(marks) != rows * cols or set(marks) - set(".#"):
                raise PositionError(f"position {text!r} is not a board of {rows} rows of {cols} cells, each . or #")
            return sum(1 << cell for cell, mark in enumerate(marks) if mark == ".")
        numbers = {name: vertex for vertex, name in enumerate(self.layout.names)}
        words = [] if text.strip() == "-" else text.split()
        unknown = next((word for word in words if word not in numbers), None)
        if unknown is not None:
            raise PositionError(f"position {text!r}: the graph has no vertex {unknown!r}")
        return sum(1 << numbers[word] for word in dict.fromkeys(words))

    def format_position(self, state: int) -> str:
        """Return the cells row by row, or the vertices that are left."""
        rows, cols = self.layout.grid
        if cols:
            marks = "".join(".#"[not state >> cell & 1] for cell in range(rows * cols))
            return "/".join(marks[row * cols : (row + 1) * cols] for row in range(rows))
        return " ".join(name for vertex, name in enumerate(self.layout.names) if state >> vertex & 1) or "-"


@dataclasses.dataclass(frozen=True)
class NodeKayles(GraphGame):
    """Node-Kayles: take a vertex and its neighbours."""

    family = "node_kayles"
    description = "Node-Kayles on a rectangle of cells or a graph file: take a vertex and its neighbours"
    title = "Node-Kayles, {rows} x {cols}"
    example = "node_kayles:rows=3,cols=16"
    sizes = "up to 1,000 cells or vertices; 3 x 21 takes seconds"
    known = "nimbers of 3 x n: OEIS A316632"

    def _moves(self) -> Iterator[tuple[int, int]]:
        for vertex, near in enumerate(self.layout.adjacent):
            yield 1 << vertex, 1 << vertex | near


@dataclasses.dataclass(frozen=True)
class ArcKayles(GraphGame):
    """Arc-Kayles: take the two ends of an edge."""

    family = "arc_kayles"
    description = "Arc-Kayles on a rectangle of cells or a graph file: take the two ends of an edge"
    title = "Arc-Kayles, {rows} x {cols}"
    example = "arc_kayles:rows=3,cols=12"
    sizes = "up to 1,000 cells or vertices; on a rectangle it is cram"

    def _moves(self) -> Iterator[tuple[int, int]]:
        for one, other in self.layout.edges:
            yield 1 << one | 1 << other, 1 << one | 1 << other

    def _least(self) -> int:
        return 2


@dataclasses.dataclass(frozen=True)
class Cram(ArcKayles):
    """Cram: put a domino on two free neighbouring squares."""

    family = "cram"
    description = "Cram: put a domino on two free neighbouring squares of a board"
    title = "Cram, {rows} x {cols}"
    example = "cram:rows=3,cols=13"
    sizes = "up to 1,000 cells; 4 x 9 and 5 x 7 take seconds"
    known = "the second player wins if rows and cols are even, the first if one of them is (Gardner 1974)"
    files = ""

    graph: str = dataclasses.field(default="", init=False)


def read_graph(path: Path) -> NamedGraph:
    """Read a graph; parallel edges do not matter. Raises `SpecError` for a file without one, and for directions and
    loops: these games are defined on graphs without.
    """
    import networkx

    readers: dict[str, Callable[[Path], Any]] = {
        ".gml": _read_gml,
        ".graphml": networkx.read_graphml,
        ".gexf": networkx.read_gexf,
        ".json": _read_json,
        "": _read_edges,
    }
    try:
        found = readers.get(path.suffix.lower(), readers[""])(path)
        names = [str(node) for node in found.nodes]
        number = {node: i for i, node in enumerate(found.nodes)}
        edges = {(min(pair), max(pair)) for pair in ((number[a], number[b]) for a, b in found.edges())}
    except OSError as error:
        raise SpecError(f"graph={path}: {error.strerror or error}") from None
    except Exception as error:  # a parser may raise anything
        raise SpecError(f"graph={path} holds no graph: {' '.join(str(error).split())}") from None
    if found.is_directed():
        raise SpecError(f"graph={path} is directed; this game is played on undirected graphs, so write it as one")
    if not 0 < len(names) <= MOST_VERTICES:
        raise SpecError(f"graph={path} has {len(names)} vertices; it must have from 1 to {MOST_VERTICES}")
    if len(set(names)) < len(names) or any(len(name.split()) != 1 for name in names):
        raise SpecError(f"graph={path}: the names of vertices must differ and hold no blanks")
    loop = next((names[a] for a, b in sorted(edges) if a == b), None)
    if loop is not None:
        raise SpecError(
            f"graph={path}: an edge joins {loop} to itself, and the rules say nothing of loops; leave it out"
        )
    return NamedGraph(tuple(names), tuple(sorted(edges)))


def _read_gml(path: Path) -> Any:
    """Read a graph whose vertices may have numbers only."""
    import networkx

    numbered = networkx.read_gml(path, label="id")
    labelled = all("label" in vertex for _, vertex in numbered.nodes(data=True))
    return networkx.read_gml(path) if labelled else numbered


def _read_json(path: Path) -> Any:
    from analysis.games.trees.json_trees import linked, read_json

    data = read_json(path.read_text(encoding="utf-8-sig"), "it")
    graph = linked(data, "it").graph
    return graph if data.get("directed") else graph.to_undirected()


def _read_edges(path: Path) -> Any:
    """Read two names a line, and leave out comments, a heading, and what networkx writes last, ``{}``. Raises
    `ValueError`.
    """
    import networkx

    graph: Any = networkx.Graph()
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), 1):
        told = line.partition("#")[0].strip().removesuffix("{}")
        names = [name.strip() for name in told.split(",")] if "," in told else told.split()
        if not names or (not graph and [name.lower() for name in names] == ["source", "target"]):
            continue
        if len(names) != 2 or not all(map(_NAME.fullmatch, names)):
            raise ValueError(
                f"line {number}, {line.strip()[:40]!r}, is not an edge; write two names, apart by blanks or a comma, "
                "and no weight"
            )
        graph.add_edge(*names)
    return graph
