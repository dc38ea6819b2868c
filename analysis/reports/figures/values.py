"""What positions are worth, by ply or tier, as shares."""

from __future__ import annotations

from typing import Any

from analysis.reports.figures import panels
from analysis.reports.figures.style import OUTCOMES, Picture, styled
from analysis.reports.findings import Findings
from analysis.reports.report_words import WHOLE, called, shares


@styled
def draw(findings: Findings) -> Picture | None:
    """None where there is one step only, or one outcome all over."""
    rows, step = findings.rows, findings.step
    if len(rows) < 2 or constant(findings):
        return None
    steps = [row[step] for row in rows]
    columns = [
        (outcome, called(findings, outcome.key), [_number(row, outcome.key) for row in rows])
        for outcome in OUTCOMES
        if any(_number(row, outcome.key) for row in rows)
    ]
    figure, (axes,) = panels.stack(3.2)
    panels.draw_shares(axes, steps, columns, "share of positions")
    panels.steps_axis(axes, steps, step)
    return Picture("values", f"Values of positions by {step}", _caption(findings), _alternative(findings), figure)


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its positions have one outcome."""
    present = [number for number in _sums(findings).values() if number]
    return f"{_outcomes(findings)}." if len(findings.rows) > 1 and len(present) == 1 else None


def _number(row: dict[str, Any], key: str) -> int:
    return row.get(f"value_{key}") or 0


def _sums(findings: Findings) -> dict[str, int]:
    """Positions of all rows by outcome; one that occurs at several plies counts at each."""
    return {outcome.key: sum(_number(row, outcome.key) for row in findings.rows) for outcome in OUTCOMES}


def _outcomes(findings: Findings) -> str:
    every = "plies" if findings.step == "ply" else "tiers"
    return shares(findings, _sums(findings), "position", f" at all {every}")


def _caption(findings: Findings) -> str:
    said = f"The positions at each {findings.step} by their value under optimal play, in percent of them"
    if findings.statistics["by_ply"] and not findings.solution.by_ply:
        said += "; a position that occurs at several plies counts at each"
    return said + ". The table has their numbers."


def _alternative(findings: Findings) -> str:
    last, step = findings.rows[-1], findings.step
    there = [f"{called(findings, o.key, WHOLE)} {_number(last, o.key):,}" for o in OUTCOMES if _number(last, o.key)]
    return (
        f"Stacked bars, one for each {step}. {_outcomes(findings)}. At {step} {last[step]}, the last: "
        f"{', '.join(there)}."
    )
