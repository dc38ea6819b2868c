"""The engine against published numbers and the oracle, small boards completely; threads; without the compiler."""

import json
import random

import pytest

import analysis
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory
from tests.support import golden
from tests.support.class_graph import class_graph, move_frame
from tests.support.oracle import Oracle, boards
from tests.support.program import run_python


def spec(rows: int, cols: int, k: int, misere: bool = False) -> str:
    return f"mnk:rows={rows},cols={cols},k={k},misere={str(misere).lower()}"


def without(stats: dict, *names: str) -> dict:
    rows = [{key: value for key, value in row.items() if key not in names} for row in stats["by_ply"]]
    return {key: value for key, value in stats.items() if key not in names and key != "by_ply"} | {"by_ply": rows}


def agrees(solution, oracle: Oracle, kind: str = "geometric", start: str | None = None) -> None:
    assert without(solution.statistics(), "game", "start") == oracle.statistics(kind, start)


FAST = [(1, 1, 1), (3, 1, 3), (2, 2, 2), (1, 4, 3), (2, 3, 3), (3, 3, 3)]
TURNED = [(2, 1, 1), (2, 1, 2), (3, 1, 3), (3, 2, 2)]
"""Those with more rows than columns: few, since a board that is turned has as many of everything."""


@pytest.mark.parametrize(
    "board",
    [b if b in FAST else pytest.param(b, marks=pytest.mark.slow) for b in boards(8) if b in TURNED or b[0] <= b[1]],
    ids=str,
)
def test_every_board_of_up_to_eight_cells(board):
    agrees(analysis.solve(spec(*board), workers=1), Oracle(*board))


@pytest.mark.parametrize("symmetry", ["geometric", "full", "none"])
def test_every_position_of_3x3(symmetry):
    oracle, solution = Oracle(3, 3, 3), analysis.solve("tictactoe", symmetry=symmetry)
    generator = random.Random(1)
    for ply, tier in enumerate(oracle.tiers()):
        for s in generator.sample(sorted(tier), min(len(tier), 150)):
            found = solution[s]
            assert found.position == s
            assert found.value == oracle.value(s)
            assert found.remoteness_plies == oracle.remoteness(s)
            assert found.histories == tier[s]
            outcomes = oracle.outcomes(s)
            assert (found.games_x, found.games_o, found.games_tie) == tuple(outcomes[v] for v in (1, -1, 0))
            assert sorted(m.move for m in found.moves) == oracle.moves(s)
            assert {m.move: (m.position, m.value, m.remoteness_plies) for m in found.moves} == {
                cell: (child, oracle.value(child), oracle.remoteness(child))
                for cell in oracle.moves(s)
                for child in [oracle.play(s, cell)]
            }
            keeping = [c for c in oracle.moves(s) if oracle.value(oracle.play(s, c)) == found.value]
            assert sorted(found.best_moves) == keeping
            assert found.to_move == (1 if oracle.to_move(s) == "X" else -1)
            assert ply == 9 - s.count("?")


@pytest.mark.slow
def test_threads_change_nothing():
    one, two = (analysis.solve("mnk:rows=4,cols=4,k=3", symmetry="none", workers=n) for n in (1, 2))
    assert one.statistics() == two.statistics()
    for ply in (0, 8, 12):
        assert one.positions(ply).equals(two.positions(ply))


SEARCHES = """
def searches(spec):
    from analysis.search.catalogue import find_algorithms
    from analysis.search.problem import game_problem
    from analysis.search.laboratory import Laboratory
    from analysis.search.catalogue import Settings, parse_order

    found = []
    for settings in (Settings(), Settings(strict=True, table_entries=8)):
        laboratory = Laboratory(game_problem(spec, depth=9, evaluation="lines"), settings)
        orders = [parse_order(name, laboratory.problem) for name in ("natural", "least")]
        for row in laboratory.rows(laboratory.tasks(find_algorithms(["all"]), orders, symmetries=("geometric",))):
            found.append([row.algorithm, row.order, row.value, row.nodes, row.leaves, row.cutoffs, row.table_entries])
    return found
"""

WITHOUT_JIT = (
    SEARCHES
    + """
import json, sys, numba, analysis  # with Numba loaded, small games take the kernels too
found = {}
for spec in ("tictactoe", "mnk:rows=2,cols=4,k=3,misere=true", "mnk:rows=1,cols=6,k=3"):
    solution = analysis.solve(spec)
    paths = list(solution.optimal_paths())
    found[spec] = [solution.statistics(), paths, list(solution.optimal_paths(shortest=True))]
stored = analysis.solve("tictactoe", directory=analysis.Output(sys.argv[1], tables=["moves"]))
analysis.verify(sys.argv[1])
found["searches"] = searches("mnk:rows=2,cols=3,k=2")
print(json.dumps(found))
"""
)


