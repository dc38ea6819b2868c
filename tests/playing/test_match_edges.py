"""Matches at the edges: functions that play, rules that say less than is true, games that are all alike."""

from __future__ import annotations

import csv
import itertools

import pytest

import analysis
from analysis.errors import PositionError, TooLargeError
from analysis.machine.memory import Budget
from analysis.playing import Terms
from analysis.playing.match import play_match
from tests.playing.test_notation import OWN
from tests.support.program import one_line

# Functions, and rules that say less than is true ----------------------------------------------------------------------


def first_free(position: str) -> int:
    return position.index("?")


def test_a_function_plays(tmp_path):
    """Beside a level; nothing is expected of it, and illegal moves are refused by name."""
    result = play_match("tictactoe", first_free, "perfect", Terms(games=60, swap=True, seed=1, out=tmp_path / "g.csv"))
    assert (result.a, result.standing("A", "both").games) == ("first_free", 60)
    assert result.standing("A", "both").wins == 0 < result.standing("A", "both").losses
    assert (result.expectations, result.not_computed) == ((), "what a function plays is known only by playing it")
    for row in csv.DictReader((tmp_path / "g.csv").read_text().splitlines()):
        own = row["path"][row["o"] == "first_free" :: 2]
        played = [int(code) for code in row["path"]]
        for move, code in zip(range(row["o"] == "first_free", 9, 2), own, strict=False):
            assert int(code) == min(set(range(9)) - set(played[:move]))
    with pytest.raises(PositionError, match=r"first_free plays 0 in .{9}; legal are"):
        play_match("tictactoe", lambda_named("first_free", lambda position: 0), "random", Terms(games=5, seed=1))


def lambda_named(name: str, function):
    function.__name__ = name
    return function


@pytest.mark.parametrize("levels", [("random", "random"), ("greedy", "depth:1")])
def test_games_longer_than_the_rules_say(gametree, tmp_path, levels):
    """They are no unfinished games: the rules are wrong."""
    for bound in (3, 0, 12):
        (tmp_path / f"{bound}.py").write_text(OWN.replace("tier=tier)", f"tier=tier, max_plies={bound})"))
    for bound in (3, 0):
        refused = gametree("match", f"{bound}.py:Count", *levels, "--games", 5, "--out", "g.csv")
        one_line(refused, 1, f"go on after {bound} plies, but its rules say max_plies={bound}")
        assert not (tmp_path / "g.csv").exists()
    assert gametree("match", "12.py:Count", *levels, "--games", 5, "--max-plies", 3).code == 0


def test_expectations_do_not_cost_the_games(gametree, tmp_path, monkeypatch):
    """What is wrong with a stored solution that nobody asked for is said beside what was played."""
    (tmp_path / "data" / "tictactoe").mkdir(parents=True)
    (tmp_path / "data" / "tictactoe" / "manifest.json").write_text("{}")
    found = gametree("match", "tictactoe", "random", "random", "--games", 10, "--seed", 1, "--format", "json")
    assert (found.code, found.json["standings"][0]["games"], found.json["expectations"]) == (0, 10, [])
    assert "manifest.json" in found.json["not_computed"]


def test_a_stored_solution_that_does_not_fit_memory_is_looked_up(monkeypatch, tmp_path):
    analysis.solve("tictactoe", directory=tmp_path / "s")
    monkeypatch.setattr("analysis.playing.simulation.Budget.of_machine", lambda: Budget(1000))
    result = play_match(str(tmp_path / "s"), "perfect", "random", Terms(games=20, seed=1))
    assert result.standing("A", "X").losses == 0
    assert result.expectations == ()
    assert "playing by 765 classes needs about" in result.not_computed
    with pytest.raises(TooLargeError, match="playing by 765 classes"):
        play_match(str(tmp_path / "s"), "perfect", "random", Terms(games=0))


def test_searching_perfect_players_are_not_those_of_the_expectations(monkeypatch):
    """They win as fast as they can, which the solution's need not."""
    monkeypatch.setattr("analysis.playing.knowledge.solve", lambda *_, **__: (_ for _ in ()).throw(TooLargeError("no")))
    result = play_match("mnk:rows=3,cols=4,k=3", "perfect", "random", Terms(games=5, seed=1, position="XO??X???????"))
    assert result.expectations == ()
    assert "prefers the quickest wins" in result.not_computed


def test_intervals_say_nothing_where_all_games_are_alike():
    standing = play_match("mnk:rows=1,cols=4,k=2", "perfect", "random", Terms(games=20, seed=1)).standing("A", "X")
    assert (standing.payoff.value, standing.payoff.low, standing.payoff.high) == (1.0, None, None)
    few = play_match("tictactoe", "perfect", "random", Terms(games=10, seed=3)).standing("A", "X")
    assert few.payoff.high is None or few.payoff.high <= 1


def test_both_orders_without_games(gametree):
    for spec in ("tictactoe", "bidding:game=mnk:rows=1,cols=3,k=2,chips=1"):
        out = gametree("match", spec, "greedy", "random", "--games", 0, "--format", "csv").out
        rows = list(csv.DictReader(out.splitlines()))
        assert [(row["player"], row["side"]) for row in rows] == list(itertools.product("AB", ("X", "O", "both")))
        assert all(0 <= float(row["expected_wins"]) <= 1 for row in rows)
        assert float(rows[0]["expected_wins"]) == float(rows[4]["expected_losses"])
