"""Files of thresholds, and ``gametree richman``."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from analysis.bidding import richman as passes
from analysis.bidding.richman import MEASURES, SCHEMA, find_thresholds
from analysis.errors import OptionError, SpecError, TooLargeError
from analysis.games.families import load_game
from tests.support.program import one_line

# Files and the command line -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_tables_of_all_boards(suffix, tmp_path):
    path = tmp_path / f"all.{suffix}"
    found = find_thresholds("tictactoe", out=path)
    table = pd.read_parquet(path) if suffix == "parquet" else pd.read_csv(path, dtype={"position": str})
    assert list(table.columns) == SCHEMA.names
    assert (len(table), table.orbit_size.sum()) == (2694, 18753)
    assert (table.ply == table.position.str.count("[XO]")).all()
    game = load_game("tictactoe")
    assert (table.state == [game.parse_either_side(text) for text in table.position]).all()
    start = table[table.position == "?" * 9].iloc[0]
    for rule, ties in MEASURES:
        exact = [Fraction(text) for text in table[f"{rule}_ties_{ties.lower()}"].astype(str)]
        assert np.array_equal([float(value) for value in exact], table[f"{rule}_ties_{ties.lower()}_float"])
        assert Fraction(start[f"{rule}_ties_{ties.lower()}"]) == found[rule, ties].threshold
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    if suffix == "parquet":
        assert pq.read_schema(path).equals(SCHEMA)


def test_the_command(gametree):
    result = gametree("richman", "tictactoe")
    assert (result.code, result.err) == (0, "")
    for words in (
        "Richman (the winner of a bid pays the loser)",
        "a tie counts for O: X wins with more than 133/256 = 0.51953 of all money and both bid 41/256 = 0.16016 of it",
        "a tie counts for X: X wins or ties with more than 123/256 = 0.48047 of all money",
        "Poorman (the winner of a bid pays the bank)",
        "X wins with more than 396925/786688 = 0.50455 of all money, 1.018375 to 1, and both bid",
        "Boards from here on: 2,694 up to symmetry",
    ):
        assert words in " ".join(result.out.split())
    lines = result.out.splitlines()
    first = lines[next(i for i, line in enumerate(lines) if line.startswith("X's placements")) + 2]
    assert first.split() == ["4", "*", "0.35938", "*", "0.32031", "*", "0.42010", "*", "0.40945"]


def test_json_and_csv(gametree):
    text = "X??/?O?/???"
    found = find_thresholds("tictactoe", text)
    result = gametree("richman", "tictactoe", text, "--format", "json")
    assert result.json == json.loads(json.dumps(found.to_json()))
    assert result.json["thresholds"][0]["threshold"] == str(found["richman", "O"].threshold)
    assert len(result.json["thresholds"][0]["placements"]["X"]) == 7
    rows = list(csv.DictReader(io.StringIO(gametree("richman", "tictactoe", text, "--format", "csv").out)))
    assert [row["threshold"] for row in rows] == [str(t.threshold) for t in found.thresholds]
    assert [row["rule"] + row["ties"] for row in rows] == ["richmanO", "richmanX", "poormanO", "poormanX"]


def test_out_in_the_command(gametree, tmp_path):
    assert gametree("richman", "tictactoe", "XX?/?O?/???", "--out", "some.csv", "--format", "json").code == 0
    table = pd.read_csv(tmp_path / "some.csv")
    assert table.position.iloc[-1] == "XX??O????"
    assert (table.ply.iloc[0], table.ply.iloc[-1]) == (6, 0)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nim",), 2, "has no form in which either side may be given the move"),
        (("nim", "3-4-5"), 2, "has no form in which either side may be given the move"),
        (("tictactoe", "XX"), 2, "this board has 3 rows of 3"),
        (("tictactoe", "XXX/OOO/???"), 2, "play stops at the first"),
        (("wild", "XXX/???/???"), 2, "does not say who completed"),
        (("tictactoe", "--out", "some.txt"), 2, "--out some.txt: thresholds are written as .parquet or .csv"),
        (("tictactoe", "--out", "no/such/some.csv"), 1, "cannot write no/such/some.csv"),
        (("tictactoe", "--format", "xml"), 2, "format 'xml' is unknown"),
        (("tictactoe", "--symmetry", "some"), 2, "some"),
    ],
)
def test_refusals(gametree, tmp_path, arguments, code, words):
    one_line(gametree("richman", *arguments), code, words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_is_too_large_is_refused_at_once(gametree):
    one_line(gametree("richman", "connect"), 1, "has about 16,000,000,000,000 classes", "needs about")


def test_the_librarys_refusals(monkeypatch, tmp_path):
    with pytest.raises(SpecError):
        find_thresholds("nim")
    with pytest.raises(OptionError):
        find_thresholds("tictactoe", out=tmp_path / "some.json")
    monkeypatch.setattr(passes.Budget, "of_machine", lambda: passes.Budget(10**6))
    with pytest.raises(TooLargeError, match="thresholds of 2,694 boards of tictactoe"):
        find_thresholds("tictactoe")
