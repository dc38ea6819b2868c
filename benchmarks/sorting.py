"""What a key costs to sort: ours beside NumPy's, as NumPy takes it here and held to AVX2, on 20,000,000 random int64.

``python sorting.py [BITS]`` (default: 40 random bits). NumPy's AVX-512 sort is several times slower on AMD Zen 4 (numpy
#32690).
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from common import ROOT

KEYS, RUNS = 20_000_000, 3
HELD = "X86_V4 AVX512_ICL"
"""What NumPy is told to do without, so that it sorts with AVX2."""


def processor() -> str:
    """The processor's name, and the instructions that NumPy finds on it."""
    names = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    family = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("cpu family")]
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]  # type: ignore[index,call-overload]
    name = names[0] if names else platform.processor() or platform.machine()
    return f"{name}, family {family[0] if family else '?'}; NumPy {np.__version__} with {' '.join(found) or 'no more'}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def measure(bits: int) -> str:
    """Nanoseconds a key in this process, the least of some runs in turn."""
    sys.path.insert(0, str(ROOT))
    from analysis.engine.kernels.radix_sort import sorted_keys

    keys, ours, theirs = np.random.default_rng(0).integers(0, 1 << bits, KEYS), [], []
    sorted_keys(keys.copy())  # compiles
    for _ in range(RUNS):
        for sort, times in ((sorted_keys, ours), (np.ndarray.sort, theirs)):
            own, began = keys.copy(), time.process_time()
            sort(own)
            times.append((time.process_time() - began) / KEYS * 1e9)
    return f"radix sort {min(ours):.1f} ns a key, NumPy {min(theirs):.1f}"


def main(bits: int = 40) -> None:
    """Print a line for each way that NumPy may sort."""
    print(processor())
    wide = "AVX512" in processor() or "X86_V4" in processor()
    for name, features in (("as NumPy chooses", ""), *((("NumPy held to AVX2", HELD),) * wide)):
        environment = {**os.environ, **({"NPY_DISABLE_CPU_FEATURES": features} if features else {})}
        command = [sys.executable, __file__, str(bits), "here"]
        print(
            f"{name}: {subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout}",
            end="",
        )


if __name__ == "__main__":
    if sys.argv[2:] == ["here"]:
        print(measure(int(sys.argv[1])))
    else:
        main(*map(int, sys.argv[1:2]))
