"""Complete games by their length: how many, and who wins them."""

from __future__ import annotations

from analysis.reports.figures import panels
from analysis.reports.figures.panels import Series
from analysis.reports.figures.style import INK, OUTCOMES, Picture, styled
from analysis.reports.findings import Findings
from analysis.reports.report_words import called, shares
from analysis.wording import some


@styled
def draw(findings: Findings) -> Picture | None:
    """None where games were not counted, where the game is over at its start, and where there is one length and one
    outcome.
    """
    rows = findings.statistics["games_by_length"]
    if not rows or rows[-1]["plies"] == 0 or constant(findings):
        return None
    lengths, totals = [row["plies"] for row in rows], [_total(row) for row in rows]
    several = len(set(totals)) > 1
    figure, axes = panels.stack(1.7, 2.4) if several else panels.stack(2.4)
    panels.draw_shares(axes[-1], lengths, _columns(findings, rows), "share of games")
    panels.steps_axis(axes[-1], lengths, "length of the game in plies")
    if several:
        panels.number_axis(axes[0], totals, "games", marked=True)
        panels.draw_lines(axes[0], lengths, [Series("games", totals, INK, "o")])
        panels.mark_value(axes[0], lengths[totals.index(max(totals))], max(totals))
        panels.steps_axis(axes[0], lengths, "")
        axes[0].set_xlim(axes[-1].get_xlim())
    return Picture("lengths", "Games by length", _caption(totals), _alternative(findings, rows), figure)


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all games are alike."""
    rows = findings.statistics["games_by_length"]
    if not rows or len(rows) > 1 or rows[0]["plies"] == 0 or len(_columns(findings, rows)) > 1:
        return None
    return f"{_outcomes(findings)}, after {some(rows[0]['plies'], 'ply', 'plies')}."


def _columns(findings: Findings, rows: list[dict[str, int]]) -> list[panels.Column]:
    return [
        (outcome, called(findings, outcome.key), [row[outcome.key] for row in rows])
        for outcome in OUTCOMES
        if any(row.get(outcome.key) for row in rows)
    ]


def _total(row: dict[str, int]) -> int:
    return row["X"] + row["O"] + row["tie"]


def _caption(totals: list[int]) -> str:
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


def _alternative(findings: Findings, rows: list[dict[str, int]]) -> str:
    most = max(rows, key=_total)
    shortest, longest = rows[0]["plies"], rows[-1]["plies"]
    if shortest == longest:
        said = f"All games end after {some(longest, 'ply', 'plies')}."
    elif len({_total(row) for row in rows}) == 1:
        said = f"Games end after {shortest} to {longest} plies, {some(_total(most), 'game')} after each."
    else:
        often = some(_total(most), "game")
        said = f"Games end after {shortest} to {longest} plies, most often after {most['plies']} ({often})."
    return f"{said} {_outcomes(findings)}."


def _outcomes(findings: Findings) -> str:
    games = findings.statistics["games"]
    return shares(findings, {key: games[key] for key in ("X", "O", "tie")}, "game")
