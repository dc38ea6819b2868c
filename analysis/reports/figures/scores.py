"""Positions and games by value, where payoffs are margins."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from analysis.reports import report_words
from analysis.reports.figures import panels
from analysis.reports.figures.style import Picture, outcome_of, styled
from analysis.reports.findings import Findings
from analysis.reports.report_words import LONG, clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def draw(findings: Findings) -> Picture | None:
    """None where payoffs are who wins and no more, or where the game is over at its start."""
    rows = findings.statistics["by_value"]
    if not findings.scored or not findings.openings:
        return None
    counted = all(row["games"] is not None for row in rows) and any(row["games"] for row in rows)
    wanted = ["positions", "games"] if counted else ["positions"]
    values = [row["value"] for row in rows]
    figure, axes = panels.stack(*[2.0] * len(wanted))
    for panel, what in zip(axes, wanted, strict=True):
        _bars(panel, values, [row[what] for row in rows], what)
    label = f"value: by how much {clean(findings.named('X'), LONG)} wins"
    panels.steps_axis(axes[-1], values, label)
    return Picture(
        "scores", "Positions and games by value", _caption(findings, counted), _alternative(rows, counted), figure
    )


def _bars(axes: Axes, values: list[int], numbers: list[int], what: str) -> None:
    between = min((b - a for a, b in itertools.pairwise(values)), default=1)
    width = max(0.84 * between, (values[-1] - values[0]) / 250)
    panels.number_axis(axes, numbers, what, linear=True, marked=True)
    panels.steps_axis(axes, values, "")
    axes.set_xlim(values[0] - width, values[-1] + width)
    for value, number in zip(values, numbers, strict=True):
        axes.bar(value, number, width, linewidth=0.4, **outcome_of(value, 0).look)
    panels.mark_value(axes, values[numbers.index(max(numbers))], max(numbers))


def _caption(findings: Findings, counted: bool) -> str:
    first, second = (clean(name) for name in findings.game.players)
    games = ", and how many complete games end with it" * counted
    return (
        f"How many positions are worth each margin under optimal play{games}. "
        f"Right of 0 {first} wins, left of it {second} (hatched); 0 is a tie."
    )


def _alternative(rows: list[dict[str, Any]], counted: bool) -> str:
    def most(what: str) -> str:
        row = max(rows, key=lambda row: row[what])
        return f"{row[what]:,} with {report_words.worth(row['value'])}"

    said = (
        f"Bars for values from {report_words.worth(rows[0]['value'])} to {report_words.worth(rows[-1]['value'])}. "
        f"The most frequent value of positions: {most('positions')}."
    )
    return said + (f" Of games: {most('games')}." if counted else "")
