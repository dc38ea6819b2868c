"""Stored solutions: the size of a directory, milliseconds to look a position up, and the memory of whole processes."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from pathlib import Path

from common import NO_TARGET, ROOT, Settings, Target, median, temporary

import analysis
from analysis.solving.to_directory import solve_to_directory
from analysis.storage.store import Tables

GAME = "connect:rows=4,cols=5,k=4"
SIZE = Target(1.1, " bytes", inclusive=True)
LOOKED_UP = 60
"""Positions, in play all over the game."""

COMMANDS = {
    "stats": ("stats", "s"),
    "show": ("show", "s"),
    "paths --limit 10": ("paths", "s", "--limit", "10"),
    "export --to csv": ("export", "s", "--to", "csv"),
    "report": ("report", "s", "--out", "report"),
}
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A process that is small itself: a child's peak is at least its parent's size."""


def reading(settings: Settings) -> None:
    """Print the table."""
    with temporary() as folder:
        directory = Path(folder, "s")
        solution, _ = solve_to_directory(GAME, directory, tables=Tables(counts=False), workers=settings.workers)
        size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / solution.canonical
        first, again = _look_ups(directory)
        rows = [
            ("the directory", f"{size:.2f} bytes a class", *SIZE.judge(size)),
            ("a position with its moves, the first time", f"{1e3 * median(first):.2f} ms", *NO_TARGET),
            ("the same again", f"{1e3 * median(again):.2f} ms", *NO_TARGET),
        ]
        rows += [(f"gametree {name}", f"{_peak(folder, words):.0f} MB", *NO_TARGET) for name, words in COMMANDS.items()]
    settings.table(f"{GAME}, {solution.canonical:,} classes on the disk", ("", "measured", "target", ""), rows)


def _look_ups(directory: Path) -> tuple[list[float], list[float]]:
    """Seconds, with nothing open and nothing in memory but the operating system's, and with all that."""
    tiers = analysis.open_solution(directory).tiers
    states = [int(next(tier.pieces(1000))["state"][-1].as_py()) for tier in tiers[2:-2]]
    first, again = [], []
    for state in itertools.islice(itertools.cycle(states), LOOKED_UP):
        solution = analysis.open_solution(directory)
        for seconds in (first, again):
            began = time.perf_counter()
            solution.at(state)
            seconds.append(time.perf_counter() - began)
    return first, again


def _peak(folder: str, words: tuple[str, ...]) -> float:
    """MB of a whole process."""
    command = [sys.executable, "-S", "-c", PEAK, sys.executable, str(ROOT / "cli.py"), *words]
    return int(subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout) / 1024
