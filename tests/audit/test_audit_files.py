"""Audits of files: what is read in each format, what is refused, and what is written and printed."""

from __future__ import annotations

import csv
import io
import json
import os
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.audit import RowError, RowOptions, audit, audit_file
from analysis.errors import GametreeError, OptionError, StoreError
from analysis.playing import Terms, play_match
from tests.audit.test_audit import GAMES, solution
from tests.support.program import one_line

# Input formats --------------------------------------------------------------------------------------------------------

TABLE = [
    {"game": 0, "x": "ann", "o": "bob", "path": "041263578", "outcome": "tie", "plies": 9},
    {"game": 1, "x": "bob", "o": None, "path": "0412673", "outcome": "X", "plies": 7},
    {"game": 2, "x": "ann", "o": "bob", "path": "41", "outcome": "unfinished", "plies": 2},
]


def written(form, path):
    frame = pd.DataFrame(TABLE)
    if form == "parquet":
        frame.to_parquet(path)
    elif form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n\n" for row in TABLE))
    elif form == "json":
        path.write_text(json.dumps(TABLE))
    elif form == "text":
        path.write_text("\n".join(row["path"] for row in TABLE))
    elif form == "crlf":
        path.write_bytes(b"\xef\xbb\xbf" + frame.to_csv(index=False, lineterminator="\r\n").encode())
    else:
        frame.rename(columns={"path": "Backtracker"}).to_csv(path, index=False)
    return path


def told(found):
    data = found.to_json()
    return {name: data[name] for name in ("games", "outcomes", "by_side", "by_player", "by_ply", "frequent_mistakes")}


@pytest.mark.parametrize("form", ["csv", "crlf", "jsonl", "parquet", "text"])
@pytest.mark.parametrize("suffix", ["own", "none"])
def test_every_input_format_says_the_same(form, suffix, tmp_path):
    kind = {"crlf": "csv"}.get(form, form)
    path = written(form, tmp_path / ("games" if suffix == "none" else f"games.{'txt' if kind == 'text' else kind}"))
    asked = kind if suffix == "none" and kind == "parquet" else None
    expected = told(audit(solution(), TABLE if form != "text" else [row["path"] for row in TABLE]))
    assert told(audit(solution(), path, RowOptions(form=asked))) == expected


def test_data_frames_and_lists_of_moves():
    expected = told(audit(solution(), TABLE))
    assert told(audit(solution(), pd.DataFrame(TABLE))) == expected
    assert told(audit(solution(), pd.DataFrame(TABLE).convert_dtypes())) == expected
    lists = [{**row, "path": [int(code) for code in row["path"]]} for row in TABLE]
    assert told(audit(solution(), lists)) == expected


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "text", "parquet"])
def test_standard_input(form, tmp_path, gametree, monkeypatch):
    content = written(form, tmp_path / "games").read_bytes()
    reader, writer = os.pipe()  # which cannot be read twice
    with os.fdopen(writer, "wb") as file:
        file.write(content)
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        options = ["--input", "parquet"] if form == "parquet" else []
        result = gametree("audit", "tictactoe", "-", "--format", "csv", *options)
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert [row["path"] for row in rows] == [row["path"] for row in TABLE]


