"""The basis of charts: panels of one width, laid out by matplotlib, with axes, lines, shares and keys."""

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


def boards_sheet(
    shape: BoardShape, cell: float, count: int, columns: int, margins: tuple[float, float], foot: float = 0.0
) -> tuple[Figure, list[Axes]]:
    """Make a figure of ``count`` boards in ``columns``, row by row, each a panel measured in cells of ``cell`` inches,
    with ``margins`` in inches above and below each, and ``foot`` below all.
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
    """Make a panel for a board, measured in cells, at this distance in inches from the left and top."""
    (across, down), width, height = figure.get_size_inches(), shape.width * cell, shape.height * cell
    axes = figure.add_axes((left / across, 1 - (top + height) / down, width / across, height / down))
    axes.set(xlim=(0, shape.width), ylim=(shape.height, 0))
    axes.set_axis_off()
    return axes


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


def number_axis(
    axes: Axes, numbers: Iterable[float | None], what: str, *, linear: bool = False, marked: bool = False
) -> None:
    """Give a panel its heading and a y axis for these numbers, ignoring 0 and None.

    The scale is logarithmic, in powers of ten, if they are `wide` and it need not be ``linear``, else it starts at 0;
    ``marked`` leaves room for a number above the greatest.
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
    """Put a log scale of whole powers of ten on the y axis, with a share ``room`` of their range above."""
    low, high = math.log10(min(numbers)), math.log10(max(numbers))
    axes.set_yscale("log")
    axes.set_ylim(10.0 ** math.floor(low), 10.0 ** max(math.ceil(high + room * (high - low)), math.floor(low) + 1))
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


def line_chart(
    height: float, steps: Sequence[int], label: str, series: Sequence[Series], what: str, *, linear: bool = False
) -> Figure:
    """Draw one panel, ``height`` inches high, with these lines over the steps."""
    figure, (axes,) = stack(height)
    number_axis(axes, [number for line in series for number in line.numbers], what, linear=linear)
    steps_axis(axes, steps, label)
    draw_lines(axes, steps, series)
    return figure


def draw_lines(axes: Axes, steps: Sequence[int], series: Sequence[Series]) -> None:
    """Draw the lines, broken where a number is missing or 0, with a key if there are several."""
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
    """Write a number above a point."""
    axes.annotate(
        f"{y:,}", (x, float(y)), xytext=(0, 6), textcoords="offset points", ha="center", annotation_clip=False
    )


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
