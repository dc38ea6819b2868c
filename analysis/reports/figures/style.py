"""What all pictures share: figures of their own, a style that no setting of the user's changes, colours, and bytes.

No picture touches matplotlib's global state, so that a notebook goes on drawing as it did.
"""

from __future__ import annotations

import functools
import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

FORMATS = ("svg", "png", "pdf")

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Told apart by the colour-blind too: Okabe and Ito, "Color Universal Design" (2008)."""

INK, PALE, GRID = "#222222", "#888888", "#dddddd"

_STYLE = {
    "svg.hashsalt": "gametree",  # the same picture is the same file
    "svg.fonttype": "none",  # text stays text
    "text.parse_math": False,  # a name may have dollar signs
}
_METADATA: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Run a function that draws in gametree's style, whatever the user's settings of matplotlib are."""

    @functools.wraps(draw)
    def run(*args: P.args, **options: P.kwargs) -> T:
        import matplotlib

        own: dict[Any, Any] = {name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # settings that are deprecated have defaults too
            context = matplotlib.rc_context(own | _STYLE)
            context.__enter__()
        try:
            return draw(*args, **options)
        finally:
            context.__exit__(None, None, None)

    return run


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of this size in inches with one pair of axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def tidy(axes: Axes) -> None:
    """Two spines and a pale grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(visible=True, which="major", axis="both", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)


@styled
def picture_bytes(figure: Figure, form: str, dots_per_inch: int = 150) -> bytes:
    """The picture as one of `FORMATS`; the same figure gives the same bytes."""
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a script that the font lacks is still text in an SVG
        figure.savefig(file, format=form, metadata=_METADATA[form], dpi=dots_per_inch)
    return file.getvalue()
