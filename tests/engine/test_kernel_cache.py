"""Compiled kernels are kept between runs, and forgotten when any file that they take helpers from changes."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys

import numba
import pytest
from numba.core.caching import _CacheLocator

from analysis.engine.kernels import hash_table
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
    assert "memory(lab)[layout.NODES] += 1\n" in text
    helper.write_text(text.replace("memory(lab)[layout.NODES] += 1\n", "memory(lab)[layout.NODES] += 2\n"))
    assert nodes() == 2 * 18297


SOLVE = """
import numba  # so that the game is not solved in plain Python
from analysis import solve
from analysis.engine.kernels import hash_table
kernels = hash_table.link, hash_table.insert, hash_table.find
misses = [sum(each.compiled.stats.cache_misses.values()) for each in kernels]
print(solve("tictactoe", workers=1).games.total, *misses)
"""

DAMAGE = {
    "link": b"canalysis.engine.kernels.types\nGone\n.",
    "insert": b"cno_such_module\nGone\n.",
    "find": b"\x80\x05",
}
"""An index from before an upgrade names classes that are gone; another process may have been stopped while writing."""


@pytest.mark.slow
def test_a_damaged_index_is_made_again(tmp_path):
    folder = tmp_path / _CacheLocator.get_suitable_cache_subpath(hash_table.__file__)
    shutil.copytree(hash_table.link.compiled._cache.cache_path, folder)
    for kernel, damage in DAMAGE.items():
        for index in folder.glob(f"hash_table.{kernel}-*.nbi"):  # of earlier versions of the file too
            index.write_bytes(pickle.dumps(numba.__version__) + damage)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}

    def solved() -> list[str]:
        command = [sys.executable, "-c", SOLVE]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert solved() == ["255168", "1", "1", "1"]
    assert solved() == ["255168", "0", "0", "0"]
