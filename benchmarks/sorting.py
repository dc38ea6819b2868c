"""What a key costs to sort: ours beside NumPy's, as NumPy chooses here and, where that is AVX-512, held to less.

``python sorting.py`` sorts 20,000,000 random int64 at once, and as many in chunks as a solve does. NumPy's AVX-512 sort
is several times slower on AMD Zen 4 (numpy #32690).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
from common import machine, simd

KEYS, RUNS = 20_000_000, 3
PIECES = ((KEYS, 40), (1 << 20, 30))
"""Keys sorted together, and their random bits."""


def nanoseconds(together: int, bits: int) -> tuple[float, float]:
    """What a key costs ours and NumPy's in this process: the least of some runs in turn."""
    from analysis.engine.kernels.radix_sort import sorted_keys

    keys, sorts = (
        np.random.default_rng(0).integers(0, 1 << bits, KEYS // together * together),
        (sorted_keys, np.ndarray.sort),
    )
    sorted_keys(keys[:together].copy())  # compiles
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(RUNS):
        for sort, times in zip(sorts, taken, strict=True):
            pieces = keys.copy().reshape(-1, together)
            began = time.process_time()
            for piece in pieces:
                sort(piece)
            times.append((time.process_time() - began) / len(keys) * 1e9)
    return min(taken[0]), min(taken[1])


def measure() -> None:
    """Print a line for each size."""
    for together, bits in PIECES:
        ours, theirs = nanoseconds(together, bits)
        name = " ".join(simd()) or "no vectors"
        print(f"{together:,} keys of {bits} bits: {ours:.1f} ns a key, NumPy ({name}) {theirs:.1f}", flush=True)


def main() -> None:
    """Print what each way that NumPy may sort takes, in a process of its own."""
    print(machine(), flush=True)
    wide = " ".join(name for name in simd() if name == "X86_V4" or name.startswith("AVX512"))
    for held in ("", wide) if wide else ("",):
        environment = os.environ | ({"NPY_DISABLE_CPU_FEATURES": held} if held else {})
        subprocess.run([sys.executable, __file__, "here"], env=environment, check=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["here"]:
        measure()
    else:
        main()
