"""JSON lines: one line for each class with the value of every move, for training and evaluating programs.

The lines are put together a column at a time: 142,231 classes of 4.1 moves each in half a second, where `json.dumps` of
what they say took a second after a dictionary of each had been made. Counts are texts where they may exceed 63 bits:
pandas refuses, and DuckDB rounds, numbers that exceed 64.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine import columns
from analysis.engine.columns import COUNT_COLUMNS, NEVER
from analysis.engine.engine import Engine
from analysis.exports.attributes import kind_of_counts
from analysis.exports.parts.blocks import first_moves, small_blocks
from analysis.exports.parts.part import Block, BlockMoves, Part
from analysis.exports.tables.text_columns import move_names, movers, outcomes, position_column
from analysis.rules.symmetry import find_group
from analysis.storage.row_files import joined, json_column, json_objects, text_column

_json = functools.partial(json_column, encode=json.JSONEncoder(ensure_ascii=False).encode)


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
        self._played = _without_symmetry(part.solution.engine)
        self._counts_are_texts = kind_of_counts(part) == "string"

    def of(self, block: Block) -> memoryview:
        """As they are written."""
        fields = {name: _json(column) for name, column in self._columns(block).items()}
        objects = json_objects(self._moves(block), ",", ":")
        lists = pa.ListArray.from_arrays(columns.column(first_moves(block)), objects)
        fields["moves"] = pc.binary_join_element_wise("[", pc.binary_join(lists, ","), "]", "")
        return joined(json_objects(fields, ",", ":", end="}\n"))

    def _columns(self, block: Block) -> dict[str, pa.Array]:
        found = {"position": text_column(block.positions)}
        for name in block.table.column_names:
            column = block.table[name].combine_chunks()
            texts = name in COUNT_COLUMNS and self._counts_are_texts
            found[name] = pc.cast(column, pa.string()) if texts else movers(block) if name == "to_move" else column
            if name == "terminal":
                found["outcome"] = outcomes(block)
        return found

    def _moves(self, block: Block) -> dict[str, pa.Array]:
        """The columns of moves, in JSON, best first."""
        moves, game = block.moves, block.game
        assert moves is not None
        order, after = _best_first(block, moves), moves.children
        if self._played is not None:
            after = self._played.expand_moves(np.require(block.states, requirements="W"))[2]
        remoteness = moves.remoteness[order]
        numbers = {
            "child": columns.column(moves.children[order]),
            "value": columns.column(moves.values[order]),
            "remoteness_plies": columns.column(remoteness, valid=remoteness != NEVER),
            "optimal": columns.column(moves.optimal[order]),
        }
        return {
            "move": json_column(columns.column(moves.codes[order])),
            "name": move_names(game, moves.codes[order], _json),
            "position": position_column(game, after[order], _json),
            **{name: json_column(column) for name, column in numbers.items()},
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
