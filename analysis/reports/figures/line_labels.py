"""Lines and their names: beside the point where a line ends early, else to the right of the panel."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.reports.figures.frame import TEXT, height_of, spread, width_of
from analysis.reports.figures.palette import INK, MUTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]
Path = list[Point]
"""A line in inches from the lower left corner of its panel."""

_LEADER = 0.22  # inches
_EARLY = 0.15
"""Of the width of a panel: a line that ends so far from its right edge has its name where it ends, if there is room."""
_AWAY = 0.09
"""Inches from a point to its name."""


@dataclasses.dataclass(frozen=True)
class Series:
    """A line: a number for each step, None where there is none."""

    name: str
    numbers: Sequence[float | None]
    colour: str
    marker: str
    dash: Any = "-"


@dataclasses.dataclass(frozen=True)
class _Box:
    left: float
    low: float
    right: float
    high: float

    def holds(self, point: Point) -> bool:
        return self.left <= point[0] <= self.right and self.low <= point[1] <= self.high


def label_margin(names: Sequence[str]) -> float:
    """Inches to the right of a panel for the names of its lines."""
    return _LEADER + 0.17 + max(width_of(name) for name in names)


def name_lines(axes: Axes, lines: Sequence[Series], paths: Sequence[Path]) -> None:
    """Write the name of each line, whose path has a point or more. Names in the margin have their line's marker and are
    joined to its end by a thin dotted line, grey, so that it is not taken for data.
    """
    beside = []
    for line, path in zip(lines, paths, strict=True):
        place = _place_beside(axes, line.name, path, paths)
        if place is None:
            beside.append((line, path))
        else:
            at = _fraction(axes, (place.left, (place.low + place.high) / 2))
            axes.text(*at, line.name, transform=axes.transAxes, fontsize=TEXT, color=INK, va="center")
    _in_margin(axes, sorted(beside, key=lambda pair: _ending(pair[1])))


def _ending(path: Path) -> list[float]:
    """The height of its end and, where ends meet, from where it came: then leaders do not cross."""
    return [y for _, y in path[:-3:-1]]


def _place_beside(axes: Axes, name: str, path: Path, paths: Sequence[Path]) -> _Box | None:
    """Where the name of a line that ends early covers no line: to the right of its end, above or below it."""
    width, height = size_of(axes)
    x, y = path[-1]
    if x > (1 - _EARLY) * width:
        return None
    others = [point for each in paths if each is not path for point in _dense(each)]
    if any(math.dist(path[-1], point) < _AWAY for point in others):  # whose end is it?
        return None
    long, high = width_of(name), height_of()
    corners = ((x + _AWAY, y - high / 2), (x - long / 2, y + _AWAY), (x - long / 2, y - _AWAY - high))
    for left, low in corners:
        box = _Box(left, low, left + long, low + high)
        inside = box.left >= 0 and box.low >= 0 and box.right <= width and box.high <= height
        if inside and not any(box.holds(point) for point in [*others, *_dense(path)]):
            return box
    return None


def _dense(path: Path) -> Path:
    """Points along a path, one every 0.02 inches or less."""
    found = path[:1]
    for a, b in itertools.pairwise(path):
        parts = math.ceil(math.dist(a, b) / 0.02) or 1
        found += [(a[0] + (b[0] - a[0]) * k / parts, a[1] + (b[1] - a[1]) * k / parts) for k in range(1, parts + 1)]
    return found


def _in_margin(axes: Axes, named: Sequence[tuple[Series, Path]]) -> None:
    """The names to the right of the panel, each as high as its line ends unless that is taken."""
    width, height = size_of(axes)
    places = spread([path[-1][1] for _, path in named], height_of(), height_of() / 2, height)
    for (line, path), place in zip(named, places, strict=True):
        at = _fraction(axes, (width + _LEADER, place))
        axes.annotate(
            "", _fraction(axes, path[-1]), xytext=at, xycoords="axes fraction", textcoords="axes fraction",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.7, "linestyle": (0, (1, 2)), "shrinkA": 4,
                        "shrinkB": 5},
        )  # fmt: skip
        axes.plot(
            *at, transform=axes.transAxes, color=line.colour, marker=line.marker, markersize=5, clip_on=False,
            linestyle="",
        )  # fmt: skip
        axes.text(
            at[0] + _AWAY / width, at[1], line.name, transform=axes.transAxes, fontsize=TEXT, color=INK, va="center"
        )


def _fraction(axes: Axes, place: Point) -> Point:
    """Inches as parts of a panel."""
    width, height = size_of(axes)
    return place[0] / width, place[1] / height


def inches(axes: Axes, x: float, y: float) -> Point:
    """Where a point of the data is in a panel, in inches from its lower left corner."""
    width, height = size_of(axes)
    (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    if axes.get_yscale() == "log":
        bottom, top, y = math.log10(bottom), math.log10(top), math.log10(y)
    return (x - low) / (high - low) * width, (y - bottom) / (top - bottom) * height


def size_of(axes: Axes) -> tuple[float, float]:
    """Width and height of a panel in inches."""
    box, (width, height) = axes.get_position(), axes.get_figure().get_size_inches()  # type: ignore[union-attr]
    return float(box.width * width), float(box.height * height)