@pytest.mark.slow
def test_without_jit(tmp_path):
    plain, namespace = json.loads(run_python(WITHOUT_JIT, tmp_path / "plain", NUMBA_DISABLE_JIT="1")), {}
    exec(SEARCHES, namespace)
    assert plain["searches"] == namespace["searches"]("mnk:rows=2,cols=3,k=2")
    del plain["searches"]
    for spec, (stats, paths, shortest) in plain.items():
        solution = analysis.solve(spec)
        assert solution.statistics() == stats
        assert list(solution.optimal_paths()) == paths
        assert list(solution.optimal_paths(shortest=True)) == shortest
    solve_to_directory("tictactoe", tmp_path / "compiled", tables=Tables(moves=True))
    for path in (tmp_path / "compiled").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "plain" / path.relative_to(tmp_path / "compiled")).read_bytes()


@pytest.fixture(scope="module")
def solution():
    return analysis.solve("tictactoe")


@pytest.fixture(scope="module")
def stats(solution):
    return solution.statistics()


NUMBERS = golden.tictactoe()


@pytest.mark.parametrize(
    "name", ["value", "remoteness_plies", "histories", "positions", "moves", "classes", "quotient_paths",
             "games_up_to_symmetry", "optimal_paths"],
)  # fmt: skip
def test_tictactoe_totals(stats, name):
    assert stats[name] == int(NUMBERS[name])


def test_tictactoe_games(stats):
    assert all(stats[name] == int(NUMBERS[name]) for name in ("games", "games_x", "games_o", "games_tie"))
    by_length = [
        (row["plies"], row[f"games_{outcome.lower()}"], outcome)
        for row in stats["games_by_length"]
        for outcome in ("X", "O", "tie")
        if row[f"games_{outcome.lower()}"]
    ]
    published = [item.split(":") for item in NUMBERS["games_by_length"].split()]
    assert by_length == [(int(plies), int(games), outcome) for plies, games, outcome in published]


@pytest.mark.parametrize("column", ["histories", "positions", "classes"])
def test_tictactoe_by_ply(stats, column):
    assert [row[column] for row in stats["by_ply"]] == [int(n) for n in NUMBERS[f"{column}_by_ply"].split()]


def test_tictactoe_terminal(stats):
    ended = [stats[f"terminal_{end}"] for end in ("x", "o", "tie")]
    assert (ended, sum(ended)) == ([626, 316, 16], int(NUMBERS["terminal"]))


def test_tictactoe_values(solution, stats):
    frame = solution.positions()
    classes = frame["value"].map({1: "X", -1: "O", 0: "tie"})
    positions = frame["orbit_size"].groupby(classes).sum()
    for found, name in ((classes.value_counts(), "classes"), (positions, "positions")):
        published = dict(item.split(":") for item in NUMBERS[f"values_of_{name}"].split())
        assert {key: int(value) for key, value in found.items()} == {k: int(v) for k, v in published.items()}
    assert int(frame["terminal"].sum()) == int(NUMBERS["terminal_classes"])
    assert sum(row["value_x"] for row in stats["by_ply"]) == 2936


def test_tictactoe_value_by_remoteness(stats):
    published = [[int(n) for n in NUMBERS[str(plies)].split()] for plies in range(10)]
    rows = stats["by_remoteness"]
    assert [[row["win"], row["lose"], row["tie"]] for row in rows] == published
    assert [row["remoteness_plies"] for row in rows] == list(range(10))
    assert all(row["draw"] == 0 for row in rows)


def test_tictactoe_quotient_graph(solution):
    graph = class_graph(solution)
    assert graph.number_of_nodes() == 765
    assert graph.number_of_edges() == int(NUMBERS["quotient_moves_distinct"])
    assert sum(len(moves) for _, _, moves in graph.edges(data="moves")) == int(
        NUMBERS["quotient_moves_with_multiplicity"]
    )
    assert len(move_frame(solution)) == int(NUMBERS["quotient_moves_with_multiplicity"])


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
def test_published_numbers_of_mnk(spec, published):
    stats = analysis.solve(spec).statistics()
    found = {
        **{name: stats[name] for name in ("value", "remoteness_plies", "positions", "moves", "classes", "histories")},
        **{name: stats[name] for name in stats if name.startswith(("terminal_", "games_")) and name in published},
        "nonterminal": stats["positions"] - sum(stats[f"terminal_{end}"] for end in ("x", "o", "tie")),
        "optimal_paths": stats["optimal_paths"],
    }
    assert found == published


@pytest.mark.slow
def test_4x4_by_ply_and_full_group():
    rows = [line for line in (golden.FOLDER / "mnk.txt").read_text().splitlines() if line.startswith("# 1 16 240")]
    published = [int(n) for n in rows[0].removeprefix("#").split()]
    stats = analysis.solve("mnk:rows=4,cols=4,k=4", symmetry="full", counts=False).statistics()
    assert [row["positions"] for row in stats["by_ply"]] == published
    assert stats["classes"] == 307639
    assert stats["symmetry_order"] == 32