def test_standard_input_that_is_closed(gametree, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    one_line(gametree("audit", "tictactoe", "-"), 1, "cannot read standard input: it is closed")


BAD = [
    ("a.csv", b"path,outcome\n412673,X\n", "loses the zeros at its front"),
    ("a.csv", b"", "a.csv is empty"),
    ("a.txt", b"", "a.txt holds no games"),
    ("a.csv", b"path,x\n", "a.csv holds no games"),
    ("a.csv", b"a,b\n1,2\n", "a.csv has columns a, b; games need path (or backtracker), choices position and move"),
    ("a.csv", b"path,position,move\n", "games or choices"),
    ("a.csv", b"path,x,path\n", "a.csv has two columns 'path'"),
    ("a.csv", b"path,x\n01\n", "a.csv, line 2: 1 fields where the header has 2"),
    ("a.csv", b'path\n"01\n', "a.csv, line 2: no CSV"),
    (
        "a.csv",
        b"path\n01\n\n01240\n",
        "a.csv, line 4: move 5 of 01240: move 0 is not legal in XOX?O????; legal are 3 5",
    ),
    ("a.csv", b"path\n013462\n", "a.csv, line 2: move 6 of 013462: the game is over in XO?XO?X??"),
    ("a.csv", b"path\n04x\n", "a.csv, line 2: move 3 of 04x: 'x' is no move"),
    ("a.csv", b"path\n4.0\n", "a.csv, line 2: path 4.0 is a number, which loses zeros at its front; keep it as text"),
    ("a.csv", b"path,outcome\n041263578,X\n", "a.csv, line 2: outcome X, but 041263578 is a tie"),
    (
        "a.csv",
        b"path,outcome\n031462,maybe\n",
        "line 2: outcome 'maybe' is none; it is X, O, tie, unfinished, win or loss of X, a player's name, or who",
    ),
    ("a.csv", b"path,outcome\n01346,O\n", "a.csv, line 2: outcome O, but 01346 is won by X"),
    ("a.csv", b"path\n\xff\xfe\n", "a.csv, line 2 is no text in UTF-8"),
    ("a.bin", bytes(range(128, 256)) * 20, "a.bin, line 1 is no text in UTF-8"),
    ("a", b"PAR1abc", "a looks like a Parquet file; add --input parquet"),
    ("a.parquet", b"PAR1abcPAR1", "a.parquet is damaged, or no Parquet file"),
    ("a.jsonl", b'{"path": "04"\n', "a.jsonl, line 1 is no JSON"),
    ("a.jsonl", b'{"path": "04"}\n[4]\n', "a.jsonl, line 2 is no object"),
    ("a.jsonl", b'{"path": 124}\n', "a.jsonl, line 1: path 124 is a number"),
    ("a.jsonl", b'{"path": null}\n', "a.jsonl, line 1: the path is missing"),
    ("a.jsonl", b'{"path": [0, [4]]}\n', "a.jsonl, line 1: move 2 of 0 [4]: move [4] is neither a code nor text"),
    ("a.jsonl", b'{"path": [0, 0.5]}\n', "a.jsonl, line 1: move 2 of 0 0.5: move 0.5 is neither a code nor text"),
    ("a.jsonl", b'{"path": "04"}\n{"Path": "0", "path": "04"}\n', "a.jsonl, line 2 has two columns 'path'"),
    ("a.jsonl", b'{"path": [0, 1e400]}\n', "a.jsonl, line 1: move 2 of 0 inf: move inf is neither a code nor text"),
    ("a.jsonl", b'{"position": "X????????", "move": -Infinity}\n', "line 1: move -inf is neither a code nor text"),
    ("a.jsonl", b'{"position": "X????????", "move": true}\n', "line 1: move True is neither a code nor text"),
    ("a.csv", b"position,move\n", "a.csv holds no choices"),
    ("a.csv", b"position,code\nX????????,a1\n", "a.csv, line 2: code 'a1' is no number"),
    ("a.csv", b"path,outcome\n01346,O\n", "; games begin at ?????????, unless --from says otherwise"),
    ("a.csv", b"position,move\nX????????,\n", "a.csv, line 2: the move is missing"),
    ("a.csv", b"position,move\n,4\n", "a.csv, line 2: the position is missing"),
    ("a.csv", b"position,move\nX????????,0\n", "a.csv, line 2: move 0 is not legal in X????????; legal are 1 2 3 4"),
    ("a.csv", b"position,move\nXX???????,4\n", "a.csv, line 2: position 'XX???????' has 2 X and 0 O"),
    ("a.csv", b"position,move\nXXXOO????,5\n", "a.csv, line 2: the game is over in XXXOO????"),
]


@pytest.mark.parametrize(("name", "content", "words"), BAD)
def test_refusals(name, content, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RowError) as refused:
        audit(solution(), name, out="moves.csv")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"path": ["0"], "PATH ": ["1"]}, "has two columns 'path'"),
        ({"path": [b"04"]}, "row 1: path b'04' is neither text nor a list of moves"),
        ({"path": [{"a": 1}]}, "row 1: path {'a': 1} is neither text nor a list of moves"),
        ({"path": [["0", None]]}, "row 1: move 2 of 0 None: the move is missing"),
        ({"position": ["X????????"], "move": [float("inf")]}, "row 1: move inf is neither a code nor text"),
        ({"position": ["X????????"], "move": [True]}, "row 1: move True is neither a code nor text"),
        ({"path": pa.array([], pa.string())}, "holds no games"),
    ],
)
def test_refusals_of_parquet(columns, words, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(RowError) as refused:
        audit(solution(), path)
    assert words in str(refused.value)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_names_of_columns_in_capitals(form, tmp_path):
    frame, path = pd.DataFrame(TABLE).rename(columns=lambda name: f"{name.title()} "), tmp_path / f"a.{form}"
    if form == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        getattr(frame, f"to_{form}")(path, index=False)
    assert told(audit(solution(), path)) == told(audit(solution(), TABLE)) == told(audit(solution(), frame))


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", b""), ("a.csv", b"path\n"), ("a.csv", b"position,move\n\n"), ("a.txt", b"\n"), ("a.jsonl", b"\n")],
)
def test_a_file_without_rows_is_refused_before_the_game_is_solved(name, content, tmp_path, unsolved):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RowError, match=r"is empty|holds no"):
        audit("tictactoe", tmp_path / name)


