"""What each search of the pruning laboratory visited, beside the least possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.pictures.style import AMBER, HEAT, MUTED, PAPER, Picture, styled
from analysis.reports.figures import panels
from analysis.reports.findings import Findings
from analysis.reports.report_tables import was_run
from analysis.reports.report_words import MINUS, compact
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.search.comparison import Comparison
    from analysis.search.laboratory import Row

WINDOW = f"with the window ({MINUS}∞, +∞), that is without using that payoffs have bounds"
"""What the least possible is meant for; a search that uses those bounds may visit less."""


def draw(findings: Findings) -> Picture | None:
    """None where the laboratory was not asked, or no search visited a node, and where all visited as many."""
    comparison = findings.comparison
    if comparison is None or not (rows := visited(comparison)) or constant(findings):
        return None
    least = _least(comparison)
    caption, alternative = _caption(comparison, rows, least), _alternative(comparison, rows, least)
    return Picture("pruning", "What pruning saves", caption, alternative, bars(comparison))


def visited(comparison: Comparison) -> list[Row]:
    """The searches that visited a node, those first that visited most."""
    return sorted((row for row in comparison.rows if row.nodes > 0), key=lambda row: -row.nodes)


@styled
def bars(comparison: Comparison, title: str = "", width: float = panels.WIDTH) -> Figure:
    """Nodes of each search that visited one, and the least possible as a line, on a log scale."""
    rows, least = visited(comparison), _least(comparison)
    figure, (axes,) = panels.stack(0.8 + 0.27 * len(rows) + 0.25 * bool(title), width=width)
    panels.rows_axis(axes, row_names(rows), [_count(comparison, row) for row in rows])
    axes.set_xscale("log")
    axes.set_xlim(1, 1.3 * max(10, *(row.nodes for row in rows)))
    panels.powers_of_ten(axes.xaxis, 5)
    axes.set_xlabel("nodes visited (log scale)")
    for place, row in enumerate(rows):
        colour = MUTED if row.stopped else AMBER
        axes.plot([1, row.nodes], [place, place], color=colour, linewidth=1.6, linestyle=":" if row.stopped else "-")
        face = PAPER if row.stopped else colour
        axes.plot(row.nodes, place, "o", markersize=6.5, color=colour, markerfacecolor=face, clip_on=False, zorder=4)
    if least is not None:
        line = axes.axvline(least, color=HEAT, linestyle=(0, (5, 2)), linewidth=1.6, zorder=1)
        figure.legend([line], [f"least possible, full window: {least:,}"], loc="outside upper center")
    axes.set_title(title)
    return figure


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its numbers are the same."""
    comparison = findings.comparison
    if comparison is None or not (rows := visited(comparison)) or any(row.stopped for row in rows):
        return None
    numbers = {row.nodes for row in rows} | {_least(comparison) or rows[0].nodes}
    return None if len(numbers) > 1 else f"Every search visits {some(rows[0].nodes, 'node')}."


def _least(comparison: Comparison) -> int | None:
    """The fewest nodes that prove the value with the full window; None where the tree is too large to know."""
    size = comparison.least.get("full")
    return None if size is None else size.nodes


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
    said = f"Points on a log scale for {some(len(rows), 'search', 'searches')}."
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


def row_names(rows: Sequence[Row]) -> list[str]:
    """The algorithm of each row and, of its settings, those that differ between rows of one algorithm."""
    differing = [
        key
        for key in ("order", "window", "table", "symmetry")
        if any(getattr(a, key) != getattr(b, key) for a in rows for b in rows if a.algorithm == b.algorithm)
    ]
    return [", ".join([row.algorithm, *(str(getattr(row, key)) for key in differing)]) for row in rows]
