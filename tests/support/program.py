"""Where the program lies, and what a refusal of its command line looks like."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0
"""Seconds that anything may take, on a machine that does ten other things too."""


def until(done: Callable[[], Any], what: str = "it") -> Any:
    """Wait until something is true, and return that."""
    ends = time.monotonic() + PATIENCE
    while not (found := done()):
        assert time.monotonic() < ends, f"{what} did not come true in {PATIENCE:g} s"
        time.sleep(0.01)
    return found


def said_how_it_ended(err: str) -> None:
    """What a command says that is told to end by Ctrl-C or another signal: one line."""
    assert err.startswith("gametree: interrupted;"), err
    assert err.count("\n") == 1, err


def one_line(result, code, *words):
    """A refusal: this exit code, nothing on standard output, and one line with these words."""
    assert result.code == code, result
    assert result.out == ""
    assert result.err.count("\n") == 1, result.err
    assert result.err.startswith("gametree: ")
    for word in words:
        assert word in result.err


def run_python(code: str, *arguments: object, cwd: Path = ROOT, **env: str) -> str:
    """What a program prints, of the package here, in a process of its own where warnings are errors."""
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def slow(*parameters: object) -> list:
    """Parameters of tests for the slow step."""
    return [pytest.param(parameter, marks=pytest.mark.slow) for parameter in parameters]
