"""The same code as ordinary Python: every kernel, not compiled, gives the same results."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import analysis
from analysis.solving.to_directory import solve_to_directory
from analysis.storage.store import Tables
from tests.support.program import ROOT

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

SCRIPT = (
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
    command = [sys.executable, "-W", "error", "-c", SCRIPT, str(tmp_path / "plain")]
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
