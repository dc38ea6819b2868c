"""What charts are built on: panels of one width, laid out by matplotlib, with axes, lines, shares and their keys."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from analysis.pictures.boards import BoardShape
from analysis.pictures.style import INK, MUTED, OUTCOMES, PAPER, Outcome, width_of
from analysis.reports.findings import Findings
from analysis.reports.words import called, compact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axes._secondary_axes import SecondaryAxis
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

WIDTH = 4.55
"""Inches: 327.6 points, which are 328 pixels on a phone of 360."""
MOST_MARKERS = 30
"""Steps of which each gets a marker; of more, some."""

Column = tuple[Outcome, str, Sequence[int]]
"""An outcome, its name and a number for each step."""


@dataclasses.dataclass(frozen=True)
class Series:
    """A line: a number for each step, None where there is none."""

    name: str
    numbers: Sequence[float | None]
    colour: str
    marker: str
    dash: Any = "-"


def stack(*heights: float, width: float = WIDTH) -> tuple[Figure, list[Axes]]:
    """A figure of panels below one another, so many inches high each, with all that belongs to it, and wide."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, sum(heights)), layout="constrained")
    panels = figure.subplots(len(heights), height_ratios=heights, squeeze=False)
    for axes in panels.flat:
        axes.patch.set_visible(False)
    return figure, list(panels.flat)


