"""An SQLite database of a solution, asked in SQL what the library and a slow oracle say."""

from __future__ import annotations

import functools
import sqlite3
from contextlib import closing

import pandas as pd
import pytest

import analysis
from analysis.exports import sqlite
from analysis.exports.part import Part
from analysis.machine.files import atomic_file

SCORES = "dots_and_boxes:rows=1,cols=2"
PARTS = ({}, {"depth": 2}, {"optimal_only": True})


@functools.cache
def solve(spec, **options):
    return analysis.solve(spec, **options)


@pytest.fixture
def export(tmp_path):
    """A connection to the database of a part."""
    opened = []

    def run(solution, **options):
        path = tmp_path / f"{len(opened)}.sqlite"
        with atomic_file(path) as file:
            sqlite.write(Part(solution, **options), file)
        opened.append(sqlite3.connect(path))
        return opened[-1]

    yield run
    for database in opened:
        database.close()


def one(database, query, *values):
    (row,) = database.execute(query, values).fetchall()
    return row[0] if len(row) == 1 else row


KINDS = ("tictactoe", "nim:heaps=2-2-3", SCORES, "morris")


@pytest.mark.parametrize("options", PARTS, ids=str)
@pytest.mark.parametrize("spec", KINDS)
def test_sound(spec, options, export):
    """Keys hold, and what is said of a move is what is said of the position after it."""
    solution = solve(spec)
    part, database = Part(solution, **options), export(solution, **options)
    assert one(database, "PRAGMA integrity_check") == "ok"
    assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    assert one(database, "SELECT count(*) FROM positions") == part.classes
    for query in (
        """moves AS m JOIN positions AS p ON p.state = m.child
        WHERE m.value IS NOT p.value OR m.remoteness_plies IS NOT p.remoteness_plies""",
        """moves AS m JOIN positions AS p USING (state)
        WHERE m.optimal <> (m.value = p.value) OR p.terminal OR (p.to_move = 'X' AND m.value > p.value)
            OR (p.to_move = 'O' AND m.value < p.value)""",
        "positions WHERE state NOT IN (SELECT state FROM moves WHERE optimal) <> terminal",
        "positions WHERE terminal <> (outcome IS NOT NULL)",
    ):
        assert one(database, f"SELECT count(*) FROM {query}") == 0


@pytest.mark.parametrize("options", PARTS, ids=str)
@pytest.mark.parametrize("spec", KINDS)
def test_moves_are_those_of_the_library(spec, options, export):
    solution = solve(spec)
    database = export(solution, **options)
    inside = {state for (state,) in database.execute("SELECT state FROM positions")}
    frame = solution.moves()
    wanted = [
        (state, move, solution.game.format_move(move), child if child in inside else None, optimal)
        for state, move, child, optimal in frame.sort_values(["state", "move"]).itertuples(index=False)
        if state in inside
    ]
    found = database.execute("SELECT state, move, name, child, optimal FROM moves ORDER BY state, move").fetchall()
    assert found == wanted
    assert any(row[3] is None for row in found) == (len(inside) < solution.canonical)


@pytest.mark.parametrize("spec", KINDS)
def test_positions_are_those_of_the_library(spec, export):
    solution, database = solve(spec), export(solve(spec))
    found = pd.read_sql_query("SELECT * FROM positions ORDER BY state", database)
    wanted = solution.positions().sort_values("state", ignore_index=True)
    assert set(found.columns) - set(wanted.columns) == {"outcome"}
    assert set(wanted.columns) <= set(found.columns)
    for name in set(wanted.columns) - {"to_move", "remoteness_plies"}:
        assert found[name].tolist() == wanted[name].tolist(), name
    plies = [None if pd.isna(number) else number for number in wanted["remoteness_plies"]]
    assert [None if pd.isna(number) else number for number in found["remoteness_plies"]] == plies
    movers = [
        None if over else "X" if side > 0 else "O" for side, over in zip(wanted.to_move, wanted.terminal, strict=True)
    ]
    assert [None if pd.isna(mover) else mover for mover in found["to_move"]] == movers
    by_outcome = dict(
        database.execute("SELECT outcome, sum(orbit_size) FROM positions WHERE terminal GROUP BY outcome")
    )
    assert {name: by_outcome.get(name, 0) for name in ("X", "O", "tie")} == solution.statistics()["terminal"]


def test_questions(export):
    """What someone would ask of it first."""
    database = export(solve("tictactoe"))
    start = "SELECT games_x, games_o, games_tie FROM positions WHERE position = '?????????'"
    assert one(database, start) == (131184, 77904, 46080)
    first = database.execute("SELECT name, position_after FROM optimal_moves WHERE position = '?????????'").fetchall()
    assert first == [
        (str(cell), solve("tictactoe").game.format_position(state))
        for cell, state in (database.execute("SELECT move, child FROM moves WHERE state = 0").fetchall())
    ]
    assert one(database, "SELECT count(*) FROM optimal_moves") == one(database, "SELECT sum(optimal) FROM moves")
    # games from the start, counted again along the moves
    walk = """WITH RECURSIVE line (state, plies) AS (
        SELECT 0, 0 UNION ALL SELECT child, plies + 1 FROM line JOIN moves USING (state) WHERE optimal
    ) SELECT count(*) FROM line JOIN positions USING (state) WHERE terminal"""
    assert one(database, walk) == solve("tictactoe").statistics()["optimal_paths"]
    before = "SELECT count(*) FROM moves WHERE child = ?"
    plan = database.execute(f"EXPLAIN QUERY PLAN {before}", (16,)).fetchall()
    assert "moves_child" in plan[0][3]
    assert one(database, before, 16) == 1


