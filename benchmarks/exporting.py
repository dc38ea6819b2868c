"""Exports: classes a second in each format, against a walk that writes nothing.

The walk hands on every class with its moves, the values after them and the text of its position. What a format takes
more than that is the spelling of its file; what the walk takes more than solving is looking every child up again.
"""

from __future__ import annotations

from pathlib import Path

import psutil
from common import Settings, Target, interleaved, median, temporary, timed

import analysis
from analysis.reports.exports.export import FORMATS
from analysis.reports.exports.part import Part
from analysis.solving.to_directory import solve_to_directory

LARGE, WHOLE = "connect:rows=4,cols=4,k=4", "mnk:rows=4,cols=4,k=4"
STREAMED = ("graphml", "json", "csv", "jsonl")
FLAT = Target(1.0, " GB", inclusive=True)


def exporting(settings: Settings) -> None:
    """Print the tables."""
    with temporary() as folder:
        _formats(settings, Path(folder))
        if not settings.quick:
            _memory(settings, Path(folder))
        _reports(settings, Path(folder))


def walk(solution: analysis.Solution) -> int:
    """Every class with all that formats write of it; returns their number."""
    return sum(len(block.positions) for block in Part(solution).blocks(moves=True))


def _formats(settings: Settings, folder: Path) -> None:
    solution = analysis.solve(LARGE)
    classes = solution.classes
    variants = {"walk": lambda: timed(lambda: walk(solution))}
    for name in STREAMED:
        out = folder / f"export{FORMATS[name].suffixes[0]}"
        variants[name] = lambda name=name, out=out: timed(lambda: analysis.export(solution, out, name))
    seconds = {name: median(found) for name, found in interleaved(variants, settings.repeat).items()}
    rows = []
    for name in ("walk", *STREAMED):
        size = "" if name == "walk" else f"{(folder / f'export{FORMATS[name].suffixes[0]}').stat().st_size / 1e6:.1f}"
        rate = f"{classes / seconds[name] / 1e3:,.0f}"
        rows.append((name, f"{seconds[name]:.2f}", rate, size, f"{seconds[name] / seconds['walk']:.1f}"))
    columns = ("program", "seconds", "thousand classes/s", "MB", "x the walk")
    settings.table(f"{LARGE}: {classes:,} classes, one thread", columns, rows)


def _memory(settings: Settings, folder: Path) -> None:
    """How much memory a large export takes beyond the stored solution that it reads."""
    directory = folder / "solution"
    solve_to_directory(WHOLE, directory)
    program = (
        "import sys, analysis\n"
        "solution = analysis.open_solution(sys.argv[1])\n"
        "analysis.export(solution, sys.argv[3], sys.argv[2])\n"
    )
    rows = []
    for name in ("csv", "jsonl"):
        out = folder / f"whole{FORMATS[name].suffixes[0]}"
        seconds, peak = _run(program, str(directory), name, str(out))
        verdict = FLAT.judge(peak / 1e9)
        rows.append((name, f"{seconds:.1f}", f"{out.stat().st_size / 1e6:,.0f}", f"{peak / 1e6:,.0f}", *verdict))
        out.unlink()
    classes = analysis.open_solution(directory).classes
    columns = ("program", "seconds", "MB of file", "MB of memory", "target", "")
    settings.table(f"{WHOLE}: {classes:,} classes from the disk", columns, rows)


def _run(program: str, *arguments: str) -> tuple[float, int]:
    """Seconds and the greatest memory of a Python program."""
    import sys
    import time

    began, peak = time.perf_counter(), 0
    with psutil.Popen([sys.executable, "-c", program, *arguments]) as process:
        while process.poll() is None:
            try:
                peak = max(peak, process.memory_info().rss)
            except psutil.Error:
                break
            time.sleep(0.02)
        if process.wait():
            raise RuntimeError(f"{arguments} failed")
    return time.perf_counter() - began, peak


def _reports(settings: Settings, folder: Path) -> None:
    """Seconds of a report of a game that is solved."""
    from analysis.reports.report import write_report

    rows = []
    for spec in ("tictactoe", LARGE):
        directory = folder / "solved" / spec.partition(":")[0]
        solve_to_directory(spec, directory)
        found = [timed(lambda d=directory: write_report(str(d), d / "report")) for _ in range(settings.repeat)]
        pages = directory / "report" / "index.html"
        rows.append((spec, f"{median(found):.1f}", f"{pages.stat().st_size / 1e3:.0f}"))
    settings.table("gametree report of a stored solution", ("program", "seconds", "kB of page"), rows)
