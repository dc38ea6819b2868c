"""Pictures of searches: one tree, node counts, or their growth. The file's suffix is its format."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError, StoreError
from analysis.machine.files import check_target, write_bytes
from analysis.pictures.style import (
    AMBER,
    FIRST,
    FORMATS,
    HEAT,
    INK,
    MUTED,
    PURPLE,
    SECOND,
    picture_bytes,
    styled,
)
from analysis.reports.figures.panels import log_axis, stack
from analysis.reports.figures.search_bars import bars, visited
from analysis.reports.figures.search_tree import draw_tree
from analysis.search.comparison import Comparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = (FIRST, SECOND, HEAT, PURPLE, MUTED, AMBER, INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p")


def check_plot(path: Path | None) -> None:
    """Raise `OptionError` for a file whose suffix is no format, `StoreError` for one that cannot be written."""
    if path is None:
        return
    check_target(path, [f".{form}" for form in FORMATS], "a picture")
    if not os.access(path.parent, os.W_OK):
        raise StoreError(f"cannot write {path}: {path.parent} may not be written to")


def draw_searches(found: Comparison | list[dict[str, Any]], path: Path) -> None:
    """Draw what ``gametree prune`` found: the growth, the tree of a search if that was asked for, or the counts."""
    if isinstance(found, list):
        games = list(dict.fromkeys(row["board"] for row in found))
        title = f"{games[0]}: nodes that each search visits" if len(games) == 1 else "Nodes that each search visits"
        draw_growth(found, title, path)
    elif found.drawn is not None:
        title, visits = found.drawn
        _save(draw_tree(found.problem, visits, f"{found.problem.name}: {title}"), path)
    else:
        if not visited(found):
            raise OptionError("there is nothing to draw: no search visited a node")
        _save(bars(found, f"{found.problem.name}: nodes that each search visits", 8.0), path)


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


# Parts ----------------------------------------------------------------------------------------------------------------


def _save(figure: Figure, path: Path) -> None:
    write_bytes(path, picture_bytes(figure, path.suffix.lower().lstrip(".")))