@pytest.mark.parametrize("options", PARTS, ids=str)
def test_solution_as_a_whole(options, export):
    solution = solve("tictactoe")
    part, database, said = Part(solution, **options), export(solution, **options), solution.statistics()
    found = dict(database.execute("SELECT * FROM solution"))
    wanted = {"game": "tictactoe", "start": "?????????", "start_state": 0, "value": 0, "classes": part.classes}
    wanted |= {name: said[name] for name in ("positions", "canonical", "moves", "histories", "optimal_paths")}
    wanted |= {f"games_{name}": number for name, number in said["games"].items()}
    wanted |= {"optimal_only": int(part.optimal_only), "symmetry": "geometric", "symmetry_order": 8}
    assert {name: found[name] for name in wanted} == {name: str(value) for name, value in wanted.items()}
    assert found["depth"] == (None if part.depth is None else str(part.depth))
    assert one(
        database, "SELECT position FROM positions WHERE state = (SELECT value FROM solution WHERE key = 'start_state')"
    )
    assert one(database, "PRAGMA application_id") == sqlite.APPLICATION_ID
    assert one(database, "PRAGMA user_version") == sqlite.SCHEMA_VERSION


@pytest.mark.parametrize(("heaps", "kind"), [pytest.param(62, "integer", marks=pytest.mark.slow), (63, "text")])
def test_counts_beyond_63_bits(heaps, kind, export):
    solution = solve(f"nim:heaps={heaps}")
    database = export(solution)
    rows = database.execute("SELECT histories, typeof(histories), typeof(games_x) FROM positions").fetchall()
    assert {row[1:] for row in rows} == {(kind, kind)}
    assert sum(int(row[0]) for row in rows) == solution.statistics()["histories"] == 2**heaps
    assert one(database, "SELECT value FROM solution WHERE key = 'histories'") == str(2**heaps)


def test_declared_types_hold(export):
    """DuckDB goes by the declared type of a column, and SQLite itself does not."""
    for solution in map(solve, KINDS):
        database = export(solution)
        for table in ("positions", "moves", "solution"):
            for _, name, declared, required, _, _ in database.execute(f"PRAGMA table_info({table})").fetchall():
                kinds = {kind for (kind,) in database.execute(f"SELECT DISTINCT typeof({name}) FROM {table}")}
                assert declared in ("INTEGER", "TEXT")
                assert kinds <= {declared.lower(), "null"} - ({"null"} if required else set()), (table, name)


def test_special_characters(export):
    """Names and positions are bound, not spelled, and half a surrogate pair does not stop it."""
    solution = solve("nim:heaps=2-2-3")
    odd = "'); DROP TABLE moves; -- \x00\n é"
    game = type(
        "Odd", (type(solution.game),), {"format_positions": lambda _, s: [f"{i}{odd}\ud800" for i in s.tolist()]}
    )
    game.format_move = lambda _, move: f"{move}{odd}"
    other = analysis.solve(game(**solution.game.parameters()))
    database = export(other)
    assert {text for (text,) in database.execute("SELECT position FROM positions")} == {
        f"{state}{odd}\ufffd" for tier in other.tiers for state in tier.states.tolist()
    }
    assert all(name == f"{move}{odd}" for move, name in database.execute("SELECT move, name FROM moves"))


def test_over_at_the_start_and_without_counts(export):
    over = export(solve("tictactoe", position="XXXOO????"))
    assert one(over, "SELECT outcome, to_move, value FROM positions") == ("X", None, 1)
    assert one(over, "SELECT count(*) FROM moves") == 0
    uncounted = export(solve("tictactoe", position="XOX?O????", counts=False))
    names = [row[1] for row in uncounted.execute("PRAGMA table_info(positions)")]
    assert "histories" not in names
    assert one(uncounted, "SELECT value FROM solution WHERE key = 'histories'") is None
    assert one(uncounted, "SELECT position FROM positions WHERE state NOT IN (SELECT child FROM moves)") == "XOX?O????"


@pytest.mark.slow
def test_many(tmp_path):
    """States of one tier lie between those of others, and there are more than the cache holds."""
    solution = analysis.solve("mnk:rows=3,cols=4,k=3", symmetry="none")
    with atomic_file(tmp_path / "many.sqlite") as file:
        sqlite.write(Part(solution), file)
    with closing(sqlite3.connect(tmp_path / "many.sqlite")) as database:
        assert one(database, "PRAGMA integrity_check") == "ok"
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        assert one(database, "SELECT count(*) FROM moves") == solution.statistics()["moves"]
