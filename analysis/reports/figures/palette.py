"""The colours of a report's figures: one meaning each, in all figures.

Hues are those of Okabe and Ito ("Color Universal Design", 2008), which the colour-blind tell apart. No figure relies on
them alone: outcomes have hatches, lines have dashes and markers, and both have names beside them.
"""

from __future__ import annotations

import dataclasses

INK = "#222222"
"""Text and lines that carry the finding."""
MUTED = "#5c5c5c"
"""Text and lines beside it."""
RULE = "#d9d9d9"
"""Grids and the borders of cells."""
PAPER = "#ffffff"
"""What everything is drawn on."""

FIRST = "#0072b2"
"""What the first player, mostly X, has or wins."""
SECOND = "#d55e00"
"""What the second player, mostly O, has or wins."""
SECOND_TEXT = "#b34f00"
"""The same for text, which needs more contrast."""
TIE = "#8c8c8c"
HEAT = "#009e73"
"""Numbers of a heat map: the more, the less transparent."""
PURPLE = "#cc79a7"
AMBER = "#a66f00"
"""Okabe and Ito's orange, darkened until it stands out from white."""

MOST_TINT = 0.42
"""The greatest opacity of a tint that has text on it."""

DARK = {
    INK: "#ececec",
    MUTED: "#a9aeb6",
    RULE: "#3b4048",
    PAPER: "#14171c",
    FIRST: "#56b4e9",
    SECOND: "#f08a3c",
    SECOND_TEXT: "#f59a55",
    TIE: "#979797",
    HEAT: "#2fbf95",
    PURPLE: "#dd93bd",
    AMBER: "#e69f00",
}
"""The same roles on a dark page."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How an outcome is drawn wherever it is."""

    key: str
    """As statistics call it: ``X``, ``tie``, ``draw`` or ``O``."""
    colour: str
    text: str
    """The colour of words about it."""
    hatch: str
    """Told apart without colour, too."""


OUTCOMES = (
    Outcome("X", FIRST, FIRST, ""),
    Outcome("tie", TIE, MUTED, "---"),
    Outcome("draw", MUTED, MUTED, "xxx"),
    Outcome("O", SECOND, SECOND_TEXT, "////"),
)
"""In the order in which they are stacked, from below."""

BY_KEY = {outcome.key: outcome for outcome in OUTCOMES}


def outcome_of(value: int, remoteness_plies: int | None) -> Outcome:
    """What a position of this value is: one without a remoteness is a draw.

    >>> outcome_of(-3, 2).key, outcome_of(0, None).key
    ('O', 'draw')
    """
    if remoteness_plies is None:
        return BY_KEY["draw"]
    return BY_KEY["X" if value > 0 else "O" if value < 0 else "tie"]
