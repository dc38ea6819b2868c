"""What a game in which play returns takes, in memory and in shards: ``python loops.py GAME BYTES`` measures one."""

from __future__ import annotations

import collections
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import NO_TARGET, ROOT, Settings, Target
from memory import peak_bytes

QUIXO, TEEKO = (f"docs/how-to/examples/{name}.py" for name in ("quixo", "teeko"))
BYTES = 700_000_000
"""What a solve in shards is given."""
LISTED = Target(3.0, " bytes", inclusive=True)
STAGES = {
    "finding positions": "find", "expanding": "expand", "listing the parents in": "list",
    "spreading values in": "waves", "solving": "write",
}  # fmt: skip


def loops(settings: Settings) -> None:
    """Print the table; every solve is a process of its own, with one thread."""
    rows = []
    for game in (QUIXO,) if settings.quick else (QUIXO, TEEKO):
        for given in (0, BYTES):
            found = _measure(game, given)
            a_move = 1e9 / found["moves"]
            stages = [f"{a_move * found[name]:.0f}" if name in found else "" for name in STAGES.values()]
            listed = found["lists"] / found["moves"]
            name = f"{Path(game).stem}, {'in shards' if given else 'in memory'}"
            a_class = found["peak"] / found["classes"]
            judged = LISTED.judge(listed) if given else NO_TARGET
            rows.append(
                (name, f"{found['cpu']:.0f}", f"{a_class:.0f}", *stages, f"{listed:.2f}" if given else "", *judged)
            )
    settings.table(
        f"Games in which play returns, one thread, shards with {BYTES / 1e6:.0f} MB: ns of processor a move by stage",
        ("", "processor s", "peak bytes a class", *STAGES.values(), "bytes of lists a move", "target", ""),
        rows,
    )


def _measure(game: str, given: int) -> dict[str, float]:
    command = [sys.executable, __file__, game, str(given)]
    found: dict[str, float] = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    )
    return found


def _solve(game: str, given: int) -> dict[str, float]:
    import analysis

    seconds, last, lists = collections.Counter[str](), ["", time.process_time()], [0]

    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "s"

        def note(stage: str, done: float, total: float | None) -> None:
            """Add the time since the last report to the stage that it was of."""
            now = time.process_time()
            seconds[last[0]] += now - float(last[1])
            verb = getattr(stage, "verb", stage)
            if verb != last[0] and verb == "spreading values in":
                with contextlib.suppress(OSError):
                    lists[0] += sum(path.stat().st_size for path in directory.rglob("lists-*"))
            last[:] = [verb, now]

        analysis.solve("dodgem", directory=f"{folder}/warm")
        before, cpu = peak_bytes(), time.process_time()
        last[1] = cpu
        with analysis.running(workers=1, sharded=bool(given), memory=given or None, progress=note):
            solution = analysis.solve(game, directory=directory)
        cpu = time.process_time() - cpu
        statistics = solution.statistics()
    classes = statistics["classes"]
    return {
        "cpu": cpu, "peak": peak_bytes() - before, "classes": classes, "lists": lists[0],
        "moves": statistics["moves"] / (statistics["positions"] / classes),
        **{STAGES[verb]: found for verb, found in seconds.items() if verb in STAGES},
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(_solve(sys.argv[1], int(sys.argv[2]))))
