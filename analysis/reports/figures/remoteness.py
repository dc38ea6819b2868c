"""Positions by value and remoteness, as the player to move sees them."""

from __future__ import annotations

import math
from typing import Any

from analysis.pictures.style import HEAT, MOST_TINT, MUTED, PAPER, SECOND, TIE, Picture
from analysis.reports.figures import panels
from analysis.reports.figures.panels import Series
from analysis.reports.findings import Findings
from analysis.reports.report_words import compact
from analysis.wording import some

MOST_ROWS = 25
"""Remotenesses that a heat map shows; of more there is a line chart."""

NAMES = {"win": "mover wins", "tie": "tie", "lose": "mover loses", "draw": "draw"}


def draw(findings: Findings) -> Picture | None:
    """None where the game is over at its start, where there would be lines all of the same height, and where positions
    are not counted.
    """
    rows = findings.statistics["by_remoteness"]
    if not rows or not findings.openings or constant(findings):
        return None
    kinds = [kind for kind in NAMES if any(row[kind] for row in rows)]
    ended = [row for row in rows if row["remoteness_plies"] is not None]
    long = len(ended) > MOST_ROWS
    figure = _lines(ended, [kind for kind in kinds if kind != "draw"]) if long else _table(rows, kinds)
    return Picture("remoteness", "Value and remoteness", _caption(rows, long), _alternative(rows, kinds), figure)


def constant(findings: Findings) -> str | None:
    """What there is to say where no figure is drawn because all its numbers are the same."""
    rows = findings.statistics["by_remoteness"] or []
    numbers = {row[kind] for row in rows for kind in NAMES if row[kind]}
    if len(rows) <= MOST_ROWS or len(numbers) > 1:
        return None
    each, last = some(max(numbers), "position"), rows[-1]["remoteness_plies"]
    return f"Each number of this table that is not 0 is the same: {each}, for remotenesses up to {last}."


def _table(rows: list[dict[str, Any]], kinds: list[str]) -> Any:
    """A heat map with its numbers: a row for each remoteness, a column for each value. A number is the deeper the more
    there are, by its logarithm; where there is none, there is nothing.
    """
    figure, (axes,) = panels.stack(0.45 + 0.26 * max(4, len(rows)))
    greatest = max(row[kind] for row in rows for kind in kinds)
    for column, kind in enumerate(kinds):
        own = {number: row[kind] for number, row in enumerate(rows) if row[kind]}
        depths = [0.06 + (MOST_TINT - 0.06) * math.log1p(number) / math.log1p(greatest) for number in own.values()]
        cells = axes.barh(
            [*own], 1, 1, column - 0.5, color=[(HEAT, round(depth, 3)) for depth in depths], edgecolor=PAPER,
            linewidth=1.5,
        )  # fmt: skip
        axes.bar_label(cells, [compact(number, 10**7) for number in own.values()], label_type="center")
    axes.set_xlim(-0.5, len(kinds) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(kinds)), [NAMES[kind] for kind in kinds])
    axes.set_yticks(range(len(rows)), [_plies(row) for row in rows])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_ylabel("remoteness", color=MUTED)
    return figure


def _plies(row: dict[str, Any]) -> str:
    plies = row["remoteness_plies"]
    return "no end" if plies is None else some(plies, "ply", "plies")


def _lines(rows: list[dict[str, Any]], kinds: list[str]) -> Any:
    steps = [row["remoteness_plies"] for row in rows]
    looks = {"win": (HEAT, "^", "-"), "lose": (SECOND, "v", (0, (5, 2))), "tie": (TIE, "s", (0, (1.5, 1.5)))}
    series = [Series(NAMES[kind], [row[kind] for row in rows], *looks[kind]) for kind in kinds]
    return panels.line_chart(3.2, steps, "remoteness in plies", series, "positions")


def _caption(rows: list[dict[str, Any]], long: bool) -> str:
    said = (
        "Positions by the number of plies that optimal play still takes, and by what they are for the player to move: "
        "the winner hurries, the loser delays."
    )
    drawn = sum(row["draw"] for row in rows)
    if long:
        said += " Where there is no position, there is no point."
        return said + (f" {some(drawn, 'position')} without end, draws, are not drawn." if drawn else "")
    return said + " The deeper the green, the more positions, by the logarithm of their number."


def _alternative(rows: list[dict[str, Any]], kinds: list[str]) -> str:
    sums = {kind: sum(row[kind] for row in rows) for kind in kinds}
    said = f"Positions as their movers see them: {', '.join(f'{NAMES[kind]} {n:,}' for kind, n in sums.items())}."
    parts = []
    for kind in ("win", "lose", "tie"):
        own = [row for row in rows if row[kind]]
        if own:
            last = own[-1]
            parts.append(f"{NAMES[kind]} in at most {_plies(last)} ({some(last[kind], 'position')})")
    return f"{said} The longest: {'; '.join(parts)}." if parts else said
