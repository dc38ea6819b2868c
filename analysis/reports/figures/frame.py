"""What figures are built on: panels of a fixed width, measured in inches, and labels that keep apart.

Margins are computed from the text that goes there, in the font that matplotlib brings along, so that a figure is the
same on every machine.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from analysis.reports.figures.numbers import compact
from analysis.reports.figures.palette import INK, MUTED, RULE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 4.55
"""Inches: 327.6 points, which are 328 pixels on a phone of 360."""
TEXT = 10.0
"""Points of all text, so that none is smaller than 10 pixels on a phone: what is too wide is cut off, not shrunk."""
HEAD, KEY_ROW = 0.32, 0.21
"""Inches above a panel for its heading or one row of its key, and for each further row of that."""
LINE = 1.25
"""Height of a line of text, in its size."""


@functools.lru_cache(maxsize=10_000)
def width_of(text: str, size: float = TEXT) -> float:
    """The width of a text in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        properties = FontProperties(family="DejaVu Sans", size=size)
        width, _, _ = TextToPath().get_text_width_height_descent(text, properties, ismath=False)
    return float(width) / 72


def height_of(size: float = TEXT) -> float:
    """The height of a line of text in inches."""
    return LINE * size / 72


def fit(text: str, width: float) -> str:
    """As much of a text as so many inches hold, at least its first character.

    >>> fit("no wider than that", 9.0), fit("no wider than that", 0.5)
    ('no wider than that', 'no w…')
    """
    shown = text
    while width_of(shown) > width and len(shown) > 2:
        shown = shown[:-2].rstrip() + "…"
    return shown


def stack(
    heights: Sequence[float], left: float, right: float, gap: float, bottom: float, head: float = HEAD
) -> tuple[Figure, list[Axes]]:
    """A figure with panels of these heights below one another, the first on top with ``head`` above it, each with room
    for its heading; all measures in inches. The panels share nothing.
    """
    from matplotlib.figure import Figure

    total = head + sum(heights) + gap * (len(heights) - 1) + bottom
    figure, panels, top = Figure(figsize=(WIDTH, total)), [], total - head
    for height in heights:
        box = (left / WIDTH, (top - height) / total, (WIDTH - left - right) / WIDTH, height / total)
        axes = figure.add_axes(box)
        axes.patch.set_visible(False)
        axes.tick_params(labelsize=TEXT, colors=MUTED, labelcolor=INK, length=3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(MUTED)
        axes.set_axisbelow(True)
        panels.append(axes)
        top -= height + gap
    return figure, panels


def sheet(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure that is one panel without axes, with inches as coordinates; y grows downwards."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    return figure, axes


def heading(axes: Axes, text: str) -> None:
    """What a panel shows and its unit, above its upper left corner, where it is read first."""
    axes.annotate(
        text, (0, 1), xycoords="axes fraction", xytext=(0, 8), textcoords="offset points", fontsize=TEXT, color=INK,
        annotation_clip=False,
    )  # fmt: skip


def steps_axis(axes: Axes, steps: Sequence[int], label: str | None) -> None:
    """Plies or tiers below a panel: whole numbers, not too many."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(nbins=11, integer=True, steps=[1, 2, 5, 10], min_n_ticks=1))
    if len(set(steps)) == 1:
        axes.set_xticks([steps[0]])
    axes.xaxis.set_major_formatter(lambda x, _: f"{round(x):,}".replace("-", "\N{MINUS SIGN}"))
    if label is not None:
        axes.set_xlabel(label, fontsize=TEXT, color=INK)


def wide(numbers: Iterable[float | None]) -> bool:
    """Whether numbers are worth a log scale: the greatest is ten times the least above 0, or more.

    >>> wide([1, 9, 0, None]), wide([2, 20])
    (False, True)
    """
    present = [number for number in numbers if number]
    return max(present) >= 10 * min(present)


def number_axis(axes: Axes, numbers: Iterable[float | None], what: str, *, marked: bool = False) -> None:
    """The y axis of a panel for these numbers, 0 and None left out, with its heading: a log scale where they are
    `wide`, else a linear one from 0. Above the greatest there is room for its number if that is ``marked``.
    """
    present = [number for number in numbers if number]
    least, greatest = min(present), max(present)
    if not wide(present):
        linear_axis(axes, greatest * (1.2 if marked else 1.08))
        heading(axes, what)
        return
    log_axis(axes, least, greatest)
    decades = greatest / least
    axes.set_ylim(least / max(1.25, decades**0.06), greatest * (2 * decades**0.2 if marked else 1.25))
    heading(axes, f"{what} (log scale)")


def linear_axis(axes: Axes, end: float) -> None:
    """From 0 to ``end`` on the y axis, whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axes.set_ylim(0, end)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True, min_n_ticks=2))
    axes.yaxis.set_major_formatter(lambda y, _: compact(round(y)))
    axes.grid(visible=True, axis="y", color=RULE, linewidth=0.6)


