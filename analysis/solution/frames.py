"""Tables for pandas, with whole numbers that stay exact when they are added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine.columns import COUNT_COLUMNS, DECIMAL, array, count_numbers, exact_sum
from analysis.engine.tiers import SolvedTier
from analysis.errors import MissingDataError
from analysis.machine.memory import Budget
from analysis.rules.game import Game
from analysis.wording import listed

if TYPE_CHECKING:
    import pandas as pd

GREATEST = (1 << 63) - 1
"""Of int64."""

PIECE = 1 << 16
"""Rows that are read at a time."""

SAMPLE = 1 << 10
"""Rows that tell how much memory others take."""


def frame_of(tables: Sequence[pa.Table]) -> pd.DataFrame:
    """Tables of positions one below the other. Whole numbers are int64, but for counts whose sum over all positions
    does not fit: these columns hold Python's integers.
    """
    import pandas as pd

    table = pa.concat_tables(map(_wide, tables) if len({one.schema for one in tables}) > 1 else tables)
    frame, most = table.to_pandas(), int(pc.max(table["orbit_size"]).as_py() or 1)
    for field in table.schema:
        values = table[field.name]
        if field.name in COUNT_COLUMNS and exact_sum(count_numbers(values)) * most > GREATEST:
            frame[field.name] = pd.Series(list(map(int, values.to_pylist())), dtype=object)
        elif not values.null_count and (field.name in COUNT_COLUMNS or pa.types.is_integer(field.type)):
            frame[field.name] = frame[field.name].astype("int64")
    return frame


def _wide(table: pa.Table) -> pa.Table:
    """The table with decimals in all columns of counts."""
    types = {name: DECIMAL for name in COUNT_COLUMNS if name in table.column_names}
    return table.cast(pa.schema([field.with_type(types.get(field.name, field.type)) for field in table.schema]))


def require_frame(tier: SolvedTier, rows: int, game: Game) -> None:
    """Raise `TooLargeError` where so many ``rows``, such as those of a ``tier``, and their texts do not fit memory."""
    some = next(tier.pieces(SAMPLE))
    texts = game.format_positions(array(some["state"]))
    bytes_each = 3 * frame_of([some]).assign(position=texts).memory_usage(deep=True, index=False).sum() + some.nbytes
    Budget.of_machine().require(rows * bytes_each / len(some), f"a frame of {rows:,} classes", "a single ply or tier")


def check_column(schema: pa.Schema, column: str) -> None:
    """Raise `MissingDataError` where a ``column`` is not there, or holds no numbers."""
    summed = [field.name for field in schema if pa.types.is_decimal(field.type) or pa.types.is_integer(field.type)]
    if column not in summed:
        raise MissingDataError(f"there is no column of numbers {column!r}; there is {listed(summed)}")


def total_of(table: pa.Table, column: str) -> int:
    """The exact sum of a column of numbers."""
    if column in COUNT_COLUMNS:
        return exact_sum(count_numbers(table[column]))
    return int(pc.sum(table[column]).as_py() or 0)
