"""Give all pictures the same colours, a style independent of the user's settings, and reproducible bytes.

No figure relies on colours alone: outcomes have hatches, lines have dashes and markers, and both are labelled.
Matplotlib's global state is left alone, so that a notebook keeps drawing as before.
"""

from __future__ import annotations

import contextlib
import functools
import io
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

from ..common.pages import ROLES
from ..common.wording import outcome_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

FORMATS = ("svg", "png", "pdf")

INK, MUTED, RULE, PAPER, FIRST, SECOND, SECOND_TEXT, TIE, HEAT, PURPLE, AMBER = (
    light for role, (light, _) in ROLES.items() if role != "loss"
)
"""Text and lines that carry the finding, and less important ones; grids; the background; the first player (mostly X)
and the second; the same for text, which needs more contrast; ties; further lines. Amber is Okabe and Ito's orange,
darkened to stand out from white.
"""

TEXT_ROLES = ("ink", "muted", "first", "second-text")
"""The only colours of text, with a contrast of at least 4.5:1 on paper, light or dark. The others except ``rule``, the
pale grid, are for marks: at least 3:1 (WCAG 2.2, 1.4.3 and 1.4.11).
"""

TINT = 0.3
"""Opacity of a tint with marks or text on it."""

TEXT = 10.0
"""Points of all text, so that none is smaller than 10 pixels on a phone; text that is too wide is cut, not shrunk."""

_STYLE = {
    "svg.hashsalt": "gametree",  # the same picture is the same file
    "svg.fonttype": "none",  # text stays text
    "text.parse_math": False,  # a name may have dollar signs
    "font.size": TEXT,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlesize": TEXT,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "figure.constrained_layout.h_pad": 0.09,
    "figure.constrained_layout.w_pad": 0.09,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "hatch.color": PAPER,
    "legend.fontsize": TEXT,
    "legend.frameon": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
}
_METADATA = {"svg": ("Date", "Creator", "Format", "Type"), "pdf": ("CreationDate",), "png": ()}
"""The metadata left out of each format."""


class Outcome(NamedTuple):
    """How an outcome is drawn everywhere."""

    key: str
    """``X``, ``tie``, ``draw`` or ``O``."""
    colour: str
    text: str
    """Colour of text about it."""
    hatch: str
    """Distinguishes it without colour."""

    @property
    def look(self) -> dict[str, Any]:
        """Its bar's style in matplotlib."""
        return {"facecolor": self.colour, "edgecolor": PAPER, "hatch": self.hatch or None}


OUTCOMES = (
    Outcome("X", FIRST, FIRST, ""),
    Outcome("tie", TIE, MUTED, "---"),
    Outcome("draw", MUTED, MUTED, "xxx"),
    Outcome("O", SECOND, SECOND_TEXT, "////"),
)
"""In stacking order, from below."""


def outcome_of(value: int, remoteness_plies: int | None) -> Outcome:
    """Return the outcome of a position with this value; without a remoteness it is a draw."""
    return next(outcome for outcome in OUTCOMES if outcome.key == outcome_key(value, remoteness_plies))


class Picture(NamedTuple):
    """A figure of a report with its texts."""

    name: str
    """Name of its files, without suffix, such as ``growth``."""
    title: str
    caption: str
    """How to read it, in a sentence or two."""
    figure: Figure


def clean(text: str, most: int = 40) -> str:
    """Return a name on one line, cut after ``most`` characters, without characters that XML cannot hold.

    >>> clean("a\\nb\\x00"), clean("abcdefgh", 5), clean("turned \\u202eround")
    ('a b·', 'abcd…', 'turned ·round')
    """
    line = " ".join(text.split())
    shown = "".join(char if char.isprintable() else "·" for char in line)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


@functools.lru_cache(maxsize=10_000)
def width_of(text: str) -> float:
    """Return the width of a text in inches, in the font that comes with matplotlib: the same on every machine."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        properties = FontProperties(family="DejaVu Sans", size=TEXT)
        width, _, _ = TextToPath().get_text_width_height_descent(text, properties, ismath=False)
    return float(width) / 72


def fit(text: str, width: float) -> str:
    """Return the part of a text that fits this width in inches, at least its first character.

    >>> fit("no wider than that", 9.0), fit("no wider than that", 0.5)
    ('no wider than that', 'no w…')
    """
    shown = text
    while width_of(shown) > width and len(shown) > 2:
        shown = shown[:-2].rstrip() + "…"
    return shown


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Make a drawing function use gametree's style, whatever the user's matplotlib settings."""

    @functools.wraps(draw)
    def run(*args: P.args, **options: P.kwargs) -> T:
        import matplotlib

        usual: dict[Any, Any] = {name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"}
        with contextlib.ExitStack() as settings:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # deprecated settings have defaults too
                settings.enter_context(matplotlib.rc_context(usual | _STYLE))
            return draw(*args, **options)

    return run


@styled
def picture_bytes(figure: Figure, form: str, title: str | None = None) -> bytes:
    """Return the picture as one of `FORMATS`, with a title for screen readers; the same figure gives the same bytes."""
    file, metadata = io.BytesIO(), dict.fromkeys(_METADATA[form]) | ({} if title is None else {"Title": title})
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # characters missing in the font are still text in an SVG
        if figure.get_layout_engine() is not None:  # lay out once, since doing it again moves things slightly
            figure.draw_without_rendering()
            figure.set_layout_engine(None)
            for axes in figure.axes:  # earlier drawing may change the last digits of a layout
                left, bottom, width, height = (round(number, 6) for number in axes.get_position().bounds)
                axes.set_position((left, bottom, width, height))
        figure.savefig(file, format=form, metadata=metadata, dpi=150)
    return file.getvalue()
