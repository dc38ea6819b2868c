"""JSON lines: one line for each class with the value of every move, for training and evaluating programs.

The lines are put together a column at a time: 142,231 classes of 4.1 moves each in half a second, where `json.dumps` of
what they say took a second after a dictionary of each had been made. Counts are texts where they may exceed 63 bits:
pandas refuses, and DuckDB rounds, numbers that exceed 64.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine import columns
from analysis.engine.columns import COUNT_COLUMNS, NEVER
from analysis.engine.engine import Engine
from analysis.exports.attributes import kind_of_counts
from analysis.exports.parts.blocks import first_moves, small_blocks
from analysis.exports.parts.part import Block, BlockMoves, Part
from analysis.exports.tables.text_columns import MoveNames, outcomes, position_column, text_column
from analysis.rules.symmetry import find_group

_quoted = json.JSONEncoder(ensure_ascii=False).encode


def write(part: Part, file: IO[bytes]) -> None:
    """One object a line, its moves best first for the player to move; all legal moves, whatever the part leaves out.
    Raises `StoreError`.
    """
    lines = _Lines(part)
    for block in small_blocks(part):
        file.write(lines.of(block))


class _Lines:
    """The lines of the blocks of a part."""

    def __init__(self, part: Part) -> None:
        solution = part.solution
        self._game = solution.game
        self._names = MoveNames(solution.game, _quoted)
        self._played = _without_symmetry(solution.engine)
        self._counts_are_texts = kind_of_counts(part) == "string"

    def of(self, block: Block) -> memoryview:
        """As they are written."""
        moves = block.moves
        assert moves is not None
        order = _best_first(block, moves)
        objects = _objects(self._move_columns(block.states, moves, order))
        lists = pa.ListArray.from_arrays(columns.column(first_moves(block)), objects)
        fields = self._columns(block)
        fields["moves"] = pc.binary_join_element_wise("[", pc.binary_join(lists, ","), "]", "")
        lines = _objects(fields, end="}\n")
        _, offsets, text = lines.buffers()
        length = int(np.frombuffer(offsets, dtype=np.int32)[len(lines)])
        return memoryview(text)[:length]

    def _columns(self, block: Block) -> dict[str, pa.Array]:
        table = block.table
        columns = {"position": text_column(block.positions, _quoted)}
        for name in table.column_names:
            columns[name] = pc.cast(table[name].combine_chunks(), pa.string())
            if name == "to_move":
                columns[name] = _movers(table)
            elif name in COUNT_COLUMNS and self._counts_are_texts:
                columns[name] = _in_quotes(columns[name])
            elif name == "terminal":
                columns["outcome"] = _in_quotes(outcomes(block))
        return columns

    def _move_columns(self, states: np.ndarray, moves: BlockMoves, order: np.ndarray) -> dict[str, pa.Array]:
        after = moves.children
        if self._played is not None:
            after = self._played.expand_moves(np.require(states, requirements="W"))[2]
        remoteness = moves.remoteness[order]
        numbers = {
            "child": columns.column(moves.children[order]),
            "value": columns.column(moves.values[order]),
            "remoteness_plies": columns.column(remoteness, valid=remoteness != NEVER),
            "optimal": columns.column(moves.optimal[order]),
        }
        return {
            "move": pc.cast(columns.column(moves.codes[order]), pa.string()),
            "name": self._names.column(moves.codes[order]),
            "position": position_column(self._game, after[order], _quoted),
            **{name: pc.cast(column, pa.string()) for name, column in numbers.items()},
        }


def _without_symmetry(engine: Engine) -> Engine | None:
    """An engine whose moves lead to positions as they are played; None where these are classes anyway."""
    if not engine.reduces and engine.group.order == 1:
        return None
    trivial = find_group(engine.rules, "none", start=engine.start)
    return dataclasses.replace(engine, group=trivial, reduces=False)


def _best_first(block: Block, moves: BlockMoves) -> np.ndarray:
    """The order of moves that `position.preference` is the key of, row by row, int64[m]."""
    worth = columns.array(block.table["to_move"])[moves.rows].astype(np.int64) * moves.values
    plies = np.where(worth >= 0, moves.remoteness, -moves.remoteness.astype(np.int64))
    return np.lexsort((moves.codes, plies, -worth, moves.rows))


def _movers(table: pa.Table) -> pa.Array:
    """``"X"`` or ``"O"``, null where the game is over."""
    first = columns.column(columns.array(table["to_move"]) > 0)
    over = table["terminal"].combine_chunks()
    return pc.if_else(over, pa.scalar(None, pa.string()), pc.if_else(first, '"X"', '"O"'))


def _in_quotes(column: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise('"', column, '"', "")


def _objects(columns: Mapping[str, pa.Array], end: str = "}") -> pa.Array:
    """A JSON object for each row of columns that hold JSON; a null is written as such."""
    pieces: list[Any] = []
    for number, (name, column) in enumerate(columns.items()):
        pieces += [f'{"," if number else "{"}"{name}":', column]
    return pc.binary_join_element_wise(*pieces, end, "", null_handling="replace", null_replacement="null")
