"""Audits of files: what is read in each format, what is refused, what is written and printed, and read again."""

import csv
import io
import json
import os
import random
import sys

import pandas as pd
import pytest

import analysis
from analysis.errors import OptionError, StoreError
from analysis.playing import RowError, RowOptions, audit, auditing
from tests.playing.test_audit import GAMES, solution
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
        frame.to_csv(path, index=False)
    return path


def unplaced(found, most):
    """Frequent mistakes without where they were made first: a file has lines, or other rows."""
    return [{name: value for name, value in row.items() if name != "first_row"} for row in found.mistakes(most)]


def told(found):
    names = ("games", "games_x", "games_o", "games_tie", "by_side", "by_player", "by_ply")
    return {name: found.to_json()[name] for name in names}, unplaced(found, 10)


@pytest.mark.parametrize("form", ["csv", "crlf", "jsonl", "json", "parquet", "text"])
def test_every_input_format_says_the_same(form, tmp_path, gametree, monkeypatch):
    kind = {"crlf": "csv"}.get(form, form)
    path = written(form, tmp_path / f"games.{'txt' if kind == 'text' else kind}")
    expected = told(audit(solution(), TABLE if form != "text" else [row["path"] for row in TABLE]))
    assert told(audit(solution(), path)) == expected
    bare = path.rename(tmp_path / "games")
    assert told(audit(solution(), bare, RowOptions(form=None if form == "text" else kind))) == expected
    reader, writer = os.pipe()  # which cannot be read twice
    with os.fdopen(writer, "wb") as file:
        file.write(bare.read_bytes())
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        options = [] if form == "text" else ["--input", kind]
        rows = gametree("audit", "tictactoe", "-", "--format", "csv", *options).rows
    assert [row["path"] for row in rows] == [row["path"] for row in TABLE]


def test_standard_input_that_is_closed(gametree, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    one_line(gametree("audit", "tictactoe", "-"), 2, "cannot read standard input: it is closed")


BAD = [
    ("a.csv", b"", "cannot read a.csv as a table"),
    ("a.csv", b"path\n", "a.csv has 0 rows"),
    ("a.csv", b"a,b\n1,2\n", "a.csv has 1 rows of columns a, b; games need path"),
    ("a.csv", b"path,x,Path\n0,,0\n", "a.csv has two columns called 'path'"),
    ("a.csv", b"path,x\n01\n0,1,2\n", "cannot read a.csv as a table: Error tokenizing data"),
    ("a.csv", b"path,x\n0,1,2\n", "cannot read a.csv as a table"),
    ("a.csv", b'path\n"01\n', "cannot read a.csv as a table"),
    ("a.csv", b"path\n\xff\xfe\n", "cannot read a.csv as a table"),
    ("a.csv", b"path\n013462\n", "a.csv, row 2: move 6: the game is over in XO?XO?X??"),
    ("a.csv", b"path\n04x\n", "a.csv, row 2: move 1: '04x' is not a legal move"),
    ("a.csv", b"path,outcome\n041263578,X\n", "a.csv, row 2: the outcome is given as X, but the game is a tie"),
    ("a.parquet", b"PAR1abc", "cannot read a.parquet as a table"),
    ("a.jsonl", b'{"path": "04"\n', "cannot read a.jsonl as a table"),
    ("a.jsonl", b'{"path": 124}\n', "a.jsonl, row 1: path 124 is neither text nor a list"),
    ("a.jsonl", b'{"Path": "0", "path": "04"}\n', "a.jsonl has two columns called 'path'"),
    ("a.jsonl", b'{"path": [0, 1e400]}\n', "move inf is neither a code nor text"),
    ("a.csv", b"position,move\nX????????,0\n", "a.csv, row 2: move 0 is not legal in X????????; legal moves are 1 2"),
    ("a.csv", b"position,move\nXXXOO????,5\n", "a.csv, row 2: the game is over in XXXOO????"),
    ("a.pgn", b'[Event "x"]\n\n1. e4 e5', "a.pgn is of an unknown format; name it by `form`"),
]


@pytest.mark.parametrize(("name", "content", "words"), BAD)
def test_refusals(name, content, words, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RowError) as refused:
        audit(solution(), name, out="moves.csv")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_output_that_cannot_be_is_refused_before_the_game_is_solved(tmp_path, unsolved):
    moves = tmp_path / "moves.csv"
    moves.write_text("position,move\nX????????,4\n")
    before = moves.read_bytes()
    (tmp_path / "link.csv").symlink_to(moves)
    for rows, out in ((moves, moves), (str(moves), tmp_path / "link.csv"), (tmp_path / "link.csv", str(moves))):
        with pytest.raises(OptionError, match=f"`out` {out} is the file to be judged"):
            audit("tictactoe", rows, out=out)
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

    monkeypatch.setattr(auditing, "find_judge", find)


def test_other_refusals(tmp_path):
    with pytest.raises(analysis.GametreeError, match=r"cannot read .*: No such file"):
        audit(solution(), tmp_path / "none.csv")
    with pytest.raises(analysis.GametreeError, match="unknown input format 'xml'"):
        audit(solution(), tmp_path / "none.csv", RowOptions(form="xml"))
    for rows in (5, [], pd.DataFrame([["041", "0"]], columns=["path", "path"])):
        with pytest.raises(RowError, match="rows"):
            audit(solution(), rows)


# Outputs --------------------------------------------------------------------------------------------------------------


def read_back(path):
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    if path.suffix == ".jsonl":
        return pd.read_json(path, lines=True, dtype={"name": str, "best_moves": str})
    return pd.read_csv(path, dtype={"name": str, "best_moves": str})


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_row_for_each_move(suffix, tmp_path):
    path = tmp_path / f"moves{suffix}"
    found = audit(solution(), TABLE, out=path)
    frame = read_back(path)
    assert len(frame) == 18
    row = frame[(frame.game == 1) & (frame.ply == 5)].iloc[0]
    wanted = {"row": 2, "side": "O", "position": "XXO?O?X??", "move": 7, "name": "7", "value_before": 0, "value": 1}
    assert {name: row[name] for name in wanted} == wanted
    assert (row.value_lost, bool(row.optimal), row.best_moves) == (1, False, "3")
    assert pd.isna(row.remoteness_lost_plies)
    assert pd.isna(row.player)
    assert frame.value_lost.sum() == found.totals()["value_lost"]
    assert frame.remoteness_lost_plies.sum() == found.totals()["remoteness_lost_plies"]
    again = audit(solution(), path)  # rows of moves are choices
    assert (again.kind, again.totals()) == ("choices", found.totals())


@pytest.mark.parametrize("suffix", [".csv", ".JSONL", ".parquet", ".CSV"])
@pytest.mark.parametrize("spec", ["kayles:pins=7", "dots_and_boxes:rows=1,cols=2"])
def test_what_was_written_is_read_as_it_was_meant(spec, suffix, tmp_path):
    solved, rng = solution(spec), random.Random(8)
    paths = [list(some_game(solved.game.rules(), rng)) for _ in range(40)]
    moves, choices = tmp_path / f"moves{suffix}", tmp_path / f"choices{suffix}"
    found = audit(solved, paths, out=moves)
    assert found.totals()["mistakes"] > 0
    again = audit(solved, moves, out=choices)
    assert again.totals() == audit(solved, choices).totals() == found.totals()
    assert unplaced(again, 99) == unplaced(audit(solved, choices), 99) == unplaced(found, 99)


def some_game(rules, rng):
    state = rules.start
    while moves := rules.moves(state):
        code, state = rng.choice(moves)
        yield code


def test_what_was_printed_is_read_as_it_was_meant(gametree, tmp_path):
    rules, rng = analysis.load_game("kayles:pins=7").rules(), random.Random(9)
    lines = ["-".join(map(str, some_game(rules, rng))) for _ in range(20)]
    (tmp_path / "games.csv").write_text("\n".join(["path", *lines]))
    (tmp_path / "again.csv").write_text(gametree("audit", "kayles:pins=7", "games.csv", "--format", "csv").out)
    first, again = (audit(solution("kayles:pins=7"), tmp_path / name) for name in ("games.csv", "again.csv"))
    assert told(first) == told(again)
    (tmp_path / "c.csv").write_text("position,move,player\n5 O,4,a\n5 O,1+2,b\n4-1 X,6,a\n7 X,0,a\n")
    command = ["audit", "kayles:pins=7", "c.csv", "--from", "5 O", "--format", "csv"]
    out = gametree(*command).out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["move"] for row in rows] == ["4", "1"]  # those that play reaches
    (tmp_path / "c.csv").write_text(out)
    assert [row["move"] for row in gametree(*command).rows] == ["4", "1"]


