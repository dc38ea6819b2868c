"""Five in a row on 5 x 5, all of it: ``python benchmarks/five_in_a_row.py [DIR]``.

It solves it into a directory, or takes the solution that is there, verifies it, and compares it with closed forms and
with what was found before. Games by outcome and length and histories by ply come from sums over sets of cells
(`tests.support.line_counts`), which know nothing of the program. It fails where a number differs.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import common  # noqa: F401 - so that it runs from a checkout that is not installed

import analysis
from analysis.solving.to_directory import solve_to_directory
from tests.support.line_counts import line_counts

GAME = "mnk:rows=5,cols=5,k=5"
CLASSES = 15_560_772
MOVES = 207_809_824
OPTIMAL_PATHS = 6_140_958_684_017_924_841_652_224
"""As found in 2026 by this program; games and histories have an independent source."""


def main(directory: Path) -> int:
    """1 where a number differs."""
    began, before = time.perf_counter(), time.process_time()
    solution = solve_to_directory(GAME, directory, symmetry="residual")
    took = f"{time.perf_counter() - began:.0f} s, {time.process_time() - before:.0f} s of processor time"
    stats, counted = solution.statistics(), line_counts(5, 5, 5)
    by_length = {row["plies"]: row for row in stats["games_by_length"]}
    games = ("games_x", "games_o", "games_tie")
    none = dict.fromkeys(games, 0)
    checks = {
        "value": (stats["value"], 0),
        "remoteness": (stats["remoteness_plies"], 25),
        "classes": (stats["classes"], CLASSES),
        "optimal paths": (stats["optimal_paths"], OPTIMAL_PATHS),
        "games": ([stats[name] for name in games], [sum(counted.x), sum(counted.o), sum(counted.tie)]),
        "histories": ([row["histories"] for row in stats["by_ply"]], counted.histories),
        "games by length": (
            [[by_length.get(ply, none)[name] for name in games] for ply in range(26)],
            [list(row) for row in zip(counted.x, counted.o, counted.tie, strict=True)],
        ),
    }
    began, before = time.perf_counter(), time.process_time()
    checks["moves that follow from the rules"] = (analysis.verify(directory).moves, MOVES)
    verified = f"{time.perf_counter() - began:.0f} s, {time.process_time() - before:.0f} s of processor time"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    how = "there already" if solution.was_there else f"solved in {took}"
    print(f"{how}; verified in {verified}; {peak:.2f} GB at most")
    wrong = [name for name, (found, wanted) in checks.items() if found != wanted]
    for name, (found, wanted) in checks.items():
        print(f"{name}: {'WRONG' if name in wrong else 'ok'} {json.dumps(found)[:200]}")
        if name in wrong:
            print(f"  not {json.dumps(wanted)[:200]}")
    return int(bool(wrong))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(main(Path(folder) / "five"))
