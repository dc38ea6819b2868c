"""Lines over plies or tiers, each named at its end."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.reports.figures.frame import SMALL, TEXT, WIDTH, height_of, runs, spread, width_of
from analysis.reports.figures.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MARKERS = 30
"""Steps of which each gets a marker; of more, some."""

_LEADER = 0.22  # inches


@dataclasses.dataclass(frozen=True)
class Series:
    """A line: a number for each step, None where there is none."""

    name: str
    numbers: Sequence[float | None]
    colour: str
    marker: str
    dash: Any = "-"


def label_margin(names: Sequence[str]) -> float:
    """Inches to the right of a panel for the names of its lines."""
    return _LEADER + 0.17 + max(width_of(name) for name in names)


def draw_series(axes: Axes, steps: Sequence[int], series: Sequence[Series]) -> None:
    """Draw the lines, broken where a number is missing or 0, and name them. The axes have their limits and scale."""
    every = math.ceil(len(steps) / MOST_MARKERS)
    shown = [line for line in series if any(line.numbers)]
    for line in shown:
        for xs, ys in runs(steps, line.numbers):
            axes.plot(
                xs, ys, color=line.colour, linestyle=line.dash, marker=line.marker, markersize=5, linewidth=1.7,
                markevery=every, clip_on=False, zorder=3,
            )  # fmt: skip
    ends = []
    for line in shown:
        x, y = [(x, y) for x, y in zip(steps, line.numbers, strict=True) if y][-1]
        ends.append((x, float(y)))
    _name(axes, shown, ends)


def _name(axes: Axes, lines: Sequence[Series], ends: Sequence[tuple[float, float]]) -> None:
    """The names to the right of the panel, each with its marker, as high as its line ends unless that is taken, and
    thin lines from there.
    """
    width, height = size_of(axes)
    wanted = [fraction(axes, y) * height for _, y in ends]
    places = spread(wanted, height_of(), height_of() / 2, height)
    for line, (x, y), place in zip(lines, ends, places, strict=True):
        at = (1 + _LEADER / width, place / height)
        axes.annotate(
            "", (x, y), xytext=at, textcoords="axes fraction", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": line.colour, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 3},
        )  # fmt: skip
        axes.plot(
            *at, transform=axes.transAxes, color=line.colour, marker=line.marker, markersize=5, clip_on=False,
            linestyle="",
        )  # fmt: skip
        axes.text(
            at[0] + 0.09 / width, at[1], line.name, transform=axes.transAxes, fontsize=TEXT, color=INK, va="center"
        )


def mark_value(axes: Axes, x: float, y: float, text: str) -> None:
    """A number above a point, kept within the panel."""
    width, _ = size_of(axes)
    low, high = axes.get_xlim()
    at = (x - low) / (high - low) * width
    half = width_of(text, SMALL) / 2
    shift = max(0.0, half - at) - max(0.0, at + half - width)
    axes.annotate(
        text, (x, y), xytext=(72 * shift, 6), textcoords="offset points", ha="center", fontsize=SMALL, color=INK,
        annotation_clip=False,
    )  # fmt: skip


def size_of(axes: Axes) -> tuple[float, float]:
    """Width and height of a panel in inches."""
    box, (width, height) = axes.get_position(), axes.get_figure().get_size_inches()  # type: ignore[union-attr]
    return float(box.width * width), float(box.height * height)


def fraction(axes: Axes, y: float) -> float:
    """How far up a panel a number is, from 0 to 1."""
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log":
        low, high, y = math.log10(low), math.log10(high), math.log10(y)
    return (y - low) / (high - low)


def room(left: float, right: float) -> float:
    """Inches between the margins."""
    return WIDTH - left - right