def test_an_output_that_cannot_be_is_refused_before_the_game_is_solved(tmp_path, unsolved, monkeypatch):
    moves = tmp_path / "moves.csv"
    moves.write_text("position,move\nX????????,4\n")
    before = moves.read_bytes()
    (tmp_path / "link.csv").symlink_to(moves)
    for rows, out in ((moves, moves), (str(moves), tmp_path / "link.csv"), (tmp_path / "link.csv", str(moves))):
        with pytest.raises(OptionError, match=f"--out {out} is the file that is judged; name another"):
            audit("tictactoe", rows, out=out)
    with moves.open() as stdin, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        with pytest.raises(OptionError, match="is the file that is judged"):
            audit("tictactoe", "-", out=moves)
    for out, kind, words in (
        (tmp_path / "none" / "moves.csv", StoreError, f"there is no directory {tmp_path / 'none'}"),
        (tmp_path / "moves.xls", OptionError, "its name must end in .csv, .jsonl or .parquet"),
    ):
        with pytest.raises(kind, match=words):
            audit("tictactoe", GAMES, out=out)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(StoreError, match="it is a directory"):
        audit("tictactoe", GAMES, out=tmp_path / "folder.csv")
    assert moves.read_bytes() == before


@pytest.fixture
def unsolved(monkeypatch):
    """Solving is a failure of the test."""

    def find(*args, **options):
        pytest.fail("the game was solved")

    monkeypatch.setattr(audit_file, "judge_within", find)


def test_a_line_that_never_ends_is_not_read(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"0" * 3_000_000)
    with pytest.raises(RowError, match="line 1 has more than 1,048,576 bytes"):
        audit(solution(), tmp_path / "a.txt")


def test_other_refusals(tmp_path):
    with pytest.raises(analysis.GametreeError, match=r"cannot read .*: No such file"):
        audit(solution(), tmp_path / "none.csv")
    with pytest.raises(analysis.GametreeError, match=r"cannot read .*: Is a directory"):
        audit(solution(), tmp_path)
    with pytest.raises(analysis.GametreeError, match="input format 'xml' is unknown"):
        audit(solution(), tmp_path / "none.csv", RowOptions(form="xml"))
    with pytest.raises(RowError, match="rows has two columns 'path'"):
        audit(solution(), pd.DataFrame([["041", "0"]], columns=["path", "path"]))
    with pytest.raises(RowError, match="rows are a table, or a list of mappings or of backtrackers, not int"):
        audit(solution(), 5)
    with pytest.raises(RowError, match="rows is empty"):
        audit(solution(), [])


@pytest.mark.parametrize("step", [pytest.param(3, marks=pytest.mark.slow), 101])
def test_every_bit_of_a_match(tmp_path, step):
    """The games of a match are judged as they were written, or refused."""
    play_match("tictactoe", "random", "random", Terms(games=6, seed=1, out=tmp_path / "m.parquet"))
    data, known = (tmp_path / "m.parquet").read_bytes(), solution()
    right = {**audit(known, tmp_path / "m.parquet").to_json(), "file": ""}
    refused = 0
    for place in range(0, 8 * len(data), step):
        damaged = bytearray(data)
        damaged[place // 8] ^= 1 << place % 8
        (tmp_path / "d.parquet").write_bytes(damaged)
        try:
            assert {**audit(known, tmp_path / "d.parquet").to_json(), "file": ""} == right
        except GametreeError:
            refused += 1
    assert refused > 8 * len(data) // step * 0.8