def log_axis(axes: Axes, least: float, greatest: float, *, across: bool = False) -> None:
    """A log scale on the y axis (or ``across``, on the x axis) with a pale grid: at most seven (five) powers of ten or,
    where less than two of them are among the numbers, also twice and five times those. Set the limits afterwards.
    """
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(greatest))
    step = max(1, math.ceil((high - low + 1) / (5 if across else 7)))
    ticks = [10**e for e in range(low, high + 1, step)]
    if sum(least <= tick <= greatest for tick in ticks) < 2:
        ticks = [m * 10**e for e in range(low, high + 1) for m in (1, 2, 5) if least <= m * 10**e <= greatest]
    axis = axes.xaxis if across else axes.yaxis
    (axes.set_xscale if across else axes.set_yscale)("log")
    axis.set_ticks([float(tick) for tick in ticks], labels=[compact(tick) for tick in ticks])
    axis.set_ticks([], minor=True)
    axis.grid(visible=True, color=RULE, linewidth=0.6)


def number_margin(greatest: float) -> float:
    """Inches that the ticks of `number_axis` take to the left of a panel."""
    high = math.ceil(math.log10(max(greatest, 10)))
    return 0.17 + max(width_of(compact(m * 10**e)) for e in range(high) for m in (1, 2, 5, 10))


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near to the wanted ones as may be, in their order, at least ``gap`` apart and within the ends where
    there is room for that. Neighbours that collide are moved as one block, to the mean of where they want to be.

    >>> spread([1.0, 1.0, 5.0], 1.0, 0.0, 9.0)
    [0.5, 1.5, 5.0]
    >>> spread([9.0, 9.0], 1.0, 0.0, 9.0)
    [8.0, 9.0]
    """
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    blocks: list[tuple[float, list[int]]] = []  # where the first of it goes, and what is in it
    for i in order:
        members = [i]
        first = _within(wanted[i], 1, gap, low, high)
        while blocks and first < blocks[-1][0] + gap * len(blocks[-1][1]):
            members = blocks.pop()[1] + members
            mean = sum(wanted[m] - gap * k for k, m in enumerate(members)) / len(members)
            first = _within(mean, len(members), gap, low, high)
        blocks.append((first, members))
    found = [0.0] * len(wanted)
    for first, members in blocks:
        for k, member in enumerate(members):
            found[member] = first + gap * k
    return found


def _within(first: float, count: int, gap: float, low: float, high: float) -> float:
    """Where a block begins if it is to end before ``high`` and, above all, not to begin before ``low``."""
    return max(low, min(first, high - gap * (count - 1)))


def share_axis(axes: Axes) -> None:
    """0 to 100 % upwards."""
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


def runs(steps: Sequence[int], numbers: Sequence[float | None]) -> list[tuple[list[int], list[float]]]:
    """The stretches of a line: neighbouring steps with a number above 0, which a log scale can show.

    >>> runs([0, 1, 2, 4], [1, 0, 3, 5])
    [([0], [1]), ([2], [3]), ([4], [5])]
    """
    found: list[tuple[list[int], list[float]]] = []
    for step, number in zip(steps, numbers, strict=True):
        if not number:
            continue
        if not (found and found[-1][0][-1] == step - 1):
            found.append(([], []))
        found[-1][0].append(step)
        found[-1][1].append(number)
    return found
