"""`gametree match`: what it prints, writes and refuses."""

from __future__ import annotations

import csv
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from analysis.errors import OptionError
from analysis.playing import Terms
from analysis.playing import match as matches
from analysis.playing.match import expect, play_match
from tests.playing.test_match import agrees, replay
from tests.support.program import ROOT, one_line

# The program ----------------------------------------------------------------------------------------------------------


def test_json_csv_and_table_say_the_same(gametree):
    command = ["match", "tictactoe", "perfect", "random", "--games", 1000, "--swap", "--seed", 1]
    found = gametree(*command, "--format", "json")
    assert (found.code, found.err) == (0, "")
    expected = play_match("tictactoe", "perfect", "random", Terms(games=1000, swap=True, seed=1))
    assert found.json == json.loads(json.dumps(expected.to_json()))
    rows = list(csv.DictReader(gametree(*command, "--format", "csv").out.splitlines()))
    assert [(row["player"], row["side"]) for row in rows] == list(itertools.product("AB", ("X", "O", "both")))
    for row, standing in zip(rows, found.json["standings"], strict=True):
        assert int(row["wins"]) == standing["wins"]
        assert float(row["share_wins_low"]) == standing["share_wins"]["low"]
        assert float(row["mean_plies"]) == standing["mean_plies"]["value"]
        assert float(row["expected_wins"]) == pytest.approx(float(row["share_wins"]), abs=0.06)
        assert float(row["expected_payoff"]) == pytest.approx(float(row["mean_payoff"]), abs=0.06)


def test_csv_without_games_is_what_to_expect(gametree):
    found = gametree("match", "mnk:rows=2,cols=3,k=3", "greedy", "random", "--games", 0, "--swap", "--format", "csv")
    rows = {(row["player"], row["side"]): row for row in csv.DictReader(found.out.splitlines())}
    first, second = (
        expect("mnk:rows=2,cols=3,k=3", "greedy", "random"),
        expect("mnk:rows=2,cols=3,k=3", "random", "greedy"),
    )
    assert float(rows["A", "X"]["expected_wins"]) == float(first.x_wins) == float(rows["B", "O"]["expected_losses"])
    assert float(rows["A", "O"]["expected_payoff"]) == -float(second.payoff)
    assert float(rows["A", "both"]["expected_wins"]) == float(first.x_wins + second.o_wins) / 2
    assert (rows["A", "X"]["games"], rows["A", "X"]["share_wins"]) == ("0", "")


@pytest.mark.slow
def test_all_kinds_of_files_hold_the_same(gametree, tmp_path):
    command = ["match", "morris", "greedy", "random", "--games", 50, "--seed", 2, "--swap", "--max-plies", 12, "--out"]
    for name in ("g.csv", "g.JSONL", "g.parquet"):
        assert gametree(*command, tmp_path / name).code == 0
    parquet = pd.read_parquet(tmp_path / "g.parquet")
    texts = pd.read_csv(tmp_path / "g.csv", dtype={"path": str})
    lines = pd.read_json(tmp_path / "g.JSONL", lines=True, dtype={"path": str})
    for frame in (texts, lines):
        assert frame.astype(str).equals(parquet.astype(str))
    assert {"unfinished"} < set(parquet.outcome)
    for row in parquet.itertuples():
        replay("morris", row, max_plies=12)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["g.JSONL", "g.csv", "g.parquet"]


def test_refusals(gametree, tmp_path):
    ten = ["--games", 10]
    one_line(gametree("match", "tictactoe", "perfect", "good", *ten), 2, "level 'good'", "blunder:P")
    one_line(gametree("match", "tictacto", "perfect", "random", *ten), 2, "tictacto")
    one_line(gametree("match", "tictactoe", "random", "random", "--games", "many"), 2, "--games")
    one_line(gametree("match", "tictactoe", "random", "random", "--games", -1), 2, "--games")
    one_line(gametree("match", "tictactoe", "random", "random", "--games", 10**13), 2, "give 0 to")
    one_line(gametree("match", "tictactoe", "random", "random", *ten, "--seed", -1), 2, "-1 is no seed")
    one_line(gametree("match", "tictactoe", "random", "random", *ten, "--seed", 1 << 64), 2, "is no seed")
    one_line(gametree("match", "tictactoe", "random", "random", *ten, "--max-plies", 10**9), 2, "--max-plies 1 to")
    one_line(gametree("match", "tictactoe", "random", "random", *ten, "--move-seconds", 1), 2, "neither level is one")
    one_line(gametree("match", "tictactoe", "depth:2", "random", *ten, "--move-seconds", 0), 2, "no time to search")
    one_line(
        gametree("match", "tictactoe", "depth:2", "random", "--games", 0, "--move-seconds", 1),
        2,
        "known only by playing",
    )
    one_line(gametree("match", "tictactoe", "random", "random", "--from", "XXXOO????"), 2, "the game is over at")
    one_line(gametree("match", "tictactoe", "random", "random", "--from", "XXXXX????"), 2, "XXXXX????")
    one_line(gametree("match", "tictactoe", "random", "random", "--format", "xml"), 2, "format 'xml'")
    bidding = "bidding:game=mnk:rows=1,cols=3,k=2,chips=2"
    one_line(gametree("match", bidding, "random", "random", "--max-plies", 5), 2, "--max-plies is not for bidding")
    with pytest.raises(OptionError, match="levels also bid"):
        play_match(bidding, "random", "random")
    for name, code, words in (
        ("games.txt", 2, "must end in .parquet, .csv or .jsonl"),
        ("there/is/none.csv", 1, "there is no directory"),
    ):
        one_line(gametree("match", "tictactoe", "random", "random", *ten, "--out", tmp_path / name), code, words)
    (tmp_path / "folder.csv").mkdir()
    out = ["--out", tmp_path / "folder.csv"]
    one_line(gametree("match", "tictactoe", "random", "random", *ten, *out), 1, "it is a directory")
    one_line(gametree("match", "tictactoe", "random", "random", "--games", 0, *out), 2, "--games 0 plays none")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder.csv"]


