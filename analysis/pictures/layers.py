"""Draw trees and graphs in layers: a board or name for each node, and moves on the edges. Lengths are in inches."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..rules.game import Game
from .boards import BoardShape, Grid, draw_board, regular, shape_of, sheet
from .style import INK, PAPER, SECOND, TEXT, clean, fit, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 13.0
"""The width that nodes share, if it leaves each its least distance."""
CELL, LEAST_CELL = 0.17, 0.085
"""Width of a cell of a board: as looks good, and as can still be read."""
MARK = 0.3
"""Size of a marker with a value in it."""
LEAST_SLOT, SLOT = 0.34, 1.5
"""Distance of nodes in a layer, at least and at most."""
_TOP, _FOOT, _LABEL = 0.75, 0.45, 0.34
"""Room for the title, for the key, and for a move on an edge."""
_SMALL, _LINE = 8.0, 0.15
"""Points of the text next to nodes and edges, and its height."""
_PLACES = (0.66, 0.54, 0.42, 0.3, 0.78)
"""Where a label may be on its edge, as parts of the way: the first that is free."""


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


def place_tree(nodes: Sequence[Node], links: Sequence[Link]) -> int:
    """Place each node of a tree above the middle of its leaves, which lie side by side, and return their number. Links
    come from the root down.
    """
    leaves, left = [0] * len(nodes), [0] * len(nodes)
    for link in reversed(links):
        leaves[link.target] = leaves[link.target] or 1
        leaves[link.source] += leaves[link.target]
    nodes[0].x = max(0, leaves[0] - 1) / 2
    for link in links:
        left[link.target] = left[link.source]
        left[link.source] += leaves[link.target]
        nodes[link.target].x = left[link.target] + (leaves[link.target] - 1) / 2
    return leaves[0]


def place_graph(nodes: Sequence[Node], links: Sequence[Link]) -> None:
    """Order the nodes of each layer by the middle of their parents and then of their children, a few sweeps as in
    Sugiyama, Tagawa and Toda (1981), with each layer centred.
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


def draw_layers(
    game: Game | None, nodes: Sequence[Node], links: Sequence[Link], title: str, key: Sequence[Any]
) -> Figure:
    """Draw nodes that have been placed, with a title and a ``key`` of matplotlib's handles."""
    across, layers = max(node.x for node in nodes) + 1, max(node.layer for node in nodes) + 1
    grids = [node.grid for node in nodes if node.grid is not None]
    shape = shape_of(game, grids[0]) if game is not None and grids and all(map(regular, grids)) else None
    for node in nodes:
        if shape is None and node.marker and node.name:
            node.lines = (node.name, *node.lines)
    texts = [clean(text) for node in nodes for text in (*node.lines, *[node.name] * (not shape and not node.marker))]
    widest = max(map(width_of, texts), default=0.0) * _SMALL / TEXT + 0.15
    slot = max(LEAST_SLOT, min(SLOT, max(widest, WIDTH / across)))
    cell = 0.0 if shape is None else min(CELL, max(LEAST_CELL, (slot - 0.14) / shape.width))
    high = MARK * any(node.marker for node in nodes) + _LINE * max(len(node.lines) for node in nodes)
    high += 0.1 if shape is None else shape.height * cell
    if shape is not None:
        slot = max(slot, shape.width * cell + 0.14)
    said = [clean(line, 160) for line in title.splitlines()]
    width, top = max(slot * across + 0.4, 0.3 + max(map(width_of, said)), 7.0), _TOP + 0.17 * (len(said) - 1)
    pitch = high + 2 * _LABEL
    figure, axes = sheet(width, top + pitch * (layers - 1) + high + _FOOT)
    drawing = _Drawing(axes, game, shape, cell, slot)
    left = (width - slot * across) / 2 + slot / 2
    places = [(left + slot * node.x, top + pitch * node.layer) for node in nodes]
    feet = [(place[0], drawing.node(node, *place)) for node, place in zip(nodes, places, strict=True)]
    for link in links:
        drawing.link(link, feet[link.source], places[link.target])
    axes.text(width / 2, 0.12, said[0], ha="center", va="top", fontsize=11)
    axes.text(width / 2, 0.36, "\n".join(said[1:]), ha="center", va="top", fontsize=_SMALL)
    figure.legend(
        handles=list(key), ncols=len(key), fontsize=_SMALL, loc="lower center", columnspacing=1.2, handlelength=1.6
    )
    return figure


