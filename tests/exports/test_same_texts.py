"""CSV, JSON lines and Parquet say the same texts of every family, and none of them begins like a formula."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

import analysis
from analysis.games.families import FAMILIES
from analysis.machine.markup import SIGNS
from analysis.playing import Terms
from analysis.playing.match import play_match
from analysis.solving.find import open_solution
from analysis.solving.to_directory import solve_to_directory
from analysis.storage.store import Tables
from tests.support.export_cases import BOARD

SPECS = {
    "tictactoe": "tictactoe",
    "mnk": "mnk:rows=2,cols=2,k=2",
    "wild": "wild:rows=1,cols=3,k=2",
    "notakto": "notakto:rows=2,cols=2,k=2",
    "connect": "connect:rows=2,cols=2,k=2",
    "hex": "hex:n=2",
    "domineering": "domineering:rows=3,cols=3",
    "chomp": "chomp:rows=2,cols=2",
    "nim": "nim:heaps=1-2",
    "kayles": "kayles:pins=5",
    "grundy": "grundy:heap=8",
    "dots_and_boxes": "dots_and_boxes:rows=1,cols=2",
    "othello": "othello:size=4",
    "hexapawn": "hexapawn",
    "dodgem": "dodgem:n=2",
    "morris": "morris",
    "coin_grabber": "coin_grabber:board=board.txt",
}
FAST = ("dots_and_boxes", "nim", "hexapawn")
EVERY = [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in SPECS]


def test_every_family_is_here():
    assert set(SPECS) == set(FAMILIES)


@pytest.fixture
def solution(request):
    Path("board.txt").write_text(BOARD)
    solve_to_directory(SPECS[request.param], "solved", tables=Tables(text=True))
    return open_solution("solved")


def is_text(value):
    return isinstance(value, str) and not value.lstrip("+-").isdecimal()


def texts_of(rows):
    """All texts in rows of a file, however deep."""
    for value in rows.values() if isinstance(rows, dict) else rows:
        if isinstance(value, dict | list):
            yield from texts_of(value)
        elif is_text(value):
            yield value


@pytest.mark.parametrize("solution", EVERY, indirect=True)
def test_positions_and_moves(solution):
    analysis.export(solution, "out.csv")
    analysis.export(solution, "moves.csv", moves=True)
    analysis.export(solution, "out.jsonl")
    told = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    positions = [row["position"] for row in told]
    assert not any(text.startswith(tuple(SIGNS)) for text in texts_of(told))
    stored = pq.read_table("solved/positions", columns=["state", "position"]).to_pydict()
    assert dict(zip(stored["state"], stored["position"], strict=True)) == {
        row["state"]: row["position"] for row in told
    }
    assert pd.read_csv("out.csv", dtype={"position": str})["position"].tolist() == positions
    assert duckdb.sql("SELECT position FROM read_csv('out.csv', types={'position': 'VARCHAR'})").fetchall() == [
        (text,) for text in positions
    ]
    with Path("moves.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert not any(text.startswith((*SIGNS, "'")) for text in texts_of(rows))
    wanted = [(row["position"], move["name"]) for row in told for move in row["moves"]]
    assert sorted((row["position"], row["name"]) for row in rows) == sorted(wanted)  # JSON lines has the best first


@pytest.mark.parametrize("solution", EVERY, indirect=True)
def test_games(solution):
    spec = solution.game.spec
    for form in ("csv", "jsonl", "parquet"):
        play_match(spec, "random", "greedy", Terms(games=5, seed=1, out=Path(f"games.{form}")))
    wanted = pq.read_table("games.parquet").to_pylist()
    assert [json.loads(line) for line in Path("games.jsonl").read_text().splitlines()] == wanted
    assert not any(text.startswith((*SIGNS, "'")) for text in texts_of(wanted))
    with Path("games.csv").open(newline="") as file:
        assert [{name: str(value) for name, value in row.items()} for row in wanted] == [*csv.DictReader(file)]