BROKEN = """
import dataclasses

from analysis import ONGOING, Game, Rules


@dataclasses.dataclass(frozen=True)
class Broken(Game):
    family = "broken"

    def rules(self):
        def outcome(state):
            return ONGOING

        def legal_moves(state, out):
            out[0] = 0
            return 1 FAULT

        def play(state, move):
            return state + 1

        def to_move(state):
            return 1 - 2 * (state & 1)

        return Rules(start=0, max_moves=1, legal_moves=legal_moves, play=play, outcome=outcome, to_move=to_move)
"""


def test_rules_that_fail_and_games_that_do_not_end(gametree, tmp_path):
    for name, fault, words in (
        ("divides", "+ 0 // (5 - state)", "zero"),
        ("stops", "if state < 5 else 0", "position 5 has no legal move"),
        ("many", "if state < 5 else 2", "at position 5: legal_moves() returns 2; it is a number from 0 to max_moves=1"),
    ):
        (tmp_path / f"{name}.py").write_text(BROKEN.replace("FAULT", fault))
        found = gametree("match", f"{tmp_path}/{name}.py:Broken", "random", "greedy", "--games", 10)
        assert found.code == 1
        assert words in found.err
        assert "Traceback" not in found.err
    (tmp_path / "endless.py").write_text(BROKEN.replace("FAULT", ""))
    with pytest.raises(OptionError):
        play_match("tictactoe", "random", "random", Terms(max_plies=0))


def test_games_that_nobody_finishes(tmp_path):
    (tmp_path / "line.py").write_text(BROKEN.replace("FAULT", "").replace("state + 1", "(state + 1) % 6").replace(
        "start=0", "start=0, loopy=True"))  # fmt: skip
    result = play_match(f"{tmp_path}/line.py:Broken", "random", "perfect", Terms(games=20, seed=1, max_plies=33))
    standing = result.standing("A", "X")
    assert (standing.unfinished, standing.length.value, standing.payoffs) == (20, 33, 0)
    assert result.expectations[0].unfinished == 1
    assert result.expectations[0].plies == 33


def test_a_large_game_needs_no_solution(gametree):
    command = ["match", "connect:rows=6,cols=7,k=4", "greedy", "random", "--games", 200, "--seed", 1]
    found = gametree(*command, "--format", "json")
    assert (found.code, found.err) == (0, "")
    assert found.json["standings"][0]["wins"] > 150
    assert "connect" in found.json["not_computed"]


def test_what_takes_long_is_computed_when_asked_for(monkeypatch):
    monkeypatch.setattr(matches, "MOST_UNASKED_CLASSES", 100)
    beside = play_match("tictactoe", "greedy", "random", Terms(games=10))
    assert (beside.expectations, beside.not_computed.partition(";")[0]) == ((), "the game has 765 classes")
    assert len(play_match("tictactoe", "greedy", "random", Terms(games=0)).expectations) == 2


@pytest.mark.slow
def test_without_jit(tmp_path):
    script = (
        "import json; from analysis.playing.match import play_match as play\n"
        "games = [('tictactoe', 'greedy', 'blunder:0.5'), ('nim:heaps=2-2-2', 'perfect', 'random')]\n"
        "print(json.dumps([play(*game, games=60, seed=3, swap=True).to_json() for game in games]))"
    )
    found = []
    for off in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": off, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-W", "error", "-c", script]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert found[0] == found[1]


@pytest.mark.slow
def test_more_simulations():
    for spec in ("tictactoe", "hexapawn", "connect:rows=3,cols=4,k=3"):
        for a, b in itertools.combinations(("random", "greedy", "perfect", "perfect:shortest", "blunder:0.2"), 2):
            result = play_match(spec, a, b, Terms(games=20_000, swap=True, seed=11))
            agrees(result, result.expectations[0])
            agrees(result, result.expectations[1], "B")


def test_files_are_streamed(tmp_path):
    """Several groups of rows, one file."""
    import pyarrow.parquet as pq

    path = Path(tmp_path, "many.parquet")
    play_match("tictactoe", "random", "random", Terms(games=150_000, seed=1, out=path))
    file = pq.ParquetFile(path)
    assert file.metadata.num_rows == 150_000
    assert file.num_row_groups > 1
