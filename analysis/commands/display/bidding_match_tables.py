"""A match in a bidding game for people."""

from __future__ import annotations

from rich.console import RenderableType

from analysis.commands.display.contest_tables import ContestWords, contest_tables
from analysis.playing.matches.results import MatchResult

WORDS = ContestWords({"X": "as X", "O": "as O", "both": "both sides"}, "X", "rounds")


def match_tables(result: MatchResult) -> list[RenderableType]:
    """Everything about a match."""
    return contest_tables(result, WORDS)
