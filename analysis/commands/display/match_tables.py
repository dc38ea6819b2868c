"""A match for people."""

from __future__ import annotations

from rich.console import RenderableType

from analysis.commands.display.contest_tables import ContestWords, contest_tables
from analysis.playing.matches.results import MatchResult

WORDS = ContestWords({"X": "first", "O": "second", "both": "both sides"}, "first", "plies")


def match_tables(result: MatchResult) -> list[RenderableType]:
    """Everything about a match."""
    return contest_tables(result, WORDS)
