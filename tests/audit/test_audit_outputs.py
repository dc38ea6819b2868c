"""What an audit writes and prints, and what it is when read again."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import analysis
from analysis.audit import audit, find_judge, judge_choices, judge_games
from analysis.audit.judge import SolutionJudge
from analysis.commands.display import audit_tables as display
from analysis.solving.to_directory import solve_to_directory
from tests.audit.test_audit import GAMES, judged_positions, solution
from tests.audit.test_audit_files import TABLE, told, written
from tests.support.program import ROOT, one_line, said_how_it_ended

# Outputs --------------------------------------------------------------------------------------------------------------


def read_back(path):
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    if path.suffix == ".jsonl":
        return pd.read_json(path, lines=True, dtype={"name": str, "best_moves": str})
    return pd.read_csv(path, dtype={"name": str, "best_moves": str})


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_row_for_each_move(suffix, tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.audit.rows.BLOCK", 4)
    path = tmp_path / f"moves{suffix}"
    found = audit(solution(), TABLE, out=path)
    frame = read_back(path)
    assert found.moves_written == len(frame) == 18
    row = frame[(frame.game == 1) & (frame.ply == 5)].iloc[0]
    told = {"row": 2, "side": "O", "position": "XXO?O?X??", "code": 7, "name": "7", "value_before": 0, "value_after": 1}
    assert {name: row[name] for name in told} == told
    assert (row.value_lost, bool(row.optimal), row.best_moves) == (1, False, "3")
    assert pd.isna(row.remoteness_lost_plies)
    assert pd.isna(row.player)
    assert frame.value_lost.sum() == found.tally.all.value_lost
    assert frame.remoteness_lost_plies.sum() == found.tally.all.remoteness_lost_plies
    again = audit(solution(), path)  # rows of moves are choices
    assert (again.kind, again.tally.all) == ("choices", found.tally.all)


@pytest.mark.parametrize("suffix", [".csv", ".JSONL", ".parquet", ".CSV"])
@pytest.mark.parametrize("spec", ["kayles:pins=7", "dots_and_boxes:rows=1,cols=2"])
def test_what_was_written_is_read_as_it_was_meant(spec, suffix, tmp_path):
    """Also in games whose names of moves are numbers, but not the codes."""
    solved, rng = solution(spec), random.Random(8)
    paths = [list(some_game(solved.game.rules(), rng)) for _ in range(40)]
    moves, choices = tmp_path / f"moves{suffix}", tmp_path / f"choices{suffix}"
    found = audit(solved, paths, out=moves)
    assert found.tally.all.mistakes > 0
    again = audit(solved, moves, out=choices)
    assert again.tally.all == audit(solved, choices).tally.all == found.tally.all
    assert again.mistakes(99) == audit(solved, choices).mistakes(99) == found.mistakes(99)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_names_that_files_trip_over(suffix, tmp_path):
    names = ['a,"b"', "two\nlines", "snowman \u2603", "half \ud800"]
    rows = [{"position": "X????????", "move": 4, "player": name} for name in names]
    audit(solution(), rows, out=tmp_path / f"moves{suffix}")
    assert [name.replace("\ud800", "\ufffd") for name in names] == list(read_back(tmp_path / f"moves{suffix}").player)
    assert set(read_back(tmp_path / f"moves{suffix}").optimal) == {True}


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
    (tmp_path / "c.csv").write_text("position,move,player\n5 O,3,a\n5 O,1+2,b\n4-1 X,4,a\n7 X,1,a\n")
    command = ["audit", "kayles:pins=7", "c.csv", "--from", "5 O", "--format", "csv"]
    out = gametree(*command).out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["code"], row["value_lost"] == "") for row in rows] == [
        ("4", False), ("1", False), ("6", True), ("0", True)
    ]  # fmt: skip
    (tmp_path / "c.csv").write_text(out)
    assert [row["code"] for row in csv.DictReader(io.StringIO(gametree(*command).out))] == ["4", "1", "6", "0"]


def test_a_code_counts_before_a_move():
    rows = [{"position": "7 X", "move": "3", "code": code} for code in ("2", 2, "2.0", None, "", float("nan"))]
    judged = [choice.verdict.code for choice in judge_choices(solution("kayles:pins=7"), rows)]
    assert judged == [2, 2, 2, 4, 4, 4]


def test_a_full_disk_is_not_standard_output(gametree, tmp_path, monkeypatch):
    def full(*args, **options):
        return Path("/dev/full").open("w", buffering=1, encoding="utf-8")

    path = written("csv", tmp_path / "games.csv")
    monkeypatch.setattr(display.tempfile, "SpooledTemporaryFile", full)
    for form in ("csv", "json"):
        result = gametree("audit", "tictactoe", path, "--format", form, "--out", "moves.csv")
        one_line(result, 1, "cannot keep the rows in", "No space left on device")
    assert [path.name for path in tmp_path.iterdir()] == ["games.csv"]


def test_standard_input_that_does_not_fit_on_the_disk(gametree, tmp_path, monkeypatch):
    content = written("parquet", tmp_path / "games").read_bytes()
    reader, writer = os.pipe()
    with os.fdopen(writer, "wb") as file:
        file.write(content)
    monkeypatch.setattr("tempfile.TemporaryFile", lambda: Path("/dev/full").open("wb", buffering=0))  # noqa: SIM115
    with os.fdopen(reader) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        result = gametree("audit", "tictactoe", "-", "--input", "parquet")
    one_line(result, 1, "cannot copy standard input to a temporary file: No space left on device")


def test_command_prints_what_the_library_says(gametree, tmp_path):
    path = written("csv", tmp_path / "games.csv")
    result = gametree("audit", "tictactoe", path, "--format", "json")
    assert (result.code, result.err) == (0, "")
    data = result.json
    rows = data.pop("rows")
    assert data == json.loads(json.dumps(audit(solution(), path).to_json()))
    judged = list(judge_games(solution(), path))
    assert [row["path"] for row in rows] == [game.path for game in judged]
    assert rows[1]["first_mistake"]["best_moves"] == [3]
    assert rows[1]["thrown_away_by"] == ["O"]
    table = list(csv.DictReader(io.StringIO(gametree("audit", "tictactoe", path, "--format", "csv").out)))
    assert [row["row"] for row in table] == ["2", "3", "4"]
    assert [row["first_mistake_ply"] for row in table] == ["", "5", "1"]
    assert table[1]["first_mistake_best_moves"] == "3"


def test_table_for_people(gametree, tmp_path):
    path = written("csv", tmp_path / "games.csv")
    out = gametree("audit", "tictactoe", path, "--out", "moves.parquet", "--worst", 1).out
    assert "3: X won 1, O won 0, tied 1, unfinished 1" in out
    assert "18, 2 of them mistakes (11.1%)" in out
    assert "written    18 rows" in out
    assert out.splitlines()[-1].split() == ["1", "????X????", "O", "1", "1", "0", "2", "6", "8"]
    assert len(pd.read_parquet(tmp_path / "moves.parquet")) == 18


def test_choices_as_csv(gametree, tmp_path):
    (tmp_path / "c.csv").write_text("position,move,player\nX????????,1,a\n")
    (row,) = csv.DictReader(io.StringIO(gametree("audit", "tictactoe", "c.csv", "--format", "csv").out))
    assert (row["player"], row["value_lost"], row["best_moves"], row["optimal"]) == ("a", "1", "4", "False")


def test_a_stored_solution_is_used(gametree, tmp_path):
    path = written("csv", tmp_path / "games.csv")
    assert gametree("solve", "tictactoe").code == 0
    assert "judged by  the solution in data/tictactoe" in gametree("audit", "tictactoe", path).out
    assert "judged by  the solution in data/tictactoe" in gametree("audit", "data/tictactoe", path).out


@pytest.mark.slow
def test_command_refuses_in_one_line(gametree, tmp_path):
    path = written("csv", tmp_path / "games.csv")
    one_line(gametree("audit", "tictactoe", "none.csv"), 1, "cannot read none.csv")
    one_line(gametree("audit", "tictactoe", path, "--format", "xml"), 2, "format 'xml' is unknown")
    one_line(gametree("audit", "tictactoe", path, "--from", "XX???????"), 2, "XX???????")
    one_line(gametree("audit", "bidding:game=tictactoe,chips=4", path), 2, "both players also bid")
    one_line(gametree("audit", "connect", path, "--seconds", 0), 2, "0")


@pytest.mark.slow
def test_interrupted_and_closed_pipes_leave_nothing_behind(tmp_path):
    lines = "\n".join(itertools.islice(itertools.cycle(GAMES[:3]), 150_000))
    (tmp_path / "games.txt").write_text(lines)
    command = [sys.executable, str(ROOT / "cli.py"), "audit", "tictactoe", "games.txt"]
    running = subprocess.Popen([*command, "--out", "moves.csv"], cwd=tmp_path, stderr=subprocess.PIPE)
    while not any(path.suffix == ".tmp" for path in tmp_path.iterdir()):
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGINT)
    said_how_it_ended(running.communicate(timeout=60)[1].decode())
    assert running.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]
    with subprocess.Popen([*command, "--format", "csv"], cwd=tmp_path, stdout=-1, stderr=-1) as running:
        assert running.stdout.readline().startswith(b"game,row")
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


def test_judge_is_the_same_for_a_stored_solution(tmp_path):
    stored, _ = solve_to_directory("mnk:rows=2,cols=3,k=2", tmp_path / "s")
    one, other = SolutionJudge(stored), find_judge("mnk:rows=2,cols=3,k=2")
    for (a, of_a), (b, of_b) in zip(judged_positions(one), judged_positions(other), strict=True):
        assert (a.state, a.value, a.remoteness_plies) == (b.state, b.value, b.remoteness_plies)
        assert [v.value_lost for v in of_a] == [v.value_lost for v in of_b]
