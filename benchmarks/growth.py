"""How the cost grows with the board: the same solve on larger and larger ones."""

from __future__ import annotations

from common import Settings, check, median, positions_bytes, temporary, timed

import analysis
from analysis.solution.storage.store import Tables
from analysis.solving.to_directory import solve_to_directory

BOARDS = ((3, 3, 3), (3, 4, 3), (4, 4, 3), (4, 4, 4))
LARGE = ((3, 6, 3),)
LONG = 5.0
"""Seconds from which on one measurement has to do."""


def growth(settings: Settings) -> None:
    """Print the table."""
    boards = BOARDS if settings.quick else BOARDS + LARGE
    settings.table(
        f"Growth: geometric symmetry, {settings.workers} threads, rates without counts; over {LONG:g} s only once",
        (
            "board, k",
            "positions",
            "classes",
            "moves",
            "values, s",
            "counts, s",
            "M positions/s",
            "M classes/s",
            "values, B/class",
            "counts, B/class",
        ),
        [_row(board, settings) for board in boards],
    )


def _row(board: tuple[int, int, int], settings: Settings) -> tuple[str, ...]:
    rows, cols, k = board
    spec = f"mnk:rows={rows},cols={cols},k={k}"
    solution = analysis.solve(spec, counts=False, workers=settings.workers)  # compiles the rules, too
    check(solution, spec)
    found = solution.statistics()
    del solution  # not to be held while others are measured
    positions, classes = found["positions"], found["classes"]
    values, counts = (_seconds(spec, settings, counts=counted) for counted in (False, True))
    sizes = [_bytes(spec, settings, counts=counted) / classes for counted in (False, True)]
    return (
        f"{rows}x{cols}, {k}",
        *(f"{number:,}" for number in (positions, classes, found["moves"])),
        *(f"{seconds:.4f}" for seconds in (values, counts)),
        *(f"{number / values / 1e6:.2f}" for number in (positions, classes)),
        *(f"{size:.2f}" for size in sizes),
    )


def _seconds(spec: str, settings: Settings, *, counts: bool) -> float:
    """The median, or the first if that is long."""
    figures: list[float] = []
    while len(figures) < settings.repeat and (not figures or figures[0] < LONG):
        figures.append(timed(lambda: analysis.solve(spec, counts=counts, workers=settings.workers)))
    return median(figures)


def _bytes(spec: str, settings: Settings, *, counts: bool) -> int:
    tables = Tables(counts=counts)
    with temporary() as directory:
        with analysis.running(workers=settings.workers):
            solve_to_directory(spec, directory, tables=tables)
        return positions_bytes(directory)
