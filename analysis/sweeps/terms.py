"""A column of a sweep as a sequence: the b-file of OEIS with a term for each size of a game."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.errors import MissingDataError, OptionError
from analysis.exports.bfile import listing
from analysis.exports.sequences import SIZES, sized
from analysis.sweeps.rows import COLUMNS, COUNT, DETERMINED, SOLVED, WHOLE, Row

NUMBERS = tuple(name for name in DETERMINED if COLUMNS[name] in (WHOLE, COUNT))
"""Columns that may be a sequence: whole numbers that the rules determine."""


def check_column(column: str) -> None:
    """Raise `OptionError` for a column that is no sequence."""
    if column not in NUMBERS:
        raise OptionError(f"{column} is no column of terms; choose from {', '.join(NUMBERS)}")


def bfile_of(rows: Sequence[Row], column: str) -> bytes:
    """Return the b-file of one ``column`` of the rows of a sweep, in which a number grows from game to game by one.

    Raises `OptionError` for another column, for games that differ otherwise, and where the first of them is not the
    first of the sequence of OEIS that this is, and `MissingDataError` for a game without that number.
    """
    check_column(column)
    if len({row["symmetry"] for row in rows if row["symmetry"] is not None}) > 1:
        raise OptionError("a sequence has one term for each game; choose one --symmetry")
    found = sized([row["game"] for row in rows])
    if found is None:
        raise OptionError(
            "the games of a sequence differ by one number that grows, as in mnk:rows=3,cols=1..5,k=3, or by several "
            "that grow together: give a pattern for each, mnk:1,1,1 mnk:2,2,2"
        )
    kind, sizes = found
    sequence, first = SIZES.get((kind, column), (None, None))
    terms = dict(sorted(zip(sizes, rows, strict=True), key=lambda pair: pair[0]))
    if sequence is not None and min(terms) != first:
        raise OptionError(f"{column} of {kind} is OEIS {sequence}, so it has to begin with n = {first}")
    gap = next((size for size in range(min(terms), max(terms)) if size not in terms), None)
    if gap is not None:
        raise OptionError(f"the terms of a sequence have no gaps, but the game of n = {gap} is missing")
    for row in terms.values():
        if row["status"] != SOLVED or row.get(column) is None:
            why = row.get("why") or "it is not known of such games"
            raise MissingDataError(f"{row['game']} has no {column}: {why}")
    listed = "" if sequence is None else f"; OEIS {sequence}"
    return listing(f"{kind}: {column}{listed}", ((size, row[column]) for size, row in terms.items()))
