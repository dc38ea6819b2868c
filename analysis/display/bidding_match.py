"""A match in a bidding game for people and as JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from rich.console import RenderableType

from analysis.bidding.contests.match import MatchResult
from analysis.display.contests import Words, contest_tables
from analysis.match.standings import Standing

ROW_COLUMNS = tuple(Standing("A", "", "X").to_row())
WORDS = Words({"X": "as X", "O": "as O", "both": "both sides"}, "X", "rounds")


def standings(result: MatchResult) -> list[Standing]:
    """By player and side, and of both sides together if they swapped: counts, shares and means with their intervals."""
    found = sorted((Standing(**dataclasses.asdict(tally)) for tally in result.tallies), key=lambda one: one.side != "X")
    by_player = [[one for one in found if one.player == player] for player in "AB"]
    both = [[*sides, sides[0] + sides[1]] if len(sides) == 2 else sides for sides in by_player]
    return [one for sides in both for one in sides]


def match_json(result: MatchResult) -> dict[str, Any]:
    """As ``gametree match --format json`` prints it: the same for the same seed."""
    names = ("game", "position", "a", "b", "games", "swap", "seed")
    return {
        **{name: getattr(result, name) for name in names},
        "standings": [standing.to_json() for standing in standings(result)],
        "expectations": [found.to_json() for found in result.expectations],
        "not_computed": result.not_computed or None,
    }


def match_tables(result: MatchResult) -> list[RenderableType]:
    """Everything about a match."""
    return contest_tables(result, standings(result), result.expectations, WORDS)
