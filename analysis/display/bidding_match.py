"""A match in a bidding game for people."""

from __future__ import annotations

from rich.console import RenderableType

from analysis.bidding.contests.match import MatchResult
from analysis.display.contests import Words, contest_tables

WORDS = Words({"X": "as X", "O": "as O", "both": "both sides"}, "X", "rounds")


def match_tables(result: MatchResult) -> list[RenderableType]:
    """Everything about a match."""
    return contest_tables(result, WORDS)
