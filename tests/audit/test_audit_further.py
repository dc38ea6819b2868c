"""Audits of real files: columns that are no part of the game, rows that cannot be read, games that were given up."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd
import pytest

from analysis.audit import RowError, RowOptions, audit, judge_games
from analysis.errors import OptionError
from analysis.machine.markup import as_cell
from tests.audit.test_audit import solution

HANDED_IN = '''path,x,o,outcome,student,name,group
041263578,Ann,Bot,tie,Ann Lee,first try,1
0412673,Ann,Bot,X,Ann Lee,second try,1
41,Bob,Bot,,Bob,,2
0412,Bob,Bot,X,Bob,"=1+1, ""quoted""",10
'''
BAD = """path,x,o,outcome
041263578,Ann,Bot,tie
99,Ann,Bot,
0412
00,Ann,Bot,
0412673,Ann,Bot,O
041,Ann,Bot,
"""


@pytest.fixture
def handed_in(tmp_path):
    """A file as a course hands it in."""
    path = tmp_path / "games.csv"
    path.write_text(HANDED_IN)
    return path


# Further columns ------------------------------------------------------------------------------------------------------


def test_they_are_in_every_row(gametree, handed_in):
    """As text in CSV and JSON; a column that we have too is called given_NAME."""
    rows = gametree("audit", "tictactoe", handed_in, "--format", "json", "--out", "m.csv").json["rows"]
    wanted = list(csv.DictReader(io.StringIO(HANDED_IN)))
    for row, given in zip(rows, wanted, strict=True):
        assert (row["student"], row["given_name"], row["group"]) == (given["student"], given["name"], given["group"])
    flat = list(csv.DictReader(io.StringIO(gametree("audit", "tictactoe", handed_in, "--format", "csv").out)))
    assert [row["given_name"] for row in flat] == [as_cell(row["name"]) for row in wanted]
    moves = pd.read_csv("m.csv", dtype=str, keep_default_na=False)
    assert list(moves.columns)[-3:] == ["student", "given_name", "group"]
    assert list(moves[moves["game"] == "3"]["given_name"]) == [as_cell(wanted[3]["name"])] * 4
    assert set(moves["name"]) <= set("012345678")


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_they_are_kept_from_every_format(suffix, handed_in, tmp_path):
    frame, path = pd.read_csv(handed_in, dtype=str), tmp_path / f"games.{suffix}"
    if suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    found, wanted = audit(solution(), path, out=tmp_path / "moves.parquet"), audit(solution(), handed_in)
    assert found.others == wanted.others == ("student", "name", "group")
    assert found.by_column() == wanted.by_column()
    moves = pd.read_parquet(tmp_path / "moves.parquet")
    assert list(moves["student"].unique()) == ["Ann Lee", "Bob"]


def test_sums_by_value_and_side(handed_in):
    """Added up by hand: of Ann's two games each side's moves, results and mistakes; numbers are in their order."""
    found = audit(solution(), handed_in).by_column()
    assert list(found) == ["student", "name", "group"]
    ann = found["student"][0]
    assert (ann["value"], ann["games"], ann["moves"], ann["mistakes"]) == ("Ann Lee", 2, 16, 1)
    assert ann["outcomes"] == {"X": 1, "O": 0, "tie": 1, "unfinished": 0}
    x, o = ann["by_side"]
    assert (x["side"], x["games"], x["won"], x["tied"], x["moves"]) == ("X", 2, 1, 1, 9)
    assert (o["side"], o["lost"], o["tied"], o["moves"], o["mistakes"]) == ("O", 1, 1, 7, 1)
    assert [row["value"] for row in found["group"]] == ["1", "2", "10"]
    total = audit(solution(), handed_in).by_side()
    for name in ("games", "moves", "mistakes", "value_lost", "thrown_away", "resigned"):
        for side, row in enumerate(total):
            assert sum(group["by_side"][side][name] for group in found["student"]) == row[name]


def test_the_table_groups_by_what_has_few_values(gametree, handed_in, tmp_path):
    out = gametree("audit", "tictactoe", handed_in, "--by", "student").out
    assert out.count("Ann Lee") == 1
    assert "second try" not in out
    lines = ["path,id", *(f"41,{number}" for number in range(50))]
    (tmp_path / "ids.csv").write_text("\n".join(lines))
    assert "id: 50 values; --by id lists them" in gametree("audit", "tictactoe", "ids.csv").out
    assert gametree("audit", "tictactoe", "ids.csv", "--by", "id").out.count("\n49 ") == 1
    result = gametree("audit", "tictactoe", handed_in, "--by", "pupil")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "student" in result.err
    with pytest.raises(OptionError):
        audit(solution(), ["41"], RowOptions(by=["student"]))


def test_a_file_of_ours_has_no_further_columns_but_those_it_was_given(handed_in, tmp_path):
    audit(solution(), handed_in, out=tmp_path / "moves.csv")
    again = audit(solution(), tmp_path / "moves.csv")
    assert again.kind == "choices"
    assert again.others == ("student", "given_name", "group")


def test_choices_have_further_columns_too(tmp_path):
    rows = [
        {"position": "?????????", "move": 0, "student": "Ann", "name": 7},
        {"position": "XO???????", "move": 7, "student": "Bob", "name": None},
    ]
    found = audit(solution(), rows)
    sums = [(row["value"], *(side["mistakes"] for side in row["by_side"])) for row in found.by_column()["student"]]
    assert sums == [("Ann", 0, 0), ("Bob", 1, 0)]


# Rows that cannot be read ---------------------------------------------------------------------------------------------


def test_bad_rows_are_told_by_line_and_left_out(gametree, tmp_path):
    (tmp_path / "bad.csv").write_text(BAD)
    (tmp_path / "good.csv").write_text("".join(BAD.splitlines(keepends=True)[number] for number in (0, 1, 6)))
    for form in ("table", "json", "csv"):
        bad = gametree("audit", "tictactoe", "bad.csv", "--format", form, "--out", "bad.parquet")
        good = gametree("audit", "tictactoe", "good.csv", "--format", form, "--out", "good.parquet")
        assert (bad.code, good.code, good.err) == (1, 0, "")
        lines = bad.err.splitlines()
        assert all(line.startswith("gametree: ") for line in lines)
        told = [number for number in range(2, 8) if any(f"bad.csv, line {number}:" in line for line in lines)]
        assert told == [3, 4, 5, 6]
        assert len(lines) == 5
        ours, theirs = pd.read_parquet("bad.parquet"), pd.read_parquet("good.parquet")
        assert ours.drop(columns="row").equals(theirs.drop(columns="row"))
        assert list(ours["row"].unique()) == [2, 7]
    found = gametree("audit", "tictactoe", "bad.csv", "--format", "json").json
    assert (found["bad"], len(found["bad_rows"]), found["games"]) == (4, 4, 2)


def test_strict_stops_at_the_first(gametree, tmp_path):
    (tmp_path / "bad.csv").write_text(BAD)
    result = gametree("audit", "tictactoe", "bad.csv", "--strict", "--out", "moves.csv")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "bad.csv, line 3" in result.err
    assert not (tmp_path / "moves.csv").exists()
    with pytest.raises(RowError, match="line 3"):
        audit(solution(), tmp_path / "bad.csv")
    assert audit(solution(), tmp_path / "bad.csv", RowOptions(strict=False)).bad == 4


def test_of_many_bad_rows_the_first_are_told(gametree, tmp_path):
    (tmp_path / "bad.txt").write_text("041\n" + "00\n" * 30)
    result = gametree("audit", "tictactoe", "bad.txt")
    assert result.code == 1
    assert len(result.err.splitlines()) == 21
    assert "30 rows" in result.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "data", "lines"),
    [
        ("a.csv", b"path,student\n0,Ann\n1,\xff\n2,Bob\n", [3]),
        ("a.csv", b"path,student\n0,Ann\n1\n\n2,Bob,3\n3,Cy\n", [3, 5]),
        ("a.jsonl", b'{"path": "0"}\n[1]\n{"path"\n{"path": "1", "PATH": "2"}\n{"path": "\xff"}\n', [2, 3, 4, 5]),
        ("a.jsonl", b'nonsense\n{"path": "0"}\n', [1]),
        ("a.txt", b"0\n\xff\xfe\n0 0\nzz\n", [2, 3, 4]),
    ],
)
def test_every_format_goes_on_after_a_bad_line(name, data, lines, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)
    found = audit(solution(), path, RowOptions(strict=False))
    assert [int(message.split("line ")[1].split()[0].rstrip(":")) for message in found.bad_rows] == lines
    assert found.tally.outcomes["unfinished"] >= 1


def test_a_file_of_nothing_but_bad_rows(gametree, tmp_path):
    (tmp_path / "bad.csv").write_text("path\n00\n11\n")
    result = gametree("audit", "tictactoe", "bad.csv", "--format", "json")
    assert (result.code, result.json["games"], result.json["bad"]) == (1, 0, 2)
    (tmp_path / "bad.jsonl").write_text("no\nno\n")
    assert gametree("audit", "tictactoe", "bad.jsonl").code == 2


def test_where_nothing_could_be_read_there_is_no_table(gametree, tmp_path):
    (tmp_path / "bad.txt").write_text("zz\n")
    result = gametree("audit", "tictactoe", "bad.txt")
    assert (result.code, result.out, len(result.err.splitlines())) == (1, "", 2)


def test_what_a_file_holds_never_steers_a_terminal(gametree, tmp_path):
    (tmp_path / "games.csv").write_text('path,student\n041,"a\nb"\n041,\x1b[31mred\n041,[red]x[/red]\n')
    result = gametree("audit", "tictactoe", "games.csv")
    assert result.code == 0
    assert "\x1b" not in result.out
    assert "\\x1b[31mred" in result.out
    assert "a\\nb" in result.out
    assert "[red]x[/red]" in result.out
    (tmp_path / "games.csv").write_text("path,outcome\n041,\x1b[31mred\n")
    assert "\x1b" not in gametree("audit", "tictactoe", "games.csv").err
    assert "\x1b" not in gametree("solve", "\x1b[31mred").err


# Given up, and unfinished ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "said", "outcome", "resigned", "thrown"),
    [
        ("0412", "X", "X", "O", ["O"]),  # a tie, which O gave up
        ("0412", "O resigned", "X", "O", ["O"]),
        ("0412", "o resigns", "X", "O", ["O"]),
        ("0412", "resigned", "O", "X", ["X"]),  # X has to move
        ("041", "resigned", "X", "O", ["O"]),
        ("0412", "0-1", "O", "X", ["X"]),
        ("01", "O", "O", "X", ["X"]),  # X was winning
        ("01", "X", "X", "O", ["O"]),  # O had a tie one ply before
        ("0412", "tie", "tie", None, []),
        ("01", "draw", "tie", None, ["X"]),
        ("01", "1/2-1/2", "tie", None, ["X"]),
        ("0412", "*", "unfinished", None, []),
        ("0412", "unfinished", "unfinished", None, []),
        ("0412", "", "unfinished", None, []),
        ("", "X", "X", "O", ["O"]),
    ],
)
def test_games_that_are_not_over(path, said, outcome, resigned, thrown):
    [game] = judge_games(solution(), [{"path": path, "outcome": said}])
    assert (game.outcome, game.resigned, game.thrown_away()) == (outcome, resigned, thrown)
    assert game.payoff is None
    found = audit(solution(), [{"path": path, "outcome": said}]).to_json()
    assert found["outcomes"][outcome] == 1
    by_side = {row["side"]: row for row in found["by_side"]}
    assert [side for side in "XO" if by_side[side]["resigned"]] == [resigned] * (resigned is not None)
    assert [side for side in "XO" if by_side[side]["thrown_away"]] == thrown


def test_a_zero_that_was_lost_is_no_resignation(gametree, tmp_path):
    (tmp_path / "lost.csv").write_text("path,outcome\n412673,X\n41263578,tie\n4126,X\n")
    result = gametree("audit", "tictactoe", "lost.csv", "--format", "json")
    assert [row["outcome"] for row in result.json["rows"]] == ["X"]
    assert [message.count("loses the zeros") for message in json.loads(result.out)["bad_rows"]] == [1, 1]
