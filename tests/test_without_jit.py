"""The same code as ordinary Python: every kernel, not compiled, gives the same results."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from conftest import ROOT

import analysis

SCRIPT = """
import json, sys, analysis
found = {}
for spec in ("tictactoe", "mnk:rows=2,cols=4,k=3,misere=true", "mnk:rows=1,cols=6,k=3"):
    solution = analysis.solve(spec)
    paths = list(solution.optimal_paths())
    found[spec] = [solution.statistics(), paths, list(solution.optimal_paths(shortest=True))]
stored, _ = analysis.solve_to_directory("tictactoe", sys.argv[1], tables=analysis.Tables(moves=True))
analysis.verify(sys.argv[1])
print(json.dumps(found))
"""


def test_without_jit(tmp_path):
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", SCRIPT, str(tmp_path / "plain")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, check=False)
    assert done.returncode == 0, done.stderr
    for spec, (stats, paths, shortest) in json.loads(done.stdout).items():
        solution = analysis.solve(spec)
        assert solution.statistics() == stats
        assert list(solution.optimal_paths()) == paths
        assert list(solution.optimal_paths(shortest=True)) == shortest
    analysis.solve_to_directory("tictactoe", tmp_path / "compiled", tables=analysis.Tables(moves=True))
    for path in (tmp_path / "compiled").rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "plain" / path.relative_to(tmp_path / "compiled")).read_bytes()
