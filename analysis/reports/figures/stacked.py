"""Shares of outcomes as stacked bars, with a key above and numbers inside where they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.reports.figures.frame import SMALL, TEXT, height_of, share_axis, width_of
from analysis.reports.figures.palette import INK, MUTED, PAPER, Outcome
from analysis.reports.figures.series import size_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABEL = 8.5
"""Points, of numbers in bars."""


def draw_shares(
    axes: Axes, steps: Sequence[int], columns: Sequence[tuple[Outcome, str, Sequence[int]]], *, width: float = 0.86
) -> None:
    """For each step a bar of 100 %: how much of it each outcome has. ``columns`` are outcome, name and a number for
    each step. A whole percentage stands in a part that is large enough for it. The x axis has its limits.
    """
    share_axis(axes)
    key(axes, [(outcome, name) for outcome, name, _ in columns])
    totals = [sum(numbers) for numbers in zip(*(numbers for _, _, numbers in columns), strict=True)]
    bottoms = [0.0] * len(steps)
    room = bar_room(axes, width)
    line = 0.0 if room < 0.07 else 0.7  # so thin a bar would be all border
    for outcome, _, numbers in columns:
        shares = [100 * number / total if total else 0.0 for number, total in zip(numbers, totals, strict=True)]
        axes.bar(
            steps, shares, width, bottoms, color=outcome.colour, edgecolor=PAPER, hatch=outcome.hatch or None,
            linewidth=line,
        )  # fmt: skip
        for step, share, bottom in zip(steps, shares, bottoms, strict=True):
            label_part(axes, step, bottom, share, room)
        bottoms = [bottom + share for bottom, share in zip(bottoms, shares, strict=True)]


def bar_room(axes: Axes, width: float) -> float:
    """The width of a bar in inches."""
    low, high = axes.get_xlim()
    return width / (high - low) * size_of(axes)[0]


def label_part(axes: Axes, x: float, bottom: float, share: float, room: float) -> None:
    """A part's percentage, on paper so that it can be read on any hatch."""
    text = f"{share:.0f}" if share < 99.5 else ">99"
    high = share / 100 * size_of(axes)[1]
    if high < height_of(LABEL) + 0.04 or width_of(text, LABEL) + 0.06 > room or share == 100:
        return
    axes.text(
        x, bottom + share / 2, text, ha="center", va="center", fontsize=LABEL, color=INK,
        bbox={"facecolor": PAPER, "edgecolor": "none", "boxstyle": "round,pad=0.12"},
    )  # fmt: skip


def key(axes: Axes, entries: Sequence[tuple[Outcome, str]]) -> None:
    """What the colours and hatches mean, in one row above a panel, where its heading would be."""
    from matplotlib.patches import Rectangle

    width, height = size_of(axes)
    transform = axes.transAxes
    x, y = 0.0, 0.11
    for outcome, name in entries:
        box = Rectangle(
            (x / width, 1 + y / height), 0.17 / width, 0.13 / height, transform=transform, clip_on=False,
            facecolor=outcome.colour, edgecolor=PAPER, hatch=outcome.hatch or None, linewidth=0,
        )  # fmt: skip
        axes.add_artist(box)
        axes.text(x / width + 0.22 / width, 1 + y / height, name, transform=transform, fontsize=TEXT, color=INK)
        x += 0.22 + width_of(name, TEXT) + 0.18


def percent_axis(axes: Axes, what: str) -> None:
    """Ticks with their unit, and what the shares are of."""
    axes.set_ylabel(what, fontsize=SMALL, color=MUTED, labelpad=2)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:.0f} %")
    axes.tick_params(axis="y", labelsize=SMALL)


PERCENT_MARGIN = 0.68
"""Inches to the left of a panel of shares."""
