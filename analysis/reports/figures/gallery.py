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


def draw_figures(findings: Findings) -> list[Picture]:
    """Those that have something to show."""
    drawn = (figure.draw(findings) for figure in FIGURES)
    return [picture for picture in drawn if picture is not None]
