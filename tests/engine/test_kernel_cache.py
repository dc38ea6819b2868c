"""Compiled kernels are kept between runs, and forgotten when any file that they take helpers from changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.support.program import ROOT

SCRIPT = "from analysis.search import alphabeta; print(alphabeta('tictactoe').nodes)"


@pytest.mark.slow
def test_a_changed_helper_is_compiled_again(tmp_path):
    """The counter of nodes is in another file than the search that it is inlined into."""
    shutil.copytree(ROOT / "analysis", tmp_path / "analysis", ignore=shutil.ignore_patterns("__pycache__"))
    helper = tmp_path / "analysis" / "search" / "kernels" / "steps.py"

    def nodes() -> int:
        env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": ""}
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        return int(done.stdout)

    def compiled() -> dict[str, int]:
        files = (tmp_path / "cache").rglob("*.nbc")
        return {path.name: path.stat().st_mtime_ns for path in files if "alphabeta" in path.name}

    assert nodes() == 18297
    before = compiled()
    assert before
    assert nodes() == 18297
    assert compiled() == before
    text = helper.read_text()
    assert "memory(lab)[NODES] += 1\n" in text
    helper.write_text(text.replace("memory(lab)[NODES] += 1\n", "memory(lab)[NODES] += 2\n"))
    assert nodes() == 2 * 18297
