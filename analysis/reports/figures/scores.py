"""Positions and games by value, where payoffs are margins."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from analysis.reports import report_words
from analysis.reports.figures import frame
from analysis.reports.figures.captioned import Picture
from analysis.reports.figures.numbers import clean
from analysis.reports.figures.outcomes import LONG
from analysis.reports.figures.palette import PAPER, outcome_of
from analysis.reports.figures.series import mark_value
from analysis.reports.figures.style import styled
from analysis.reports.findings import Findings

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@styled
def draw(findings: Findings) -> Picture | None:
    """None where payoffs are who wins and no more, or where the game is over at its start."""
    rows = findings.statistics["by_value"]
    if not report_words.scored(findings) or not findings.openings:
        return None
    counted = all(row["games"] is not None for row in rows) and any(row["games"] for row in rows)
    wanted = ["positions", "games"] if counted else ["positions"]
    values = [row["value"] for row in rows]
    left = max(0.62, frame.number_margin(max(row[what] for row in rows for what in wanted)))
    figure, panels = frame.stack([1.6] * len(wanted), left, 0.15, 0.62, 0.5)
    for axes, what in zip(panels, wanted, strict=True):
        _bars(axes, values, [row[what] for row in rows])
        frame.heading(axes, what)
        frame.steps_axis(axes, values, f"value: by how much {clean(report_words.named(findings, 'X'), LONG)} wins")
        if axes is not panels[-1]:
            axes.set_xlabel("")
    return Picture(
        "scores", "Positions and games by value", _caption(findings, counted), _alternative(rows, counted), figure
    )


def _bars(axes: Axes, values: list[int], numbers: list[int]) -> None:
    between = min((b - a for a, b in itertools.pairwise(values)), default=1)
    width = max(0.84 * between, (values[-1] - values[0]) / 250)
    axes.set_xlim(values[0] - width, values[-1] + width)
    greatest = max(numbers)
    frame.linear_axis(axes, greatest * 1.17)
    for value, number in zip(values, numbers, strict=True):
        outcome = outcome_of(value, 0)
        axes.bar(
            value, number, width, color=outcome.colour, edgecolor=PAPER, hatch=outcome.hatch or None, linewidth=0.4,
        )  # fmt: skip
    mark_value(axes, values[numbers.index(greatest)], greatest, f"{greatest:,}")


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
