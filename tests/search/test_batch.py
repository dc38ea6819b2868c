"""What is found of many positions is what is found of each."""

from __future__ import annotations

import csv
import io
import itertools
import json

import pytest

import analysis
from analysis.errors import OptionError, PositionError
from analysis.search import find_positions, finding
from analysis.search.finding import find_position
from tests.support.program import one_line


@pytest.mark.parametrize("spec", ["tictactoe", "nim:heaps=3-2", "hexapawn", "tictactoe --symmetry residual"])
@pytest.mark.parametrize("stored", [True, False])
def test_rows_are_what_the_solution_says(spec, stored, monkeypatch, gametree):
    monkeypatch.setattr(finding, "TOGETHER", 100)
    spec, _, symmetry = spec.partition(" --symmetry ")
    if stored:
        gametree("solve", spec, "--symmetry", symmetry or "geometric")
    texts = [position.position for position in itertools.islice(analysis.solve(spec), 500)]
    solution = analysis.solve(spec, symmetry=symmetry or "geometric")
    found = list(find_positions(spec, iter(texts), symmetry=symmetry or None))
    assert [row.given for row in found] == texts
    for row in found:
        known = solution[row.given]
        assert (row.position, row.to_move, row.value, row.remoteness_plies) == (
            known.position, known.to_move, known.value, known.remoteness_plies,
        )  # fmt: skip
        assert list(row.best_moves) == [move.move for move in known.moves if move.optimal]
        assert list(row.best_names) == [move.name for move in known.moves if move.optimal]
        assert row.exact
        assert ("data/" in row.source) == stored


def test_what_is_no_position_keeps_its_place():
    found = list(find_positions("tictactoe", ["0", "00", "", PositionError("broken"), 7, "01"]))
    assert [row.error is None for row in found] == [True, False, False, False, False, True]
    assert [row.given for row in found] == ["0", "00", "", "", "", "01"]
    assert found[3].error == "broken"


def test_what_play_does_not_reach_is_told():
    rows = list(find_positions("connect:rows=3,cols=3,k=3", ["0", "??X/X?X/OOO", "1"]))
    assert [row.error is None for row in rows] == [True, False, True]


def test_a_game_that_is_too_large_is_searched():
    late = "moves:14412435504063241164665511256052"
    found = list(find_positions("connect", [late, "0" * 7, late, "3"], seconds=4))
    assert found[0] == found[2]
    assert (found[0].exact, found[0].value) == (True, find_position("connect", late).known.value)
    assert found[1].error
    assert found[3].exact is False


def test_refusals_come_at_once():
    with pytest.raises(OptionError):
        find_positions("tictactoe", [], seconds=0)
    assert list(find_positions("tictactoe", [])) == []


# The command ----------------------------------------------------------------------------------------------------------


def test_a_file_in_each_format(gametree, tmp_path):
    (tmp_path / "some.txt").write_text("XOX?O????\n\n  0 4 \n")
    found = gametree("show", "tictactoe", "some.txt", "--format", "json")
    rows = json.loads(found.out)
    assert [(row["line"], row["value"], row["remoteness_plies"], row["best_moves"]) for row in rows] == [
        (1, 0, 5, [7]),
        (3, 0, 7, [1, 2, 3, 5, 6, 7, 8]),
    ]
    told = list(csv.DictReader(io.StringIO(gametree("show", "tictactoe", "some.txt", "--format", "csv").out)))
    assert [(row["line"], row["position"], row["best_moves"], row["exact"]) for row in told] == [
        ("1", "XOX?O????", "7", "true"),
        ("3", "X???O????", "1-2-3-5-6-7-8", "true"),
    ]
    table = gametree("show", "tictactoe", "some.txt").out
    assert "XOX?O????" in table
    assert max(map(len, table.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("some.csv", "player,position\nA,01\nB,zz\nC\n"),
        ("some.jsonl", '{"position": "01"}\n{"position": "zz"}\n{"x": 1}\n'),
    ],
)
def test_rows_that_are_none_are_told_by_line(gametree, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = gametree("show", "tictactoe", name, "--format", "json")
    assert found.code == 1
    rows = json.loads(found.out)
    assert [row["error"] is None for row in rows] == [True, False, False]
    lines = found.err.splitlines()
    assert len(lines) == 3
    assert all(f"{name}, line {row['line']}" in line for row, line in zip(rows[1:], lines, strict=False))


def test_a_file_that_is_called_like_a_position_is_none(gametree, tmp_path):
    (tmp_path / "01").write_text("0124\n")
    assert gametree("show", "tictactoe", "01", "--format", "json").json["position"] == "XO???????"


def test_files_that_hold_no_positions(gametree, tmp_path):
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "some.txt").write_text("0\n")
    refused = [
        gametree("show", "tictactoe", "empty.txt"),
        gametree("show", "tictactoe", "other.csv"),
        gametree("show", "tictactoe", "some.txt", "--depth", "2"),
        gametree("show", "bidding", "some.txt"),
    ]
    assert [(each.code, each.out) for each in refused] == [(2, "")] * 4
    assert all(len(each.err.splitlines()) == 1 for each in refused)


def test_what_is_neither_a_file_nor_a_position(gametree):
    one_line(gametree("show", "tictactoe", "missing.txt"), 1, "missing.txt")
    one_line(gametree("show", "tictactoe", "X" * 300), 2, "position")