def test_command_prints_what_the_library_says(gametree, tmp_path):
    path = written("csv", tmp_path / "games.csv")
    result = gametree("audit", "tictactoe", path, "--format", "json")
    assert (result.code, result.err) == (0, "")
    data = result.json
    rows = data["rows"]
    assert data == json.loads(json.dumps(audit(solution(), path).to_json()))
    assert rows[1]["thrown_away_by"] == "O"
    table = gametree("audit", "tictactoe", path, "--format", "csv").rows
    assert [row["row"] for row in table] == ["2", "3", "4"]
    assert [row["first_mistake_ply"] for row in table] == ["", "5", "1"]


def test_table_for_people(gametree, tmp_path):
    path = written("csv", tmp_path / "games.csv")
    out = gametree("audit", "tictactoe", path, "--out", "moves.parquet", "--worst", 1).out
    assert "3: X won 1, O won 0, tied 1, unfinished 1" in out
    assert "18, 2 of them mistakes (11.1%)" in out
    assert out.splitlines()[-1].split() == ["1", "3", "XXO?O?X??", "O", "7", "1", "3"]
    assert len(pd.read_parquet(tmp_path / "moves.parquet")) == 18


def test_choices_as_csv(gametree, tmp_path):
    (tmp_path / "c.csv").write_text("position,move,player\nX????????,1,a\n")
    (row,) = gametree("audit", "tictactoe", "c.csv", "--format", "csv").rows
    assert (row["player"], row["value_lost"], row["best_moves"], row["optimal"]) == ("a", "1", "4", "false")


def test_a_stored_solution_is_used(gametree, tmp_path):
    path = written("csv", tmp_path / "games.csv")
    assert gametree("solve", "tictactoe").code == 0
    assert "judged by  the solution in data/tictactoe" in gametree("audit", "tictactoe", path).out
    assert "judged by  the solution in data/tictactoe" in gametree("audit", "data/tictactoe", path).out


def test_choices_have_sums_by_ply():
    rows = [{"position": "X????????", "move": move} for move in (4, 1)] + [{"position": "?????????", "move": 0}]
    found = audit("tictactoe", rows)
    assert [(row["ply"], row["moves"], row["mistakes"]) for row in found.by_ply()] == [(0, 1, 0), (1, 2, 1)]
    assert found.to_json()["by_ply"] == found.by_ply()
    assert audit("hexapawn", [{"position": "OOO/???/XXX X", "move": "a1a2"}]).kind == "choices"
