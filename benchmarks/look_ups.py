"""Milliseconds of processor time for one position of a stored solution with all its children, however large it is.

``python benchmarks/look_ups.py connect:rows=5,cols=5,k=5 --symmetry none`` solves the game (149,811,215 classes) into a
temporary directory and looks up random classes: with nothing read before (only the tiers' JSON, by which it is
found where to read), with footers of files in memory but no row group, and with all that it takes in memory.
The target is 1 ms with row groups in memory, and 1 ms more for each that is read.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common import median, on_a_solution

import analysis
from analysis.solution.storage import stored_tier


def measure(directory: Path, positions: int) -> None:
    """Look up so many classes, each as probable as any other."""
    solution, rng = analysis.open_solution(directory), random.Random(1)
    tiers = rng.choices(solution.tiers, [len(tier) for tier in solution.tiers], k=positions)
    states = [random_state(tier, rng) for tier in tiers]
    rows: dict[str, list[tuple[float, int]]] = {"nothing in memory": [], "footers": [], "row groups": []}
    for state in states:
        forget(solution, footers=True)
        for name, found in rows.items():
            if name == "footers":
                forget(solution)
            found.append(timed(lambda state=state: solution.at(state)))
    print(f"{solution.game.spec}: {solution.classes:,} classes; {positions} of them")
    for name, found in rows.items():
        groups = sum(read for _, read in found) / positions
        within = sum(milliseconds <= 1 + read for milliseconds, read in found) / positions
        print(
            f"{name:18} median {median([each for each, _ in found]):5.2f} ms, row groups {groups:4.1f} on average; "
            f"at most 1 ms and 1 for each: {within:.0%}"
        )


def random_state(tier: Any, rng: random.Random) -> int:
    """A state of a tier on the disk."""
    parts = tier.parts
    part = rng.choices(parts, [len(each) for each in parts])[0]
    states = part.file.read_group(rng.randrange(part.file.metadata.num_row_groups), ["state"])["state"]
    return int(states[rng.randrange(len(states))].as_py())


def forget(solution: Any, *, footers: bool = False) -> None:
    """Put away what is in memory of files: row groups and, with ``footers``, open files, too."""
    stored_tier._group.cache_clear()
    stored_tier._arrays.cache_clear()
    if footers:
        stored_tier._opened.cache_clear()
        for part in (part for tier in solution.tiers for part in tier.parts):
            part._bounds = None


def timed(look: Callable[[], object]) -> tuple[float, int]:
    """Milliseconds of processor time, and row groups that were read."""
    read: set[tuple[int, int]] = set()
    group = stored_tier.PartFile.read_group

    def counted(file: Any, number: int, columns: Any) -> Any:
        read.add((id(file), number))
        return group(file, number, columns)

    stored_tier.PartFile.read_group = counted  # type: ignore[method-assign]
    began = time.process_time()
    try:
        look()
        return 1e3 * (time.process_time() - began), len(read)
    finally:
        stored_tier.PartFile.read_group = group  # type: ignore[method-assign]


if __name__ == "__main__":
    on_a_solution(__doc__, measure, 200)
