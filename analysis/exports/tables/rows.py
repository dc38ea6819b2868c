"""Rows for spreadsheets and data frames: comma-separated values, one row for each class, or for each move."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from analysis.engine import columns
from analysis.exports.parts.blocks import first_moves, small_blocks
from analysis.exports.parts.part import Block, Part
from analysis.exports.tables.text_columns import MoveNames, outcomes, position_column, text_column

_CODES = [str(code) for code in range(256)]


def write(part: Part, file: IO[bytes]) -> None:
    """One row for each class: ``position``, the columns of ``positions/``, ``outcome`` and ``best_moves``.
    Raises `StoreError`.
    """
    _write(file, (_classes(block) for block in part.blocks(moves=True)))


def write_moves(part: Part, file: IO[bytes]) -> None:
    """One row for each legal move of each class, or each optimal one of an ``optimal_only`` part; also for moves to
    classes that a part leaves out. Raises `StoreError`.
    """
    names = MoveNames(part.solution.game)
    _write(file, (_moves(block, names, part.optimal_only) for block in small_blocks(part)))


def _write(file: IO[bytes], blocks: Iterable[pa.Table]) -> None:
    options = pa.csv.WriteOptions(include_header=False)
    for number, table in enumerate(blocks):
        if number == 0:
            file.write((",".join(table.column_names) + "\n").encode())
        sink = pa.BufferOutputStream()
        pa.csv.write_csv(table, sink, options)
        file.write(sink.getvalue())


def _classes(block: Block) -> pa.Table:
    return pa.table(
        {
            "position": text_column(block.positions),
            **{name: block.table[name] for name in block.table.column_names},
            "outcome": outcomes(block),
            "best_moves": _best_moves(block),
        }
    )


def _best_moves(block: Block) -> pa.Array:
    """The codes of the moves that keep the value, ascending and apart by spaces; null where the game is over."""
    assert block.moves is not None
    optimal = block.moves.optimal
    codes = pa.array(_CODES).take(columns.column(block.moves.codes[optimal]))
    lists = pa.ListArray.from_arrays(columns.column(first_moves(block, optimal)), codes)
    over = block.table["terminal"].combine_chunks()
    return pc.if_else(over, pa.scalar(None, pa.string()), pc.binary_join(lists, " "))


def _moves(block: Block, names: MoveNames, optimal_only: bool) -> pa.Table:
    moves = block.moves
    assert moves is not None
    texts = position_column(block.game, block.states)
    table = pa.table(
        {
            "state": columns.column(block.states[moves.rows]),
            "position": texts.take(columns.column(moves.rows)),
            "move": columns.column(moves.codes),
            "name": names.column(moves.codes),
            "child": columns.column(moves.children),
            "child_position": position_column(block.game, moves.children),
            "value_after": columns.column(moves.values),
            "remoteness_after_plies": columns.column(moves.remoteness, valid=moves.remoteness != columns.NEVER),
            "optimal": columns.column(moves.optimal),
        }
    )
    return table.filter(columns.column(moves.optimal)) if optimal_only else table
