"""Bars of outcomes, and what their colours and hatches mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.reports.figures.frame import KEY_ROW, TEXT, WIDTH, fit, width_of
from analysis.reports.figures.outcomes import called
from analysis.reports.figures.palette import INK, OUTCOMES, PAPER, Outcome, outcome_of
from analysis.reports.findings import Findings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from analysis.solution.position import Games

Entry = tuple[Outcome, str]

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


def arrange(entries: Sequence[Entry], width: float) -> list[list[tuple[float, Outcome, str]]]:
    """The entries of a key in as few rows as so many inches allow, each with where it begins; a name that is too wide
    for a row of its own is cut off.
    """
    rows: list[list[tuple[float, Outcome, str]]] = []
    x = 0.0
    for outcome, name in entries:
        shown = fit(name, width - _SWATCH)
        need = _SWATCH + width_of(shown)
        if not rows or x + need > width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, outcome, shown))
        x += need + _GAP
    return rows


def below(axes: Axes, findings: Findings, y: float) -> None:
    """The key on a sheet, centred in rows from ``y`` on; `height` says how much it takes."""
    for number, entries in enumerate(_centred(findings)):
        last, _, name = entries[-1]
        left = (WIDTH - last - _SWATCH - width_of(name)) / 2
        for x, outcome, text in entries:
            _entry(axes, (left + x, y + KEY_ROW * number), outcome, text)


def height(findings: Findings) -> float:
    """Inches that the rows of `below` take."""
    return 0.03 + KEY_ROW * len(_centred(findings))


def _centred(findings: Findings) -> list[list[tuple[float, Outcome, str]]]:
    return arrange(names(findings), WIDTH - 0.2)


def column(axes: Axes, findings: Findings, middle: tuple[float, float], width: float) -> None:
    """The same, one below another around a point of a sheet, in so much width."""
    entries = [(outcome, fit(name, width - _SWATCH)) for outcome, name in names(findings)]
    left = middle[0] - (_SWATCH + max(width_of(name) for _, name in entries)) / 2
    for number, (outcome, name) in enumerate(entries):
        _entry(axes, (left, middle[1] + KEY_ROW * (number - (len(entries) - 1) / 2) - 0.065), outcome, name)


def _entry(axes: Axes, place: tuple[float, float], outcome: Outcome, name: str) -> None:
    box(axes, place, (0.17, 0.13), outcome, 0)
    axes.text(place[0] + _SWATCH, place[1] + 0.065, name, fontsize=TEXT, color=INK, va="center")


def names(findings: Findings) -> list[Entry]:
    """The outcomes that first moves have, or games that begin with them, with their names."""
    keys = {outcome_of(o.move.value, o.move.remoteness_plies).key for o in findings.openings}
    for opening in findings.openings:
        if opening.games is not None:
            keys |= {key for key, number in vars(opening.games).items() if number}
    return [(outcome, called(findings, outcome.key)) for outcome in OUTCOMES if outcome.key in keys]
