"""Bars of outcomes, and what their colours and hatches mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.reports import words
from analysis.reports.figures.frame import SMALL, WIDTH, width_of
from analysis.reports.figures.numbers import clean
from analysis.reports.figures.palette import INK, OUTCOMES, PAPER, Outcome, outcome_of
from analysis.reports.findings import Findings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from analysis.position import Games

_SWATCH, _GAP = 0.22, 0.2  # inches


def box(axes: Axes, corner: tuple[float, float], size: tuple[float, float], outcome: Outcome, border: float) -> None:
    """A rectangle in the look of an outcome, in the units of the axes; its border is paper, of so many points."""
    from matplotlib.patches import Rectangle

    hatch = outcome.hatch or None
    axes.add_patch(Rectangle(corner, *size, facecolor=outcome.colour, edgecolor=PAPER, hatch=hatch, linewidth=border))


def games_bar(axes: Axes, games: Games, corner: tuple[float, float], size: tuple[float, float]) -> None:
    """One bar of so much width and height, in it a part for each outcome that games have."""
    left, top = corner
    for outcome in OUTCOMES:
        part = size[0] * getattr(games, outcome.key, 0) / max(games.total, 1)
        if part:
            box(axes, (left, top), (part, size[1]), outcome, 0.4)
        left += part


def row(axes: Axes, findings: Findings, y: float) -> None:
    """The key in one row on a sheet."""
    entries = names(findings)
    widths = [_SWATCH + width_of(name, SMALL) + _GAP for _, name in entries]
    x = (WIDTH - sum(widths) + _GAP) / 2
    for (outcome, name), width in zip(entries, widths, strict=True):
        _entry(axes, (x, y), outcome, name)
        x += width


def column(axes: Axes, findings: Findings, x: float, y: float) -> None:
    """The same, one below another around a point."""
    entries = names(findings)
    left = x - (_SWATCH + max(width_of(name, SMALL) for _, name in entries)) / 2
    for number, (outcome, name) in enumerate(entries):
        _entry(axes, (left, y + 0.22 * (number - (len(entries) - 1) / 2) - 0.065), outcome, name)


def _entry(axes: Axes, place: tuple[float, float], outcome: Outcome, name: str) -> None:
    box(axes, place, (0.17, 0.13), outcome, 0)
    axes.text(place[0] + _SWATCH, place[1] + 0.065, name, fontsize=SMALL, color=INK, va="center")


def names(findings: Findings) -> list[tuple[Outcome, str]]:
    """The outcomes that first moves have, or games that begin with them, with their names."""
    keys = {outcome_of(o.move.value, o.move.remoteness_plies).key for o in findings.openings}
    for opening in findings.openings:
        if opening.games is not None:
            keys |= {key for key, number in vars(opening.games).items() if number}
    level = {"tie": "tie", "draw": "draw"}
    return [
        (outcome, level.get(outcome.key) or f"{clean(words.named(findings, outcome.key), 12)} wins")
        for outcome in OUTCOMES
        if outcome.key in keys
    ]
