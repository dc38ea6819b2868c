"""``gametree stats`` of several games: one table with a column for each."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from fractions import Fraction

import pytest

from analysis.playing import expect
from tests.support.program import ROOT, one_line

GAMES = ("tictactoe", "tictactoe:misere=true")
OWN = """
from dataclasses import dataclass
from gametree.games.nim import Nim


@dataclass(frozen=True)
class Own(Nim):
    family = "own"
"""


def test_numbers_of_two_variants(gametree):
    rows = gametree("stats", *GAMES, "--format", "json").json
    plain, misere = rows
    assert [row["games_x"] for row in rows] == [131184, 77904]
    assert [row["optimal_paths"] for row in rows] == [3584, 200]
    assert [(row["first_moves"], row["optimal_first_moves"]) for row in rows] == [(9, 9), (9, 1)]
    assert [row["blunder_start"] for row in rows] == [0, 8 / 9]
    assert plain["random_x"] == misere["random_o"] == float(Fraction(737, 1260))
    assert plain["games_x_share"] == 131184 / 255168
    for row, game in zip(rows, GAMES, strict=True):
        assert row["game"].startswith(game)
        exact = expect(game, "random", "random")
        assert [row[f"random_{name}"] for name in ("x", "o", "tie")] == [
            float(chance) for chance in (exact.x_wins, exact.o_wins, exact.tie)
        ]


def test_csv_has_a_column_for_each(gametree):
    lines = {
        line["number"]: line for line in csv.DictReader(io.StringIO(gametree("stats", *GAMES, "--format", "csv").out))
    }
    assert [lines["games_x"][game] for game in GAMES] == ["131184", "77904"]
    assert [lines["loopy"][game] for game in GAMES] == ["false", "false"]


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_tables(gametree, form):
    found = gametree("stats", *GAMES, "dodgem", "tictactoe", "--format", form, "--wide")
    assert found.code == 0
    line = next(line for line in found.out.splitlines() if "games total" in line)
    assert line.count("255,168") == 3
    assert "-" in line  # games of dodgem have no end


def test_narrow_tables_fit(gametree):
    found = gametree(
        "stats", "tictactoe", "nim:1-2", "hex:n=2", "kayles:pins=3", "nim:2-2", "nim:1", "hex:n=1", "nim:3"
    )
    assert max(map(len, found.out.splitlines())) <= 80


def test_from_a_position_of_all(gametree):
    found = gametree("stats", "tictactoe", "wild", "--from", "XO???????", "--format", "json")
    assert [row["positions"] for row in found.json] == [654, 2066]


def test_solutions_with_less(gametree, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    solving = [sys.executable, ROOT / "cli.py", "solve", "own.py:Own:heaps=1-2", "--out", "own"]
    subprocess.run(solving, check=True, capture_output=True)  # elsewhere, so that the game has not been named here
    (tmp_path / "own.py").unlink()
    assert gametree("solve", "nim:1-2", "--out", "bare", "--no-counts").code == 0
    own, bare, nim = gametree("stats", "own", "bare", "nim:1-2", "--format", "json").json
    unknown = ("first_moves", "optimal_first_moves", "random_x", "random_o", "random_tie", "blunder_start")
    named = ("game", "start", "symmetry_order")
    assert {name: own[name] for name in nim if name not in named} == {
        name: None if name in unknown else nim[name] for name in nim if name not in named
    }
    assert bare["games_total"] is bare["games_x_share"] is None
    assert [bare[name] for name in unknown] == [nim[name] for name in unknown]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tictactoe", "nosuch"), "nosuch"),
        (("tictactoe", "bidding:game=tictactoe,chips=4"), "game of bids"),
        (("bidding:game=tictactoe,chips=4", "tictactoe"), "game of bids"),
        (("tictactoe", "nim:1-2", "--from", "XO???????"), "nim"),
    ],
)
def test_refusals(gametree, words, said):
    found = gametree("stats", *words)
    one_line(found, found.code, said)
    assert found.code in (1, 2)
