"""What each search of the pruning laboratory visited, beside the least possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.reports import report_words
from analysis.reports.figures import frame
from analysis.reports.figures.captioned import Picture
from analysis.reports.figures.line_labels import size_of
from analysis.reports.figures.numbers import compact
from analysis.reports.figures.palette import AMBER, HEAT, INK, MUTED, PAPER
from analysis.reports.figures.searches import row_names
from analysis.reports.figures.style import styled
from analysis.reports.findings import Findings
from analysis.reports.search_table import was_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from analysis.search.comparison import Comparison
    from analysis.search.laboratory import Row

_ROW = 0.27  # inches

WINDOW = f"with the window ({report_words.MINUS}∞, +∞), that is without using that payoffs have bounds"
"""What the least possible is meant for; a search that uses those bounds may visit less."""


@styled
def draw(findings: Findings) -> Picture | None:
    """None where the laboratory was not asked, or no search visited a node, and where all visited as many."""
    comparison = findings.comparison
    rows = [row for row in comparison.rows if row.nodes > 0] if comparison is not None else []
    if comparison is None or not rows or constant(findings):
        return None
    rows.sort(key=lambda row: -row.nodes)
    least = _least(comparison)
    names, numbers = row_names(rows), [_count(comparison, row) for row in rows]
    left = 0.15 + max(frame.width_of(name) for name in names)
    right = 0.2 + max(frame.width_of(number) for number in numbers)
    figure, (axes,) = frame.stack([0.1 + _ROW * len(rows)], left, right, 0, 0.5)
    greatest = max(10, *(row.nodes for row in rows))
    frame.log_axis(axes, 1, greatest, across=True)
    axes.set_xlim(1, greatest**1.04 * 1.1)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), labels=names)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("nodes visited (log scale)", fontsize=frame.TEXT, color=INK)
    _dots(axes, rows, numbers)
    if least is not None:
        _mark_least(axes, least, left)
    caption, alternative = _caption(comparison, rows, least), _alternative(comparison, rows, least)
    return Picture("pruning", "What pruning saves", caption, alternative, figure)


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its numbers are the same."""
    comparison = findings.comparison
    rows = [] if comparison is None else [row for row in comparison.rows if row.nodes > 0]
    if comparison is None or not rows or any(row.stopped for row in rows):
        return None
    numbers = {row.nodes for row in rows} | {_least(comparison) or rows[0].nodes}
    return None if len(numbers) > 1 else f"Every search visits {report_words.some(rows[0].nodes, 'node')}."


def _least(comparison: Comparison) -> int | None:
    """The fewest nodes that prove the value with the full window; None where the tree is too large to know."""
    size = comparison.least.get("full")
    return None if size is None else size.nodes


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
            va="center", fontsize=frame.TEXT, color=INK, annotation_clip=False,
        )  # fmt: skip


def _mark_least(axes: Axes, least: int, left: float) -> None:
    """A dashed line, its name above it, kept within a sheet whose margin is so wide."""
    axes.axvline(least, color=HEAT, linestyle=(0, (5, 2)), linewidth=1.6, zorder=1)
    text = f"least possible, full window: {least:,}"
    half, at = frame.width_of(text) / 2 + 0.05, left + _across(axes, least)
    shift = max(half, min(at, frame.WIDTH - half)) - at
    axes.annotate(
        text, (least, 1), xycoords=("data", "axes fraction"), xytext=(72 * shift, 5), textcoords="offset points",
        fontsize=frame.TEXT, color=INK, ha="center", annotation_clip=False,
    )  # fmt: skip


def _across(axes: Axes, x: float) -> float:
    """How far from the left end of a panel with a log scale across a number is, in inches."""
    low, high = axes.get_xlim()
    width, _ = size_of(axes)
    return width * math.log(x / low) / math.log(high / low)


def _count(comparison: Comparison, row: Row) -> str:
    """Nodes; more than that where a search was stopped on its way. The laboratory does not run minimax where it knows
    beforehand that the whole tree is too large: then its nodes are those of the tree.
    """
    number = f"{row.nodes:,}" if row.nodes < 10**10 else compact(row.nodes)
    return f"> {number}" if row.stopped and was_run(comparison, row) else number


def _caption(comparison: Comparison, rows: Sequence[Row], least: int | None) -> str:
    said = (
        "Nodes that each search visits to find the value of the start, on a log scale, the exact numbers beside them."
    )
    if least is not None:
        said += f" The dashed line is the least that a search without a table can visit on this game's tree {WINDOW}."
    stopped = [row for row in rows if row.stopped]
    if any(was_run(comparison, row) for row in stopped):
        said += " A hollow point with > is a search that was stopped after so many nodes."
    if any(not was_run(comparison, row) for row in stopped):
        said += " A hollow point without > is one that was not run: so many nodes are too many."
    return said


def _alternative(comparison: Comparison, rows: Sequence[Row], least: int | None) -> str:
    named = list(zip(row_names(rows), rows, strict=True))
    done = [pair for pair in named if not pair[1].stopped]
    said = f"Points on a log scale for {report_words.some(len(rows), 'search', 'searches')}."
    if len(done) > 1:
        (worst, most), (best, fewest) = done[0], done[-1]
        said += f" Of those that ended, {worst} visited the most nodes, {most.nodes:,}, {best} the fewest, "
        said += f"{fewest.nodes:,}."
    if least is not None:
        said += f" The least possible without a table, {WINDOW}, is {least:,}."
    cut = [f"{name} ({_count(comparison, row)})" for name, row in named if row.stopped and was_run(comparison, row)]
    skipped = [name for name, row in named if not was_run(comparison, row)]
    said += f" Stopped: {', '.join(cut)}." if cut else ""
    return said + (f" Not run: {', '.join(skipped)}." if skipped else "")
