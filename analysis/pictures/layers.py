"""Draw trees and graphs in layers: a board or name for each node, and moves on the edges. Lengths are in inches."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.pictures.boards import Grid, draw_board, regular, shape_of
from analysis.pictures.style import INK, MUTED, PAPER, SECOND, TEXT, clean, fit, width_of
from analysis.rules.game import Game

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SLIDE = (13.0, 7.2)
"""Size of a slide."""
CELL, LEAST_CELL = 0.17, 0.085
"""Width of a cell of a board: as looks good, and as can still be read."""
MARK, HALF = 0.3, 0.15
"""A marker with a value in it, and half of it."""
LEAST_PITCH, PITCH = 0.62, 1.3
"""Distance of layers without boards, at least and at most."""
LEAST_SLOT, SLOT = 0.34, 1.5
"""Distance of nodes in a layer, at least and at most."""
_TOP, _FOOT, _LABEL = 0.75, 0.45, 0.34
"""Room for the title, for the key, and for a move on an edge."""
_SMALL = 8.0
"""Points of the text next to nodes and edges."""
_LINE = 0.15
"""Height of a line of it."""
EARLY = (0.3, 0.42, 0.54, 0.66, 0.78)
"""Places of labels on edges that meet others at their end, as parts of the way."""

MOST_LEAVES = int((SLIDE[0] - 0.4) / LEAST_SLOT)
"""Nodes of a layer that fit on a slide."""
MOST_LAYERS = int((SLIDE[1] - _TOP - _FOOT) / LEAST_PITCH)
"""Layers that fit on a slide."""


@dataclasses.dataclass
class Node:
    """A node: its board or else its name; a marker with a value, if any; lines of text below."""

    layer: int
    name: str = ""
    grid: Grid | None = None
    marker: str | None = None
    """One of matplotlib's markers."""
    value: str = ""
    """In the marker."""
    lines: Sequence[str] = ()
    colour: str = INK
    """Of its border."""
    width: float = 1.2
    """Of its border, in points."""
    dashed: bool = False
    double: bool = False
    """Whether its border is doubled."""
    fill: str = PAPER
    x: float = 0.0
    """In slots, from the left."""


@dataclasses.dataclass
class Link:
    """An edge between two nodes, by number."""

    source: int
    target: int
    label: str = ""
    colour: str = INK
    width: float = 1.0
    dashed: bool = False
    cut: bool = False
    """Whether a bar crosses it."""


def board_limits(game: Game, grid: Grid) -> tuple[int, int]:
    """Return how many leaves and layers of a tree with such boards fit on a slide."""
    shape = shape_of(game, grid)
    leaves = (SLIDE[0] - 0.4) / (shape.width * LEAST_CELL + 0.14)
    return int(leaves), int((SLIDE[1] - _TOP - _FOOT) / (shape.height * LEAST_CELL + MARK + _LABEL))


def place_tree(nodes: Sequence[Node], links: Sequence[Link]) -> int:
    """Place the leaves of a tree, whose root is its first node, side by side, and parents above the middle of their
    children; return the number of leaves.
    """
    below: dict[int, list[int]] = {}
    for link in links:
        below.setdefault(link.source, []).append(link.target)
    order, waiting, leaves = [], [0], 0
    while waiting:
        number = waiting.pop()
        order.append(number)
        waiting += below.get(number, [])[::-1]
        if number not in below:
            nodes[number].x = leaves
            leaves += 1
    for number in reversed(order):
        if number in below:
            nodes[number].x = (nodes[below[number][0]].x + nodes[below[number][-1]].x) / 2
    return leaves


def place_graph(nodes: Sequence[Node], links: Sequence[Link]) -> int:
    """Order the nodes of each layer by the middle of their parents and then of their children, a few sweeps as in
    Sugiyama, Tagawa and Toda (1981), with each layer centred; return the number of nodes in the widest.
    """
    layers: dict[int, list[int]] = {}
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        layers.setdefault(node.layer, []).append(number)
    for link in links:
        above.setdefault(link.target, []).append(link.source)
        below.setdefault(link.source, []).append(link.target)
    widest = max(map(len, layers.values()))
    for sweep in range(7):
        near = below if sweep % 2 else above
        for layer in sorted(layers, reverse=bool(sweep % 2)):
            own = layers[layer]

            def middle(number: int, near: dict[int, list[int]] = near) -> float:
                found = [nodes[other].x for other in near.get(number, [])]
                return sum(found) / len(found) if found else nodes[number].x

            own.sort(key=middle)
            for place, number in enumerate(own):
                nodes[number].x = place + (widest - len(own)) / 2
    return widest


