"""Find nimbers of games on graphs, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.rules.game import PartGraph, Parts
from analysis.sums.nimbers import Found, Nimbers, PlainNimbers

COMPILED = 63
"""Vertices of a graph for which the compiled kernel is used: bits of a non-negative int64."""
ASKED = 1 << 13
"""Parts whose options are found between two reports of progress."""
FIRST_SLOTS = 1 << 12


def nimbers_of(parts: Parts, found: Found | None = None) -> Nimbers:
    """Return the nimbers of parts, as far as they were ``found`` before, to find others."""
    compiled = parts.graph is not None and len(parts.graph.adjacent) <= COMPILED
    return GraphNimbers(parts, found) if compiled else PlainNimbers(parts, found)


class GraphNimbers(Nimbers):
    """Finds nimbers of a game on a graph of at most `COMPILED` vertices. ``found`` is what an earlier solve found."""

    part_bytes = 100

    def __init__(self, parts: Parts, found: Found | None = None) -> None:
        from analysis.sums.kernels import graph_parts

        super().__init__(parts)
        assert parts.graph is not None
        self._kernels: Any = graph_parts
        self._graph, self._room = _graph_of(parts.graph), _room_of(parts.graph)
        self._table = _table(FIRST_SLOTS)
        if found is not None:
            self._grow(len(found[0]), *found)

    def __len__(self) -> int:
        """Return how many parts something is known of."""
        return int(self._table.filled[0])

    def prepare(self) -> None:
        """Compile what is needed, so that timings exclude it."""
        self._kernels.ask(0, self._kernels.NIMBER, self._graph, self._table, self._room)

    def found(self) -> Found:
        """Return the parts, ascending, and the facts."""
        parts, facts, _ = self._table
        filled = np.flatnonzero(parts)
        order = filled[np.argsort(parts[filled])]
        return parts[order], facts[order]

    def fact(self, part: int, wanted: int) -> int:
        """Find whether a part has the nimber ``wanted``, or its nimber if that is `NIMBER`, and return the fact."""
        while True:
            self._room.left[0] = ASKED
            fact = self._kernels.ask(part, wanted, self._graph, self._table, self._room)
            if fact != self._kernels.STOPPED:
                return int(fact)
            self.tell(self.part_bytes * len(self))
            if len(self) * self._kernels.SLOTS >= len(self._table.parts):
                self._grow(len(self), *self._table[:2])

    def _grow(self, number: int, parts: np.ndarray, facts: np.ndarray) -> None:
        """Make a table for more than this number of parts, and fill it."""
        slots = FIRST_SLOTS
        while slots <= number * self._kernels.SLOTS:
            slots *= 2
        self.budget.require((slots + len(parts)) * 16, "what is known of the parts")
        self._table = _table(slots)
        self._kernels.insert(parts, facts, self._table)


def _table(slots: int) -> Any:
    from analysis.sums.kernels.graph_parts import PartTable

    return PartTable(*(np.zeros(size, np.int64) for size in (slots, slots, 1)))


def _graph_of(graph: PartGraph) -> Any:
    from analysis.sums.kernels.graph_parts import MoveGraph

    vertices = len(graph.adjacent)
    moves, adjacent, shape, permutations = (
        np.array(values, dtype=np.int64)
        for values in (graph.moves, graph.adjacent, [*graph.grid, graph.least], graph.automorphisms)
    )
    return MoveGraph(moves.reshape(-1), adjacent, shape, permutations.reshape(-1, vertices))


def _room_of(graph: PartGraph) -> Any:
    """Return room for as many parts on the way as there are vertices: each is smaller than the one before."""
    from analysis.sums.kernels.graph_parts import FRAME, SearchRoom

    depth, choices = len(graph.adjacent) + 1, max(1, len(graph.moves))
    widths = (FRAME, choices * len(graph.adjacent), choices, choices)
    frames, options, ends, order = (np.empty((depth, width), np.int64) for width in widths)
    return SearchRoom(frames, options, ends, order, np.zeros(1, np.int64))
