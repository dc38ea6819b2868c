"""How a game grows: positions, classes, terminal positions and moves by ply or tier."""

from __future__ import annotations

from typing import Any

from analysis.reports.figures import panels
from analysis.reports.figures.panels import Series
from analysis.reports.figures.style import AMBER, HEAT, INK, PURPLE, Picture, styled
from analysis.reports.findings import Findings, terminal
from analysis.wording import listed, some

SHAPES = {
    "positions": "of positions (circles)",
    "classes": "of classes of them up to symmetry (squares)",
    "terminal": "of positions in which the game is over (diamonds)",
    "moves": "of moves (triangles)",
}
"""What the caption calls each line."""


@styled
def draw(findings: Findings) -> Picture | None:
    """None where there is one step only, or one number all over."""
    rows, step = findings.rows, findings.step
    if len(rows) < 2 or constant(findings):
        return None
    steps, series = [row[step] for row in rows], _series(rows)
    numbers = [number for line in series for number in line.numbers]
    figure, (axes,) = panels.stack(3.2)
    panels.number_axis(axes, numbers, f"number of each, by {step}")
    panels.steps_axis(axes, steps, step)
    panels.draw_lines(axes, steps, series)
    caption = _caption(findings, [line.name for line in series], panels.wide(numbers))
    return Picture("growth", f"Positions and moves by {step}", caption, _alternative(findings), figure)


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its numbers are the same."""
    number = findings.rows[0]["positions"]
    same = all(other == number for line in _series(findings.rows) for other in line.numbers if other)
    if not same or len(findings.rows) < 2:
        return None
    there = f"{some(number, 'position')}, and {some(number, 'move')} where play goes on"
    return f"There {'is' if number == 1 else 'are'} {there}, at each {findings.step}."


def _series(rows: list[dict[str, Any]]) -> list[Series]:
    found = [
        Series("moves", [row["moves"] for row in rows], AMBER, "^", (0, (5, 1.5, 1, 1.5))),
        Series("positions", [row["positions"] for row in rows], INK, "o"),
        Series("classes", [row["canonical"] for row in rows], HEAT, "s", (0, (5, 2))),
        Series("terminal", [terminal(row) for row in rows], PURPLE, "D", (0, (1.5, 1.5))),
    ]
    if found[1].numbers == found[2].numbers:  # without symmetries they are the same line
        del found[2]
    return [line for line in found if any(line.numbers)]


def _caption(findings: Findings, names: list[str], log: bool) -> str:
    shapes = listed([shape for name, shape in SHAPES.items() if name in names])
    said = f"Each point is the number {shapes} at one {findings.step}{', on a log scale' * log}; where there is none, "
    said += "there is no point."
    if findings.statistics["by_ply"] and not findings.solution.by_ply:
        said += " A position that occurs at several plies counts at each."
    return said


def _alternative(findings: Findings) -> str:
    rows, step = findings.rows, findings.step
    busiest = max(rows, key=lambda row: row["moves"])
    ended = [row[step] for row in rows if terminal(row)]
    said = f"Line chart. {_positions(rows, step)} The most moves are at {step} {busiest[step]}: {busiest['moves']:,}."
    return said + (f" The first terminal positions are at {step} {ended[0]}." if ended else "")


def _positions(rows: list[dict[str, Any]], step: str) -> str:
    """How the number of positions goes, in a sentence.

    >>> _positions([{"ply": ply, "positions": 1, "canonical": 1} for ply in range(3)], "ply")
    'There is 1 position at each ply.'
    """
    first, last, most = rows[0], rows[-1], max(rows, key=lambda row: row["positions"])
    start = some(first["positions"], "position")
    if all(row["positions"] == most["positions"] for row in rows):
        return f"There {'is' if most['positions'] == 1 else 'are'} {start} at each {step}."
    classes = f" ({some(most['canonical'], 'class', 'classes')})" * (most["canonical"] != most["positions"])
    then = "" if most is last else f" and is {last['positions']:,} at {step} {last[step]}, the last"
    if most is first:
        return f"The number of positions is greatest at {step} {first[step]}, {start}{classes},{then}."
    peak = f"{most['positions']:,}{classes} at {step} {most[step]}"
    return f"From {start} at {step} {first[step]} the number grows to {peak}{then}."
