"""The basis of charts: panels of one width, laid out by matplotlib, with axes, lines, shares and keys."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...pictures.style import INK, MUTED, OUTCOMES, PAPER, Outcome, width_of
from ..findings import Findings
from ..words import called, compact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axes._secondary_axes import SecondaryAxis
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

WIDTH = 4.55
"""Inches: 327.6 points, or 328 pixels on a phone of 360."""
MOST_MARKERS = 30
"""Beyond this many steps, only some get a marker."""

Column = tuple[Outcome, str, Sequence[int]]
"""An outcome, its name and a number for each step."""


@dataclasses.dataclass(frozen=True)
class Series:
    """A line: a number for each step, or None."""

    name: str
    numbers: Sequence[float | None]
    colour: str
    marker: str
    dash: Any = "-"


def stack(*heights: float, width: float = WIDTH) -> tuple[Figure, list[Axes]]:
    """Make a figure of panels below one another, with these heights (all their labels included) and width in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    panels = figure.subplots(len(heights), height_ratios=heights, squeeze=False)
    for axes in panels.flat:
        axes.patch.set_visible(False)
    return figure, list(panels.flat)


def key_columns(names: Sequence[tuple[Outcome, str]]) -> int:
    """Return how many names of outcomes fit side by side in a key."""
    return max(1, min(len(names), int(WIDTH / (0.5 + max(width_of(name) for _, name in names)))))


def outcome_key(figure: Figure, names: Sequence[tuple[Outcome, str]], place: Any = "outside upper left") -> None:
    """Explain the colours and hatches."""
    from matplotlib.patches import Patch

    patches = [Patch(**outcome.look, linewidth=0, label=name) for outcome, name in names]
    figure.legend(handles=patches, loc=place, ncols=key_columns(names), handlelength=1.3, columnspacing=1.2)


def steps_axis(axes: Axes, steps: Sequence[int], label: str) -> None:
    """Label plies or tiers below a panel by whole numbers, not too many."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=11, integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))
    if len(set(steps)) == 1:
        axes.set_xticks([steps[0]])
    axes.xaxis.set_major_formatter(lambda x, _: f"{round(x):,}".replace("-", "\N{MINUS SIGN}"))
    axes.set_xlabel(label)


def wide(numbers: Iterable[float | None]) -> bool:
    """Return whether numbers merit a log scale: the greatest is at least ten times the least above 0.

    >>> wide([1, 9, 0, None]), wide([2, 20])
    (False, True)
    """
    present = [number for number in numbers if number]
    return max(present) >= 10 * min(present)


def draw_lines(axes: Axes, steps: Sequence[int], series: Sequence[Series], title: str) -> None:
    """Draw lines, broken where a number is missing or 0, with a heading, and a key if there are several.

    The y axis is logarithmic, in powers of ten, if the numbers are `wide`, else it starts at 0.
    """
    from matplotlib.ticker import MaxNLocator

    for line in series:
        axes.plot(
            steps, [float(number or math.nan) for number in line.numbers], color=line.colour, linestyle=line.dash,
            marker=line.marker, markersize=5, linewidth=1.7, markevery=math.ceil(len(steps) / MOST_MARKERS),
            clip_on=False, zorder=3, label=line.name,
        )  # fmt: skip
    axes.set_xlim(steps[0] - 0.5 * (len(steps) == 1), steps[-1] + 0.5 * (len(steps) == 1))
    present = [number for line in series for number in line.numbers if number]
    if wide(present):
        log_axis(axes, present)
        title += " (log scale)"
    else:
        axes.set_ylim(0, 1.08 * max(present))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=2))
        axes.yaxis.set_major_formatter(lambda y, _: compact(round(y)))
        axes.grid(axis="y")
    axes.set_title(title)
    if len(series) > 1:
        axes.get_figure().legend(loc="outside right center", handlelength=2.6)  # type: ignore[union-attr]


def log_axis(axes: Axes, numbers: Sequence[float]) -> None:
    """Put a log scale of whole powers of ten on the y axis."""
    low, high = math.floor(math.log10(min(numbers))), math.ceil(math.log10(max(numbers)))
    axes.set_yscale("log")
    axes.set_ylim(10.0**low, 10.0 ** max(high, low + 1))
    powers_of_ten(axes.yaxis, 7)


def powers_of_ten(axis: Axis, most: int) -> None:
    """Put at most ``most`` ticks on a log scale, with a pale grid."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_major_locator(LogLocator(numticks=most))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda number, _: compact(round(number)))
    axis.grid(visible=True)


def rows_axis(axes: Axes, names: Sequence[str], numbers: Sequence[str]) -> SecondaryAxis:
    """Make a row for each name, top down, with the name to its left and a number on the returned axis to its right."""
    rows = range(len(names))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(rows, names)
    right = axes.secondary_yaxis("right")
    right.set_yticks(rows, numbers)
    right.spines["right"].set_visible(False)
    for each in (axes, right):
        each.tick_params(axis="y", length=0)
    return right


def outcome_columns(findings: Findings, rows: Sequence[Mapping[str, int]], prefix: str = "") -> list[Column]:
    """Return the outcomes that occur in rows of the statistics; ``prefix`` is that of their keys."""
    numbers = [(outcome, [row.get(prefix + outcome.key) or 0 for row in rows]) for outcome in OUTCOMES]
    return [(outcome, called(findings, outcome.key), own) for outcome, own in numbers if any(own)]


def draw_shares(axes: Axes, steps: Sequence[int], columns: Sequence[Column], what: str, label: str) -> None:
    """Draw a bar of 100 % for each step, divided by outcome, with a key above.

    Parts that are large enough carry their whole percentage, on a paper background that keeps it readable on any hatch.
    """
    totals = [sum(numbers) for numbers in zip(*(numbers for _, _, numbers in columns), strict=True)]
    bottoms, bars = [0.0] * len(steps), steps[-1] - steps[0] + 1
    for outcome, _, numbers in columns:
        shares = [100 * number / total if total else 0.0 for number, total in zip(numbers, totals, strict=True)]
        drawn = axes.bar(steps, shares, 0.86, bottoms, linewidth=0.7 if bars < 50 else 0, **outcome.look)
        if bars <= 10:
            texts = ["" if not 10 <= part < 100 else f"{part:.0f}" if part < 99.5 else ">99" for part in shares]
            paper = {"facecolor": PAPER, "edgecolor": "none", "boxstyle": "round,pad=0.12"}
            axes.bar_label(drawn, texts, label_type="center", color=INK, bbox=paper)
        bottoms = [bottom + share for bottom, share in zip(bottoms, shares, strict=True)]
    around = 0.6 if bars > 1 else 2
    axes.set_xlim(steps[0] - around, steps[-1] + around)
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylabel(what, color=MUTED)
    steps_axis(axes, steps, label)
    outcome_key(axes.get_figure(), [(outcome, name) for outcome, name, _ in columns])  # type: ignore[arg-type]
