"""Residual classes are exported as other classes are, with nulls for what is of positions; trees are of positions."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections import Counter
from contextlib import closing

import pytest

import analysis
from analysis.errors import MissingDataError
from analysis.exports.bfile import COUNTS
from analysis.exports.export import FORMATS, export
from tests.support.program import ROOT

HEAPS = f"{ROOT / 'tests' / 'support' / 'residual_heaps.py'}:Heaps"
STARTS = {"tictactoe": "XOX?O????", "mnk:2,5,3": "XOXO??????", "wild:2,3,3": "XO????", "connect:3,3,k=3": "???/???/XO?"}
STARTS[HEAPS] = "325"
PARTS = ({}, {"depth": 2}, {"optimal_only": True}, {"optimal_only": True, "depth": 3})
TOLD = ("canonical", "histories", "games", "games_X", "games_O", "games_tie")


@pytest.fixture(scope="module", params=STARTS)
def both(request):
    """A position solved by residual classes and by symmetries."""
    solve = {"game": request.param, "position": STARTS[request.param]}
    return analysis.solve(**solve, symmetry="residual"), analysis.solve(**solve)


def written(solution, path, name, **options):
    export(solution, path, name, **options)
    return path.read_bytes()


@pytest.mark.parametrize("options", PARTS, ids=str)
def test_trees_are_those_of_positions(both, options, tmp_path):
    left, geometric = (written(each, tmp_path / "tree.efg", "efg", **options) for each in both)
    assert left == geometric


def test_a_tree_without_counts(tmp_path):
    left = analysis.solve("tictactoe", symmetry="residual", counts=False)
    wanted = written(analysis.solve("tictactoe"), tmp_path / "tree.efg", "efg", depth=3)
    assert written(left, tmp_path / "tree.efg", "efg", depth=3) == wanted


@pytest.mark.parametrize("options", PARTS, ids=str)
def test_databases(both, options, tmp_path):
    left, path = both[0], tmp_path / "left.sqlite"
    export(left, path, **options)
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        ((sizes, classes),) = database.execute("SELECT count(orbit_size), count(*) FROM positions")
        ((moves,),) = database.execute("SELECT count(*) FROM moves")
        start = "SELECT CAST(value AS INTEGER) FROM solution WHERE key = 'start_state'"
        found = database.execute(
            f"SELECT games_x, games_o, games_tie FROM positions WHERE state = ({start})"
        ).fetchall()
    assert sizes == 0
    if not options:
        assert (classes, moves) == (left.canonical, len(left.moves()))
    assert found == [(left.games.X, left.games.O, left.games.tie)]


def test_every_format(both, tmp_path):
    for name in FORMATS.keys() - {"svg", "png", "bfile"}:
        assert written(both[0], tmp_path / f"left{FORMATS[name].suffixes[0]}", name, depth=1)


def test_equal_moves(both, tmp_path):
    """Each is a row or an entry of its own in csv and jsonl; in a graph they are one edge with all codes."""
    left, wanted = both[0], Counter(both[0].moves()[["state", "move"]].itertuples(index=False, name=None))
    rows = csv.DictReader(io.StringIO(written(left, tmp_path / "moves.csv", "csv", moves=True).decode()))
    assert Counter((int(row["state"]), int(row["move"])) for row in rows) == wanted
    lines = map(json.loads, written(left, tmp_path / "left.jsonl", "jsonl").splitlines())
    assert Counter((line["state"], move["move"]) for line in lines for move in line["moves"]) == wanted
    edges = json.loads(written(left, tmp_path / "left.json", "json"))["links"]
    assert sum(len(edge["moves"]) for edge in edges) == wanted.total()


def test_counts_by_ply(tmp_path):
    left, geometric = (analysis.solve("tictactoe", symmetry=kind) for kind in ("residual", "geometric"))
    assert set(TOLD) < set(COUNTS)
    for count in COUNTS:
        path = tmp_path / f"{count}.txt"
        if count in TOLD:
            found = written(left, path, "bfile", count=count)
            assert count == "canonical" or found == written(geometric, path, "bfile", count=count)
            continue
        with pytest.raises(MissingDataError, match="residual"):
            export(left, path, "bfile", count=count)
        assert not path.exists()
