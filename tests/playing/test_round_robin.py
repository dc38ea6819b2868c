"""Round robins: who meets whom, points, what moves lost, and names that occur twice."""

import itertools
from collections import Counter

import pandas as pd
import pytest

from analysis.playing import Terms, audit, play_match
from analysis.playing.auditing import RowOptions
from tests.support.program import one_line

LEVELS = ["perfect", "random", "greedy"]
TERMS = Terms(games=20, seed=3)


def test_every_pair_meets_in_both_orders(gametree):
    call = ["match", "tictactoe", *LEVELS, "random", "--games", 20, "--seed", 3, "--out", "games.csv"]
    found = gametree(*call, "--format", "json").json
    games, names = pd.read_csv("games.csv", dtype={"path": str}), [*LEVELS, "random (2)"]
    assert {row["level"] for row in found["levels"]} == set(names)
    assert list(games.game) == list(range(120))
    assert Counter(zip(games.x, games.o, strict=True)) == dict.fromkeys(itertools.permutations(names, 2), 10)
    for row in found["levels"]:
        own = games[(games.x == row["level"]) | (games.o == row["level"])]
        won = sum(own.outcome == own.x.eq(row["level"]).map({True: "X", False: "O"}))
        assert (row["games"], row["wins"], row["ties"]) == (60, won, sum(own.outcome == "tie"))
        assert row["points"] == row["wins"] + row["ties"] / 2
        assert row["mean_plies"] == pytest.approx(own.plies.mean())
    assert sum(pair["points"] for pair in found["pairs"]) <= 120
    assert [row["points"] for row in found["levels"]] == sorted(
        (row["points"] for row in found["levels"]), reverse=True
    )


def test_a_pair_plays_the_games_of_its_match():
    found = play_match("tictactoe", LEVELS, TERMS)
    for pair in found.pair_rows():
        alone = play_match("tictactoe", [pair["a"], pair["b"]], Terms(games=20, seed=3, swap=True)).standing(
            "A", "both"
        )
        for name in ("wins", "ties", "losses", "unfinished", "plies"):
            assert pair[name] == getattr(alone, name)


@pytest.mark.parametrize(
    ("game", "levels", "position", "plies"),
    [
        ("tictactoe", ["perfect", "depth:2", "greedy"], None, 1000),
        ("tictactoe", LEVELS, "XO???????", 1000),
        pytest.param("dodgem", LEVELS, None, 30, marks=pytest.mark.slow),
        pytest.param("connect:4,4,3", LEVELS, None, 1000, marks=pytest.mark.slow),
        pytest.param("dots_and_boxes:rows=1,cols=2", LEVELS, None, 1000, marks=pytest.mark.slow),
    ],
)
def test_moves_lose_what_audit_says(game, levels, position, plies):
    terms = Terms(games=20, seed=1, start=position, max_plies=plies, out="games.csv")
    found = play_match(game, levels, terms)
    audited = {row["player"]: row for row in audit(game, "games.csv", RowOptions(start=position)).by_player()}
    for row in found.csv_rows():
        same = audited[row["level"]]
        assert [row[name] for name in ("moves", "mistakes", "value_lost")] == [
            same[name] for name in ("moves", "mistakes", "value_lost")
        ]
        assert row["level"] != "perfect" or row["value_lost"] == 0
    assert sum(row["value_lost"] for row in found.csv_rows()) > 0


def test_functions_play_too():
    def first(position):
        return position.index("?")

    found = play_match("tictactoe", [first, "random", first], Terms(games=4, seed=1))
    assert set(found.levels) == {"first", "random", "first (2)"}
    assert sum(row["points"] for row in found.to_pandas().to_dict("records")) == 12


def test_a_game_too_large_to_solve_is_played(gametree):
    found = gametree("match", "connect:6,7,4", "random", "greedy", "random", "--games", 2, "--format", "json").json
    assert found["not_judged"]
    assert {row["value_lost"] for row in found["levels"]} == {None}
    assert sum(row["points"] for row in found["levels"]) == 6


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["random"], "two levels"),
        ([*LEVELS, "--games", "3"], "even"),
        ([*LEVELS, "--games", "0"], "give 2 to"),
        (["random", "random", "perfectly"], "perfectly"),
        (["random", "random", "missing.py"], "no file missing.py"),
        ([*LEVELS, "--seconds", "1"], "--seconds"),
        ([*LEVELS, "--from", "XXX??????"], "XXX"),
        ([*LEVELS, "--out", "games.txt"], ".parquet"),
    ],
)
def test_refusals(gametree, arguments, word):
    one_line(gametree("match", "tictactoe", *arguments), 2, word)
