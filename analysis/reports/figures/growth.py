"""How a game grows: positions, classes, terminal positions and moves by ply or tier."""

from __future__ import annotations

from typing import Any

from analysis.charts import styled
from analysis.reports import words
from analysis.reports.figures import frame
from analysis.reports.figures.palette import AMBER, HEAT, INK, PURPLE
from analysis.reports.figures.picture import Picture
from analysis.reports.figures.series import Series, draw_series, label_margin
from analysis.reports.findings import Findings


@styled
def draw(findings: Findings) -> Picture | None:
    """None where there is one step only."""
    rows, step = findings.rows, findings.step
    if len(rows) < 2:
        return None
    steps = [row[step] for row in rows]
    series = _series(rows)
    greatest = max(number for line in series for number in line.numbers if number)
    left, right = frame.log_margin(greatest), label_margin([line.name for line in series])
    figure, (axes,) = frame.stack([2.5], left, right, 0, 0.5)
    axes.set_xlim(steps[0], steps[-1])
    frame.log_axis(axes, 1, greatest)
    axes.set_ylim(0.8, greatest * 1.25)
    frame.steps_axis(axes, steps, step)
    frame.heading(axes, f"number of each (log scale), by {step}")
    draw_series(axes, steps, series)
    return Picture("growth", f"Positions and moves by {step}", _caption(findings), _alternative(findings), figure)


def _series(rows: list[dict[str, Any]]) -> list[Series]:
    terminal = [row["terminal_X"] + row["terminal_O"] + row["terminal_tie"] for row in rows]
    found = [
        Series("moves", [row["moves"] for row in rows], AMBER, "^", (0, (5, 1.5, 1, 1.5))),
        Series("positions", [row["positions"] for row in rows], INK, "o"),
        Series("classes", [row["canonical"] for row in rows], HEAT, "s", (0, (5, 2))),
        Series("terminal", terminal, PURPLE, "D", (0, (1.5, 1.5))),
    ]
    if found[1].numbers == found[2].numbers:  # without symmetries they are the same line
        del found[2]
    return [line for line in found if any(line.numbers)]


def _caption(findings: Findings) -> str:
    said = (
        "Each point is the number of positions (circles), of classes of them up to symmetry (squares), of positions in "
        f"which the game is over (diamonds) or of moves (triangles) at one {findings.step}, on a log scale; where "
        "there is none, there is no point."
    )
    stats = findings.statistics
    if stats["by_ply"] and not findings.solution.by_ply:
        said += " A position that occurs at several plies counts at each."
    return said


def _alternative(findings: Findings) -> str:
    rows, step = findings.rows, findings.step
    most = max(rows, key=lambda row: row["positions"])
    busiest = max(rows, key=lambda row: row["moves"])
    ended = [row[step] for row in rows if row["terminal_X"] + row["terminal_O"] + row["terminal_tie"]]
    last = rows[-1]
    then = "" if most is last else f" and is {last['positions']:,} at {step} {last[step]}, the last"
    said = (
        f"Line chart on a log scale. From {words.some(rows[0]['positions'], 'position')} at {step} {rows[0][step]} the "
        f"number grows to {most['positions']:,} ({most['canonical']:,} classes) at {step} {most[step]}{then}. Most "
        f"moves, {busiest['moves']:,}, are there at {step} {busiest[step]}."
    )
    return said + (f" The first terminal positions are at {step} {ended[0]}." if ended else "")