def draw_layers(
    game: Game | None, nodes: Sequence[Node], links: Sequence[Link], title: str, key: Sequence[Any], *, slide: bool
) -> Figure:
    """Draw nodes that have been placed, with a title and a ``key`` of matplotlib's handles: on a slide or, for larger
    graphs, on as much paper as needed.
    """
    from matplotlib.figure import Figure

    across, layers = max(node.x for node in nodes) + 1, max(node.layer for node in nodes) + 1
    grids = [node.grid for node in nodes if node.grid is not None]
    shape = shape_of(game, grids[0]) if game is not None and grids and all(map(regular, grids)) else None
    texts = max((len(node.lines) for node in nodes), default=0) * _LINE
    slot, pitch = _spacing(nodes, across, layers, texts, slide)
    cell = 0.0
    if shape is not None:
        high = pitch - _LABEL - texts - MARK * any(node.marker for node in nodes)
        cell = min(CELL, (slot - 0.14) / shape.width, high / shape.height) if slide else CELL
        if not slide:
            slot, pitch = max(slot, shape.width * cell + 0.3), pitch + shape.height * cell
    if cell < LEAST_CELL:
        shape, cell = None, 1.0
    said = [clean(line, 160) for line in title.splitlines()]
    width = max(slot * across + 0.4, 0.3 + max(map(width_of, said)), 7.0)
    last = texts + MARK * any(node.marker for node in nodes) + (0.1 if shape is None else shape.height * cell)
    height = _TOP + _FOOT + pitch * (layers - 1) + last + 0.17 * (len(said) - 1)
    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set(xlim=(0, width / cell), ylim=(height / cell, 0))
    left = (width - slot * across) / 2 + slot / 2
    top = _TOP + 0.17 * (len(said) - 1)
    sheet = _Sheet(axes, cell, game, shape, slot)
    places = [(left + slot * node.x, top + pitch * node.layer) for node in nodes]
    heights = [sheet.node(node, place, texts=slot) for node, place in zip(nodes, places, strict=True)]
    several = Counter(link.target for link in links)
    for link in links:
        (x, y), end = places[link.source], places[link.target]
        sheet.link(link, (x, y + heights[link.source]), end, early=several[link.target] > 1)
    axes.text(width / 2 / cell, 0.12 / cell, said[0], ha="center", va="top", fontsize=11)
    axes.text(width / 2 / cell, 0.36 / cell, "\n".join(said[1:]), ha="center", va="top", fontsize=_SMALL)
    figure.legend(
        handles=list(key), ncols=len(key), fontsize=_SMALL, loc="lower center", columnspacing=1.2, handlelength=1.6
    )
    return figure


def _spacing(nodes: Sequence[Node], across: float, layers: int, texts: float, slide: bool) -> tuple[float, float]:
    """Return the distance of nodes, and of layers."""
    if slide:
        slot = min(SLOT, (SLIDE[0] - 0.4) / across)
        return slot, min(PITCH, (SLIDE[1] - _TOP - _FOOT) / layers)
    widest = max(width_of(clean(line)) for node in nodes for line in (*node.lines, node.name))
    return max(LEAST_SLOT, min(SLOT, widest * _SMALL / TEXT + 0.15)), 2 * _LABEL + texts + MARK


