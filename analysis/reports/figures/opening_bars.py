"""First moves as bars, where they are no cells of a board: one row for each, best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.reports import report_words
from analysis.reports.figures import colour_keys, frame
from analysis.reports.figures.numbers import clean, compact
from analysis.reports.figures.opening_words import plies_to_end, value
from analysis.reports.figures.outcomes import SHORT
from analysis.reports.figures.palette import HEAT, INK, MUTED, Outcome, outcome_of
from analysis.reports.findings import Findings, Opening

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 40
"""Moves that are drawn."""

_ROW, _HEAD, _THICK = 0.25, 0.34, 0.15  # inches
_NAME, _VALUE = 0.95, 1.25
"""Inches for the name of a move and for its value, so that bars have room."""
_PATHS = Outcome("optimal paths", HEAT, INK, "")


def bars(findings: Findings) -> Any:
    """A figure with the name of each move, its value, and bars of its games by outcome and of its optimal paths; of the
    plies to the end where those were not counted.
    """
    shown = findings.openings[:MOST]
    counted = all(opening.games is not None for opening in findings.openings)
    left = len(findings.openings) - len(shown)
    foot = colour_keys.height(findings) + 0.06 if counted else 0.06
    figure, axes = frame.sheet(frame.WIDTH, _HEAD + _ROW * len(shown) + (0.24 if left else 0) + foot)
    x = _columns(axes, findings, shown)
    if counted:
        width = frame.WIDTH - 0.1 - x
        paths = max(0.45 * width, frame.width_of(_PATHS.key))
        _games(axes, shown, x, width - paths - 0.1)
        _paths(axes, shown, x + width - paths, paths)
        colour_keys.below(axes, findings, figure.get_size_inches()[1] - foot + 0.08)
    else:
        _plies(axes, shown, x, frame.WIDTH - 0.1 - x)
    if left:
        y = _HEAD + _ROW * len(shown) + 0.12
        text = f"and {report_words.some(left, 'move')} more, in the table"
        axes.text(0.08, y, text, fontsize=frame.TEXT, color=MUTED, va="center")
    return figure


def caption(findings: Findings) -> str:
    """How to read the rows."""
    said = "One row for each first move, best first; its value, bold where the move is optimal, and the plies to the "
    said += "end, this move included"
    if findings.openings[0].games is None:
        return said + ", also as bars."
    return said + "; the games that begin with it, by who wins them; and the optimal paths among them."


def _y(row: int) -> float:
    return _HEAD + _ROW * (row + 0.5)


def _columns(axes: Axes, findings: Findings, shown: Sequence[Opening]) -> float:
    """Names and values; returns where what is to their right begins."""
    names = [frame.fit(clean(opening.move.name, 10), _NAME) for opening in shown]
    worths = [_worth(findings, opening) for opening in shown]
    x = 0.08
    for title, texts in (("move", names), ("value", worths)):
        axes.text(x, _HEAD / 2, title, fontsize=frame.TEXT, color=MUTED, va="center")
        for row, (text, opening) in enumerate(zip(texts, shown, strict=True)):
            weight = "bold" if opening.move.optimal else "normal"
            tone = outcome_of(opening.move.value, opening.move.remoteness_plies).text if title == "value" else INK
            axes.text(x, _y(row), text, fontsize=frame.TEXT, color=tone, va="center", fontweight=weight)
        x += 1.12 * max(frame.width_of(text) for text in [*texts, title]) + 0.1  # bold text is wider
    return x


def _worth(findings: Findings, opening: Opening) -> str:
    """The value, with as much of a player's name as there is room for."""
    texts = (value(findings, opening, most) for most in range(SHORT, 1, -1))
    return next((text for text in texts if frame.width_of(text) <= _VALUE), value(findings, opening, 2))


def _number(axes: Axes, x: float, row: int, number: int) -> None:
    axes.text(x + 0.05, _y(row), compact(number), fontsize=frame.TEXT, color=INK, va="center")


def _scale(numbers: Sequence[int], width: float) -> float:
    """Inches for each, so that the longest bar and every number have room."""
    text = max(frame.width_of(compact(number)) for number in numbers)
    return max(width - 0.1 - text, 0.05) / max(*numbers, 1)


def _games(axes: Axes, shown: Sequence[Opening], x: float, width: float) -> None:
    totals = [opening.games.total if opening.games else 0 for opening in shown]
    scale = _scale(totals, width)
    axes.text(x, _HEAD / 2, "games", fontsize=frame.TEXT, color=MUTED, va="center")
    for row, (opening, total) in enumerate(zip(shown, totals, strict=True)):
        if opening.games is not None:
            colour_keys.games_bar(axes, opening.games, (x, _y(row) - _THICK / 2), (scale * total, _THICK))
        _number(axes, x + scale * total, row, total)


def _paths(axes: Axes, shown: Sequence[Opening], x: float, width: float) -> None:
    numbers = [opening.optimal_paths or 0 for opening in shown]
    scale = _scale(numbers, width)
    axes.text(x, _HEAD / 2, _PATHS.key, fontsize=frame.TEXT, color=MUTED, va="center")
    for row, number in enumerate(numbers):
        if number:
            colour_keys.box(axes, (x, _y(row) - _THICK / 2), (scale * number, _THICK), _PATHS, 0.4)
        _number(axes, x + scale * number, row, number)


def _plies(axes: Axes, shown: Sequence[Opening], x: float, width: float) -> None:
    """Where nothing was counted: how long the game takes with each move."""
    numbers = [plies_to_end(opening) or 0 for opening in shown]
    scale = _scale(numbers, width)
    axes.text(x, _HEAD / 2, "plies to the end", fontsize=frame.TEXT, color=MUTED, va="center")
    for row, (opening, number) in enumerate(zip(shown, numbers, strict=True)):
        outcome = outcome_of(opening.move.value, opening.move.remoteness_plies)
        if number:
            colour_keys.box(axes, (x, _y(row) - _THICK / 2), (scale * number, _THICK), outcome, 0.4)
            _number(axes, x + scale * number, row, number)
        else:
            axes.text(x, _y(row), "no end", fontsize=frame.TEXT, color=INK, va="center")
