"""Draw trees and graphs in layers: a board or name for each node, and moves on the edges. Lengths are in inches."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..rules.game import Game
from ..rules.picture import regular
from .boards import BoardShape, Grid, draw_board, shape_of, sheet
from .style import INK, PAPER, SECOND, TEXT, clean, fit, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 13.0
"""The width that nodes share, if it leaves each its least distance."""
CELL, LEAST_CELL = 0.17, 0.085
"""Width of a cell of a board: one that looks good, and the least that can be read."""
MARK = 0.3
"""Size of a marker with a value in it."""
LEAST_SLOT, SLOT = 0.34, 1.5
"""Distance of nodes in a layer, at least and at most."""
_TOP, _FOOT, _LABEL = 0.75, 0.45, 0.34
"""Room for the title, for the key, and for a move on an edge."""
_SMALL, _LINE = 8.0, 0.15
"""Points of the text next to nodes and edges, and its height."""
_LABELLED = 0.66
"""Where a label is on its edge, as a part of the way."""


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
    """The colour of its border."""
    width: float = 1.2
    """The width of its border, in points."""
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
    leaves, first_leaf = [0] * len(nodes), [0] * len(nodes)
    for link in reversed(links):
        leaves[link.target] = leaves[link.target] or 1
        leaves[link.source] += leaves[link.target]
    nodes[0].x = max(0, leaves[0] - 1) / 2
    for link in links:
        first_leaf[link.target] = first_leaf[link.source]
        first_leaf[link.source] += leaves[link.target]
        nodes[link.target].x = first_leaf[link.target] + (leaves[link.target] - 1) / 2
    return leaves[0]


def place_graph(nodes: Sequence[Node], links: Sequence[Link]) -> None:
    """Order the nodes of each layer by the middle of their parents and then of their children, a few sweeps as in
    Sugiyama, Tagawa and Toda (1981), with each layer centred.
    """
    layers, above, below = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list), defaultdict(list)
    for number, node in enumerate(nodes):
        layers[node.layer].append(number)
    for link in links:
        above[link.target].append(link.source)
        below[link.source].append(link.target)
    widest = max(map(len, layers.values()))
    for sweep in range(7):
        near = below if sweep % 2 else above
        for layer in sorted(layers, reverse=bool(sweep % 2)):
            middles = {number: fmean(nodes[i].x for i in near[number] or [number]) for number in layers[layer]}
            layers[layer].sort(key=middles.__getitem__)
            for place, number in enumerate(layers[layer]):
                nodes[number].x = place + (widest - len(middles)) / 2


def draw_layers(
    game: Game | None, nodes: Sequence[Node], links: Sequence[Link], title: str, key: Sequence[Any]
) -> Figure:
    """Draw nodes that have been placed, with a title and a ``key`` of matplotlib's handles."""
    columns, layers = max(node.x for node in nodes) + 1, max(node.layer for node in nodes) + 1
    grids = [node.grid for node in nodes if node.grid is not None]
    shape = shape_of(game, grids[0]) if game is not None and grids and all(map(regular, grids)) else None

    def below(node: Node) -> list[str]:
        return [*[node.name] * bool(shape is None and node.marker and node.name), *node.lines]

    texts = [text for node in nodes for text in (*node.lines, *[node.name] * (shape is None))]
    widest = max((width_of(clean(text)) for text in texts), default=0.0) * _SMALL / TEXT + 0.15
    slot, cell = max(LEAST_SLOT, min(SLOT, max(widest, WIDTH / columns))), 0.0
    height = MARK * any(node.marker for node in nodes) + _LINE * max(len(below(node)) for node in nodes)
    if shape is None:
        height += 0.1
    else:
        cell = min(CELL, max(LEAST_CELL, (slot - 0.14) / shape.width))
        height, slot = height + shape.height * cell, max(slot, shape.width * cell + 0.14)
    heading = [clean(line, 160) for line in title.splitlines()]
    width, top = max(slot * columns + 0.4, 0.3 + max(map(width_of, heading)), 7.0), _TOP + 0.17 * (len(heading) - 1)
    pitch = height + 2 * _LABEL
    figure, axes = sheet(width, top + pitch * (layers - 1) + height + _FOOT)
    write = functools.partial(axes.text, ha="center", va="center", size=_SMALL)
    left_margin = (width - slot * columns) / 2 + slot / 2
    places = [(left_margin + slot * node.x, top + pitch * node.layer) for node in nodes]
    feet = []
    for node, (x, y) in zip(nodes, places, strict=True):
        y = draw_node(axes, node, (x, y), None if shape is None else (shape, cell))
        for line in below(node):
            write(x, y + 0.09, fit(clean(line), slot * TEXT / _SMALL), color=INK)
            y += _LINE
        feet.append((x, y + 0.03))
    for link in links:
        draw_link(axes, link, feet[link.source], places[link.target], slot)
    axes.text(width / 2, 0.12, heading[0], ha="center", va="top", fontsize=11)
    axes.text(width / 2, 0.36, "\n".join(heading[1:]), ha="center", va="top", fontsize=_SMALL)
    figure.legend(
        handles=list(key), ncols=len(key), fontsize=_SMALL, loc="lower center", columnspacing=1.2, handlelength=1.6
    )
    return figure


