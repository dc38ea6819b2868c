"""All figures of a report, in the order of its page."""

from __future__ import annotations

from analysis.reports.figures import (
    branching,
    lengths,
    openings,
    position_growth,
    principal_boards,
    remoteness,
    scores,
    search_bars,
    values,
)
from analysis.reports.figures.style import Picture
from analysis.reports.findings import Findings

FIGURES = {
    "principal": principal_boards,
    "growth": position_growth,
    "lengths": lengths,
    "values": values,
    "scores": scores,
    "remoteness": remoteness,
    "branching": branching,
    "openings": openings,
    "pruning": search_bars,
}
"""The pictures that reports may have; ``draw(findings)`` of each module is None where there is nothing to show."""

CONSTANT = ("growth", "lengths", "values", "remoteness", "branching", "pruning")
"""Those that may have but one number to show."""


def draw_figures(findings: Findings) -> list[Picture]:
    """Those that have something to show."""
    drawn = (figure.draw(findings) for figure in FIGURES.values())
    return [picture for picture in drawn if picture is not None]


def instead(findings: Findings) -> dict[str, str]:
    """A sentence for each figure that is left out because all its numbers are the same, by the figure's name.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> instead(gather(analysis.solve("mnk:rows=1,cols=1,k=1")))["lengths"]
    'The only game: X wins, after 1 ply.'
    """
    if not findings.openings:
        return {}
    said = {name: FIGURES[name].constant(findings) for name in CONSTANT}
    return {name: sentence for name, sentence in said.items() if sentence is not None}
