"""A figure of a report with the words that belong to it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclasses.dataclass(frozen=True)
class Picture:
    """What is drawn, and what is said of it."""

    name: str
    """Of its files, without the suffix, such as ``growth``."""
    title: str
    caption: str
    """How to read it, in a sentence or two."""
    alternative: str
    """What it shows, for whoever cannot see it: the finding and its main numbers."""
    figure: Figure
