"""Seconds from the command to its answer: whole processes, with and without compiled kernels on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from common import NO_TARGET, ROOT, Settings, Target, interleaved, median, spread, temporary, timed

HELP = "gametree --help"
SOLVE = "gametree solve tictactoe, kernels cached"
FIRST = "gametree solve tictactoe, empty cache"
TARGETS = {HELP: Target(0.3, " s"), SOLVE: Target(2, " s"), FIRST: Target(20, " s")}


def startup(settings: Settings) -> None:
    """Print the table. Every run has a kernel cache in a new directory; the installed one is left alone."""
    with temporary() as directory:
        first = [_first(Path(directory, str(number))) for number in range(min(settings.repeat, 3))]
        cache = Path(directory, "0")
        seconds = {
            **interleaved(_cached(cache, Path(directory, "out")), settings.repeat),
            FIRST: first,
        }
    settings.table(
        f"Startup: whole processes, wall time; the first time ever is a median of {len(first)}",
        ("", "seconds", "least..greatest", "target", ""),
        [
            (name, f"{median(figures):.2f}", spread(figures), *_judge(name, median(figures)))
            for name, figures in seconds.items()
        ],
    )


def _judge(name: str, seconds: float) -> tuple[str, str]:
    return TARGETS[name].judge(seconds) if name in TARGETS else NO_TARGET


def _first(cache: Path) -> float:
    return _run(cache, "cli.py", "solve", "tictactoe", "--force", "--out", str(cache / "out"))


def _cached(cache: Path, out: Path) -> dict[str, Callable[[], float]]:
    """The commands, and for comparison what Python and the libraries take by themselves."""
    return {
        "python, doing nothing": lambda: _run(cache, "-c", ""),
        "python, importing NumPy and Numba": lambda: _run(cache, "-c", "import numpy, numba"),
        "python, importing pyarrow.parquet too": lambda: _run(cache, "-c", "import numpy, numba, pyarrow.parquet"),
        HELP: lambda: _run(cache, "cli.py", "--help"),
        SOLVE: lambda: _run(cache, "cli.py", "solve", "tictactoe", "--force", "--out", str(out)),
    }


def _run(cache: Path, *arguments: str) -> float:
    """Wall seconds of one process that must succeed."""
    cache.mkdir(exist_ok=True)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, *arguments]
    return timed(lambda: subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment))
