"""Lines over plies or tiers, each named where it ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from analysis.reports.figures.frame import TEXT, runs, width_of
from analysis.reports.figures.line_labels import Series, inches, name_lines, size_of
from analysis.reports.figures.palette import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MARKERS = 30
"""Steps of which each gets a marker; of more, some."""


def draw_series(axes: Axes, steps: Sequence[int], series: Sequence[Series]) -> None:
    """Draw the lines, broken where a number is missing or 0, and name them where there are several. The axes have their
    limits and scale; each line has a number above 0.
    """
    every = math.ceil(len(steps) / MOST_MARKERS)
    for line in series:
        for xs, ys in runs(steps, line.numbers):
            axes.plot(
                xs, ys, color=line.colour, linestyle=line.dash, marker=line.marker, markersize=5, linewidth=1.7,
                markevery=every, clip_on=False, zorder=3,
            )  # fmt: skip
    if len(series) > 1:
        paths = [[inches(axes, x, y) for x, y in zip(steps, line.numbers, strict=True) if y] for line in series]
        name_lines(axes, series, paths)


def mark_value(axes: Axes, x: float, y: float, text: str) -> None:
    """A number above a point, kept within the panel."""
    width, _ = size_of(axes)
    at, _ = inches(axes, x, y)
    half = width_of(text) / 2
    shift = max(0.0, half - at) - max(0.0, at + half - width)
    axes.annotate(
        text, (x, y), xytext=(72 * shift, 6), textcoords="offset points", ha="center", fontsize=TEXT, color=INK,
        annotation_clip=False,
    )  # fmt: skip
