"""How many moves there are to choose from, on average, by ply or tier."""

from __future__ import annotations

from analysis.charts import styled
from analysis.reports import words
from analysis.reports.figures import frame
from analysis.reports.figures.palette import AMBER, INK, RULE
from analysis.reports.figures.picture import Picture
from analysis.reports.figures.series import Series, draw_series, label_margin
from analysis.reports.findings import Findings


@styled
def draw(findings: Findings) -> Picture | None:
    """None where there is one step only in which anybody can move."""
    rows, step = findings.branching, findings.step
    if len(rows) < 2:
        return None
    steps = [row[step] for row in rows]
    by_position = Series("per position", [row["moves_per_position"] for row in rows], INK, "o")
    by_history = Series("per history", [row["moves_per_history"] for row in rows], AMBER, "^", (0, (5, 2)))
    series = [by_position, by_history] if any(by_history.numbers) else [by_position]
    greatest = max(number for line in series for number in line.numbers if number)
    right = label_margin([line.name for line in series])
    figure, (axes,) = frame.stack([2.0], 0.42, right, 0, 0.5)
    axes.set_xlim(steps[0], steps[-1])
    axes.set_ylim(0, greatest * 1.06)
    axes.locator_params(axis="y", nbins=6, integer=True)
    axes.grid(visible=True, axis="y", color=RULE, linewidth=0.6)
    frame.steps_axis(axes, steps, step)
    frame.heading(axes, f"legal moves, mean, by {step}")
    draw_series(axes, steps, series)
    return Picture("branching", "Branching", _caption(findings), _alternative(findings), figure)


def _caption(findings: Findings) -> str:
    said = f"Legal moves, on average over the positions of a {findings.step} in which the game goes on (circles)"
    if any(row["moves_per_history"] is not None for row in findings.branching):
        said += ", and over the sequences of moves that lead there and can go on (triangles): a position that can be "
        said += "reached in more ways weighs more"
    return said + "."


def _alternative(findings: Findings) -> str:
    rows, step = findings.branching, findings.step
    most = max(rows, key=lambda row: row["moves_per_position"])
    mean = sum(row["moves_per_position"] * row["positions"] for row in rows) / sum(row["positions"] for row in rows)
    return (
        f"Line chart. {words.mean(rows[0]['moves_per_position'])} moves at {step} {rows[0][step]}, at most "
        f"{words.mean(most['moves_per_position'])} on average, at {step} {most[step]}, and "
        f"{words.mean(rows[-1]['moves_per_position'])} at {step} {rows[-1][step]}, the last in which anybody can move. "
        f"Over all these positions the mean is {words.mean(mean)}."
    )
