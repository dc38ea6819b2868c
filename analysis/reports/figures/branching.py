"""How many moves there are to choose from, on average, by ply or tier."""

from __future__ import annotations

from analysis.reports import report_words
from analysis.reports.figures import panels
from analysis.reports.figures.panels import Series
from analysis.reports.figures.style import AMBER, INK, Picture, styled
from analysis.reports.findings import Findings

SAME = 0.005
"""Means that differ by less are one line: their second decimals are the same."""


@styled
def draw(findings: Findings) -> Picture | None:
    """None where there is one step only in which anybody can move, or one mean all over."""
    rows, step = findings.branching, findings.step
    if len(rows) < 2 or constant(findings):
        return None
    series = [Series("per position", [row["moves_per_position"] for row in rows], INK, "o")]
    if _counted(findings) and not _alike(findings):
        series.append(Series("per history", [row["moves_per_history"] for row in rows], AMBER, "^", (0, (5, 2))))
    steps, numbers = [row[step] for row in rows], [number for line in series for number in line.numbers]
    figure, (axes,) = panels.stack(2.4)
    panels.number_axis(axes, numbers, f"legal moves, mean, by {step}", linear=True)
    panels.steps_axis(axes, steps, step)
    panels.draw_lines(axes, steps, series)
    return Picture("branching", "Branching", _caption(findings), _alternative(findings), figure)


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its numbers are the same."""
    rows = findings.branching
    means = {
        report_words.mean(row[key]) for row in rows for key in ("moves_per_position", "moves_per_history") if row[key]
    }
    if len(rows) < 2 or len(means) > 1:
        return None
    return f"The mean is {_mean(rows[0])} at each {findings.step} in which anybody can move."


def _counted(findings: Findings) -> bool:
    return any(row["moves_per_history"] is not None for row in findings.branching)


def _alike(findings: Findings) -> bool:
    """Whether both means are the same at every step."""
    rows = findings.branching
    return _counted(findings) and all(
        abs(row["moves_per_position"] - (row["moves_per_history"] or 0)) < SAME for row in rows
    )


def _caption(findings: Findings) -> str:
    said = f"Legal moves, on average over the positions of a {findings.step} in which the game goes on"
    if _alike(findings):
        return said + (
            ". The mean over the sequences of moves that lead there and can go on, in which a position that can be "
            f"reached in more ways weighs more, is the same at every {findings.step}: one line is both."
        )
    if _counted(findings):
        said += " (circles), and over the sequences of moves that lead there and can go on (triangles): a position "
        said += "that can be reached in more ways weighs more"
    return said + "."


def _alternative(findings: Findings) -> str:
    rows, step = findings.branching, findings.step
    first, last, most = rows[0], rows[-1], max(rows, key=lambda row: row["moves_per_position"])
    mean = sum(row["moves_per_position"] * row["positions"] for row in rows) / sum(row["positions"] for row in rows)
    peak = "the most," if most is first else f"at most {_mean(most)} on average, at {step} {most[step]},"
    return (
        f"Line chart. {_mean(first)} moves at {step} {first[step]}, {peak} and {_mean(last)} at {step} {last[step]}, "
        f"the last in which anybody can move. Over all these positions the mean is {report_words.mean(mean)}."
    )


def _mean(row: dict[str, float]) -> str:
    return report_words.mean(row["moves_per_position"])
