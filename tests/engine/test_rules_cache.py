"""Compiled rules and kernels on the disk: an entry is used only for what it was made from."""

import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from analysis.engine.compiling import cache
from analysis.engine.compiling.cache import digest
from analysis.engine.kernels.raw import memory
from analysis.engine.kernels.types import to_move_signature
from tests.support.program import ROOT, run_python

ELSEWHERE = 5


def plus(number):
    def function(state):
        return state + number

    return function


def through(helper):
    def function(state):
        return helper(state)

    return function


def named(state):
    return state + ELSEWHERE


def with_default(state, more=1):
    return state + more


def with_globals(function, **changed):
    return types.FunctionType(function.__code__, {**function.__globals__, **changed}, function.__name__)


def content(function):
    return digest(function, to_move_signature)


def test_the_same_is_the_same():
    assert content(plus(1)) == content(plus(1))
    assert content(through(plus((1, 2)))) == content(through(plus((1, 2))))
    assert content(with_globals(named)) == content(named)
    assert content(memory) == content(memory)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (plus(1), plus(2)),
        (plus(1), plus(True)),
        (plus(1), plus(1.0)),
        (plus(0.0), plus(-0.0)),
        (plus(1), plus(np.int64(1))),
        (plus(np.int8(1)), plus(np.int64(1))),
        (plus((1, 2)), plus((1, 3))),
        (plus((1, 2)), plus((1, (2,)))),
        (plus(np.array([1, 2])), plus(np.array([1, 3]))),
        (plus(np.array([1, 2])), plus(np.array([[1, 2]]))),
        (plus(np.zeros(2, dtype=np.int64)), plus(np.zeros(2, dtype=np.uint64))),
        (through(plus(1)), through(plus(2))),
        (through(through(plus(1))), through(through(plus(2)))),
        (through(named), through(with_globals(named, ELSEWHERE=6))),
        (named, with_globals(named, ELSEWHERE=6)),
        (named, with_globals(named, ELSEWHERE=plus(1))),
        (with_default, types.FunctionType(with_default.__code__, globals(), "with_default", (2,))),
        (plus(1), through(plus(1))),
        (plus, through),
    ],
)
def test_what_differs_is_another_entry(one, other):
    assert content(one) != content(other)


SCRIPT = """
import sys
import threading
from analysis.engine.compiling import cache, functions
from analysis.games.families import load_game
rebuild, loaded = cache.CompileResult._rebuild, []
cache.CompileResult._rebuild = lambda *a: loaded.append(1) or rebuild(*a)
compiled = functions.compile_rules(load_game(sys.argv[1]).rules())
print(len(loaded), compiled.to_move.ctypes(0), compiled.to_move.ctypes(1))
"""


@pytest.fixture
def compile_in_a_process(tmp_path):
    """Compiles the rules of a game with a cache of its own; returns how many functions were loaded, and who moves."""

    def run(spec="tictactoe", home=tmp_path / "cache", wait=True, lines=0):
        command, env = [sys.executable, "-c", SCRIPT, spec], {**os.environ, "XDG_CACHE_HOME": str(home)}
        process = subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if not wait:
            return process
        out, err = process.communicate()
        assert (process.returncode, err.count("\n")) == (0, lines)
        return tuple(map(int, out.split()))

    return run


def entries(home: Path) -> list[Path]:
    return sorted((home / "gametree" / "rules").glob("*.rules"))


@pytest.mark.slow
def test_a_second_process_loads_what_the_first_compiled(tmp_path, compile_in_a_process):
    assert compile_in_a_process() == (0, 1, -1)
    assert len(entries(tmp_path / "cache")) == 2
    assert compile_in_a_process() == (2, 1, -1)
    assert compile_in_a_process("tictactoe:misere=true")[0] < 2
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.name.endswith(".tmp")]


@pytest.mark.slow
@pytest.mark.parametrize("damages", [("flip", "cut"), ("empty", "pickle"), ("other", "other")])
def test_a_damaged_entry_is_made_again(tmp_path, compile_in_a_process, damages):
    assert compile_in_a_process() == (0, 1, -1)
    whole = [path.read_bytes() for path in entries(tmp_path / "cache")]
    for path, data, damage in zip(entries(tmp_path / "cache"), whole, damages, strict=True):
        wrong = {
            "flip": data[:999] + bytes([data[999] ^ 1]) + data[1000:], "cut": data[:-7], "empty": b"",
            "other": whole[0] if data != whole[0] else whole[1][:40] + data[40:],
            "pickle": cache.hashlib.sha256(path.name.encode() + b"no pickle").digest() + b"no pickle",
        }  # fmt: skip
        path.write_bytes(wrong[damage])
    assert compile_in_a_process()[1:] == (1, -1)
    assert compile_in_a_process() == (2, 1, -1)


def test_entries_that_were_not_used_for_longest_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "MOST_ENTRIES", 8)
    for age in range(9):
        path = tmp_path / f"{age}.rules"
        path.write_text("")
        os.utime(path, (1000 - age, 1000 - age))
    cache._remove_oldest(tmp_path)
    assert sorted(path.stem for path in tmp_path.iterdir()) == list("012345")


COUNT_NODES = "from analysis.search import alphabeta; print(alphabeta('tictactoe').nodes)"


@pytest.mark.slow
def test_a_changed_helper_is_compiled_again(tmp_path):
    """The counter of nodes is in another file than the search that it is inlined into."""
    shutil.copytree(ROOT / "analysis", tmp_path / "analysis", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "gametree").symlink_to("analysis")
    helper = tmp_path / "analysis" / "search" / "kernels" / "steps.py"

    def nodes() -> int:
        return int(run_python(COUNT_NODES, cwd=tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"), PYTHONPATH=""))

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


"""An index from before an upgrade names classes that are gone; another process may have been stopped while writing."""
