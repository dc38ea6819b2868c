"""Pictures: a small tree with what a search did in it, and charts of node counts. The file's suffix is its format."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError, StoreError
from analysis.machine.files import check_target, write_bytes
from analysis.reports.figures.panels import log_axis, stack
from analysis.reports.figures.search_bars import bars, visited
from analysis.reports.figures.style import (
    AMBER,
    FIRST,
    FORMATS,
    HEAT,
    INK,
    MUTED,
    PAPER,
    PURPLE,
    SECOND,
    TIE,
    picture_bytes,
    styled,
)
from analysis.search.comparison import Comparison
from analysis.search.growth import Growth
from analysis.search.problem import SearchProblem
from analysis.search.visits import Visit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (FIRST, SECOND, HEAT, PURPLE, MUTED, AMBER, INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p")


@dataclasses.dataclass
class _Drawn:
    """A node of the picture."""

    label: str
    ply: int
    side: int
    """Who moves: 1, -1, or 0 at a leaf."""
    value: int | None
    visited: bool
    principal: bool
    children: list[_Drawn] = dataclasses.field(default_factory=list)
    x: float = 0.0


def check_plot(path: Path | None) -> None:
    """Raise `OptionError` for a file whose suffix is no format, `StoreError` for one that cannot be written."""
    if path is None:
        return
    check_target(path, [f".{form}" for form in FORMATS], "a picture")
    if not os.access(path.parent, os.W_OK):
        raise StoreError(f"cannot write {path}: {path.parent} may not be written to")


def draw_searches(found: Comparison | Growth, path: Path) -> None:
    """Draw what ``gametree prune`` found: the growth, the tree of a search if that was asked for, or the counts."""
    if isinstance(found, Growth):
        draw_growth(found.csv_rows(), "Nodes that each search visits", path)
    elif found.drawn is not None:
        title, visits = found.drawn
        draw_tree(found.problem, visits, f"{found.problem.name}: {title}", path)
    else:
        if not visited(found):
            raise OptionError("there is nothing to draw: no search visited a node")
        _save(bars(found, f"{found.problem.name}: nodes that each search visits", 8.0), path)


@styled
def draw_tree(problem: SearchProblem, visits: Sequence[Visit], title: str, path: Path) -> None:
    """The whole tree below the root: nodes that were visited, those that were cut (dashed, pale) and the principal
    variation (thick), with values. Triangles point the way of the side to move, leaves are squares. Raises
    `TooLargeError` for more than `MOST_DRAWN` nodes.
    """
    root = _tree(problem, visits)
    nodes = [root]
    for node in nodes:  # grows as it goes
        nodes += node.children
    leaves = _place(root)
    height = max(node.ply for node in nodes) + 1
    figure, (axes,) = stack(max(2.8, 0.95 * height + 1.1), width=max(7.5, 0.62 * leaves + 1.5))
    for node in nodes:
        for child in node.children:
            _edge(axes, node, child)
    for node in nodes:
        _node(axes, node, named=len(nodes) <= 120)
    _legend_of_tree(figure)
    axes.set_xlim(-0.9, leaves - 0.1)
    axes.set_ylim(-height + 0.3, 0.75)
    axes.set_axis_off()
    axes.set_title(title, fontsize=11)
    _save(figure, path)


@styled
def draw_growth(rows: Sequence[dict[str, Any]], title: str, path: Path) -> None:
    """Nodes against depth, or against boards where there is one depth, a line for each algorithm, on a log scale."""
    depths = list(dict.fromkeys(row["depth"] for row in rows))
    boards = list(dict.fromkeys(row["board"] for row in rows))
    by_depth = len(depths) > 1
    figure, (axes,) = stack(5.0, width=8.0)
    lines = list(dict.fromkeys((row["algorithm"], row["board"] if by_depth else "") for row in rows))
    for number, (algorithm, board) in enumerate(lines):
        own = [row for row in rows if row["algorithm"] == algorithm and board in ("", row["board"]) and row["nodes"]]
        xs = [row["depth"] if by_depth else boards.index(row["board"]) for row in own]
        ys = [row["nodes"] for row in own]
        name = algorithm + (f" {board}" if by_depth and len(boards) > 1 else "")
        axes.plot(
            xs, ys, color=COLOURS[number % len(COLOURS)], marker=MARKERS[number % len(MARKERS)], linewidth=1.3,
            linestyle=("-", "--", ":")[number // len(COLOURS) % 3], label=name, markersize=5,
        )  # fmt: skip
        for x, y, row in zip(xs, ys, own, strict=True):
            if row["stopped"]:
                axes.annotate("stopped", (x, y), xytext=(4, 4), textcoords="offset points", fontsize=7)
    log_axis(axes, [row["nodes"] for row in rows if row["nodes"]] or [1])
    axes.set_ylabel("nodes visited (log scale)")
    axes.set_xlabel("depth in plies" if by_depth else "board: rows, columns, k")
    axes.set_xticks(depths if by_depth else range(len(boards)), None if by_depth else boards)
    axes.grid(visible=True)
    axes.set_title(title, fontsize=11)
    figure.legend(loc="outside right upper")
    _save(figure, path)


# The tree -------------------------------------------------------------------------------------------------------------


def _tree(problem: SearchProblem, visits: Sequence[Visit]) -> _Drawn:
    """Every node below the root; one that was visited more than once has the value of its last visit."""
    below: dict[tuple[int | None, int | None], list[int]] = {}
    for number, visit in enumerate(visits):
        below.setdefault((visit.parent, visit.move), []).append(number)
    root = _Drawn("", 0, 0, None, visited=True, principal=True)
    waiting = [(root, problem.root, [number for number, visit in enumerate(visits) if visit.parent is None])]
    for node, state, own in waiting:  # grows as it goes
        stopped = problem.depth is not None and node.ply >= problem.depth
        moves = [] if stopped else problem.moves(state)
        label = problem.describe(state)
        node.label = label if len(label) <= 12 else label[:11] + "…"
        node.side = 0 if not moves else problem.side(state)
        node.value = visits[own[-1]].value if own else None
        seen = {code: [number for parent in own for number in below.get((parent, code), [])] for code, _ in moves}
        equal = [numbers[-1] for numbers in seen.values() if numbers and visits[numbers[-1]].value == node.value]
        for code, child in moves:
            numbers = seen[code]
            best = node.principal and bool(numbers) and numbers[-1] == min(equal, default=None)  # the first of equals
            node.children.append(_Drawn("", node.ply + 1, 0, None, visited=bool(numbers), principal=best))
            waiting.append((node.children[-1], child, numbers))
    return root


def _place(root: _Drawn) -> int:
    """Leaves side by side, parents above the middle of their children; returns the number of leaves."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack += node.children[::-1]
    leaves = 0
    for node in order:
        if not node.children:
            node.x = leaves
            leaves += 1
    for node in reversed(order):
        if node.children:
            node.x = (node.children[0].x + node.children[-1].x) / 2
    return leaves


