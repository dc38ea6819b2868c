"""Distributions over the whole game: complete games by their length, and positions and games by value."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from analysis.pictures.style import INK, Picture, clean, outcome_of
from analysis.reports.figures import panels
from analysis.reports.figures.panels import Series
from analysis.reports.findings import Findings
from analysis.reports.report_words import LONG, games_by_outcome, worth
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_lengths(findings: Findings) -> Picture | None:
    """None where games were not counted, where the game is over at its start, and where there is one length and one
    outcome.
    """
    rows = findings.statistics["games_by_length"]
    if not rows or rows[-1]["plies"] == 0 or constant_lengths(findings):
        return None
    lengths, totals = [row["plies"] for row in rows], [_total(row) for row in rows]
    several = len(set(totals)) > 1
    figure, axes = panels.stack(1.7, 2.4) if several else panels.stack(2.4)
    columns, label = panels.outcome_columns(findings, rows), "length of the game in plies"
    panels.draw_shares(axes[-1], lengths, columns, "share of games", label)
    if several:
        panels.number_axis(axes[0], totals, "games", marked=True)
        panels.draw_lines(axes[0], lengths, [Series("games", totals, INK, "o")])
        panels.mark_value(axes[0], lengths[totals.index(max(totals))], max(totals))
        panels.steps_axis(axes[0], lengths, "")
        axes[0].set_xlim(axes[-1].get_xlim())
    return Picture("lengths", "Games by length", _lengths_caption(totals), _lengths_alternative(findings, rows), figure)


def constant_lengths(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all games are alike."""
    rows = findings.statistics["games_by_length"]
    if not rows or len(rows) > 1 or rows[0]["plies"] == 0 or len(panels.outcome_columns(findings, rows)) > 1:
        return None
    return f"{games_by_outcome(findings)}, after {some(rows[0]['plies'], 'ply', 'plies')}."


def _total(row: dict[str, int]) -> int:
    return row["X"] + row["O"] + row["tie"]


def _lengths_caption(totals: list[int]) -> str:
    if len(totals) == 1:
        return "All games are of one length; who wins them, in percent."
    if len(set(totals)) == 1:
        each = "There is 1 game" if totals[0] == 1 else f"There are {totals[0]:,} games"
        return f"{each} of each length; who wins them, in percent."
    scale = ", on a log scale" * panels.wide(totals)
    return (
        f"Above, how many complete games, as sequences of moves, have each length{scale}. Below, who wins them, in "
        "percent of the games of that length."
    )


def _lengths_alternative(findings: Findings, rows: list[dict[str, int]]) -> str:
    most = max(rows, key=_total)
    shortest, longest = rows[0]["plies"], rows[-1]["plies"]
    if shortest == longest:
        said = f"All games end after {some(longest, 'ply', 'plies')}."
    elif len({_total(row) for row in rows}) == 1:
        said = f"Games end after {shortest} to {longest} plies, {some(_total(most), 'game')} after each."
    else:
        often = some(_total(most), "game")
        said = f"Games end after {shortest} to {longest} plies, most often after {most['plies']} ({often})."
    return f"{said} {games_by_outcome(findings)}."


def draw_scores(findings: Findings) -> Picture | None:
    """None where payoffs are who wins and no more, where the game is over at its start, and where positions are not
    counted.
    """
    rows = findings.statistics["by_value"]
    if not findings.scored or not findings.openings or not findings.sized:
        return None
    counted = all(row["games"] is not None for row in rows) and any(row["games"] for row in rows)
    wanted = ["positions", "games"] if counted else ["positions"]
    values = [row["value"] for row in rows]
    figure, axes = panels.stack(*[2.0] * len(wanted))
    for panel, what in zip(axes, wanted, strict=True):
        _bars(panel, values, [row[what] for row in rows], what)
    label = f"value: by how much {clean(findings.named('X'), LONG)} wins"
    panels.steps_axis(axes[-1], values, label)
    caption, alternative = _scores_caption(findings, counted), _scores_alternative(rows, counted)
    return Picture("scores", "Positions and games by value", caption, alternative, figure)


def _bars(axes: Axes, values: list[int], numbers: list[int], what: str) -> None:
    between = min((b - a for a, b in itertools.pairwise(values)), default=1)
    width = max(0.84 * between, (values[-1] - values[0]) / 250)
    panels.number_axis(axes, numbers, what, linear=True, marked=True)
    panels.steps_axis(axes, values, "")
    axes.set_xlim(values[0] - width, values[-1] + width)
    for value, number in zip(values, numbers, strict=True):
        axes.bar(value, number, width, linewidth=0.4, **outcome_of(value, 0).look)
    panels.mark_value(axes, values[numbers.index(max(numbers))], max(numbers))


def _scores_caption(findings: Findings, counted: bool) -> str:
    first, second = (clean(name) for name in findings.game.players)
    games = ", and how many complete games end with it" * counted
    return (
        f"How many positions are worth each margin under optimal play{games}. "
        f"Right of 0 {first} wins, left of it {second} (hatched); 0 is a tie."
    )


def _scores_alternative(rows: list[dict[str, Any]], counted: bool) -> str:
    def most(what: str) -> str:
        row = max(rows, key=lambda row: row[what])
        return f"{row[what]:,} with {worth(row['value'])}"

    said = (
        f"Bars for values from {worth(rows[0]['value'])} to {worth(rows[-1]['value'])}. "
        f"The most frequent value of positions: {most('positions')}."
    )
    return said + (f" Of games: {most('games')}." if counted else "")
