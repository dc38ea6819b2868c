"""How long ``gametree find`` searches a stored solution, and how much memory it takes: whole processes, kernels cached.

``python benchmarks/finding.py connect:rows=4,cols=5,k=4`` solves the game (1,974,174 classes) into a temporary
directory and asks for classes by their columns and by their moves, which are expanded; beside it, what it takes to look
the moves of some of them up one after the other. The target is seconds, not minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from common import on_a_solution

import analysis

QUERIES = (
    ("value=tie and remoteness_plies>=15", None),
    ("value=tie and only_move and remoteness_plies>=7", None),
    ("only_move", None),
    ("", "errs"),
    ("only_move", "-remoteness"),
)
"""With their orders: by columns alone, by the moves of some classes, by the moves of all."""


def measure(directory: Path, positions: int) -> None:
    """Ask each of them; look up the moves of so many classes one by one."""
    solution = analysis.open_solution(directory)
    print(f"{solution.game.spec}: {solution.classes:,} classes")
    for query, order in QUERIES:
        seconds, megabytes, said = found(directory, query, order)
        print(f"{query or 'all':42} {order or '-':12} {seconds:6.2f} s {megabytes:5.0f} MB  {said}")
    drawn = solution.find("not terminal", order="random", limit=positions, seed=1)
    began = time.perf_counter()
    only = sum(len(solution[each.position].best_moves) == 1 for each in drawn)
    each = (time.perf_counter() - began) / max(1, len(drawn))
    print(f"one by one: {1e3 * each:.2f} ms a class, {each * solution.classes:,.0f} s for all; {only} with one move")


def found(directory: Path, query: str, order: str | None) -> tuple[float, float, str]:
    """Seconds, the peak of memory, and what is said of a search in a process of its own."""
    command = [sys.executable, str(Path(__file__).parents[1] / "cli.py"), "find", str(directory), query, "--limit", "5"]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, *(["--order", order] if order else [])], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    said = process.stderr.read().strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    scale = 1 if sys.platform == "darwin" else 1024
    return time.perf_counter() - began, usage.ru_maxrss * scale / 1e6, said.removeprefix("gametree: ").partition(";")[0]


if __name__ == "__main__":
    on_a_solution(__doc__, measure, 2000)
