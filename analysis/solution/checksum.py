"""One number for all that a solution holds, however it is stored."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from analysis.engine.columns import COUNT_COLUMNS, count_numbers, plain, widen
from analysis.machine.workers import Progress, no_progress

if TYPE_CHECKING:
    from analysis.solution.solution import Solution

VALUES = {
    "state": "<i8",
    "to_move": "<i1",
    "value": "<i2",
    "remoteness_plies": "<u2",
    "terminal": "<u1",
    "orbit_size": "<u2",
}
"""The columns of every solution, and the bytes that each of their numbers is."""

COUNT = "<u8"
"""Of the two limbs of a count, the low one first."""

PIECE = 1 << 16
"""Rows that are read at a time."""


def checksum(solution: Solution, progress: Progress = no_progress) -> str:
    """SHA-256 of what a solution holds of every class, in hexadecimal digits: the same for a game wherever and however
    it was solved and stored, as long as the symmetries are the same, and counts are there or are not.

    Of each column, over all tiers in their order: SHA-256 of its numbers, least byte first, of the widths in `VALUES`;
    a position without remoteness has 65535; counts have 16 bytes. The result is the SHA-256 of a line ``NAME DIGEST``
    for each column. docs/sweeps.md says how to compute it from the Parquet files.

    >>> import analysis
    >>> solution = analysis.solve("mnk:rows=1,cols=2,k=2")
    >>> checksum(solution)[:8], checksum(analysis.solve("mnk:1,2,2", symmetry="none"))[:8]
    ('bdb192dc', '52c0f9a4')
    """
    names = [*VALUES, *(COUNT_COLUMNS if solution.counted else ())]
    columns = {name: hashlib.sha256() for name in names}
    done, total = 0, solution.canonical
    for tier in solution.tiers:
        for piece in tier.pieces(PIECE, names):
            for name, column in columns.items():
                column.update(_bytes(name, piece[name]))
            done += len(piece)
            progress("adding up a checksum", done, total)
    lines = (f"{name} {column.hexdigest()}\n" for name, column in columns.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _bytes(name: str, numbers: pa.ChunkedArray) -> bytes:
    """The numbers of a column as they are hashed."""
    if name in VALUES:
        return plain(numbers).astype(VALUES[name]).tobytes()
    return np.ascontiguousarray(widen(count_numbers(numbers), 2), COUNT).tobytes()
