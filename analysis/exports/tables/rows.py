"""Rows for spreadsheets and data frames: comma-separated values, one row for each class, or for each move."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine import columns
from analysis.exports.parts.blocks import first_moves, small_blocks
from analysis.exports.parts.part import Block, Part
from analysis.exports.tables.text_columns import move_names, outcomes, position_column
from analysis.storage.row_files import row_writer, text_column

_CODES = [str(code) for code in range(256)]


def write(part: Part, file: IO[bytes]) -> None:
    """One row for each class: ``position``, the columns of ``positions/``, ``outcome`` and, where there are rules to
    tell them, ``best_moves``. Raises `StoreError`.
    """
    _write(file, map(_classes, part.blocks(moves=part.solution.engine.ruled)))


def write_moves(part: Part, file: IO[bytes]) -> None:
    """One row for each legal move of each class, or each optimal one of an ``optimal_only`` part; also for moves to
    classes that a part leaves out. Raises `StoreError`.
    """
    _write(file, (_moves(block, part.optimal_only) for block in small_blocks(part)))


def _write(file: IO[bytes], blocks: Iterator[pa.Table]) -> None:
    first = next(blocks)  # every part has the class that play begins at
    with row_writer(file, first.schema, "csv", quoted=True) as add:
        for table in itertools.chain([first], blocks):
            add(table)


def _classes(block: Block) -> pa.Table:
    return pa.table(
        {
            "position": text_column(block.positions),
            **{name: block.table[name] for name in block.table.column_names},
            "outcome": outcomes(block),
            **({} if block.moves is None else {"best_moves": _best_moves(block)}),
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


def _moves(block: Block, optimal_only: bool) -> pa.Table:
    moves = block.moves
    assert moves is not None
    texts = position_column(block.game, block.states)
    table = pa.table(
        {
            "state": columns.column(block.states[moves.rows]),
            "position": texts.take(columns.column(moves.rows)),
            "move": columns.column(moves.codes),
            "name": move_names(block.game, moves.codes),
            "child": columns.column(moves.children),
            "child_position": position_column(block.game, moves.children),
            "value_after": columns.column(moves.values),
            "remoteness_after_plies": columns.column(moves.remoteness, valid=moves.remoteness != columns.NEVER),
            "optimal": columns.column(moves.optimal),
        }
    )
    return table.filter(columns.column(moves.optimal)) if optimal_only else table
