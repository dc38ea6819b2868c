"""Positions by value and remoteness, as the player to move sees them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from analysis.reports import report_words
from analysis.reports.figures import frame
from analysis.reports.figures.captioned import Picture
from analysis.reports.figures.line_labels import Series, label_margin
from analysis.reports.figures.numbers import compact
from analysis.reports.figures.palette import HEAT, INK, MOST_TINT, MUTED, PAPER, SECOND, TIE
from analysis.reports.figures.series import draw_series
from analysis.reports.figures.style import styled
from analysis.reports.findings import Findings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 25
"""Remotenesses that a heat map shows; of more there is a line chart."""

NAMES = {"win": "mover wins", "tie": "tie", "lose": "mover loses", "draw": "draw"}
_ROW = 0.25  # inches


@styled
def draw(findings: Findings) -> Picture | None:
    """None where the game is over at its start, and where there would be lines all of the same height."""
    rows = findings.statistics["by_remoteness"]
    if not findings.openings or constant(findings):
        return None
    kinds = [kind for kind in NAMES if any(row[kind] for row in rows)]
    ended = [row for row in rows if row["remoteness_plies"] is not None]
    long = len(ended) > MOST_ROWS
    figure = _lines(ended, [kind for kind in kinds if kind != "draw"]) if long else _table(rows, kinds)
    return Picture("remoteness", "Value and remoteness", _caption(rows, long), _alternative(rows, kinds), figure)


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its numbers are the same."""
    rows = findings.statistics["by_remoteness"]
    numbers = {row[kind] for row in rows for kind in NAMES if row[kind]}
    if len(rows) <= MOST_ROWS or len(numbers) > 1:
        return None
    each, last = report_words.some(max(numbers), "position"), rows[-1]["remoteness_plies"]
    return f"Each number of this table that is not 0 is the same: {each}, for remotenesses up to {last}."


def _table(rows: list[dict[str, Any]], kinds: list[str]) -> Any:
    """A heat map with its numbers: a row for each remoteness, a column for each value."""
    left, top = 1.1, 0.36
    height = top + _ROW * len(rows) + 0.1
    figure, axes = frame.sheet(frame.WIDTH, height)
    column = min(1.6, (frame.WIDTH - left - 0.1) / len(kinds))
    greatest = max(row[kind] for row in rows for kind in kinds)
    axes.text(left - 0.1, top - 0.12, "remoteness", fontsize=frame.TEXT, color=MUTED, ha="right")
    for k, kind in enumerate(kinds):
        axes.text(left + (k + 0.5) * column, top - 0.12, NAMES[kind], fontsize=frame.TEXT, color=INK, ha="center")
    for r, row in enumerate(rows):
        y = top + _ROW * r
        axes.text(left - 0.1, y + _ROW / 2, _plies(row), fontsize=frame.TEXT, color=INK, ha="right", va="center")
        for k, kind in enumerate(kinds):
            _cell(axes, (left + k * column, y, column), row[kind], greatest)
    return figure


def _cell(axes: Axes, place: tuple[float, float, float], number: int, greatest: int) -> None:
    """One number, the deeper the more there are, by its logarithm; nothing where there is none."""
    from matplotlib.patches import Rectangle

    if not number:
        return
    x, y, width = place
    depth = 0.06 + (MOST_TINT - 0.06) * (math.log1p(number) / math.log1p(greatest))
    axes.add_patch(Rectangle((x, y), width, _ROW, facecolor=HEAT, alpha=round(depth, 3), edgecolor="none", linewidth=0))
    axes.add_patch(Rectangle((x, y), width, _ROW, facecolor="none", edgecolor=PAPER, linewidth=1.5))
    text = f"{number:,}"
    text = text if frame.width_of(text) < width - 0.1 else compact(number)
    axes.text(x + width / 2, y + _ROW / 2, text, fontsize=frame.TEXT, color=INK, ha="center", va="center")


def _plies(row: dict[str, Any]) -> str:
    plies = row["remoteness_plies"]
    return "no end" if plies is None else report_words.some(plies, "ply", "plies")


def _lines(rows: list[dict[str, Any]], kinds: list[str]) -> Any:
    steps = [row["remoteness_plies"] for row in rows]
    looks = {"win": (HEAT, "^", "-"), "lose": (SECOND, "v", (0, (5, 2))), "tie": (TIE, "s", (0, (1.5, 1.5)))}
    series = [Series(NAMES[kind], [row[kind] for row in rows], *looks[kind]) for kind in kinds]
    greatest = max(row[kind] for row in rows for kind in kinds)
    right = label_margin([line.name for line in series])
    figure, (axes,) = frame.stack([2.5], frame.number_margin(greatest), right, 0, 0.5)
    axes.set_xlim(steps[0], steps[-1])
    frame.number_axis(axes, [row[kind] for row in rows for kind in kinds], "positions")
    frame.steps_axis(axes, steps, "remoteness in plies")
    draw_series(axes, steps, series)
    return figure


def _caption(rows: list[dict[str, Any]], long: bool) -> str:
    said = (
        "Positions by the number of plies that optimal play still takes, and by what they are for the player to move: "
        "the winner hurries, the loser delays."
    )
    drawn = sum(row["draw"] for row in rows)
    if long:
        said += " Where there is no position, there is no point."
        return said + (f" {report_words.some(drawn, 'position')} without end, draws, are not drawn." if drawn else "")
    return said + " The deeper the green, the more positions, by the logarithm of their number."


def _alternative(rows: list[dict[str, Any]], kinds: list[str]) -> str:
    sums = {kind: sum(row[kind] for row in rows) for kind in kinds}
    said = f"Positions as their movers see them: {', '.join(f'{NAMES[kind]} {n:,}' for kind, n in sums.items())}."
    parts = []
    for kind in ("win", "lose", "tie"):
        own = [row for row in rows if row[kind]]
        if own:
            last = own[-1]
            parts.append(f"{NAMES[kind]} in at most {_plies(last)} ({report_words.some(last[kind], 'position')})")
    return f"{said} The longest: {'; '.join(parts)}." if parts else said
