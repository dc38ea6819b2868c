"""What one solve takes: ``python planning_measure.py GAME COUNTS HOW WORKERS`` prints it as JSON, from a process of its
own; ``planning_costs.py`` compares it with what the plan says.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from common import ROOT  # noqa: F401 - so that it runs from a checkout that is not installed

SAMPLED_SECONDS = 0.05
"""Between two looks at the folder."""


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder that are there now."""
    total = 0
    for place, _, names in os.walk(folder):  # which passes over folders that are removed meanwhile
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(place, name).stat().st_size
    return total


def _memory(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def _budgets() -> list[Any]:
    """The budgets that are made from now on: they know how much was asked for."""
    from analysis.common.memory import Budget

    made: list[Any] = []
    plain = Budget.of_machine.__func__  # type: ignore[attr-defined]

    def of_machine(cls: Any) -> Any:
        made.append(plain(cls))
        return made[-1]

    Budget.of_machine = classmethod(of_machine)  # type: ignore[method-assign, assignment]
    return made


def measure(game: str, counts: bool, how: str, workers: int) -> dict[str, Any]:
    """Bytes and seconds of one solve ``how``: in ``memory``, into a ``directory``, or ``sharded`` on the disk."""
    import analysis
    from analysis.engine.engine import make_engine
    from analysis.games.families import load_game
    from analysis.solving.solve import solve
    from analysis.solving.to_directory import Tables, solve_to_directory

    engine = make_engine(load_game(game))
    engine.prepare()
    if how == "forward":
        return forward(engine)
    solve("mnk:rows=3,cols=4,k=3")  # loads what is loaded late
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        directory, scratch = Path(folder) / "s", Path(folder) / "x"
        most, beside, ends = [0], [0], threading.Event()

        def watch() -> None:
            while not ends.wait(SAMPLED_SECONDS):
                aside, result = size_of(scratch), size_of(directory)
                most[0], beside[0] = max(most[0], aside), max(beside[0], aside + result)

        budgets = _budgets()
        Path("/proc/self/clear_refs").write_text("5")
        before = _memory("VmRSS")
        if how != "memory":
            threading.Thread(target=watch, daemon=True).start()
        cpu, wall = time.process_time(), time.perf_counter()
        with analysis.running(workers=workers, scratch=scratch, sharded=how == "sharded"):
            if how == "memory":
                solution = solve(game, counts=counts)
            else:
                solution = solve_to_directory(game, directory, tables=Tables(counts))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        ends.set()
        found: dict[str, Any] = {
            "game": game, "counts": counts, "how": how, "workers": workers, "cpu": cpu, "wall": wall,
            "asked": max((budget.greatest for budget in budgets), default=0), "memory": _memory("VmHWM") - before,
            "scratch": most[0], "beside": beside[0], "bytes": size_of(directory),
        }  # fmt: skip
        return found | facts(solution)


def forward(engine: Any) -> dict[str, Any]:
    """How long it takes one thread to find all states."""
    from analysis.common.memory import Budget
    from analysis.engine.passes.forward_by_ply import forward_by_ply
    from analysis.engine.passes.forward_by_tier import forward_by_tier
    from analysis.engine.plan import Plan

    cpu = time.process_time()
    find = forward_by_ply if engine.by_ply else forward_by_tier
    reached = find(engine, Plan(Budget.of_machine(), False, 0))
    return {"game": engine.game.spec, "how": "forward", "counts": False, "workers": 1, "classes": sum(reached.sizes),
            "cpu": time.process_time() - cpu}  # fmt: skip


def facts(solution: Any) -> dict[str, Any]:
    """What the size of a solution is measured in."""
    statistics, tiers = solution.statistics(), solution.tiers
    games = statistics["games"]
    return {
        "classes": statistics["classes"], "positions": statistics["positions"], "moves": statistics["moves"],
        "tiers": [row.tier for row in solution._summary.totals],
        "sizes": [len(tier) for tier in tiers],
        "log_games": None if games is None else math.log2(games),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], sys.argv[2] == "1", sys.argv[3], int(sys.argv[4]))))
