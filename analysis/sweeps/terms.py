"""A column of a sweep as a sequence: the b-file of OEIS with a term for each size of a game."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.errors import MissingDataError, OptionError
from analysis.exports.sequences import SIZES, sized
from analysis.sweeps.rows import COLUMNS, COUNT, DETERMINED, SOLVED, WHOLE, Row
from analysis.wording import meant

NUMBERS = tuple(name for name in DETERMINED if COLUMNS[name] in (WHOLE, COUNT))
"""Columns that may be a sequence: whole numbers that the rules determine."""


def sizes_of(games: Sequence[tuple[str, str | None]], column: str) -> tuple[str, list[int]]:
    """Return the name of the sequence that a column of a sweep is, with that of OEIS if both begin with the same size,
    and the size of each game, by which it grows.

    Args:
        games: The specification of each game, and its symmetry if it has one.
        column: The column of terms.

    Raises `OptionError` for another column, and for games that differ otherwise than in sizes that grow by one.
    """
    if column not in NUMBERS:
        alike = meant(column, NUMBERS, 5)
        raise OptionError(f"{column} is no column of terms{alike}; choose from {', '.join(NUMBERS)}")
    if len({symmetry for _, symmetry in games if symmetry is not None}) > 1:
        raise OptionError("a sequence has one term for each game; choose one --symmetry")
    found = sized([spec for spec, _ in games])
    if found is None:
        raise OptionError(
            "the games of a sequence differ by one number that grows, as in mnk:rows=3,cols=1..5,k=3, or by several "
            "that grow together: give a pattern for each, mnk:1,1,1 mnk:2,2,2"
        )
    kind, sizes = found
    sequence, first = SIZES.get((kind, column), (None, None))
    gap = next((size for size in range(min(sizes), max(sizes)) if size not in sizes), None)
    if gap is not None:
        raise OptionError(f"the terms of a sequence have no gaps, but the game of n = {gap} is missing")
    return f"{kind}: {column}" + (f"; OEIS {sequence}" if min(sizes) == first else ""), sizes


def terms_of(rows: Sequence[Row], column: str) -> tuple[str, list[tuple[int, int]]]:
    """Return the sequence that one ``column`` of the rows of a sweep is, in which a number grows from game to game by
    one: its name, and the size and term of each game, ascending.

    Raises what `sizes_of` raises, and `MissingDataError` for a game without that number.
    """
    name, sizes = sizes_of([(row["game"], row["symmetry"]) for row in rows], column)
    for row in rows:
        if row["status"] != SOLVED or row.get(column) is None:
            why = row.get("why") or "it is not known of such games"
            raise MissingDataError(f"{row['game']} has no {column}: {why}")
    return name, sorted((size, row[column]) for size, row in zip(sizes, rows, strict=True))
