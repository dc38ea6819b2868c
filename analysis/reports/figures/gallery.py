"""All figures of a report, in the order of its page."""

from __future__ import annotations

from collections.abc import Callable

from analysis.pictures.style import Picture, styled
from analysis.reports.figures import by_step, distributions, openings, principal_boards, remoteness, search_bars
from analysis.reports.findings import Findings

FIGURES: dict[str, Callable[[Findings], Picture | None]] = {
    "principal": styled(principal_boards.draw),
    "growth": styled(by_step.draw_growth),
    "lengths": styled(distributions.draw_lengths),
    "values": styled(by_step.draw_values),
    "scores": styled(distributions.draw_scores),
    "remoteness": styled(remoteness.draw),
    "branching": styled(by_step.draw_branching),
    "openings": styled(openings.draw),
    "pruning": search_bars.draw,
}
"""What draws the pictures that reports may have; each gives None where there is nothing to show."""

draw_position = styled(openings.draw_position)
"""What draws one position, which no report has."""

CONSTANT: dict[str, Callable[[Findings], str | None]] = {
    "growth": by_step.constant_growth,
    "lengths": distributions.constant_lengths,
    "values": by_step.constant_values,
    "remoteness": remoteness.constant,
    "branching": by_step.constant_branching,
    "pruning": search_bars.constant,
}
"""What there is to say of those that may have but one number to show."""


def draw_figures(findings: Findings) -> list[Picture]:
    """Those that have something to show."""
    drawn = (draw(findings) for draw in FIGURES.values())
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
    said = {name: constant(findings) for name, constant in CONSTANT.items()}
    return {name: sentence for name, sentence in said.items() if sentence is not None}
