"""A match in a bidding game for people."""

from __future__ import annotations

from rich.console import RenderableType

from analysis.bidding.contests.bidding_match import MatchResult
from analysis.commands.display.contest_tables import Words, contest_tables

WORDS = Words({"X": "as X", "O": "as O", "both": "both sides"}, "X", "rounds")


def match_tables(result: MatchResult) -> list[RenderableType]:
    """Everything about a match."""
    return contest_tables(result, WORDS)
