"""Columns of text, as the formats of rows share them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine import columns
from analysis.exports.parts.part import Block
from analysis.rules.game import Game
from analysis.storage.row_files import text_column

Spell = Callable[[pa.Array], pa.Array]
"""What a column of different texts is turned into before they are repeated, such as JSON."""


def outcomes(block: Block) -> pa.Array:
    """``X``, ``O`` or ``tie`` where the game is over, else null."""
    signs = np.sign(columns.array(block.table["value"])).astype(np.int8) + 1
    over = block.table["terminal"].combine_chunks()
    return pc.if_else(over, pa.array(["O", "tie", "X"]).take(columns.column(signs)), pa.scalar(None, pa.string()))


def movers(block: Block) -> pa.Array:
    """``X`` or ``O``, null where the game is over."""
    first = columns.column(columns.array(block.table["to_move"]) > 0)
    over = block.table["terminal"].combine_chunks()
    return pc.if_else(over, pa.scalar(None, pa.string()), pc.if_else(first, "X", "O"))


def position_column(game: Game, states: np.ndarray, spell: Spell = lambda texts: texts) -> pa.Array:
    """The texts of states in any order; one that comes again is formatted, and spelled, once."""
    different, places = np.unique(states, return_inverse=True)
    return spell(text_column(game.format_positions(different))).take(columns.column(places))


def move_names(game: Game, codes: np.ndarray, spell: Spell = lambda texts: texts) -> pa.Array:
    """The names of uint8[m] codes; each that occurs is asked for, and spelled, once."""
    used = np.bincount(codes, minlength=256).tolist()
    names = [game.format_move(code) if times else "" for code, times in enumerate(used)]
    return spell(text_column(names)).take(columns.column(codes))
