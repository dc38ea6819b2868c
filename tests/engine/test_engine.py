"""The engine against the oracle: small boards completely, larger ones from random positions; without the compiler."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import analysis
from analysis.solving.to_directory import solve_to_directory
from analysis.storage.store import Tables
from tests.support.oracle import Oracle, boards
from tests.support.program import ROOT

GROUP_COUNTS = ("canonical", "symmetry_order", "quotient_paths", "games_up_to_symmetry")


def spec(rows: int, cols: int, k: int, misere: bool = False) -> str:
    return f"mnk:rows={rows},cols={cols},k={k},misere={str(misere).lower()}"


def without(stats: dict, *names: str) -> dict:
    rows = [{key: value for key, value in row.items() if key not in names} for row in stats["by_ply"]]
    return {key: value for key, value in stats.items() if key not in names and key != "by_ply"} | {"by_ply": rows}


def agrees(solution, oracle: Oracle, kind: str = "geometric", start: str | None = None) -> None:
    assert without(solution.statistics(), "game") == oracle.statistics(kind, start)


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


SMALL = [b for b in boards(6) if b[0] <= b[1]]


@pytest.mark.parametrize(
    "board",
    [b if b in ((1, 3, 2), (2, 2, 2), (2, 3, 3)) else pytest.param(b, marks=pytest.mark.slow) for b in SMALL],
    ids=str,
)
def test_misere(board):
    agrees(analysis.solve(spec(*board, misere=True), workers=1), Oracle(*board, misere=True))


@pytest.mark.slow
@pytest.mark.parametrize("board", [board for board in boards(7) if board[0] <= board[1]], ids=str)
def test_misere_on_every_board_of_up_to_seven_cells(board):
    agrees(analysis.solve(spec(*board, misere=True), workers=1), Oracle(*board, misere=True))


@pytest.mark.parametrize(
    "board",
    [
        (3, 3, 3),
        (2, 3, 2),
        (1, 6, 5),
        (2, 2, 2),
        *(pytest.param(b, marks=pytest.mark.slow) for b in [(2, 4, 3), (3, 3, 2)]),
    ],
    ids=str,
)
@pytest.mark.slow
def test_full_symmetry(board):
    """The oracle tries all permutations of the cells, so up to eight of them, or nine with patience."""
    agrees(analysis.solve(spec(*board), symmetry="full"), Oracle(*board), "full")


@pytest.mark.parametrize("board", [(3, 3, 3), (3, 4, 3), (2, 5, 3), (4, 3, 3)], ids=str)
@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.slow
def test_symmetry_settings_agree(board, misere):
    stats = [
        without(analysis.solve(spec(*board, misere), symmetry=kind).statistics(), *GROUP_COUNTS)
        for kind in ("geometric", "full", "none")
    ]
    assert stats[0] == stats[1] == stats[2]


def test_without_symmetry_group_counts_are_plain_counts():
    stats = analysis.solve("tictactoe", symmetry="none").statistics()
    assert stats["canonical"] == stats["positions"] == 5478
    assert stats["symmetry_order"] == 1
    assert stats["quotient_paths"] == stats["games_up_to_symmetry"] == stats["games"]["total"]


def random_position(oracle: Oracle, plies: int, generator: random.Random) -> str:
    """A position after some random moves, or earlier if the game ends."""
    s = oracle.start
    for _ in range(plies):
        children = [child for child in oracle.children(s) if oracle.moves(child)]
        if not children:
            break
        s = generator.choice(children)
    return s


@settings(max_examples=40, deadline=None)
@given(
    board=st.sampled_from([(3, 3, 3), (3, 4, 3), (4, 4, 4), (4, 4, 3), (3, 5, 4), (4, 5, 4), (5, 5, 4), (1, 14, 4)]),
    misere=st.booleans(),
    seed=st.integers(0, 2**32),
)
@pytest.mark.slow
def test_random_midgame_positions(board, misere, seed):
    """From a position with up to seven empty cells, everything agrees, symmetries being those of the position."""
    oracle = Oracle(*board, misere=misere)
    generator = random.Random(seed)
    starts = (random_position(oracle, board[0] * board[1] - 7, generator) for _ in range(100))
    start = next((s for s in starts if s.count("?") == 7), oracle.start)
    assume(start.count("?") <= 8)
    agrees(analysis.solve(spec(*board, misere), position=start, workers=1), oracle, "geometric", start)


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
            assert (found.games.X, found.games.O, found.games.tie) == tuple(tier[s] * outcomes[v] for v in (1, -1, 0))
            assert sorted(m.move for m in found.moves) == oracle.moves(s)
            assert {m.move: (m.position, m.value, m.remoteness_plies) for m in found.moves} == {
                cell: (child, oracle.value(child), oracle.remoteness(child))
                for cell in oracle.moves(s)
                for child in [oracle.play(s, cell)]
            }
            assert found.best_moves == tuple(
                c for c in oracle.moves(s) if oracle.value(oracle.play(s, c)) == found.value
            )
            assert found.to_move == (oracle.to_move(s) if oracle.moves(s) else None)
            assert ply == 9 - s.count("?")


def test_moves_are_listed_best_first():
    """A win fast, a loss slow, a tie fast, then by code."""
    solution = analysis.solve("mnk:cols=4")
    for s in ("????????????", "XO??????????", "XX??O???????", "XOX?O???X?O?"):
        position = solution[s]
        sign = 1 if position.to_move == "X" else -1
        seen = [(sign * m.value, m.remoteness_plies, m.move) for m in position.moves]
        assert seen == sorted(seen, key=lambda m: (-m[0], m[1] if m[0] >= 0 else -m[1], m[2]))
        assert all(m.optimal == (m.value == position.value) for m in position.moves)


@pytest.mark.slow
def test_threads_change_nothing():
    one, two = (analysis.solve("mnk:rows=4,cols=4,k=3", symmetry="none", workers=n) for n in (1, 2))
    assert one.statistics() == two.statistics()
    for ply in (0, 8, 12):
        assert one.positions(ply).equals(two.positions(ply))


def test_position_of_another_part_of_the_game_is_refused():
    solution = analysis.solve("tictactoe", position="XO???????")
    with pytest.raises(ValueError, match="not reached from XO"):
        solution["OX???????"]
    assert solution["XO?????X?"].histories == 1


SEARCHES = """
def searches(spec):
    from analysis.search.catalogue import find_algorithms
    from analysis.search.problem import game_problem
    from analysis.search.laboratory import Laboratory
    from analysis.search.catalogue import Settings, TablePolicy, parse_order

    found = []
    for settings in (Settings(), Settings(strict=True, table=TablePolicy(8, "two-deep"))):
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
stored = analysis.solve("tictactoe", directory=sys.argv[1], tables=["moves"])
analysis.verify(sys.argv[1])
found["searches"] = searches("mnk:rows=2,cols=3,k=2")
print(json.dumps(found))
"""
)


@pytest.mark.slow
def test_without_jit(tmp_path):
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", WITHOUT_JIT, str(tmp_path / "plain")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, check=False)
    assert done.returncode == 0, done.stderr
    plain, namespace = json.loads(done.stdout), {}
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
