"""What every section shares: the run's settings, fair timing, targets, tables, and the published counts."""

from __future__ import annotations

import argparse
import dataclasses
import gc
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psutil
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:  # so that it runs from a checkout that is not installed
    sys.path.insert(0, str(ROOT))

FOUR = "mnk:rows=4,cols=4,k=4"
"""The game that the targets are about."""

LEFT = ("", "program", "algorithm", "computes", "symmetry", "board, k")
"""Columns of words."""

PUBLISHED = {
    "mnk:rows=3,cols=3,k=3": (5_478, 16_167),
    FOUR: (9_722_011, 51_562_424),
}
"""Positions and moves; both follow from the rules alone, whatever the symmetry."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """How this run measures, and where it prints."""

    repeat: int
    workers: int
    quick: bool
    console: Console

    def print(self, text: str = "") -> None:
        """One paragraph of plain text."""
        self.console.print(text, markup=False, highlight=False)

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """A table whose cells are ready to print."""
        table = Table(box=MARKDOWN)
        for name in columns:
            table.add_column(name, justify="left" if name in LEFT else "right", overflow="fold")
        for row in rows:
            table.add_row(*map(str, row))
        with self.console.capture() as printed:
            self.console.print(table, markup=False, highlight=False)
        lines = [line.rstrip() for line in printed.get().splitlines()]
        self.print("\n".join(["", title, *filter(None, lines)]))


@dataclasses.dataclass(frozen=True)
class Target:
    """A figure that has to stay below, or at most at, a limit; or, where more is better, at least at one."""

    limit: float
    unit: str = ""
    inclusive: bool = False
    least: bool = False

    def judge(self, figure: float) -> tuple[str, str]:
        """The target, and whether the figure meets it."""
        if self.least:
            sign, met = "≥", figure >= self.limit
        else:
            sign, met = ("≤", figure <= self.limit) if self.inclusive else ("<", figure < self.limit)
        return f"{sign} {self.limit:g}{self.unit}", "met" if met else "MISSED"


NO_TARGET = ("", "")


def timed(function: Callable[[], object]) -> float:
    """Wall seconds of one call. What it returns is freed, and garbage collected, outside the measured time."""
    gc.collect()
    began = time.perf_counter()
    result = function()
    seconds = time.perf_counter() - began
    del result
    return seconds


def interleaved(variants: Mapping[str, Callable[[], float]], repeat: int) -> dict[str, list[float]]:
    """What each variant measures, ``repeat`` times: all of them once, then all of them again, so that a machine that
    slows down slows all alike.
    """
    figures: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(repeat):
        for name, measure in variants.items():
            figures[name].append(measure())
    return figures


def median(figures: Sequence[float]) -> float:
    """The median."""
    return statistics.median(figures)


def spread(figures: Sequence[float], digits: int = 2) -> str:
    """The least and the greatest."""
    return f"{min(figures):.{digits}f}..{max(figures):.{digits}f}"


def check(solution: Any, spec: str) -> None:
    """Refuse to measure a program that is wrong: where counts are published, they must come out, and a tie."""
    if spec not in PUBLISHED:
        return
    found = solution.statistics()
    if (found["positions"], found["moves"]) != PUBLISHED[spec] or found["value"] != 0:
        raise AssertionError(f"{spec}: {found['positions']:,} positions, {found['moves']:,} moves, {found['value']}")


class OtherWork:
    """How much of the machine other processes take from now on: figures of a busy machine are no good."""

    def __init__(self) -> None:
        self._all, self._own, self._began = *self._seconds(), time.perf_counter()

    def share(self) -> float:
        """Their part of all processor time so far, 0 to 1."""
        everyone, own = self._seconds()
        spent = (everyone - self._all) - (own - self._own)
        return max(0.0, spent / (time.perf_counter() - self._began) / (os.cpu_count() or 1))

    @staticmethod
    def _seconds() -> tuple[float, float]:
        """Busy seconds of all processors, and those of this process and of the children it has waited for."""
        times = psutil.cpu_times()
        busy = sum(getattr(times, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq", "steal"))
        return busy, sum(psutil.Process().cpu_times()[:4])


def temporary() -> AbstractContextManager[str]:
    """A directory that is gone afterwards; TMPDIR says on which disk."""
    return tempfile.TemporaryDirectory(prefix="gametree-bench-")


def positions_bytes(directory: str | Path) -> int:
    """Bytes of all files below ``positions/`` of a solution directory."""
    return sum(file.stat().st_size for file in Path(directory, "positions").iterdir())


def machine() -> str:
    """Processor and versions, without which a figure means nothing."""
    import numba
    import numpy as np

    numpys = f"NumPy {np.__version__} ({' '.join(simd()) or 'no vectors'})"
    versions = f"Python {platform.python_version()}, {numpys}, Numba {numba.__version__}"
    memory = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = f", {os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 1e9:.0f} GB"
    return f"{_processor()}, {os.cpu_count()} cores{memory}; {platform.system()}; {versions}"


def simd() -> list[str]:
    """The vector instructions that NumPy takes, for its sort too, beyond those that it was compiled for."""
    import numpy as np

    found: list[str] = np.show_config(mode="dicts")["SIMD Extensions"]["found"]  # type: ignore[index, call-overload]
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if "model name" not in fields:
        return platform.processor() or platform.machine()
    return f"{fields['model name']} (family {fields.get('cpu family', '?')}, model {fields.get('model', '?')})"


def on_a_solution(doc: str, measure: Callable[[Path, int], None], positions: int) -> None:
    """Call ``measure`` with the directory of a solution that the command line names and how many positions are looked
    up in it. The game is solved into a temporary directory where no other is given.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--symmetry", default="geometric")
    parser.add_argument("--directory", type=Path, help="a solution of the game, instead of a new one")
    parser.add_argument("--positions", type=int, default=positions, metavar="N")
    arguments = parser.parse_args()
    import analysis  # from the checkout, see above

    with tempfile.TemporaryDirectory() as folder:
        directory = arguments.directory or Path(folder) / "s"
        if arguments.directory is None:
            analysis.solve(arguments.game, directory=directory, symmetry=arguments.symmetry)
        measure(directory, arguments.positions)
