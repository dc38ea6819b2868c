"""Shares of outcomes as stacked bars, with a key above and numbers inside where they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.reports.figures.colour_keys import Entry, arrange
from analysis.reports.figures.frame import HEAD, KEY_ROW, TEXT, WIDTH, height_of, share_axis, width_of
from analysis.reports.figures.line_labels import size_of
from analysis.reports.figures.palette import INK, MUTED, PAPER, Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Column = tuple[Outcome, str, Sequence[int]]
"""An outcome, its name and a number for each step."""

LEFT, RIGHT = 0.74, 0.12
"""Inches beside a panel of shares."""


def head(columns: Sequence[Column]) -> float:
    """Inches above a panel of these shares, for its key."""
    return HEAD + KEY_ROW * (len(arrange(_entries(columns), WIDTH - LEFT - RIGHT)) - 1)


def draw_shares(axes: Axes, steps: Sequence[int], columns: Sequence[Column], *, width: float = 0.86) -> None:
    """For each step a bar of 100 %: how much of it each outcome has. A whole percentage stands in a part that is large
    enough for it. The x axis has its limits; above the panel there are `head` inches.
    """
    share_axis(axes)
    _key(axes, _entries(columns))
    totals = [sum(numbers) for numbers in zip(*(numbers for _, _, numbers in columns), strict=True)]
    bottoms = [0.0] * len(steps)
    room = _bar_room(axes, width)
    line = 0.0 if room < 0.07 else 0.7  # so thin a bar would be all border
    for outcome, _, numbers in columns:
        shares = [100 * number / total if total else 0.0 for number, total in zip(numbers, totals, strict=True)]
        axes.bar(
            steps, shares, width, bottoms, color=outcome.colour, edgecolor=PAPER, hatch=outcome.hatch or None,
            linewidth=line,
        )  # fmt: skip
        for step, share, bottom in zip(steps, shares, bottoms, strict=True):
            _label_part(axes, step, bottom, share, room)
        bottoms = [bottom + share for bottom, share in zip(bottoms, shares, strict=True)]


def _entries(columns: Sequence[Column]) -> list[Entry]:
    return [(outcome, name) for outcome, name, _ in columns]


def _bar_room(axes: Axes, width: float) -> float:
    """The width of a bar in inches."""
    low, high = axes.get_xlim()
    return width / (high - low) * size_of(axes)[0]


def _label_part(axes: Axes, x: float, bottom: float, share: float, room: float) -> None:
    """A part's percentage, on paper so that it can be read on any hatch."""
    text = f"{share:.0f}" if share < 99.5 else ">99"
    high = share / 100 * size_of(axes)[1]
    if high < height_of() + 0.04 or width_of(text) + 0.06 > room or share == 100:
        return
    axes.text(
        x, bottom + share / 2, text, ha="center", va="center", fontsize=TEXT, color=INK,
        bbox={"facecolor": PAPER, "edgecolor": "none", "boxstyle": "round,pad=0.12"},
    )  # fmt: skip


def _key(axes: Axes, entries: Sequence[Entry]) -> None:
    """What the colours and hatches mean, in rows above a panel, where its heading would be."""
    from matplotlib.patches import Rectangle

    width, height = size_of(axes)
    rows = arrange(entries, width)
    for number, row in enumerate(reversed(rows)):
        y = 1 + (0.11 + KEY_ROW * number) / height
        for left, outcome, name in row:
            box = Rectangle(
                (left / width, y), 0.17 / width, 0.13 / height, transform=axes.transAxes, clip_on=False,
                facecolor=outcome.colour, edgecolor=PAPER, hatch=outcome.hatch or None, linewidth=0,
            )  # fmt: skip
            axes.add_artist(box)
            axes.text((left + 0.22) / width, y, name, transform=axes.transAxes, fontsize=TEXT, color=INK)


def percent_axis(axes: Axes, what: str) -> None:
    """Ticks with their unit, and what the shares are of."""
    axes.set_ylabel(what, fontsize=TEXT, color=MUTED, labelpad=2)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:.0f} %")