def _edge(axes: Axes, node: _Drawn, child: _Drawn) -> None:
    style: dict[str, Any] = {"color": INK, "linewidth": 1.0, "linestyle": "-"}
    if child.principal and node.principal:
        style = {"color": FIRST, "linewidth": 3.2, "linestyle": "-"}
    elif not child.visited:
        style = {"color": TIE, "linewidth": 0.9, "linestyle": (0, (3, 3))}
    axes.plot([node.x, child.x], [-node.ply, -child.ply], zorder=1, **style)
    if node.visited and not child.visited:  # the cut itself, across the edge
        x, y = node.x + 0.45 * (child.x - node.x), -node.ply - 0.45
        axes.plot([x - 0.14, x + 0.14], [y - 0.05, y + 0.05], color=SECOND, linewidth=2.2, zorder=2)


def _node(axes: Axes, node: _Drawn, *, named: bool) -> None:
    marker = {1: "^", -1: "v", 0: "s"}[node.side]
    axes.scatter(
        [node.x], [-node.ply], s=620 if node.side else 380, marker=marker, zorder=3,
        facecolor=PAPER, edgecolor=FIRST if node.principal else INK if node.visited else TIE,
        linewidth=2.6 if node.principal else 1.2, linestyle="-" if node.visited else (0, (2, 2)),
    )  # fmt: skip
    if node.value is not None:
        middle = -node.ply - 0.04 * node.side  # of the triangle
        axes.text(node.x, middle, str(node.value), ha="center", va="center", fontsize=8, zorder=4, color=INK)
    if named:
        x, y, side = (node.x + 0.24, -node.ply + 0.16, "left") if node.side else (node.x, -node.ply - 0.27, "center")
        axes.text(x, y, node.label, fontsize=6.5, color=INK if node.visited else TIE, zorder=4, ha=side)


def _legend_of_tree(figure: Figure) -> None:
    from matplotlib.lines import Line2D

    def mark(marker: str, label: str) -> Line2D:
        return Line2D([], [], marker=marker, linestyle="", markerfacecolor=PAPER, markeredgecolor=INK, label=label)

    figure.legend(
        handles=[
            mark("^", "maximizing"),
            mark("v", "minimizing"),
            mark("s", "leaf"),
            Line2D([], [], color=FIRST, linewidth=3.2, label="principal variation"),
            Line2D([], [], color=TIE, linestyle=(0, (3, 3)), label="not visited"),
            Line2D([], [], color=SECOND, linewidth=2.2, label="cut"),
        ],
        ncols=6, fontsize=8, loc="outside lower center", columnspacing=1.2, handlelength=1.6,
    )  # fmt: skip


# Parts ----------------------------------------------------------------------------------------------------------------


def _save(figure: Figure, path: Path) -> None:
    write_bytes(path, picture_bytes(figure, path.suffix.lower().lstrip(".")))
