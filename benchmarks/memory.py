"""How much memory a solution takes: the peak of a fresh process, beyond what it held before it began."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from common import FOUR, NO_TARGET, PUBLISHED, ROOT, Settings, Target, check, median

BYTES = Target(64, " bytes")
WARM = "XOXOXOXOOXOXOX??"
"""Two plies from the end, so that solving from here compiles the rules and loads everything, and takes no memory."""

WORK = {
    "values and remoteness, in memory": ("solve", False),
    "all counts too, in memory": ("solve", True),
    "values and remoteness, into a directory": ("store", False),
    "all counts, into a directory": ("store", True),
}


def memory(settings: Settings) -> None:
    """Print the table; every figure comes from a process of its own."""
    rows = []
    for name, (how, counts) in WORK.items():
        pairs = [_measure(how, counts, settings.workers) for _ in range(min(settings.repeat, 3))]
        base, peak = (median([pair[i] for pair in pairs]) for i in (0, 1))
        a_position = (peak - base) / PUBLISHED[FOUR][0]
        judged = NO_TARGET if counts or how == "store" else BYTES.judge(a_position)
        rows.append((name, f"{base / 1e6:,.0f}", f"{peak / 1e6:,.0f}", f"{a_position:.1f}", *judged))
    settings.table(
        f"Memory: {FOUR} without symmetry, {PUBLISHED[FOUR][0]:,} positions, {settings.workers} threads; median of "
        f"{min(settings.repeat, 3)}",
        ("", "MB before", "MB at the peak", "bytes a position", "target", ""),
        rows,
    )


def _measure(how: str, counts: bool, workers: int) -> tuple[int, int]:
    """Peak bytes of a process before and after the work."""
    command = [sys.executable, __file__, how, str(int(counts)), str(workers)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    before, after = map(int, printed.split())
    return before, after


def peak_bytes() -> int:
    """The most memory this process has held so far.

    On Linux ``ru_maxrss`` will not do: a child begins with the peak of the process that started it, so that after a
    parent that sorted a gigabyte, nothing its children do would show. ``VmHWM`` is the same figure without that.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"^VmHWM:\s*(\d+) kB", status.read_text(), re.MULTILINE)
        if found:
            return int(found[1]) * 1024
    import resource  # not on Windows, where this section cannot be measured

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _child(how: str, counts: bool, workers: int) -> None:
    """Load and compile everything, note the peak, do the work, note the peak again."""
    import analysis
    from analysis.solution.storage.store import Tables
    from analysis.solving.to_directory import solve_to_directory

    tables = Tables(counts=counts)
    with tempfile.TemporaryDirectory(prefix="gametree-bench-") as directory, analysis.running(workers=workers):
        analysis.solve(FOUR, start=WARM, symmetry="none")
        solve_to_directory("tictactoe", Path(directory, "warm"), tables=tables)
        before = peak_bytes()
        if how == "store":
            solution = solve_to_directory(FOUR, Path(directory, "all"), symmetry="none", tables=tables)
        else:
            solution = analysis.solve(FOUR, symmetry="none", counts=counts)
        after = peak_bytes()
        check(solution, FOUR)
    print(before, after)


if __name__ == "__main__":
    _child(sys.argv[1], sys.argv[2] == "1", int(sys.argv[3]))