def draw_node(axes: Axes, node: Node, place: tuple[float, float], board: tuple[BoardShape, float] | None) -> float:
    """Draw a node with its top at this place, with its ``board`` (the shape and the width of cells) if all nodes have
    one; return where its text begins.
    """
    from matplotlib.patches import Rectangle

    (x, y), dash = place, (0, (2, 2)) if node.dashed else "-"
    frame: dict[str, Any] = {"facecolor": node.fill, "edgecolor": node.colour}
    frame |= {"linewidth": node.width, "linestyle": dash}
    look: dict[str, Any] = {"ha": "center", "va": "center", "size": _SMALL}
    if board is not None and node.grid is not None:
        shape, cell = board
        width, height = shape.width * cell, shape.height * cell
        for padding in (0.07, 0.03) if node.double else (0.03,):
            corner, size = (x - width / 2 - padding, y - padding), (width + 2 * padding, height + 2 * padding)
            axes.add_patch(Rectangle(corner, *size, zorder=1.5, **frame))
        draw_board(axes, cell, shape, node.grid, {}, (x - width / 2, y))
        y += height + (0.09 if node.double else 0.05)
    elif node.marker is None:
        for padding in (0.45, 0.25) if node.double else (0.25,):
            axes.text(x, y + 0.1, clean(node.name), bbox=frame | {"boxstyle": f"round,pad={padding}"}, zorder=4, **look)
        y += 0.2
    if node.marker is not None:
        large, lift = {"^": (500, 0.04), "v": (500, -0.04)}.get(node.marker, (330, 0.0))
        axes.scatter([x], [y + MARK / 2], s=large, marker=node.marker, zorder=3, **frame)
        axes.text(x, y + MARK / 2 + lift, node.value, zorder=5, **look)
        y += MARK
    return y


def draw_link(axes: Axes, link: Link, start: tuple[float, float], end: tuple[float, float], slot: float) -> None:
    """Draw an edge from the bottom of one node to the top of another, with its label nearer to the latter."""
    (x, y), (u, v) = start, (end[0], end[1] - 0.03)
    dash = (0, (3, 3)) if link.dashed else "-"
    axes.plot([x, u], [y, v], color=link.colour, linewidth=link.width, linestyle=dash, zorder=1)
    if link.cut:
        a, b = x + 0.8 * (u - x), y + 0.8 * (v - y)
        axes.plot([a - 0.1, a + 0.1], [b + 0.03, b - 0.03], color=SECOND, linewidth=2.2, zorder=2)
    if link.label:
        text = fit(clean(link.label, 24), 0.82 * slot * TEXT / _SMALL)
        place = x + _LABELLED * (u - x), y + _LABELLED * (v - y)
        paper = {"facecolor": PAPER, "edgecolor": "none", "boxstyle": "round,pad=0.08"}
        axes.text(*place, text, ha="center", va="center", size=_SMALL, color=link.colour, bbox=paper, zorder=2)
