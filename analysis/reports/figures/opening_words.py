"""What is said of the figure of first moves."""

from __future__ import annotations

from analysis.reports import report_words
from analysis.reports.figures.numbers import clean
from analysis.reports.figures.outcomes import SHORT, WHOLE, result
from analysis.reports.findings import Findings, Opening


def caption(findings: Findings) -> str:
    """How to read the boards."""
    said = (
        "Each first move on the cell that stands for it. Its value, bold where the move is optimal, and the plies to "
        "the end, this move included"
    )
    if findings.openings[0].games is not None:
        said += "; the games that begin with it and, as a bar, who wins them"
    if findings.openings[0].optimal_paths is not None:
        said += "; and the optimal paths that begin with it, the deeper the green the more"
    return said + ". Numbers are rounded where they would not fit; the table has them in full."


def alternative(findings: Findings) -> str:
    """The best moves, and what they and all first moves lead to."""
    openings = findings.openings
    kept = [opening for opening in openings if opening.move.optimal]
    names = [clean(opening.move.name) for opening in kept[:12]] + (["and so on"] if len(kept) > 12 else [])
    if len(openings) == 1:
        return f"The only first move, {_described(findings, kept[0])}."
    said = f"{report_words.some(len(openings), 'first move')}, {len(kept)} of them optimal ({', '.join(names)}). "
    said += f"The best, {_described(findings, kept[0])}."
    if len(kept) < len(openings):
        said += f" The worst, {_described(findings, openings[-1])}."
    return said


def _described(findings: Findings, opening: Opening) -> str:
    """A move with its value and counts."""
    move = opening.move
    said = f"{clean(move.name)}, {value(findings, opening, WHOLE)}"
    if opening.games is not None:
        said += f", begins {report_words.some(opening.games.total, 'game')}"
    if opening.optimal_paths is not None:
        said += f" and {report_words.some(opening.optimal_paths, 'optimal path')}"
    return said


def value(findings: Findings, opening: Opening, most: int = SHORT) -> str:
    """What a move is worth and the plies to the end of the game, this move included; names have so many characters at
    ``most``.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> findings = gather(analysis.solve("mnk:rows=2,cols=2,k=2"))
    >>> value(findings, findings.openings[0])
    'X wins in 3'
    """
    return result(findings, opening.move.value, plies_to_end(opening), most)


def plies_to_end(opening: Opening) -> int | None:
    """Plies of the rest of the game, this move included; None in a draw, which has no end."""
    plies = opening.move.remoteness_plies
    return None if plies is None else plies + 1
