"""What outcomes are called in figures: in keys, in cells and under boards."""

from __future__ import annotations

from analysis.reports import report_words
from analysis.reports.figures.numbers import clean
from analysis.reports.figures.palette import outcome_of
from analysis.reports.findings import Findings

WHOLE, LONG, SHORT = 40, 12, 8
"""Characters of a player's name in a sentence, in a key and in a cell."""


def called(findings: Findings, key: str, most: int = LONG) -> str:
    """An outcome: ``X``, ``O``, ``tie`` or ``draw``; the player's name has so many characters at ``most``.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> findings = gather(analysis.solve("mnk:rows=2,cols=2,k=2"))
    >>> called(findings, "X"), called(findings, "tie")
    ('X wins', 'tie')
    """
    return f"{clean(report_words.named(findings, key), most)} wins" if key in ("X", "O") else key


def briefly(findings: Findings, value: int, plies: int | None) -> str:
    """A value in a word; ``plies`` to the end are None in a draw.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> briefly(gather(analysis.solve("mnk:rows=2,cols=2,k=2")), 1, 2)
    'X'
    """
    key = outcome_of(value, plies).key
    if report_words.scored(findings) and key != "draw":
        return report_words.worth(value)
    return clean(report_words.named(findings, key), SHORT) if key in ("X", "O") else key


def result(findings: Findings, value: int, plies: int | None, most: int = SHORT) -> str:
    """What a position, or a move in it, is worth and in how many plies; ``plies`` are None in a draw. The player's name
    has so many characters at ``most``.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> findings = gather(analysis.solve("mnk:rows=2,cols=2,k=2"))
    >>> [result(findings, *pair) for pair in ((1, 3), (-1, 0), (0, 9), (0, 0), (0, None))]
    ['X wins in 3', 'O has won', 'tie in 9', 'tie', 'draw']
    """
    key, after = outcome_of(value, plies).key, f" in {plies}" if plies else ""
    if key not in ("X", "O"):
        return f"{key}{after}"
    name = clean(report_words.named(findings, key), most)
    if report_words.scored(findings):
        return f"{name} by {abs(value):,}{after}"
    return f"{name} wins{after}" if plies else f"{name} has won"


def shares(findings: Findings, numbers: dict[str, int], what: str, where: str = "") -> str:
    """How many of something have each outcome, with their shares.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> findings = gather(analysis.solve("mnk:rows=2,cols=2,k=2"))
    >>> shares(findings, {"X": 3, "O": 0, "tie": 0}, "game"), shares(findings, {"X": 1}, "game")
    ('All 3 games: X wins', 'The only game: X wins')
    """
    total = sum(numbers.values())
    present = {key: number for key, number in numbers.items() if number}
    if len(present) == 1:
        (key,) = present
        return f"{f'All {total:,} {what}s' if total > 1 else f'The only {what}'}{where}: {called(findings, key, WHOLE)}"
    parts = (f"{called(findings, key, WHOLE)}: {n:,} ({report_words.share(n, total)})" for key, n in present.items())
    return f"Of {report_words.some(total, what)}{where}, {'; '.join(parts)}"
