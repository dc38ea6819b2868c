"""--count-from and how positions are read, as the command line has them."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

import analysis
from tests.support.program import one_line


def test_show(gametree):
    result = gametree("show", "tictactoe", "1235", "--count-from", 1, "--format", "json")
    wanted = analysis.solve("tictactoe")["0124"]
    assert (result.code, result.json["position"]) == (0, "XOX?O????")
    assert [move["move"] for move in result.json["moves"]] == [move.move + 1 for move in wanted.moves]
    assert [move["name"] for move in result.json["moves"]] == [str(move.move + 1) for move in wanted.moves]
    assert "counted from 1" in result.json["read_as"]
    for options, first in (((), 1), (("--count-from", 0), 0), (("--count-from", 1), 1)):
        found = gametree("show", "tictactoe", "from1:1235", "--format", "csv", *options)
        rows = list(csv.DictReader(io.StringIO(found.out)))
        assert [int(row["move"]) for row in rows] == [move.move + first for move in wanted.moves]
    assert "counted from 0" in gametree("show", "tictactoe", "0124").out
    assert "read as" not in gametree("show", "tictactoe", "a1 b1").out
    assert "read_as" not in gametree("show", "tictactoe", "XO???????", "--format", "json").json


def test_depth(gametree):
    found = gametree(
        "show", "tictactoe", "1", "--count-from", 1, "--depth", 2, "--evaluate", "lines", "--format", "json"
    )
    assert (found.json["best_move"], found.json["moves"][0]["move"], found.json["moves"][0]["name"]) == (5, 5, "5")


@pytest.mark.parametrize("spec", ["tictactoe", "mnk:rows=2,cols=5,k=3", "connect:rows=3,cols=3,k=3"])
def test_paths_are_read_again(gametree, spec):
    zero = gametree("paths", spec, "--limit", 3).out.split()
    one = gametree("paths", spec, "--limit", 3, "--count-from", 1).out.split()
    assert zero != one
    for path, other in zip(zero, one, strict=True):
        ends = [
            gametree("show", spec, text, "--format", "json", *options).json["position"]
            for text, options in ((path, ()), (other, ("--count-from", 1)), (f"from1:{other}", ()))
        ]
        assert len({*ends}) == 1


def test_files_count_from_0(gametree, tmp_path):
    out = tmp_path / "paths.txt"
    result = gametree("paths", "tictactoe", "--from", "15", "--limit", 2, "--count-from", 1, "--out", out)
    assert out.read_text().split() == gametree("paths", "tictactoe", "--from", "04", "--limit", 2).out.split()
    assert "files count from 0" in result.err
    exported = gametree("export", "tictactoe", "--to", "jsonl", "--from", "15", "--depth", 0, "--count-from", 1)
    assert exported.out == gametree("export", "tictactoe", "--to", "jsonl", "--from", "04", "--depth", 0).out != ""


def test_traps(gametree):
    zero = gametree("traps", "tictactoe", "04", "--format", "json").json
    one = gametree("traps", "tictactoe", "15", "--count-from", 1, "--format", "json").json
    assert [each["move"] - 1 for each in one["moves"]] == [each["move"] for each in zero["moves"]]
    assert [int(each["name"]) - 1 for each in one["moves"]] == [each["move"] for each in zero["moves"]]
    paths = [next(line["path"] for line in found["only_moves"] if line["side"] == "O") for found in (zero, one)]
    assert [int(digit) - 1 for digit in paths[1]] == [int(digit) for digit in paths[0]]


def test_prune(gametree):
    options = ("-a", "alphabeta", "--format", "json")
    zero = gametree("prune", "tictactoe", "0124637", *options, "--order", "permutation:876543210", "--trace").json
    order = ("--order", "permutation:987654321", "--count-from", 1)
    one = gametree("prune", "tictactoe", "1235748", *options, *order, "--trace").json
    traces = [next(iter(found["trace"].values())) for found in (zero, one)]
    moves = [[visit["move"] for visit in trace] for trace in traces]
    assert moves[1] == [None if move is None else move + 1 for move in moves[0]]
    one_line(gametree("prune", "((3 12) (2 4))", "--count-from", 1), 2, "tree")


def test_audit(gametree, tmp_path):
    zero, one, out = tmp_path / "zero.txt", tmp_path / "one.txt", tmp_path / "moves.jsonl"
    zero.write_text("0412637\n")
    one.write_text("1523748\nfrom0:0412637\n")
    wanted = gametree("audit", "tictactoe", zero, "--format", "json").json
    found = gametree("audit", "tictactoe", one, "--count-from", 1, "--format", "json", "--out", out).json
    assert [row["path"] for row in found["rows"]] == ["1523748", "1523748"]
    mistakes = [{**row, "times": row["times"] * 2} for row in wanted["frequent_mistakes"]]
    assert [row["code"] - 1 for row in found["frequent_mistakes"]] == [row["code"] for row in mistakes]
    codes = [json.loads(line)["code"] for line in out.read_text().splitlines()]
    assert codes == [0, 4, 1, 2, 6, 3, 7] * 2


def test_play(gametree, monkeypatch):
    def play(typed, *options):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        return gametree("play", "tictactoe", "--you", "both", *options)

    result = play("5\n1\n0\n", "--count-from", 1)
    assert result.code == 0
    assert "1 | 2 | 3" in result.out
    assert "X plays 5" in result.out
    assert "X gives up" in result.out
    assert "The game as a backtracker: 51" in result.out
    assert "--count-from 1" in play("5\nq\n", "--count-from", 1).out
    assert "X plays a1" in play("0\nq\n").out


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("show", "kayles", "--count-from", 1), 2, "own names"),
        (("show", "bidding:game=tictactoe,chips=4", "--count-from", 1), 2, "game of bids"),
        (("show", "tictactoe", "--count-from", 1, "0"), 2, "from 1 to 9"),
        (("show", "tictactoe", "x,x,x,o"), 2, "3 rows of 3"),
    ],
)
def test_refusals(gametree, arguments, code, word):
    one_line(gametree(*arguments), code, word)


def test_digits_are_explained_where_the_answer_does_not(gametree):
    assert "from1:04" in gametree("stats", "tictactoe", "--from", "04").err
    assert gametree("stats", "tictactoe", "--from", "a1").err.count("read as") == 0
    assert "board" in gametree("stats", "tictactoe", "--from", "000000000").err


def test_exploit(gametree):
    command = ("exploit", "tictactoe", "random", "--side", "O", "--format", "json")
    one, zero = (gametree(*command, *options).json["O"]["line"] for options in (("--count-from", 1), ()))
    assert [int(digit) - 1 for digit in one["path"]] == list(map(int, zero["path"]))
    assert "".join(one["names"]) == one["path"]
