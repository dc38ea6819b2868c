"""Complete games by their length: how many, and who wins them."""

from __future__ import annotations

from typing import Any

from analysis.reports import report_words
from analysis.reports.figures import frame, stacked
from analysis.reports.figures.captioned import Picture
from analysis.reports.figures.outcomes import called, shares
from analysis.reports.figures.palette import INK, OUTCOMES
from analysis.reports.figures.series import mark_value
from analysis.reports.figures.style import styled
from analysis.reports.findings import Findings

_HIGH = 1.55  # inches


@styled
def draw(findings: Findings) -> Picture | None:
    """None where games were not counted, where the game is over at its start, and where there is one length and one
    outcome.
    """
    rows = findings.statistics["games_by_length"]
    if not rows or rows[-1]["plies"] == 0 or constant(findings):
        return None
    totals = [_total(row) for row in rows]
    several = len(set(totals)) > 1
    figure, panels = _panels(findings, rows, several)
    if several:
        _totals(panels[0], [row["plies"] for row in rows], totals)
    stacked.draw_shares(panels[-1], [row["plies"] for row in rows], _columns(findings, rows))
    stacked.percent_axis(panels[-1], "share of games")
    return Picture("lengths", "Games by length", _caption(totals), _alternative(findings, rows), figure)


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all games are alike."""
    rows = findings.statistics["games_by_length"]
    if not rows or len(rows) > 1 or rows[0]["plies"] == 0 or len(_columns(findings, rows)) > 1:
        return None
    return f"{_outcomes(findings)}, after {report_words.some(rows[0]['plies'], 'ply', 'plies')}."


def _columns(findings: Findings, rows: list[dict[str, int]]) -> list[stacked.Column]:
    return [
        (outcome, called(findings, outcome.key), [row[outcome.key] for row in rows])
        for outcome in OUTCOMES
        if any(row.get(outcome.key) for row in rows)
    ]


def _panels(findings: Findings, rows: list[dict[str, int]], several: bool) -> Any:
    """The figure: a panel for how many games there are, if they are not as many of each length, and one for shares."""
    lengths, head = [row["plies"] for row in rows], stacked.head(_columns(findings, rows))
    left = max(stacked.LEFT, frame.number_margin(max(map(_total, rows))))
    if several:
        figure, panels = frame.stack([_HIGH, _HIGH], left, stacked.RIGHT, head + 0.32, 0.5)
    else:
        figure, panels = frame.stack([_HIGH], left, stacked.RIGHT, 0, 0.5, head)
    around = 0.6 if len(rows) > 1 else 2
    for axes in panels:
        axes.set_xlim(lengths[0] - around, lengths[-1] + around)
        frame.steps_axis(axes, lengths, "length of the game in plies" if axes is panels[-1] else None)
    return figure, panels


def _totals(axes: Any, lengths: list[int], totals: list[int]) -> None:
    """Points, joined where lengths are neighbours; the greatest has its number."""
    greatest = max(totals)
    frame.number_axis(axes, totals, "games", marked=True)
    for xs, ys in frame.runs(lengths, totals):
        axes.plot(xs, ys, color=INK, marker="o", markersize=4.5 if len(lengths) < 40 else 2.5, linewidth=1.4, zorder=3)
    mark_value(axes, lengths[totals.index(greatest)], greatest, f"{greatest:,}")


def _total(row: dict[str, int]) -> int:
    return row["X"] + row["O"] + row["tie"]


def _caption(totals: list[int]) -> str:
    if len(totals) == 1:
        return "All games are of one length; who wins them, in percent."
    if len(set(totals)) == 1:
        each = "There is 1 game" if totals[0] == 1 else f"There are {totals[0]:,} games"
        return f"{each} of each length; who wins them, in percent."
    scale = ", on a log scale" * frame.wide(totals)
    return (
        f"Above, how many complete games, as sequences of moves, have each length{scale}. Below, who wins them, in "
        "percent of the games of that length."
    )


def _alternative(findings: Findings, rows: list[dict[str, int]]) -> str:
    most = max(rows, key=_total)
    shortest, longest = rows[0]["plies"], rows[-1]["plies"]
    if shortest == longest:
        said = f"All games end after {report_words.some(longest, 'ply', 'plies')}."
    elif len({_total(row) for row in rows}) == 1:
        said = f"Games end after {shortest} to {longest} plies, {report_words.some(_total(most), 'game')} after each."
    else:
        often = report_words.some(_total(most), "game")
        said = f"Games end after {shortest} to {longest} plies, most often after {most['plies']} ({often})."
    return f"{said} {_outcomes(findings)}."


def _outcomes(findings: Findings) -> str:
    games = findings.statistics["games"]
    return shares(findings, {key: games[key] for key in ("X", "O", "tie")}, "game")