class _Drawing:
    """The drawing area for nodes and edges."""

    def __init__(self, axes: Axes, game: Game | None, shape: BoardShape | None, cell: float, slot: float) -> None:
        self._axes, self._game, self._shape, self._cell, self._slot = axes, game, shape, cell, slot
        self._labels: list[tuple[float, float, float]] = []
        """Of the labels of edges: the middle, and the width."""

    def node(self, node: Node, x: float, y: float) -> float:
        """Draw a node with its top at this place; return where its foot is."""
        dash = (0, (2, 2)) if node.dashed else "-"
        frame: dict[str, Any] = {
            "facecolor": node.fill,
            "edgecolor": node.colour,
            "linewidth": node.width,
            "linestyle": dash,
        }
        if self._shape is not None and node.grid is not None:
            y = self._board(node, self._shape, node.grid, (x, y), frame)
        elif node.marker is None:
            for around in (0.45, 0.25) if node.double else (0.25,):
                self._text(x, y + 0.1, clean(node.name), bbox=frame | {"boxstyle": f"round,pad={around}"}, zorder=4)
            y += 0.2
        if node.marker is not None:
            size, lift = (500, 0.04) if node.marker in ("^", "v") else (330, 0.0)
            self._axes.scatter([x], [y + MARK / 2], s=size, marker=node.marker, zorder=3, **frame)
            self._text(x, y + MARK / 2 + (lift if node.marker == "^" else -lift), node.value, zorder=5)
            y += MARK
        for line in node.lines:
            self._text(x, y + 0.09, fit(clean(line), self._slot * TEXT / _SMALL), color=INK)
            y += _LINE
        return y + 0.03

    def _board(
        self, node: Node, shape: BoardShape, grid: Grid, place: tuple[float, float], frame: dict[str, Any]
    ) -> float:
        from matplotlib.patches import Rectangle

        x, y = place[0] - shape.width * self._cell / 2, place[1]
        width, height = shape.width * self._cell, shape.height * self._cell
        for around in (0.07, 0.03) if node.double else (0.03,):
            corner, size = (x - around, y - around), (width + 2 * around, height + 2 * around)
            self._axes.add_patch(Rectangle(corner, *size, zorder=1.5, **frame))
        draw_board(self._axes, self._cell, shape, grid, {}, (x, y))
        return y + height + (0.09 if node.double else 0.05)

    def link(self, link: Link, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw an edge from one node's foot to another's top, with its label where no other is."""
        (x, y), (u, v) = start, (end[0], end[1] - 0.03)
        style = (0, (3, 3)) if link.dashed else "-"
        self._axes.plot([x, u], [y, v], color=link.colour, linewidth=link.width, linestyle=style, zorder=1)
        if link.cut:
            a, b = x + 0.8 * (u - x), y + 0.8 * (v - y)
            self._axes.plot([a - 0.1, a + 0.1], [b + 0.03, b - 0.03], color=SECOND, linewidth=2.2, zorder=2)
        if link.label:
            shown = fit(clean(link.label, 24), 0.82 * self._slot * TEXT / _SMALL)
            wide = width_of(shown) * _SMALL / TEXT + 0.15
            places = [(x + part * (u - x), y + part * (v - y)) for part in _PLACES]
            place = next((each for each in places if self._is_free(*each, wide)), places[0])
            self._labels.append((*place, wide))
            paper = {"facecolor": PAPER, "edgecolor": "none", "boxstyle": "round,pad=0.08"}
            self._text(*place, shown, color=link.colour, bbox=paper, zorder=2)

    def _is_free(self, x: float, y: float, wide: float) -> bool:
        """Return whether a label here overlaps no other."""
        return all(abs(y - v) > _LINE or abs(x - u) > (wide + width) / 2 for u, v, width in self._labels)

    def _text(self, x: float, y: float, text: str, **look: Any) -> None:
        self._axes.text(x, y, text, ha="center", va="center", size=_SMALL, **look)
