"""What a full verification costs beside the solve of what it verifies; ``python verifying.py GAME`` measures one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import NO_TARGET, ROOT, Settings, Target, median

COST = Target(1, " x the solve", inclusive=True)

LITTLE, LARGE = "connect:rows=4,cols=5,k=4", "connect:rows=5,cols=5,k=4"
GAMES = (
    (LARGE, False, False),
    (LARGE, True, False),
    (LARGE, False, True),
    ("dots_and_boxes:rows=2,cols=4", True, False),
    ("chomp:rows=11,cols=11", False, False),
)
"""Specification, whether games are counted, whether it is solved in shards; the large ones have a target."""


def verifying(settings: Settings) -> None:
    """Print the table; every pair is a process of its own."""
    rows = []
    for game, counts, sharded in ((LITTLE, False, False),) if settings.quick else GAMES:
        pairs = [_measure(game, counts, sharded, settings.workers) for _ in range(min(3, settings.repeat))]
        cpu, wall = (median([pair[what][1] / pair[what][0] for pair in pairs]) for what in ("cpu", "wall"))
        name = f"{game}, {'all counts' if counts else 'values and remoteness'}{', in shards' if sharded else ''}"
        rows.append((name, f"{cpu:.2f}", f"{wall:.2f}", *(COST.judge(max(cpu, wall)) if game == LARGE else NO_TARGET)))
    settings.table(
        f"Full verification, in units of the solve into a directory, {settings.workers} threads",
        ("", "processor time", "time", "target", ""),
        rows,
    )


def _measure(game: str, counts: bool, sharded: bool, workers: int) -> dict[str, list[float]]:
    command = [sys.executable, __file__, game, str(int(counts)), str(int(sharded)), str(workers)]
    found: dict[str, list[float]] = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    )
    return found


def _pair(game: str, counts: bool, sharded: bool, workers: int) -> dict[str, list[float]]:
    """Seconds of a solve and of the verification."""
    import analysis

    found: dict[str, list[float]] = {"cpu": [], "wall": []}
    with tempfile.TemporaryDirectory() as folder:
        directory, warm = Path(folder) / "s", Path(folder) / "warm"
        analysis.running(sharded=sharded)(analysis.solve)(
            LITTLE, directory=warm, counts=counts
        )  # loads all, compiles the rules
        analysis.verify(warm)
        for work in (
            lambda: analysis.running(sharded=sharded)(analysis.solve)(
                game, directory=directory, counts=counts, workers=workers
            ),
            lambda: analysis.verify(directory, workers=workers),
        ):
            cpu, wall = time.process_time(), time.perf_counter()
            work()
            found["cpu"].append(time.process_time() - cpu)
            found["wall"].append(time.perf_counter() - wall)
    return found


if __name__ == "__main__":
    print(json.dumps(_pair(sys.argv[1], sys.argv[2] == "1", sys.argv[3] == "1", int(sys.argv[4]))))
