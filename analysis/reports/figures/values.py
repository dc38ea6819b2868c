"""What positions are worth, by ply or tier, as shares."""

from __future__ import annotations

from typing import Any

from analysis.charts import styled
from analysis.reports import words
from analysis.reports.figures import frame
from analysis.reports.figures.numbers import clean
from analysis.reports.figures.palette import OUTCOMES
from analysis.reports.figures.picture import Picture
from analysis.reports.figures.stacked import PERCENT_MARGIN, draw_shares, percent_axis
from analysis.reports.findings import Findings


@styled
def draw(findings: Findings) -> Picture | None:
    """None where there is one step only."""
    rows, step = findings.rows, findings.step
    if len(rows) < 2:
        return None
    steps = [row[step] for row in rows]
    columns = [
        (outcome, name(findings, outcome.key), [_number(row, outcome.key) for row in rows])
        for outcome in OUTCOMES
        if any(_number(row, outcome.key) for row in rows)
    ]
    figure, (axes,) = frame.stack([2.4], PERCENT_MARGIN, 0.12, 0, 0.5)
    axes.set_xlim(steps[0] - 0.6, steps[-1] + 0.6)
    draw_shares(axes, steps, columns)
    percent_axis(axes, "share of positions")
    frame.steps_axis(axes, steps, step)
    return Picture("values", f"Values of positions by {step}", _caption(findings), _alternative(findings), figure)


def name(findings: Findings, key: str) -> str:
    """What positions of this value are called."""
    return {"tie": "a tie", "draw": "a draw"}.get(key) or f"{clean(words.named(findings, key), 12)} wins"


def _number(row: dict[str, Any], key: str) -> int:
    return row.get(f"value_{key}") or 0


def _caption(findings: Findings) -> str:
    said = f"The positions at each {findings.step} by their value under optimal play, in per cent of them"
    if findings.statistics["by_ply"] and not findings.solution.by_ply:
        said += "; a position that occurs at several plies counts at each"
    return said + ". How many positions a bar stands for is in the table and in the figure of positions and moves."


def _alternative(findings: Findings) -> str:
    rows = findings.rows
    sums = {o.key: sum(_number(row, o.key) for row in rows) for o in OUTCOMES}
    total = sum(sums.values())
    parts = [f"{name(findings, key)}: {n:,} ({words.share(n, total)})" for key, n in sums.items() if n]
    last = rows[-1]
    there = [f"{name(findings, o.key)} {_number(last, o.key):,}" for o in OUTCOMES if _number(last, o.key)]
    return (
        f"Stacked bars, one for each {findings.step}. Of {total:,} positions at all of them, {'; '.join(parts)}. At "
        f"{findings.step} {last[findings.step]}, the last: {', '.join(there)}."
    )
