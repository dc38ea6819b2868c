"""Draw parts of charts: panels of one width, laid out by matplotlib, with axes, lines, shares and keys."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..rules.game import Game
from .style import INK, MUTED, OUTCOMES, PAPER, Outcome, width_of
from .words import called, compact

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

WIDTH = 4.55
"""Inches: 327.6 points, or 328 pixels on a phone of 360."""
MOST_MARKERS = 30
"""Beyond this many steps, only some have a marker."""

Column = tuple[Outcome, str, Sequence[int]]
"""An outcome, its name and a number for each step."""


class Series(NamedTuple):
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


def over_steps(
    heights: Sequence[float], steps: Sequence[int], series: Sequence[Series], title: str,
    columns: Sequence[Column], what: str, label: str,
) -> Figure:  # fmt: skip
    """Draw lines over steps, with a ``title``, and below them the shares of outcomes (``what``) at the same steps."""
    figure, (above, below) = stack(*heights)
    draw_shares(below, steps, columns, what, label)
    draw_lines(above, steps, series, title)
    above.set_xlim(below.get_xlim())
    return figure


def key_columns(names: Sequence[tuple[Outcome, str]]) -> int:
    """Return how many names of outcomes fit side by side in a key."""
    return max(1, min(len(names), int(WIDTH / (0.5 + max(width_of(name) for _, name in names)))))


def outcome_key(figure: Figure, names: Sequence[tuple[Outcome, str]]) -> None:
    """Explain the colours and hatches at the foot of a figure."""
    from matplotlib.patches import Patch

    patches = [Patch(**outcome.look, linewidth=0, label=name) for outcome, name in names]
    columns = key_columns(names)
    figure.legend(handles=patches, loc="outside lower center", ncols=columns, handlelength=1.3, columnspacing=1.2)


def steps_axis(axes: Axes, steps: Sequence[int], label: str) -> None:
    """Label plies or tiers below a panel with a few whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=11, integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))
    if len(set(steps)) == 1:
        axes.set_xticks([steps[0]])
    axes.xaxis.set_major_formatter(lambda x, _: f"{round(x):,}".replace("-", "\N{MINUS SIGN}"))
    axes.set_xlabel(label)


def draw_lines(axes: Axes, steps: Sequence[int], series: Sequence[Series], title: str, *, beside: bool = False) -> None:
    """Draw lines, broken where a number is missing or 0, with a heading and, if there are several or it is ``beside``
    them, a key.

    The y axis is logarithmic, in powers of ten, if the greatest number is ten times the least or more; else it starts
    at 0.
    """
    from matplotlib.ticker import MaxNLocator

    for line in series:
        axes.plot(
            steps, [float(number or math.nan) for number in line.numbers], color=line.colour, linestyle=line.dash,
            marker=line.marker, markersize=5, linewidth=1.7, markevery=math.ceil(len(steps) / MOST_MARKERS),
            clip_on=False, zorder=3, label=line.name,
        )  # fmt: skip
    steps_axis(axes, steps, "")
    present = [number for line in series for number in line.numbers if number] or [1]
    if max(present) >= 10 * min(present):
        log_axis(axes, present)
        title += " (log scale)"
    else:
        axes.set_ylim(0, 1.08 * max(present))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=2))
        axes.yaxis.set_major_formatter(lambda y, _: compact(round(y)))
        axes.grid(axis="y")
    axes.set_title(title)
    if beside or len(series) > 1:
        look: dict[str, Any] = {"loc": "outside upper left", "ncols": 2}
        look |= {"loc": "outside right upper", "ncols": 1} if beside else {}
        axes.get_figure().legend(handlelength=2.6, **look)  # type: ignore[union-attr]


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


def rows_axis(axes: Axes, names: Sequence[str], numbers: Sequence[str]) -> None:
    """Make a row for each name, top down, with the name to its left and a number to its right."""
    axes.set_ylim(len(names) - 0.4, -0.6)
    right = axes.secondary_yaxis("right")
    right.spines["right"].set_visible(False)
    for y_axes, texts in ((axes, names), (right, numbers)):
        y_axes.set_yticks(range(len(names)), texts)
        y_axes.tick_params(axis="y", length=0)


def outcome_columns(game: Game, rows: Sequence[Mapping[str, int]], what: str) -> list[Column]:
    """Return the outcomes that occur in rows of the statistics, from the keys that begin with ``what``."""
    numbers = [(outcome, [row.get(f"{what}_{outcome.key.lower()}") or 0 for row in rows]) for outcome in OUTCOMES]
    return [(outcome, called(game, outcome.key), counts) for outcome, counts in numbers if any(counts)]


def draw_shares(axes: Axes, steps: Sequence[int], columns: Sequence[Column], what: str, label: str) -> None:
    """Draw a bar of 100 % for each step, divided by outcome, with a key.

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
    margin = 0.6 if bars > 1 else 2
    axes.set(xlim=(steps[0] - margin, steps[-1] + margin), ylim=(0, 100), yticks=[0, 25, 50, 75, 100])
    axes.yaxis.set_major_formatter("{x:.0f} %")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylabel(what, color=MUTED)
    steps_axis(axes, steps, label)
    outcome_key(axes.get_figure(), [(outcome, name) for outcome, name, _ in columns])  # type: ignore[arg-type]
