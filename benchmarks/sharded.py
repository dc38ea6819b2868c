"""What a solve in shards costs beside one in memory, and what it takes; ``python sharded.py GAME`` measures one."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from common import NO_TARGET, ROOT, Settings, Target, median
from memory import peak_bytes

COST = Target(2.2, " x in memory", inclusive=True)
GROWTH = Target(1.5, " x the first", inclusive=True)
SCRATCH = Target(15, " bytes", inclusive=True)
MEMORY = Target(1.1, " x planned", inclusive=True)

SMALL, LARGE, LARGEST = (f"connect:rows={rows},cols={cols},k=4" for rows, cols in ((5, 4), (5, 5), (6, 5)))
LITTLE = "connect:rows=4,cols=5,k=4"
BYTES = 2_000_000_000
"""What a solve in shards is given."""


def sharded(settings: Settings) -> None:
    """Print the tables; every solve is a process of its own, and those that are compared take turns."""
    _cost(settings)
    _growth(settings)


def _cost(settings: Settings) -> None:
    rows = []
    games = (LITTLE,) if settings.quick else (LITTLE, LARGE)
    for game, counts in itertools.product(games, (True, False)):
        pairs = [
            [_measure(game, counts, how, settings.workers) for how in (False, True)]
            for _ in range(min(3, settings.repeat))
        ]
        ratio, wall = (median([after[what] / before[what] for before, after in pairs]) for what in ("cpu", "wall"))
        name = f"{game}, {'all counts' if counts else 'values and remoteness'}"
        rows.append((name, f"{ratio:.2f}", f"{wall:.2f}", *(COST.judge(ratio) if game == LARGE else NO_TARGET)))
    settings.table(
        "A solve into a directory in shards, in units of one in memory",
        ("", "processor time", "time", "target", ""),
        rows,
    )


def _growth(settings: Settings) -> None:
    rows, first = [], None
    for game in (SMALL, LARGE, *(() if settings.quick else (LARGEST,))):
        found = _measure(game, False, True, settings.workers)
        first = first or found["cpu"] / found["moves"]
        growth, scratch = found["cpu"] / found["moves"] / first, found["scratch"] / found["classes"]
        judged = [GROWTH.judge(growth), SCRATCH.judge(scratch), MEMORY.judge(found["peak"] / BYTES)]
        missed = [limit for limit, verdict in judged if verdict != "met"]
        rows.append(
            (
                game,
                f"{found['classes'] / found['wall'] / 1e6:.1f}",
                f"{1e9 * found['cpu'] / found['moves']:.0f}",
                f"{growth:.2f}",
                f"{found['peak'] / 1e6:,.0f}",
                f"{scratch:.2f}",
                f"{found['bytes'] / found['classes']:.2f}",
                f"MISSED: {', '.join(missed)}" if missed else "met",
            )
        )
    settings.table(
        f"In shards, values and remoteness, {settings.workers} threads, given {BYTES / 1e9:.0f} GB",
        (
            "",
            "M classes/s",
            "ns of processor a move",
            "x the first",
            "peak MB",
            "scratch bytes a class",
            "bytes a class",
            "",
        ),
        rows,
    )


def _measure(game: str, counts: bool, how: bool, workers: int) -> dict[str, float]:
    command = [sys.executable, __file__, game, str(int(counts)), str(int(how)), str(workers)]
    found: dict[str, float] = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    )
    return found


def _solve(game: str, counts: bool, how: bool, workers: int) -> dict[str, float]:
    import analysis

    with tempfile.TemporaryDirectory() as folder:
        analysis.running(sharded=how)(analysis.solve)(
            LITTLE, directory=f"{folder}/warm", counts=counts
        )  # loads all, compiles the rules
        directory, most, ends = Path(folder) / "s", [0], threading.Event()

        def watch() -> None:
            while not ends.wait(0.2):
                try:
                    size = sum(path.stat().st_size for path in (directory / ".partial" / "scratch").rglob("*-*"))
                except OSError:  # removed meanwhile
                    continue
                most[0] = max(most[0], size)

        threading.Thread(target=watch, daemon=True).start()
        cpu, wall = time.process_time(), time.perf_counter()
        solution = analysis.running(sharded=how)(analysis.solve)(
            game, directory=directory, counts=counts, workers=workers, memory=BYTES if how else None
        )
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        ends.set()
        statistics = solution.statistics()
        return {
            "cpu": cpu, "wall": wall, "peak": peak_bytes(), "scratch": most[0], "classes": statistics["classes"],
            "moves": statistics["moves"] / (statistics["positions"] / statistics["classes"]),
            "bytes": sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()),
        }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(_solve(sys.argv[1], sys.argv[2] == "1", sys.argv[3] == "1", int(sys.argv[4]))))
