"""Convert a solution to a data frame with exact sums, and to a checksum."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..common.workers import tell_progress
from ..engine.columns import COUNT_COLUMNS, count_numbers, exact_sum, plain, widen

if TYPE_CHECKING:
    import pandas as pd

    from .solution import Solution

GREATEST = (1 << 63) - 1
"""The greatest int64."""

PIECE = 1 << 14
"""Rows read at a time."""

VALUES = {
    "state": "<i8",
    "to_move": "<i1",
    "value": "<i2",
    "remoteness_plies": "<u2",
    "terminal": "<u1",
    "orbit_size": "<u2",
}
"""The columns of every solution, and the type of their numbers in a checksum."""


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return classes as a frame, with integers as int64, except counts whose sum over all positions does not fit: these
    columns hold Python integers.
    """
    import pandas as pd
    import pyarrow.compute as pc  # takes 30 ms to load

    frame, most = table.to_pandas(), int(pc.max(table["orbit_size"]).as_py() or 1)
    for field in table.schema:
        values = table[field.name]
        if field.name in COUNT_COLUMNS and total_of(table, field.name) * most > GREATEST:
            frame[field.name] = pd.Series(list(map(int, values.to_pylist())), dtype=object)
        elif not values.null_count and (field.name in COUNT_COLUMNS or pa.types.is_integer(field.type)):
            frame[field.name] = frame[field.name].astype("int64")
    return frame


def total_of(table: pa.Table, column: str) -> int:
    """Return the exact sum of a column of numbers."""
    if column in COUNT_COLUMNS:
        return exact_sum(count_numbers(table[column]))
    import pyarrow.compute as pc

    return int(pc.sum(table[column]).as_py() or 0)


def checksum(solution: Solution) -> str:
    """Return the SHA-256 of everything a solution holds about every class, in hexadecimal. It does not depend on how or
    where a game was solved and stored, only on the symmetries and on whether there are counts.

    To compute it from the Parquet files, take the columns ``state`` (8 bytes), ``to_move`` (1), ``value`` (2),
    ``remoteness_plies`` (2; 65535 for null), ``terminal`` (1), ``orbit_size`` (2) and, if there are counts,
    ``histories``, ``games_x``, ``games_o``, ``games_tie``, ``optimal_paths`` and ``shortest_paths`` (16 each), over all
    tiers in order, least byte first. The result is the SHA-256 of the lines ``NAME DIGEST``, each ended by a newline,
    in which a digest is the SHA-256 of a column.

    >>> import analysis
    >>> solution = analysis.solve("mnk:rows=1,cols=2,k=2")
    >>> checksum(solution)[:8], checksum(analysis.solve("mnk:1,2,2", symmetry="none"))[:8]
    ('bdb192dc', '52c0f9a4')
    """
    names = [*VALUES, *(COUNT_COLUMNS if solution.counted else ())]
    columns = {name: hashlib.sha256() for name in names}
    done, total = 0, solution.classes
    for tier in solution.tiers:
        for piece in tier.pieces(PIECE, names):
            for name, column in columns.items():
                if name in VALUES:
                    column.update(plain(piece[name]).astype(VALUES[name]).tobytes())
                else:  # two limbs of 64 bits, the low one first
                    column.update(np.ascontiguousarray(widen(count_numbers(piece[name]), 2), "<u8").tobytes())
            done += len(piece)
            tell_progress("adding up a checksum", done, total)
    lines = (f"{name} {column.hexdigest()}\n" for name, column in columns.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()
