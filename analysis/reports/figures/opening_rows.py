"""First moves as rows, where they are no cells of a board: one row for each, best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.reports.figures.panels import WIDTH, fit, key_columns, outcome_key, rows_axis, width_of
from analysis.reports.figures.style import HEAT, MUTED, OUTCOMES, Outcome, outcome_of
from analysis.reports.findings import Findings, Opening
from analysis.reports.report_words import SHORT, called, clean, compact, result
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from analysis.solution.position import Games

MOST = 40
"""Moves that are drawn."""

PLAYED = tuple(outcome for outcome in OUTCOMES if outcome.key != "draw")
"""Outcomes that complete games have."""

_NAME, _VALUE = 0.95, 1.25
"""Inches for the name of a move and for its value, so that bars have room."""


def rows(findings: Findings) -> Figure:
    """A figure with the name of each move, its value, and bars of its games by outcome and of its optimal paths; of the
    plies to the end where those were not counted.
    """
    from matplotlib.figure import Figure

    shown = findings.openings[:MOST]
    counted = all(opening.games is not None for opening in findings.openings)
    key = outcomes(findings)
    high = 0.6 + 0.25 * len(shown) + counted * (0.1 + 0.22 * -(-len(key) // key_columns(key)))
    figure = Figure(figsize=(WIDTH, high), layout="constrained")
    names, *bars = figure.subplots(1, 2 + counted, width_ratios=[0.001, 1, 1][: 2 + counted])
    _values(findings, shown, names)
    if counted:
        _games(bars[0], [opening.games for opening in shown if opening.games is not None])
        _paths(bars[1], shown)
        outcome_key(figure, key, "outside lower center")
    else:
        _plies(bars[0], shown)
    return figure


def caption(findings: Findings) -> str:
    """How to read the rows."""
    said = "One row for each first move, best first; its value, bold where the move is optimal, and the plies to the "
    said += "end, this move included"
    if findings.openings[0].games is None:
        said += ", also as bars."
    else:
        said += "; the games that begin with it, by who wins them; and the optimal paths among them."
    left = len(findings.openings) - MOST
    return said + (f" The table has {some(left, 'more move')}." if left > 0 else "")


def outcomes(findings: Findings) -> list[tuple[Outcome, str]]:
    """The outcomes that first moves have, or games that begin with them, with their names."""
    keys = {outcome_of(o.move.value, o.move.remoteness_plies).key for o in findings.openings}
    for opening in findings.openings:
        if opening.games is not None:
            keys |= {key for key, number in vars(opening.games).items() if number}
    return [(outcome, called(findings, outcome.key)) for outcome in OUTCOMES if outcome.key in keys]


def _values(findings: Findings, shown: Sequence[Opening], axes: Axes) -> None:
    """Names to the left of a panel without width, values to its right, in the colour of the outcome."""
    _empty(axes)
    names = [fit(clean(opening.move.name, 10), _NAME) for opening in shown]
    right = rows_axis(axes, names, [_worth(findings, opening) for opening in shown])
    right.tick_params(pad=8)
    axes.tick_params(axis="y", pad=6 + 72 * max(0.0, width_of("move") - max(map(width_of, names))))
    axes.set_title("move  ", loc="right", color=MUTED)
    axes.set_title("  value", loc="left", color=MUTED)
    for name, worth, opening in zip(axes.get_yticklabels(), right.get_yticklabels(), shown, strict=True):
        worth.set_color(outcome_of(opening.move.value, opening.move.remoteness_plies).text)
        for label in (name, worth):
            label.set_fontweight("bold" if opening.move.optimal else "normal")


def _worth(findings: Findings, opening: Opening) -> str:
    """The value, with as much of a player's name as there is room for."""
    texts = [result(findings, opening.move.value, opening.plies_to_end, most) for most in range(SHORT, 1, -1)]
    return next((text for text in texts if width_of(text) <= _VALUE), texts[-1])


def _games(axes: Axes, games: Sequence[Games]) -> None:
    """How many games begin with each move, in parts by outcome."""
    greatest = _panel(axes, "games", [each.total for each in games])
    lefts = [0.0] * len(games)
    for outcome in PLAYED:
        shares = [getattr(each, outcome.key) / greatest for each in games]
        axes.barh(range(len(games)), shares, 0.6, lefts, linewidth=0.4, **outcome.look)
        lefts = [left + share for left, share in zip(lefts, shares, strict=True)]


def _paths(axes: Axes, shown: Sequence[Opening]) -> None:
    numbers = [opening.optimal_paths or 0 for opening in shown]
    greatest = _panel(axes, "optimal\npaths", numbers)
    axes.barh(range(len(shown)), [number / greatest for number in numbers], 0.6, color=HEAT)


def _plies(axes: Axes, shown: Sequence[Opening]) -> None:
    """Where nothing was counted: how long the game takes with each move."""
    numbers = [opening.plies_to_end or 0 for opening in shown]
    greatest = _panel(axes, "plies to the end", numbers, [str(number) if number else "no end" for number in numbers])
    for row, (opening, number) in enumerate(zip(shown, numbers, strict=True)):
        outcome = outcome_of(opening.move.value, opening.move.remoteness_plies)
        axes.barh(row, number / greatest, 0.6, linewidth=0.4, **outcome.look)


def _panel(axes: Axes, title: str, numbers: Sequence[int], texts: Sequence[str] = ()) -> int:
    """Prepare a panel for bars of these numbers, which stand to its right, as parts of the greatest; returns that."""
    _empty(axes)
    rows_axis(axes, [""] * len(numbers), texts or [compact(number) for number in numbers])
    axes.set_title(title, color=MUTED)
    axes.set_xlim(0, 1)
    return max(1, *numbers)


def _empty(axes: Axes) -> None:
    """A panel without a frame."""
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)
