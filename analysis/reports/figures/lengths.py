"""Complete games by their length: how many, and who wins them."""

from __future__ import annotations

from typing import Any

from analysis.charts import styled
from analysis.reports import words
from analysis.reports.figures import frame
from analysis.reports.figures.numbers import clean
from analysis.reports.figures.palette import BY_KEY, INK
from analysis.reports.figures.picture import Picture
from analysis.reports.figures.series import mark_value
from analysis.reports.figures.stacked import PERCENT_MARGIN, draw_shares, percent_axis
from analysis.reports.findings import Findings


@styled
def draw(findings: Findings) -> Picture | None:
    """None where games were not counted, or where the game is over at its start."""
    rows = findings.statistics["games_by_length"]
    if not rows or rows[-1]["plies"] == 0:
        return None
    several = len(rows) > 1
    lengths, totals = [row["plies"] for row in rows], [_total(row) for row in rows]
    left = max(PERCENT_MARGIN, frame.log_margin(max(totals)))
    figure, panels = frame.stack([1.55] * (1 + several), left, 0.12, 0.62, 0.5)
    for axes in panels:
        axes.set_xlim(lengths[0] - (0.6 if several else 2), lengths[-1] + (0.6 if several else 2))
        frame.steps_axis(axes, lengths, "length of the game in plies" if axes is panels[-1] else None)
    if several:
        _totals(panels[0], lengths, totals)
    present = [key for key in ("X", "tie", "O") if any(row[key] for row in rows)]
    columns = [(BY_KEY[key], _name(findings, key), [row[key] for row in rows]) for key in present]
    draw_shares(panels[-1], lengths, columns)
    percent_axis(panels[-1], "share of games")
    return Picture("lengths", "Games by length", _caption(several), _alternative(findings, rows), figure)


def _totals(axes: Any, lengths: list[int], totals: list[int]) -> None:
    """Points on a log scale, joined where lengths are neighbours; the greatest has its number."""
    least, greatest = min(totals), max(totals)
    margin = 1.5 * (greatest / least) ** 0.1
    frame.log_axis(axes, least, greatest)
    axes.set_ylim(least / margin, greatest * margin**2)  # above, there is a number
    for xs, ys in frame.runs(lengths, totals):
        axes.plot(xs, ys, color=INK, marker="o", markersize=4.5 if len(lengths) < 40 else 2.5, linewidth=1.4, zorder=3)
    mark_value(axes, lengths[totals.index(greatest)], greatest, f"{greatest:,}")
    frame.heading(axes, "games (log scale)")


def _total(row: dict[str, int]) -> int:
    return row["X"] + row["O"] + row["tie"]


def _name(findings: Findings, key: str) -> str:
    return "tied" if key == "tie" else f"{clean(words.named(findings, key), 12)} wins"


def _caption(several: bool) -> str:
    if not several:
        return "All games are of one length; who wins them, in per cent."
    return (
        "Above, how many complete games, as sequences of moves, have each length, on a log scale. Below, who wins "
        "them, in per cent of the games of that length."
    )


def _alternative(findings: Findings, rows: list[dict[str, int]]) -> str:
    most = max(rows, key=_total)
    shortest, longest = rows[0]["plies"], rows[-1]["plies"]
    games = findings.statistics["games"]
    if shortest == longest:
        said = f"All {games['total']:,} games end after {words.some(longest, 'ply', 'plies')}."
    else:
        said = (
            f"Games end after {shortest} to {longest} plies, most often ({_total(most):,} times) after {most['plies']}."
        )
    parts = [
        f"{_name(findings, key)}: {games[key]:,} ({words.share(games[key], games['total'])})"
        for key in ("X", "O", "tie")
        if games[key]
    ]
    return f"{said} Of all {games['total']:,} games: {'; '.join(parts)}."
