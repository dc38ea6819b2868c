"""Plot one column of a sweep against another."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from analysis.errors import OptionError
from analysis.machine.arguments import checked
from analysis.pictures.style import AMBER, FIRST, HEAT, INK, PURPLE, SECOND, TIE, clean, styled
from analysis.reports.figures.panels import stack
from analysis.reports.words import compact
from analysis.sweeps.rows import COLUMNS, TEXT, TRUTH, Row, column_names
from analysis.wording import listed

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

DECADES = 100.0
"""A column whose greatest number exceeds this multiple of its least has a log scale."""

COLOURS = (FIRST, SECOND, HEAT, PURPLE, AMBER, INK, TIE)
MARKERS = "os^DvP<X>*"
"""Each family has another pair of these."""


@checked
@styled
def plot_sweep(rows: Iterable[Row], x: str, y: str) -> Figure:
    """Plot the column ``y`` against the column ``x`` of the ``rows`` of a sweep.

    Each family (with each kind of symmetry, if there are several) has a colour and a marker, and a line if it has one
    value of y for each of several of x. A column that spans more than two decades has a log scale. Games that lack one
    of the two numbers are left out. Raises `OptionError` for an unknown or non-numeric column, and if there is nothing
    to draw.

    >>> from analysis.sweeps import sweep
    >>> figure = plot_sweep(sweep("hex:n=1..3").rows, x="n", y="positions")
    >>> figure.axes[0].get_xscale(), figure.axes[0].get_yscale()
    ('linear', 'log')
    """
    rows = list(rows)
    names = column_names(rows)
    numbers = [name for name in names if _is_numeric(rows, name)]
    for name in (x, y):
        if name not in numbers:
            wrong = f"column {name} does not hold numbers" if name in names else f"there is no column {name!r}"
            raise OptionError(f"{wrong}; choose from {listed(numbers)}")
    several = len({row["symmetry"] for row in rows} - {None}) > 1
    families: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row.get(x) is not None and row.get(y) is not None:
            family = row["game"].partition(":")[0] + (f", {row['symmetry']}" if several else "")
            families.setdefault(family, []).append((float(row[x]), float(row[y])))
    if not families:
        raise OptionError(f"nothing to draw: no game has both {x} and {y}")
    figure, (axes,) = stack(4.0, width=6.4)
    looks = zip(itertools.cycle(COLOURS), itertools.cycle(MARKERS), strict=False)
    for (family, points), (colour, marker) in zip(families.items(), looks, strict=False):
        xs, ys = zip(*sorted(points), strict=True)
        axes.plot(
            xs, ys, label=clean(family), color=colour, marker=marker, linewidth=1.2, markersize=5, zorder=3,
            linestyle="-" if 1 < len(xs) == len(set(xs)) else "none",
        )  # fmt: skip
    every = list(zip(*itertools.chain(*families.values()), strict=True))
    _scale(axes.xaxis, axes.set_xscale, every[0])
    _scale(axes.yaxis, axes.set_yscale, every[1])
    axes.set_xlabel(clean(x.replace("_", " ")))
    axes.set_ylabel(clean(y.replace("_", " ")))
    if len(families) > 1:
        figure.legend(loc="outside right center", handlelength=2)
    return figure


def _is_numeric(rows: Sequence[Row], name: str) -> bool:
    """Return whether a column holds only numbers or nulls."""
    present = [row[name] for row in rows if row.get(name) is not None]
    if not present:
        return COLUMNS.get(name) not in (None, TRUTH, TEXT)
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present)


def _scale(axis: Axis, set_scale: Callable[..., object], numbers: Sequence[float]) -> None:
    """Give an axis a log scale if its numbers are far apart, else whole ticks if the numbers are whole."""
    from matplotlib.ticker import MaxNLocator

    sizes, whole = [abs(number) for number in numbers if number], all(number == int(number) for number in numbers)
    if sizes and max(sizes) > DECADES * min(sizes):
        set_scale("log") if min(numbers) > 0 else set_scale("symlog", linthresh=min(sizes))
    else:
        axis.set_major_locator(MaxNLocator(nbins=7, integer=whole, min_n_ticks=1))
    if whole:
        axis.set_major_formatter(lambda number, _: compact(round(number)))
    axis.grid(visible=True)