def boards_sheet(
    shape: BoardShape, cell: float, count: int, columns: int, margins: tuple[float, float], foot: float = 0.0
) -> tuple[Figure, list[Axes]]:
    """A figure of so many boards, row by row in these columns, each a panel whose units are cells of this width in
    inches, with inches of ``margins`` above and below each, and ``foot`` inches below all.
    """
    from matplotlib.figure import Figure

    width, height, (above, below) = shape.width * cell, shape.height * cell, margins
    figure, panels = Figure(figsize=(WIDTH, -(-count // columns) * (above + height + below) + foot)), []
    for number in range(count):
        row, column = divmod(number, columns)
        left, top = (column + 0.5) * WIDTH / columns - width / 2, row * (above + height + below) + above
        panels.append(board_axes(figure, shape, cell, left, top))
    return figure, panels


def board_axes(figure: Figure, shape: BoardShape, cell: float, left: float, top: float) -> Axes:
    """Make a panel for a board, so many inches from the left and from the top, whose units are cells of this width."""
    (across, down), width, height = figure.get_size_inches(), shape.width * cell, shape.height * cell
    axes = figure.add_axes((left / across, 1 - (top + height) / down, width / across, height / down))
    axes.set(xlim=(0, shape.width), ylim=(shape.height, 0))
    axes.set_axis_off()
    return axes


def key_columns(names: Sequence[tuple[Outcome, str]]) -> int:
    """How many names of outcomes stand side by side in a key."""
    return max(1, min(len(names), int(WIDTH / (0.5 + max(width_of(name) for _, name in names)))))


def outcome_key(figure: Figure, names: Sequence[tuple[Outcome, str]], place: Any = "outside upper left") -> None:
    """Say what the colours and hatches mean."""
    from matplotlib.patches import Patch

    patches = [Patch(**outcome.look, linewidth=0, label=name) for outcome, name in names]
    figure.legend(handles=patches, loc=place, ncols=key_columns(names), handlelength=1.3, columnspacing=1.2)


def steps_axis(axes: Axes, steps: Sequence[int], label: str) -> None:
    """Plies or tiers below a panel: whole numbers, not too many."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=11, integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))
    if len(set(steps)) == 1:
        axes.set_xticks([steps[0]])
    axes.xaxis.set_major_formatter(lambda x, _: f"{round(x):,}".replace("-", "\N{MINUS SIGN}"))
    axes.set_xlabel(label)


def wide(numbers: Iterable[float | None]) -> bool:
    """Whether numbers are worth a log scale: the greatest is ten times the least above 0, or more.

    >>> wide([1, 9, 0, None]), wide([2, 20])
    (False, True)
    """
    present = [number for number in numbers if number]
    return max(present) >= 10 * min(present)


def number_axis(
    axes: Axes, numbers: Iterable[float | None], what: str, *, linear: bool = False, marked: bool = False
) -> None:
    """Give a panel its heading and a y axis for these numbers, 0 and None left out: a log scale of powers of ten where
    they are `wide`, unless it is to be ``linear``, else one from 0; with room for a number above the greatest if that
    is ``marked``.
    """
    from matplotlib.ticker import MaxNLocator

    present = [number for number in numbers if number]
    if linear or not wide(present):
        axes.set_ylim(0, (1.25 if marked else 1.08) * max(present))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=2))
        axes.yaxis.set_major_formatter(lambda y, _: compact(round(y)))
        axes.grid(axis="y")
    else:
        log_axis(axes, present, 0.3 * marked)
        what += " (log scale)"
    axes.set_title(what)


def log_axis(axes: Axes, numbers: Sequence[float], room: float = 0.0) -> None:
    """A log scale of whole powers of ten on the y axis, with so much of their range as ``room`` above."""
    low, high = math.log10(min(numbers)), math.log10(max(numbers))
    axes.set_yscale("log")
    axes.set_ylim(10.0 ** math.floor(low), 10.0 ** max(math.ceil(high + room * (high - low)), math.floor(low) + 1))
    powers_of_ten(axes.yaxis, 7)


def powers_of_ten(axis: Axis, most: int) -> None:
    """At most so many ticks on a log scale, with a pale grid."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_major_locator(LogLocator(numticks=most))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda number, _: compact(round(number)))
    axis.grid(visible=True)


def rows_axis(axes: Axes, names: Sequence[str], numbers: Sequence[str]) -> SecondaryAxis:
    """A row for each name, from the top on, with the name to its left and a number to its right, on the axis that is
    returned.
    """
    rows = range(len(names))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_yticks(rows, names)
    right = axes.secondary_yaxis("right")
    right.set_yticks(rows, numbers)
    right.spines["right"].set_visible(False)
    for each in (axes, right):
        each.tick_params(axis="y", length=0)
    return right


def line_chart(
    height: float, steps: Sequence[int], label: str, series: Sequence[Series], what: str, *, linear: bool = False
) -> Figure:
    """A figure of one panel, so many inches high, with these lines over the steps."""
    figure, (axes,) = stack(height)
    number_axis(axes, [number for line in series for number in line.numbers], what, linear=linear)
    steps_axis(axes, steps, label)
    draw_lines(axes, steps, series)
    return figure


def draw_lines(axes: Axes, steps: Sequence[int], series: Sequence[Series]) -> None:
    """Draw the lines, broken where a step or its number is missing or 0, with a key where there are several."""
    places = sorted({place for step in steps for place in (step, step + 1)})
    for line in series:
        known = dict(zip(steps, line.numbers, strict=True))
        axes.plot(
            places, [float(known.get(place) or math.nan) for place in places], color=line.colour, linestyle=line.dash,
            marker=line.marker, markersize=5, linewidth=1.7, markevery=math.ceil(len(steps) / MOST_MARKERS),
            clip_on=False, zorder=3, label=line.name,
        )  # fmt: skip
    axes.set_xlim(steps[0], steps[-1])
    if len(series) > 1:
        axes.get_figure().legend(loc="outside right center", handlelength=2.6)  # type: ignore[union-attr]


def mark_value(axes: Axes, x: float, y: int) -> None:
    """A number above a point."""
    axes.annotate(
        f"{y:,}", (x, float(y)), xytext=(0, 6), textcoords="offset points", ha="center", annotation_clip=False
    )


def outcome_columns(findings: Findings, rows: Sequence[Mapping[str, int]], prefix: str = "") -> list[Column]:
    """Find the outcomes that there are in the rows of the statistics; ``prefix`` is that of their keys."""
    numbers = [(outcome, [row.get(prefix + outcome.key) or 0 for row in rows]) for outcome in OUTCOMES]
    return [(outcome, called(findings, outcome.key), own) for outcome, own in numbers if any(own)]


def draw_shares(axes: Axes, steps: Sequence[int], columns: Sequence[Column], what: str, label: str) -> None:
    """For each step a bar of 100 %: how much of it each outcome has, with a key above. A whole percentage stands in a
    part that is large enough for it, on paper so that it can be read on any hatch.
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
