"""Seconds of a complete solution of 4x4 k=4, as multiples of one sort of as many keys as the game has moves.

To solve a game is to look at each of its moves at least twice, forward and backward, and to find the distinct ones
among them. A sort of so many keys is work of that kind and size that every machine with NumPy can measure, so
multiples of it travel from one machine to another far better than seconds do.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from common import (
    FOUR,
    NO_TARGET,
    PUBLISHED,
    Settings,
    Target,
    check,
    interleaved,
    median,
    positions_bytes,
    spread,
    temporary,
    timed,
)

import analysis
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory

SORT = "one sort of 51,562,424 int64"
VALUES = Target(3.5, " sorts")
TWICE = Target(2, " x", inclusive=True)
BYTES = Target(4, " bytes")


def speed(settings: Settings) -> None:
    """Print the tables of seconds and of bytes on the disk."""
    seconds = interleaved(_variants(settings.workers), settings.repeat + 1)
    seconds = {name: figures[1:] for name, figures in seconds.items()}  # the first compiles, and pages memory in
    sort = median(seconds[SORT])
    values, counts, stored = (name for name in list(seconds)[-3:])

    rows = []
    for name, figures in seconds.items():
        judged, against = NO_TARGET, ""
        if name == values:
            judged = VALUES.judge(median(figures) / sort)
        if name in (counts, stored):
            ratio = median(figures) / median(seconds[values if name == counts else counts])
            judged, against = TWICE.judge(ratio), f"{ratio:.2f}"
        rows.append(
            (name, f"{median(figures):.3f}", spread(figures), f"{median(figures) / sort:.2f}", against, *judged)
        )
    settings.table(
        f"Speed: {FOUR} without symmetry, {PUBLISHED[FOUR][0]:,} positions, {PUBLISHED[FOUR][1]:,} moves",
        ("", "seconds", "least..greatest", "sorts", "x the row it extends", "target", ""),
        rows,
    )
    settings.table(
        "Size: bytes of positions/ for each class, without counts",
        ("symmetry", "classes", "bytes", "bytes a class", "target", ""),
        [_size(symmetry, settings.workers) for symmetry in ("none", "geometric")],
    )


def _variants(workers: int) -> dict[str, Callable[[], float]]:
    """What is measured, each a function that returns its seconds; the last three extend one another."""
    keys = np.random.default_rng(0).integers(-(2**63), 2**63, PUBLISHED[FOUR][1], dtype=np.int64)
    room = np.empty_like(keys)

    def sort() -> float:
        np.copyto(room, keys)
        return timed(room.sort)

    return {
        SORT: sort,
        "values and remoteness, 1 thread": lambda: _solve(1, counts=False),
        "all counts too, 1 thread": lambda: _solve(1, counts=True),
        f"values and remoteness, {workers} threads": lambda: _solve(workers, counts=False),
        f"all counts too, {workers} threads": lambda: _solve(workers, counts=True),
        f"all counts, into a directory, {workers} threads": lambda: _store(workers),
    }


def _solve(workers: int, *, counts: bool) -> float:
    found = []
    seconds = timed(lambda: found.append(analysis.solve(FOUR, symmetry="none", counts=counts, workers=workers)))
    check(found[0], FOUR)
    return seconds


def _store(workers: int) -> float:
    found = []
    with temporary() as directory, analysis.running(workers=workers):
        seconds = timed(lambda: found.append(solve_to_directory(FOUR, directory, symmetry="none", force=True)))
        check(found[0], FOUR)
    return seconds


def _size(symmetry: str, workers: int) -> tuple[str, ...]:
    with temporary() as directory, analysis.running(workers=workers):
        solution = solve_to_directory(FOUR, directory, symmetry=symmetry, tables=Tables(counts=False), force=True)
        check(solution, FOUR)
        size = positions_bytes(directory)
    a_class = size / solution.classes
    return symmetry, f"{solution.classes:,}", f"{size:,}", f"{a_class:.2f}", *BYTES.judge(a_class)