class _Sheet:
    """The drawing area for nodes and edges, in units of cells."""

    def __init__(self, axes: Axes, cell: float, game: Game | None, shape: Any, slot: float) -> None:
        self._axes, self._cell, self._game, self._shape, self._slot = axes, cell, game, shape, slot
        self._labels: list[tuple[float, float, float]] = []
        """Of the labels of edges: the middle, and the width."""

    def node(self, node: Node, place: tuple[float, float], *, texts: float) -> float:
        """Draw a node with its top at this place; return its height."""
        x, y = place
        high = 0.0
        if self._shape is not None and node.grid is not None and self._game is not None:
            high = self._board(node, x, y)
        elif node.marker is None:
            high = self._name(node, x, y)
        if node.marker is not None and not (high and node.dashed):
            self._marker(node, x, y + high + HALF)
            if not high and node.name:
                self._beside(node, x, y + HALF)
            high += MARK
        for line in node.lines:
            self._text(x, y + high + 0.09, fit(clean(line), texts * TEXT / _SMALL), color=INK)
            high += _LINE
        return high

    def _board(self, node: Node, x: float, y: float) -> float:
        from matplotlib.patches import Rectangle

        assert self._game is not None
        assert node.grid is not None
        wide, high, cell = self._shape.width * self._cell, self._shape.height * self._cell, self._cell
        for around in (0.07, 0.03) if node.double else (0.03,):
            self._axes.add_patch(
                Rectangle(
                    ((x - wide / 2 - around) / cell, (y - around) / cell), (wide + 2 * around) / cell,
                    (high + 2 * around) / cell, facecolor=node.fill, edgecolor=node.colour, linewidth=node.width,
                    linestyle=(0, (2, 2)) if node.dashed else "-", zorder=1.5,
                )
            )  # fmt: skip
        at = ((x - wide / 2) / cell, y / cell)
        draw_board(self._axes, cell, self._shape, node.grid, {}, at=at)
        return high + (0.09 if node.double else 0.05)

    def _name(self, node: Node, x: float, y: float) -> float:
        style = "--" if node.dashed else "-"
        frame = {"facecolor": node.fill, "edgecolor": node.colour, "linewidth": node.width, "linestyle": style}
        for around in (0.45, 0.25) if node.double else (0.25,):
            self._text(x, y + 0.1, clean(node.name), bbox=frame | {"boxstyle": f"round,pad={around}"}, zorder=4)
        return 0.2

    def _marker(self, node: Node, x: float, y: float) -> None:
        size = 500 if node.marker in ("^", "v") else 330
        self._axes.scatter(
            [x / self._cell], [y / self._cell], s=size, marker=node.marker, zorder=3, facecolor=node.fill,
            edgecolor=node.colour, linewidth=node.width, linestyle=(0, (2, 2)) if node.dashed else "-",
        )  # fmt: skip
        lift = {"^": 0.04, "v": -0.04}.get(node.marker or "", 0.0)
        if node.value:
            self._text(x, y + lift, node.value, zorder=5)

    def _beside(self, node: Node, x: float, y: float) -> None:
        """Write the name, if it fits: right of the marker of a node that has children, below that of a leaf."""
        colour, name = MUTED if node.dashed else INK, clean(node.name, 12)
        wide = width_of(name) * _SMALL / TEXT
        if node.marker in ("^", "v") and wide < self._slot - MARK:
            self._text(x + 0.16, y - 0.1, name, ha="left", color=colour)
        elif node.marker not in ("^", "v") and wide < self._slot:
            self._text(x, y + 0.21, name, color=colour)

    def link(self, link: Link, start: tuple[float, float], end: tuple[float, float], *, early: bool) -> None:
        """Draw an edge from one node's foot to another's top, its label near the end or ``early`` on the way, where no
        other label is.
        """
        cell, style = self._cell, (0, (3, 3)) if link.dashed else "-"
        (x, y), (u, v) = start, (end[0], end[1] - 0.03)
        self._axes.plot(
            [x / cell, u / cell], [y / cell, v / cell], color=link.colour, linewidth=link.width, linestyle=style,
            zorder=1,
        )  # fmt: skip
        parts = EARLY if early else (max(0.45, 1 - 0.16 / max(v - y, 0.1)),)
        if link.cut:
            a, b = x + 0.62 * (u - x), y + 0.62 * (v - y)
            self._axes.plot(
                [(a - 0.1) / cell, (a + 0.1) / cell], [(b + 0.03) / cell, (b - 0.03) / cell], color=SECOND,
                linewidth=2.2, zorder=2,
            )  # fmt: skip
        if link.label:
            paper = {"facecolor": PAPER, "edgecolor": "none", "boxstyle": "round,pad=0.08"}
            shown = fit(clean(link.label, 24), 0.82 * self._slot * TEXT / _SMALL)
            place = self._free([(x + part * (u - x), y + part * (v - y)) for part in parts], width_of(shown))
            self._text(*place, shown, color=link.colour, bbox=paper, zorder=2)

    def _free(self, places: Sequence[tuple[float, float]], wide: float) -> tuple[float, float]:
        """Return the first place for a label that no other label overlaps, or the first of all."""
        wide = wide * _SMALL / TEXT + 0.15

        def is_free(place: tuple[float, float]) -> bool:
            return all(abs(place[1] - y) > _LINE or abs(place[0] - x) > (wide + w) / 2 for x, y, w in self._labels)

        found = next(filter(is_free, places), places[0])
        self._labels.append((*found, wide))
        return found

    def _text(self, x: float, y: float, text: str, **look: Any) -> None:
        self._axes.text(x / self._cell, y / self._cell, text, **{"ha": "center", "va": "center"} | look, size=_SMALL)
