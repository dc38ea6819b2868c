"""All figures of a report, in the order of its page."""

from __future__ import annotations

from analysis.reports.figures import (
    branching,
    growth,
    lengths,
    openings,
    principal,
    pruning,
    remoteness,
    scores,
    values,
)
from analysis.reports.figures.picture import Picture
from analysis.reports.findings import Findings

FIGURES = (principal, growth, lengths, values, scores, remoteness, branching, openings, pruning)
"""A module each; its ``draw(findings)`` is None where there is nothing to show."""

NAMES = tuple(figure.__name__.rpartition(".")[2] for figure in FIGURES)
"""The pictures that reports may have."""

CONSTANT = {"growth": growth, "lengths": lengths, "values": values, "remoteness": remoteness, "branching": branching,
            "pruning": pruning}  # fmt: skip
"""Those that may have but one number to show."""


def draw_figures(findings: Findings) -> list[Picture]:
    """Those that have something to show."""
    drawn = (figure.draw(findings) for figure in FIGURES)
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
    said = {name: figure.constant(findings) for name, figure in CONSTANT.items()}
    return {name: sentence for name, sentence in said.items() if sentence is not None}
