"""Write rows of classes and of moves: CSV and Parquet for data frames, JSON lines for training programs.

Rows are built by column: this makes lines of JSON in half the time of `json.dumps`.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...engine.columns import NEVER, array, column, text_column
from ...engine.engine import Engine
from ...rules.game import Game
from ...rules.symmetry import find_group
from ...solution.batches import worth_column
from ...solution.storage.row_files import joined, json_column, json_objects, row_writer
from .part import Block, Part

Spell = Callable[[pa.Array], pa.Array]
"""Converts a column of distinct texts before they are repeated, for example to JSON."""


def write_classes(part: Part, file: IO[bytes], form: str = "csv") -> None:
    """Write a row for each class: the columns of ``positions/``, its texts and, if there are rules, ``best_moves``."""
    _write(file, map(_classes, part.blocks(moves=part.solution.engine.ruled)), form)


def write_moves(part: Part, file: IO[bytes], form: str = "csv") -> None:
    """Write a row for each legal move of each class, also those that leave the part; optionally optimal ones only."""
    _write(file, (_moves(block, part.optimal_only) for block in part.blocks(moves=True)), form)


def write_jsonl(part: Part, file: IO[bytes]) -> None:
    """Write an object on a line for each class, with all legal moves, best first for the player to move.

    Counts are texts if they may exceed 63 bits: above 64, pandas refuses and DuckDB rounds numbers. Raises
    `StoreError`.
    """
    engine, played = part.solution.engine, None
    if engine.reduces or engine.group.order > 1:  # moves lead to actual positions, not to classes
        played = dataclasses.replace(engine, group=find_group(engine.rules, "none", start=engine.start), reduces=False)
    for block in part.blocks(moves=True):
        columns = part.columns(block)
        del columns["cut"]
        fields = {name: json_column(columns[name]) for name in ("position", *columns)}
        objects = json_objects(_json_moves(block, played), ",", ":")
        lists = pa.ListArray.from_arrays(column(_first_moves(block)), objects)
        fields["moves"] = pc.binary_join_element_wise("[", pc.binary_join(lists, ","), "]", "")
        file.write(joined(json_objects(fields, ",", ":", end="}\n")))


def _write(file: IO[bytes], blocks: Iterator[pa.Table], form: str) -> None:
    first = next(blocks)  # every part has the class of its start
    with row_writer(file, first.schema, form, quoted=True) as add:
        for table in itertools.chain([first], blocks):
            add(table)


def _classes(block: Block) -> pa.Table:
    columns = block.columns
    columns = {"position": columns.pop("position"), "outcome": columns.pop("outcome")} | columns
    columns["outcome"] = columns.pop("outcome")  # at the end
    if block.moves is not None:  # codes of moves that keep the value, best first; null if the game is over
        optimal, order = block.moves.optimal, _best_first(block)
        codes = pc.cast(column(block.moves.codes[order[optimal[order]]]), pa.string())
        lists = pa.ListArray.from_arrays(column(_first_moves(block, optimal)), codes)
        none = pa.scalar(None, pa.string())
        columns["best_moves"] = pc.if_else(columns["terminal"], none, pc.binary_join(lists, " "))
    return pa.table(columns)


def _first_moves(block: Block, chosen: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Return where the moves of each row begin among all, or among the ``chosen`` (bool[m]): int32[n + 1]."""
    assert block.moves is not None
    return np.cumsum([0, *np.bincount(block.moves.rows[chosen], minlength=len(block))], dtype=np.int32)


def _moves(block: Block, optimal_only: bool) -> pa.Table:
    moves = block.moves
    assert moves is not None
    texts = _position_column(block.game, block.states)
    table = pa.table(
        {
            "state": column(block.states[moves.rows]),
            "position": texts.take(column(moves.rows)),
            "move": column(moves.codes),
            "name": _move_names(block.game, moves.codes),
            "child": column(moves.children),
            "child_position": _position_column(block.game, moves.children),
            "value": worth_column(block.game, moves.values),
            "remoteness_plies": column(moves.remoteness, valid=moves.remoteness != NEVER),
            "optimal": column(moves.optimal),
        }
    )
    return table.filter(column(moves.optimal)) if optimal_only else table


def _json_moves(block: Block, engine: Engine | None) -> dict[str, pa.Array]:
    """Return the columns of moves in JSON, by row and best first; positions are as ``engine`` plays them, if given."""
    moves, game = block.moves, block.game
    assert moves is not None
    order, children = _best_first(block), moves.children
    if engine is not None:
        children = engine.expand_moves(np.require(block.states, requirements="W"))[2]
    remoteness = moves.remoteness[order]
    return {
        "move": json_column(column(moves.codes[order])),
        "name": _move_names(game, moves.codes[order], json_column),
        "position": _position_column(game, children[order], json_column),
        "child": json_column(column(moves.children[order])),
        "value": json_column(worth_column(game, moves.values[order])),
        "remoteness_plies": json_column(column(remoteness, valid=remoteness != NEVER)),
        "optimal": json_column(column(moves.optimal[order])),
    }


def _best_first(block: Block) -> np.ndarray:
    """Return the places of the moves by row and `position.preference`, int64[m]."""
    moves = block.moves
    assert moves is not None
    worth = array(block.table["to_move"])[moves.rows].astype(np.int64) * moves.values
    plies = np.where(worth >= 0, moves.remoteness, -moves.remoteness.astype(np.int64))
    return np.lexsort((moves.codes, plies, -worth, moves.rows))


def _position_column(game: Game, states: np.ndarray, spell: Spell = lambda texts: texts) -> pa.Array:
    """Return the texts of states, each distinct one formatted and spelled once."""
    different, places = np.unique(states, return_inverse=True)
    return spell(text_column(game.format_positions(different))).take(column(places))


def _move_names(game: Game, codes: np.ndarray, spell: Spell = lambda texts: texts) -> pa.Array:
    """Return the names of codes, each distinct one formatted and spelled once."""
    different, places = np.unique(codes, return_inverse=True)
    return spell(text_column([game.format_move(code) for code in different.tolist()])).take(column(places))
