"""Rows as csv and JSON lines, read back by Python, pandas and DuckDB, against library and oracle."""

import io
import json
import random
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import analysis
from analysis.reports.exports import part as parts
from analysis.reports.exports import rows
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support.class_graph import move_frame
from tests.support.export_cases import DRAWS, KINDS, solved, written
from tests.support.random_games import load, looping, mirrored, skipping

TEXTS = {"position": "string", "outcome": "string", "best_moves": "string"}


def as_texts(frame):
    """The frame with texts in columns of texts."""
    columns = [name for name in ("position", "name", "child_position") if name in frame]
    return frame.astype(dict.fromkeys(columns, "string"))


def classes(solution, **cut):
    return as_texts(pd.read_csv(io.BytesIO(written(rows.write_classes, solution, **cut)), dtype=TEXTS))


def moves(solution, **cut):
    data = io.BytesIO(written(rows.write_moves, solution, **cut))
    return as_texts(pd.read_csv(data, dtype=dict.fromkeys(("position", "name", "child_position"), "string")))


@pytest.mark.parametrize("spec", KINDS)
def test_pandas_reads_the_positions(spec):
    solution = solved(spec)
    found, wanted = classes(solution), solution.positions(text=True)
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
        over = position.terminal
        sign = "X" if position.value > 0 else "O" if position.value < 0 else "tie"
        assert (None if pd.isna(outcome) else outcome) == (sign if over else None)
        assert pd.isna(best) == over
        assert position.best_moves == (() if over else tuple(map(int, best.split(" "))))


@pytest.mark.parametrize("moves", [False, True])
def test_parquet_holds_the_rows_of_csv(moves):
    for form in ("csv", "parquet"):
        analysis.export(solved("tictactoe"), f"rows.{form}", moves=moves, depth=5)
    texts = ("position", "name", "child_position") if moves else ("position", "outcome", "best_moves")
    read = duckdb.sql(f"FROM read_csv('rows.csv', types={dict.fromkeys(texts, 'VARCHAR')})")
    assert duckdb.sql("FROM 'rows.parquet'").fetchall() == read.fetchall() != []


def test_duckdb_reads_what_parquet_holds():
    spec = "kayles:pins=6"
    solve_to_directory(spec, "stored", tables=Tables(text=True))
    Path("rows.csv").write_bytes(written(rows.write_classes, solved(spec)))
    names = ", ".join(solved(spec).positions(text=True))
    stored, exported = f"SELECT {names} FROM 'stored/positions/*.parquet'", f"SELECT {names} FROM 'rows.csv'"
    assert duckdb.sql(f"({stored}) EXCEPT ({exported})").fetchall() == []
    assert duckdb.sql(f"({exported}) EXCEPT ({stored})").fetchall() == []
    assert duckdb.sql("SELECT count(*) FROM 'rows.csv'").fetchall() == [(solved(spec).classes,)]
    kinds = {name: kind for name, kind, *_ in duckdb.sql("DESCRIBE FROM 'rows.csv'").fetchall()}
    assert {kinds.pop(name) for name in ("position", "outcome", "best_moves")} == {"VARCHAR"}
    assert kinds.pop("terminal") == "BOOLEAN"
    assert set(kinds.values()) == {"BIGINT"}


@pytest.mark.parametrize("spec", KINDS)
def test_moves(spec):
    solution = solved(spec)
    found, wanted = moves(solution), move_frame(solution)
    pd.testing.assert_frame_equal(found[list(wanted)], wanted, check_dtype=False)
    known = solution.positions(text=True).set_index("state")
    after, before = known.loc[found["child"]], known.loc[found["state"]]
    assert (found["child_position"].to_numpy() == after["position"].to_numpy()).all()
    assert (found["position"].to_numpy() == before["position"].to_numpy()).all()
    assert (found["value"].to_numpy() == after["value"].to_numpy()).all()
    wanted_plies = after["remoteness_plies"].astype("float64").to_numpy()
    assert np.array_equal(found["remoteness_plies"].astype("float64").to_numpy(), wanted_plies, equal_nan=True)
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
    assert (best["value"] == 0).all()
    assert set(best["child"]) | {0} == set(classes(solution, optimal_only=True)["state"])


@pytest.mark.parametrize("write", [rows.write_classes, rows.write_moves, rows.write_jsonl])
def test_small_pieces_are_the_same_bytes(monkeypatch, write):
    whole = written(write, solved("tictactoe"), depth=5)
    monkeypatch.setattr(parts, "MOST_MOVES", 20)
    assert written(write, solved("tictactoe"), depth=5) == whole


@pytest.mark.slow
@pytest.mark.parametrize("pins", [20, 24])
def test_counts_beyond_63_bits(pins):
    """Numbers in csv, texts in JSON lines."""
    solution = solved(f"kayles:pins={pins}")
    assert solution.statistics()["histories"] > 1 << 63
    assert (1 << 62 if pins == 24 else 1 << 60) < solution.games_x
    wanted = [int(number) for tier in solution.tiers for number in tier.table()["games_x"].to_pylist()]
    assert wanted[0] == solution.games_x
    assert [line["games_x"] for line in read(solution)] == [str(number) for number in wanted]
    Path("large.csv").write_bytes(written(rows.write_classes, solution))
    Path("large.jsonl").write_bytes(written(rows.write_jsonl, solution))
    for frame in (classes(solution), pd.read_json("large.jsonl", lines=True, dtype=False)):
        assert [int(number) for number in frame["games_x"]] == wanted
    csv_file = "read_csv('large.csv', types={'games_x': 'HUGEINT'})"
    for query in (f"SELECT games_x FROM {csv_file}", "SELECT games_x::HUGEINT FROM 'large.jsonl'"):
        assert [number for (number,) in duckdb.sql(query).fetchall()] == wanted


