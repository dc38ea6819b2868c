"""What each search of the pruning laboratory visited, beside the least possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.charts import styled
from analysis.reports import words
from analysis.reports.figures import frame
from analysis.reports.figures.numbers import compact
from analysis.reports.figures.palette import AMBER, HEAT, INK, MUTED, PAPER
from analysis.reports.figures.picture import Picture
from analysis.reports.findings import Findings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from analysis.search.comparison import Comparison
    from analysis.search.laboratory import Row

_SETTINGS = ("order", "window", "table", "symmetry")
_ROW = 0.27  # inches


@styled
def draw(findings: Findings) -> Picture | None:
    """None where the laboratory was not asked, or no search visited a node."""
    comparison = findings.comparison
    rows = [row for row in comparison.rows if row.nodes > 0] if comparison is not None else []
    if comparison is None or not rows:
        return None
    rows.sort(key=lambda row: -row.nodes)
    size = comparison.least.get("full")
    least = None if size is None else size.nodes
    names, numbers = row_names(rows), [_count(comparison, row) for row in rows]
    left = 0.15 + max(frame.width_of(name, frame.SMALL) for name in names)
    right = 0.2 + max(frame.width_of(number, frame.SMALL) for number in numbers)
    figure, (axes,) = frame.stack([0.1 + _ROW * len(rows)], left, right, 0, 0.5)
    greatest = max(row.nodes for row in rows)
    frame.log_axis(axes, 1, max(greatest, 10), across=True)
    axes.set_xlim(1, greatest**1.04 * 1.1)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), labels=names)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("nodes visited (log scale)", fontsize=frame.TEXT, color=INK)
    _dots(axes, rows, numbers)
    if least is not None:
        axes.axvline(least, color=HEAT, linestyle=(0, (5, 2)), linewidth=1.6, zorder=1)
        _least(axes, least)
    return Picture("pruning", "What pruning saves", _caption(least), _alternative(comparison, rows, least), figure)


def _dots(axes: Axes, rows: Sequence[Row], numbers: Sequence[str]) -> None:
    for place, (row, number) in enumerate(zip(rows, numbers, strict=True)):
        colour = MUTED if row.stopped else AMBER
        axes.plot([1, row.nodes], [place, place], color=colour, linewidth=1.6, linestyle=":" if row.stopped else "-")
        axes.plot(
            [row.nodes], [place], marker="o", markersize=6.5, color=colour, clip_on=False, zorder=4,
            markerfacecolor=PAPER if row.stopped else colour,
        )  # fmt: skip
        axes.annotate(
            number, (1, place), xycoords=("axes fraction", "data"), xytext=(8, 0), textcoords="offset points",
            va="center", fontsize=frame.SMALL, color=INK, annotation_clip=False,
        )  # fmt: skip


def _least(axes: Axes, least: int) -> None:
    """Its name above the line, to the side on which there is room."""
    low, high = axes.get_xlim()
    left = least > (low * high) ** 0.5
    axes.annotate(
        f"least possible: {least:,}", (least, 1), xycoords=("data", "axes fraction"), xytext=(0, 5),
        textcoords="offset points", fontsize=frame.SMALL, color=INK, ha="right" if left else "left",
        annotation_clip=False,
    )  # fmt: skip


def _count(comparison: Comparison, row: Row) -> str:
    """Nodes; more than that where a search was stopped on its way. The laboratory does not run minimax where it knows
    beforehand that the whole tree is too large: then its nodes are those of the tree.
    """
    number = f"{row.nodes:,}" if row.nodes < 10**10 else compact(row.nodes)
    whole = comparison.tree is not None and row.nodes == comparison.tree.nodes
    return f"> {number}" if row.stopped and not whole else number


def row_names(rows: Sequence[Row]) -> list[str]:
    """The algorithm of each row and, of its settings, those that differ between rows of one algorithm."""
    differing = [
        key
        for key in _SETTINGS
        if any(getattr(a, key) != getattr(b, key) for a in rows for b in rows if a.algorithm == b.algorithm)
    ]
    return [", ".join([row.algorithm, *(str(getattr(row, key)) for key in differing)]) for row in rows]


def _caption(least: int | None) -> str:
    said = (
        "Nodes that each search visits to find the value of the start, on a log scale, the exact numbers beside them."
    )
    if least is not None:
        said += " The dashed line is the least that any search without a table can do on this game's tree."
    return f"{said} A hollow point is a search that was stopped at > so many nodes or, without >, one that was not run."


def _alternative(comparison: Comparison, rows: Sequence[Row], least: int | None) -> str:
    named = list(zip(row_names(rows), rows, strict=True))
    done = [pair for pair in named if not pair[1].stopped]
    said = f"Points on a log scale for {words.some(len(rows), 'search', 'searches')}."
    if len(done) > 1:
        (worst, most), (best, fewest) = done[0], done[-1]
        said += f" Of those that ended, {worst} visited the most nodes, {most.nodes:,}, {best} the fewest, "
        said += f"{fewest.nodes:,}."
    if least is not None:
        said += f" The least possible is {least:,}."
    stopped = [f"{name} ({_count(comparison, row)})" for name, row in named if row.stopped]
    return said + (f" Stopped or not run: {', '.join(stopped)}." if stopped else "")
