"""Rows of positions and of moves: written as csv, read back by pandas, DuckDB and Python's own reader."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import analysis
from analysis.exports import part as parts
from analysis.exports import rows
from analysis.exports.part import Part
from analysis.solving.to_directory import solve_to_directory
from analysis.storage.store import Tables
from tests.support.export_cases import DRAWS, KINDS, ODD, Odd, solved, written

TEXTS = {"position": "string", "outcome": "string", "best_moves": "string"}


def as_texts(frame):
    """The frame with texts in columns of texts."""
    columns = [name for name in ("position", "name", "child_position") if name in frame]
    return frame.astype(dict.fromkeys(columns, "string"))


def classes(solution, **cut):
    return as_texts(pd.read_csv(io.BytesIO(written(rows.write_csv, solution, **cut)), dtype=TEXTS))


def moves(solution, **cut):
    data = io.BytesIO(written(rows.write_moves, solution, **cut))
    return as_texts(pd.read_csv(data, dtype=dict.fromkeys(("position", "name", "child_position"), "string")))


@pytest.mark.parametrize("spec", KINDS)
def test_pandas_reads_the_positions(spec):
    solution = solved(spec)
    found, wanted = classes(solution), solution.positions()
    assert list(found) == ["position", *[name for name in wanted if name != "position"], "outcome", "best_moves"]
    for name in wanted:
        column = wanted[name].astype(found[name].dtype)
        pd.testing.assert_series_equal(found[name], column, check_names=False)
    assert found["state"].dtype == np.int64
    assert found["terminal"].dtype == bool


@pytest.mark.parametrize("spec", KINDS)
def test_outcomes_and_best_moves(spec):
    solution = solved(spec)
    for text, outcome, best in classes(solution)[["position", "outcome", "best_moves"]].itertuples(index=False):
        position = solution[text]
        over = position.to_move is None
        sign = "X" if position.value > 0 else "O" if position.value < 0 else "tie"
        assert (None if pd.isna(outcome) else outcome) == (sign if over else None)
        assert pd.isna(best) == over
        assert position.best_moves == (() if over else tuple(map(int, best.split(" "))))


def test_duckdb_reads_what_parquet_holds():
    spec = "kayles:pins=6"
    solve_to_directory(spec, "stored", tables=Tables(text=True))
    Path("rows.csv").write_bytes(written(rows.write_csv, solved(spec)))
    names = ", ".join(solved(spec).positions())
    stored, exported = f"SELECT {names} FROM 'stored/positions/*.parquet'", f"SELECT {names} FROM 'rows.csv'"
    assert duckdb.sql(f"({stored}) EXCEPT ({exported})").fetchall() == []
    assert duckdb.sql(f"({exported}) EXCEPT ({stored})").fetchall() == []
    assert duckdb.sql("SELECT count(*) FROM 'rows.csv'").fetchall() == [(solved(spec).canonical,)]
    kinds = {name: kind for name, kind, *_ in duckdb.sql("DESCRIBE FROM 'rows.csv'").fetchall()}
    assert {kinds.pop(name) for name in ("position", "outcome", "best_moves")} == {"VARCHAR"}
    assert kinds.pop("terminal") == "BOOLEAN"
    assert set(kinds.values()) == {"BIGINT"}


@pytest.mark.parametrize("spec", KINDS)
def test_moves(spec):
    solution = solved(spec)
    found, wanted = moves(solution), solution.moves()
    pd.testing.assert_frame_equal(found[list(wanted)], wanted, check_dtype=False)
    known = solution.positions().set_index("state")
    after, before = known.loc[found["child"]], known.loc[found["state"]]
    assert (found["child_position"].to_numpy() == after["position"].to_numpy()).all()
    assert (found["position"].to_numpy() == before["position"].to_numpy()).all()
    assert (found["value_after"].to_numpy() == after["value"].to_numpy()).all()
    wanted_plies = after["remoteness_plies"].astype("float64").to_numpy()
    assert np.array_equal(found["remoteness_after_plies"].astype("float64").to_numpy(), wanted_plies, equal_nan=True)
    assert all(name == solution.game.format_move(code) for code, name in zip(found["move"], found["name"], strict=True))


def test_draws_have_no_remoteness():
    solution = solved(DRAWS)
    table = classes(solution)
    assert table["orbit_size"][table["remoteness_plies"].isna()].sum() == 348
    assert b",," in written(rows.write_moves, solution)
    assert table["outcome"].notna().sum() == table["terminal"].sum()


def test_parts():
    solution = solved("tictactoe")
    assert len(classes(solution, depth=2)) == 1 + 3 + 12
    cut = moves(solution, depth=1)
    assert (len(cut), cut["child"].nunique()) == (9 + 3 * 8, 3 + 12)
    best = moves(solution, optimal_only=True)
    assert best["optimal"].all()
    assert (best["value_after"] == 0).all()
    assert set(best["child"]) | {0} == set(classes(solution, optimal_only=True)["state"])


@pytest.mark.parametrize("write", [rows.write_csv, rows.write_moves, rows.write_jsonl])
def test_small_pieces_are_the_same_bytes(monkeypatch, write):
    whole = written(write, solved("tictactoe"), depth=5)
    monkeypatch.setattr(parts, "MOST_MOVES", 20)
    assert written(write, solved("tictactoe"), depth=5) == whole


def test_a_piece_has_no_more_moves_than_fit(monkeypatch):
    monkeypatch.setattr(parts, "MOST_MOVES", 20)
    found = list(Part(solved("tictactoe")).blocks(moves=True))
    assert max(len(block.moves.rows) for block in found) <= 20
    assert sum(map(len, found)) == 765
    monkeypatch.setattr(parts, "MOST_MOVES", 2)
    assert {len(block) for block in Part(solved("tictactoe"), depth=3).blocks(moves=True)} == {1}


def test_odd_texts():
    solution = analysis.solve(Odd())
    shown = [text.replace("\ud800", "\ufffd") for text in ODD]
    data = written(rows.write_csv, solution)
    read = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert [shown[int(row["state"])] for row in read] == [row["position"] for row in read]
    assert sorted(int(row["state"]) for row in read) == list(range(8))
    table = pd.read_csv(io.BytesIO(data), dtype=TEXTS, keep_default_na=False, na_values={"remoteness_plies": [""]})
    assert [shown[state] for state in table["state"]] == list(table["position"])
    Path("odd.csv").write_bytes(written(rows.write_moves, solution))
    types = "{'position': 'VARCHAR', 'name': 'VARCHAR', 'child_position': 'VARCHAR'}"
    query = f"SELECT state, position, move, name, child, child_position FROM read_csv('odd.csv', types={types})"
    found = duckdb.sql(query).fetchall()
    assert len(found) == 6 * 2 + 1
    for state, position, move, name, child, after in found:
        assert (position, name, after) == (shown[state], shown[move], shown[child])
        assert child == state - move


@pytest.mark.slow
@pytest.mark.parametrize("pins", [20, 24])
def test_counts_beyond_63_bits(pins):
    solution = solved(f"kayles:pins={pins}")
    table = classes(solution)
    wanted = [int(number) for tier in solution.tiers for number in tier.table()["games_x"].to_pylist()]
    assert [int(number) for number in table["games_x"]] == wanted
    Path("large.csv").write_bytes(written(rows.write_csv, solution))
    query = "SELECT games_x FROM read_csv('large.csv', types={'games_x': 'HUGEINT'})"
    assert [number for (number,) in duckdb.sql(query).fetchall()] == wanted
    assert table["games_x"][0] == solution.games.X > (1 << 62 if pins == 24 else 1 << 60)


def test_without_counts_and_over_at_the_start():
    solution = analysis.solve("tictactoe", counts=False, position="XXXOO????")
    assert written(rows.write_csv, solution) == (
        b"position,state,ply,to_move,value,remoteness_plies,terminal,orbit_size,outcome,best_moves\n"
        b'"XXXOO????",12295,0,-1,1,0,true,1,"X",\n'
    )
    header = b"state,position,move,name,child,child_position,value_after,remoteness_after_plies,optimal\n"
    assert written(rows.write_moves, solution) == header
