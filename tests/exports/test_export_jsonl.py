"""JSON lines: each position with every move, read back by Python, pandas and DuckDB."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import analysis
from analysis.exports import rows
from tests.support.export_cases import DRAWS, KINDS, ODD, Odd, solved, written
from tests.support.oracle import Oracle
from tests.support.random_games import load, looping, mirrored, skipping


def read(solution, **cut):
    return [json.loads(line) for line in written(rows.write_jsonl, solution, **cut).decode().splitlines()]


@pytest.mark.parametrize("spec", KINDS)
def test_lines_say_what_the_solution_says(spec):
    solution = solved(spec)
    lines, table = read(solution), solution.positions()
    assert [line["position"] for line in lines] == list(table["position"])
    for line, row in zip(lines, table.to_dict("records"), strict=True):
        position = solution[line["position"]]
        assert (line["to_move"], line["value"]) == (position.to_move, position.value)
        assert line["remoteness_plies"] == position.remoteness_plies
        sign = "X" if position.value > 0 else "O" if position.value < 0 else "tie"
        assert line["outcome"] == (None if position.to_move else sign)
        same = set(row) - {"position", "to_move", "remoteness_plies"}
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


def test_some_moves_lead_to_draws():
    moves = [move for line in read(solved(DRAWS)) for move in line["moves"]]
    assert any(move["remoteness_plies"] is None for move in moves)
    assert all(move["value"] == 0 for move in moves if move["remoteness_plies"] is None)


def test_against_the_oracle():
    oracle = Oracle(3, 3, 3)
    lines = read(solved("tictactoe"))
    assert sum(line["orbit_size"] * len(line["moves"]) for line in lines) == 16_167
    for line in lines:
        s = line["position"]
        found = {move["move"]: (move["position"], move["value"], move["remoteness_plies"]) for move in line["moves"]}
        after = {cell: oracle.play(s, cell) for cell in oracle.moves(s)}
        assert found == {cell: (t, oracle.value(t), oracle.remoteness(t)) for cell, t in after.items()}
        best = line["moves"][0]["value"] if found else oracle.outcome(s)
        assert best == line["value"] == oracle.value(s)


MAKERS = {
    "loops": lambda rng: looping(rng, 20, tiered=False),
    "twins": lambda rng: mirrored(rng, skipping(rng, 14)),
}


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
            mover = oracle.to_move(state)
            wanted = []
            for code, child in oracle.moves[state]:
                value, plies = oracle.value(child), oracle.remoteness(child)
                late = math.inf if plies is None else plies
                order = (-mover * value, late if mover * value >= 0 else -late, code)
                wanted.append((order, (code, str(child), value, plies, value == oracle.value(state))))
            names = ("move", "position", "value", "remoteness_plies", "optimal")
            assert [tuple(move[name] for name in names) for move in line["moves"]] == [row for _, row in sorted(wanted)]
            mixed += len({plies for _, (_, _, value, plies, _) in wanted if value == 0}) > 1
    assert mixed >= 3


def test_without_symmetry_the_class_is_the_position():
    solution = analysis.solve("tictactoe", position="XO?X?????", symmetry="none")
    states = {line["position"]: line["state"] for line in read(solution)}
    assert len(states) == solution.position_count
    for line in read(solution):
        assert all(states[move["position"]] == move["child"] for move in line["moves"])


def test_parts_keep_every_legal_move():
    solution = solved("tictactoe")
    assert [len(line["moves"]) for line in read(solution, depth=1)] == [9, 8, 8, 8]
    best = read(solution, optimal_only=True)
    assert {line["value"] for line in best} == {0}
    assert any(not move["optimal"] for line in best for move in line["moves"])


def test_odd_texts():
    solution = analysis.solve(Odd())
    shown = [text.replace("\ud800", "\ufffd") for text in ODD]
    lines = read(solution)
    assert len(lines) == len(written(rows.write_jsonl, solution).splitlines()) == 8
    for line in lines:
        assert line["position"] == shown[line["state"]]
        for move in line["moves"]:
            assert (move["name"], move["position"]) == (shown[move["move"]], shown[line["state"] - move["move"]])
    Path("odd.jsonl").write_bytes(written(rows.write_jsonl, solution))
    query = "SELECT state, position, [m.name FOR m IN moves] FROM 'odd.jsonl'"
    for state, position, names in duckdb.sql(query).fetchall():
        assert position == shown[state]
        assert sorted(names) == sorted(shown[move] for move in range(1, min(state, 2) + 1))


@pytest.mark.slow
@pytest.mark.parametrize("pins", [20, 24])
def test_counts_beyond_63_bits_are_texts(pins):
    solution = solved(f"kayles:pins={pins}")
    assert solution.statistics()["histories"] > 1 << 63
    wanted = [int(number) for tier in solution.tiers for number in tier.table()["games_x"].to_pylist()]
    assert [line["games_x"] for line in read(solution)] == [str(number) for number in wanted]
    Path("large.jsonl").write_bytes(written(rows.write_jsonl, solution))
    frame = pd.read_json("large.jsonl", lines=True, dtype=False)
    assert [int(number) for number in frame["games_x"]] == wanted
    query = "SELECT games_x::HUGEINT FROM 'large.jsonl'"
    assert [number for (number,) in duckdb.sql(query).fetchall()] == wanted


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
        SELECT parent.value = CASE parent.to_move WHEN 'X' THEN max(child.value) ELSE min(child.value) END
        FROM lines parent JOIN after ON after.state = parent.state JOIN lines child ON child.state = after.child
        GROUP BY parent.state, parent.value, parent.to_move
    """
    ongoing = int((~solution.positions()["terminal"]).sum())
    assert database.execute(best).fetchall() == [(True,)] * ongoing
    agreeing = "SELECT bool_and(after.value = lines.value) FROM after JOIN lines ON lines.state = after.child"
    assert database.execute(agreeing).fetchall() == [(True,)]
