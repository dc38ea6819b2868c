"""Connect-Four on 5x5 beside a program in C++ that solves it with one hash table a ply: processor time on one thread.

``python hash_tables.py [REPETITIONS]`` compiles ``hash_tables.cpp`` with ``c++`` and takes turns; every solve is a
process of its own, and the rules are compiled before it is timed. Printed are the processor, what a key costs to sort
there, medians, and multiples of the program's.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import sorting
from common import ROOT

GAME, SMALL = "connect:rows=5,cols=5", "connect:rows=4,cols=5"
FOUND = ["34888367", "74927016", "0", "25"]
"""Classes, their moves, the value and the remoteness."""
PROGRAM = Path(__file__).with_name("hash_tables.cpp")


def compare(repetitions: int) -> None:
    """Measure and print."""
    sorting.main()
    seconds: dict[str, list[float]] = {"C++, values and remoteness": []}
    with tempfile.TemporaryDirectory() as folder:
        binary = str(Path(folder) / "hash_tables")
        subprocess.run(["c++", "-O3", "-march=native", "-std=c++17", "-o", binary, str(PROGRAM)], check=True)
        for _ in range(repetitions):
            *found, _, taken = _output([binary], GLIBC_TUNABLES="glibc.malloc.hugetlb=1")  # pages as large as NumPy's
            if found != FOUND:
                raise AssertionError(f"{PROGRAM} finds {found}, not {FOUND}")
            seconds["C++, values and remoteness"].append(float(taken))
            for counts, name in ((False, "values and remoteness"), (True, "all counts")):
                (taken,) = _output([sys.executable, __file__, str(int(counts)), "solve"])
                seconds.setdefault(name, []).append(float(taken))
    first = statistics.median(seconds["C++, values and remoteness"])
    for name, figures in seconds.items():
        print(f"{name}: {statistics.median(figures):.2f} s, {statistics.median(figures) / first:.2f} x")


def _output(command: list[str], **environment: str) -> list[str]:
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment})
    return done.stdout.split()


def _solve(counts: bool) -> float:
    sys.path.insert(0, str(ROOT))
    import analysis
    from analysis.solving import resources

    resources.ASKED = ()  # on a slow machine a solve asks the plan meanwhile, which takes seconds of its own
    analysis.solve(SMALL, counts=counts, workers=1)
    began = time.process_time()
    analysis.solve(GAME, counts=counts, workers=1)
    return time.process_time() - began


if __name__ == "__main__":
    if sys.argv[2:] == ["solve"]:
        print(_solve(sys.argv[1] == "1"))
    else:
        compare(int(sys.argv[1]) if sys.argv[1:] else 5)