def test_without_counts_and_over_at_the_start():
    solution = analysis.solve("tictactoe", counts=False, start="XXXOO????")
    assert written(rows.write_classes, solution) == (
        b"position,state,ply,to_move,value,remoteness_plies,terminal,orbit_size,outcome,best_moves\n"
        b'"XXXOO????",12295,0,-1,1,0,true,1,"X",\n'
    )
    header = b"state,position,move,name,child,child_position,value,remoteness_plies,optimal\n"
    assert written(rows.write_moves, solution) == header


def read(solution, **cut):
    return [json.loads(line) for line in written(rows.write_jsonl, solution, **cut).decode().splitlines()]


@pytest.mark.parametrize("spec", KINDS)
def test_lines_say_what_the_solution_says(spec):
    solution = solved(spec)
    lines, table = read(solution), solution.positions(text=True)
    assert [line["position"] for line in lines] == list(table["position"])
    for line, row in zip(lines, table.to_dict("records"), strict=True):
        position = solution[line["position"]]
        assert (line["to_move"], line["value"]) == (position.to_move, position.value)
        assert line["remoteness_plies"] == position.remoteness_plies
        sign = "X" if position.value > 0 else "O" if position.value < 0 else "tie"
        assert line["outcome"] == (sign if position.terminal else None)
        same = set(row) - {"position", "remoteness_plies"}
        assert {name: line[name] for name in same} == {name: row[name] for name in same}
        assert set(line) == {*row, "outcome", "moves"}


@pytest.mark.parametrize("spec", KINDS)
def test_moves_are_those_of_the_position_best_first(spec):
    solution = solved(spec)
    names = ("move", "name", "position", "value", "remoteness_plies", "optimal")
    for line in read(solution):
        wanted = [{name: getattr(move, name) for name in names} for move in solution[line["position"]].moves]
        assert [{name: move[name] for name in names} for move in line["moves"]] == wanted
        for move in line["moves"]:
            assert move["child"] == solution.engine.canonical(solution.game.parse_position(move["position"]))


MAKERS = {"loops": lambda rng: looping(rng, 20, tiered=False), "twins": lambda rng: mirrored(rng, skipping(rng, 14))}


@pytest.mark.parametrize("kind", MAKERS)
def test_random_games_against_their_oracle(kind):
    """Ties of several lengths beside draws, scores, classes of two: in any order that a player may prefer."""
    mixed = 0
    for seed in range(12):
        graph = MAKERS[kind](random.Random(seed))
        solution = analysis.solve(load(graph))
        oracle = graph.oracle(by_rounds=solution.loopy)
        for line in read(solution):
            state = line["state"]
            after = dict(oracle.moves[state])
            wanted = [(code, after[code]) for code in oracle.best_first(state)]
            names = ("move", "position", "value", "remoteness_plies", "optimal")
            assert [tuple(move[name] for name in names) for move in line["moves"]] == [
                (code, str(s), oracle.value(s), oracle.remoteness(s), oracle.value(s) == oracle.value(state))
                for code, s in wanted
            ]
            mixed += len({oracle.remoteness(s) for _, s in wanted if oracle.value(s) == 0}) > 1
    assert mixed >= 3


def test_parts_keep_every_legal_move():
    solution = solved("tictactoe")
    assert [len(line["moves"]) for line in read(solution, depth=1)] == [9, 8, 8, 8]
    best = read(solution, optimal_only=True)
    assert {line["value"] for line in best} == {0}
    assert any(not move["optimal"] for line in best for move in line["moves"])


def test_pandas_and_duckdb_read_it():
    solution = solved("kayles:pins=6")
    Path("lines.jsonl").write_bytes(written(rows.write_jsonl, solution))
    frame = pd.read_json("lines.jsonl", lines=True, dtype=False)
    assert list(frame["state"]) == list(solution.positions()["state"])
    assert list(frame["histories"]) == list(solution.positions()["histories"])
    database = duckdb.connect()
    database.execute("""
        CREATE TABLE lines AS FROM 'lines.jsonl';
        CREATE TABLE after AS SELECT state, unnest(moves, recursive := true) FROM (SELECT state, moves FROM lines);
    """)
    best = """
        SELECT parent.value = CASE parent.to_move WHEN 1 THEN max(child.value) ELSE min(child.value) END
        FROM lines parent JOIN after ON after.state = parent.state JOIN lines child ON child.state = after.child
        GROUP BY parent.state, parent.value, parent.to_move
    """
    ongoing = int((~solution.positions()["terminal"]).sum())
    assert database.execute(best).fetchall() == [(True,)] * ongoing
    agreeing = "SELECT bool_and(after.value = lines.value) FROM after JOIN lines ON lines.state = after.child"
    assert database.execute(agreeing).fetchall() == [(True,)]
