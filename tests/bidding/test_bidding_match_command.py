"""`gametree match` of bidding games, as it prints them."""

from __future__ import annotations

import json

from analysis.commands import bidding_games
from analysis.commands.display.printing import show
from analysis.commands.kinds import MatchOptions
from analysis.machine.workers import no_progress
from tests.bidding.test_bidding_play import SMALL

# Matches --------------------------------------------------------------------------------------------------------------


def match(capsys, *levels, form="json", games=20, swap=False, seed=1, position=None):
    options = MatchOptions(games, swap, seed, position)
    show(form, bidding_games.match(SMALL, *levels, options, no_progress))
    return capsys.readouterr().out


def test_match_as_json(capsys):
    found = json.loads(match(capsys, "perfect", "random", swap=True, position="XO? X=2 O=2 advantage=X"))
    assert {key: found[key] for key in ("a", "b", "games", "swap", "seed", "not_computed")} == {
        "a": "perfect", "b": "random", "games": 20, "swap": True, "seed": 1, "not_computed": None,
    }  # fmt: skip
    sides = [(one["player"], one["level"], one["side"], one["games"]) for one in found["standings"]]
    a, b = (
        [("A", "perfect", side) for side in ("X", "O", "both")],
        [("B", "random", side) for side in ("X", "O", "both")],
    )
    assert sides == [(*one, 20 if one[2] == "both" else 10) for one in a + b]
    assert [(one["x"], one["o"]) for one in found["expectations"]] == [("perfect", "random"), ("random", "perfect")]
    assert found["expectations"][0]["tie"] == {"value": 1.0, "fraction": "1"}
    again = match(capsys, "Perfect ", "random", swap=True, position="XO? X=2 O=2 advantage=X")
    assert json.loads(again) == found


def test_match_as_csv_and_table(capsys):
    lines = match(capsys, "blunder:0.1", "greedy", form="csv").splitlines()
    assert lines[0].startswith(
        "player,level,side,games,wins,losses,ties,unfinished,share_wins,share_wins_low,share_wins_high"
    )
    assert [line.split(",")[:4] for line in lines[1:]] == [["A", "blunder:0.1", "X", "20"], ["B", "greedy", "O", "20"]]
    text = match(capsys, "blunder:0.1", "greedy", form="table")
    for words in ("blunder:0.1  solved here in", "  as X", "may choose, exact", "seed"):
        assert words in text
    assert "greedy       solved" not in text


def test_expectations_only(capsys):
    text = match(capsys, "random", "random", form="table", games=0)
    assert "games" not in text
    assert "random (A) against random (B), as random (A) sees it" in text
    assert "mean payoff   +0.0000" not in text  # X has the advantage
    assert "mean payoff" in text
    found = json.loads(match(capsys, "random", "random", games=0, position="XX? X=2 O=2 advantage=X"))
    assert found["standings"] == []
    assert found["expectations"][0]["payoff"] == {"value": 1.0, "fraction": "1"}
