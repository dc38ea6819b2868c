"""Published numbers, each from tests/golden with its source there."""

from __future__ import annotations

import pytest

import analysis
from tests.support import golden
from tests.support.oracle import Oracle


@pytest.fixture(scope="module")
def solution():
    return analysis.solve("tictactoe")


@pytest.fixture(scope="module")
def stats(solution):
    return solution.statistics()


NUMBERS = golden.tictactoe()


@pytest.mark.parametrize(
    "name", ["value", "remoteness_plies", "histories", "positions", "moves", "canonical", "quotient_paths",
             "games_up_to_symmetry", "optimal_paths"],
)  # fmt: skip
def test_tictactoe_totals(stats, name):
    assert stats[name] == int(NUMBERS[name])


def test_tictactoe_games(stats):
    assert stats["games"] == {
        "X": int(NUMBERS["games_X"]),
        "O": int(NUMBERS["games_O"]),
        "tie": int(NUMBERS["games_tie"]),
        "total": int(NUMBERS["games_total"]),
    }
    by_length = [
        (row["plies"], row[outcome], outcome)
        for row in stats["games_by_length"]
        for outcome in ("X", "O", "tie")
        if row[outcome]
    ]
    published = [item.split(":") for item in NUMBERS["games_by_length"].split()]
    assert by_length == [(int(plies), int(games), outcome) for plies, games, outcome in published]


@pytest.mark.parametrize("column", ["histories", "positions", "canonical"])
def test_tictactoe_by_ply(stats, column):
    assert [row[column] for row in stats["by_ply"]] == [int(n) for n in NUMBERS[f"{column}_by_ply"].split()]


def test_tictactoe_terminal(stats):
    assert sum(stats["terminal"].values()) == int(NUMBERS["terminal"]) == 958
    assert stats["terminal"] == {"X": 626, "O": 316, "tie": 16}


def test_tictactoe_values(solution, stats):
    frame = solution.positions()
    classes = frame["value"].map({1: "X", -1: "O", 0: "tie"})
    positions = frame["orbit_size"].groupby(classes).sum()
    for found, name in ((classes.value_counts(), "canonical"), (positions, "positions")):
        published = dict(item.split(":") for item in NUMBERS[f"values_of_{name}"].split())
        assert {key: int(value) for key, value in found.items()} == {k: int(v) for k, v in published.items()}
    assert int(frame["terminal"].sum()) == int(NUMBERS["terminal_canonical"])
    assert sum(row["value_X"] for row in stats["by_ply"]) == 2936


def test_tictactoe_value_by_remoteness(stats):
    published = [[int(n) for n in NUMBERS[str(plies)].split()] for plies in range(10)]
    rows = stats["by_remoteness"]
    assert [[row["win"], row["lose"], row["tie"]] for row in rows] == published
    assert [row["remoteness_plies"] for row in rows] == list(range(10))
    assert all(row["draw"] == 0 for row in rows)


def test_tictactoe_quotient_graph(solution):
    graph = solution.to_networkx()
    assert graph.number_of_nodes() == 765
    assert graph.number_of_edges() == int(NUMBERS["quotient_moves_distinct"])
    assert sum(len(moves) for _, _, moves in graph.edges(data="moves")) == int(
        NUMBERS["quotient_moves_with_multiplicity"]
    )
    assert len(solution.moves()) == int(NUMBERS["quotient_moves_with_multiplicity"])


def test_tictactoe_optimal_paths(solution):
    paths = list(solution.optimal_paths())
    assert paths[0] == NUMBERS["optimal_first"]
    assert paths[-1] == NUMBERS["optimal_last"]
    assert len(paths) == int(NUMBERS["optimal_paths"].split()[0])
    first = [sum(path[0] == str(cell) for path in paths) for cell in range(9)]
    assert first == [82, 758, 82, 758, 224, 758, 82, 758, 82]


def test_oracle_node_counts():
    """The oracle itself against published node counts; other tests lean on it."""
    oracle = Oracle(3, 3, 3)
    assert oracle.minimax_nodes(oracle.start) == 549946
    assert oracle.alphabeta(oracle.start, -float("inf"), float("inf")) == (0, 18297)


LATER = "mnk:rows=4,cols=4,k=4,misere=true"


@pytest.mark.parametrize(
    ("spec", "published"),
    [pytest.param(*row, marks=[pytest.mark.slow] * (row[0] == LATER), id=row[0]) for row in golden.mnk()],
)
def test_mnk(spec, published):
    stats = analysis.solve(spec).statistics()
    found = {
        **{name: stats[name] for name in ("value", "remoteness_plies", "positions", "moves", "canonical", "histories")},
        **{f"terminal_{name}": number for name, number in stats["terminal"].items()},
        **{f"games_{name}": number for name, number in stats["games"].items() if name != "total"},
        "nonterminal": stats["positions"] - sum(stats["terminal"].values()),
        "optimal_paths": stats["optimal_paths"],
    }
    assert found == published


@pytest.mark.slow
def test_4x4_by_ply_and_full_group():
    rows = [line for line in (golden.FOLDER / "mnk.txt").read_text().splitlines() if line.startswith("# 1 16 240")]
    published = [int(n) for n in rows[0].removeprefix("#").split()]
    stats = analysis.solve("mnk:rows=4,cols=4,k=4", symmetry="full", counts=False).statistics()
    assert [row["positions"] for row in stats["by_ply"]] == published
    assert stats["canonical"] == 307639
    assert stats["symmetry_order"] == 32
