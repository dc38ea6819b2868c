"""Stored solutions: the size of a directory, and the memory of whole processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from common import NO_TARGET, ROOT, Settings, Target, temporary

import analysis
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory

GAME = "connect:rows=4,cols=5,k=4"
SIZE = Target(1.1, " bytes", inclusive=True)
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
        with analysis.running(workers=settings.workers):
            solution = solve_to_directory(GAME, directory, tables=Tables(counts=False))
        size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / solution.classes
        rows = [("the directory", f"{size:.2f} bytes a class", *SIZE.judge(size))]
        rows += [(f"gametree {name}", f"{_peak(folder, words):.0f} MB", *NO_TARGET) for name, words in COMMANDS.items()]
    settings.table(f"{GAME}, {solution.classes:,} classes on the disk", ("", "measured", "target", ""), rows)


def _peak(folder: str, words: tuple[str, ...]) -> float:
    """MB of a whole process."""
    command = [sys.executable, "-S", "-c", PEAK, sys.executable, str(ROOT / "cli.py"), *words]
    return int(subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout) / 1024
