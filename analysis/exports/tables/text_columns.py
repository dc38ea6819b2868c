"""Columns of text, as the formats of rows share them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from analysis.engine import columns
from analysis.exports.parts.part import Block
from analysis.rules.game import Game

Encode = Callable[[str], str]
"""What a text is turned into before it is put into a column, such as JSON."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def outcomes(block: Block) -> pa.Array:
    """``X``, ``O`` or ``tie`` where the game is over, else null."""
    signs = np.sign(columns.array(block.table["value"])).astype(np.int8) + 1
    over = block.table["terminal"].combine_chunks()
    return pc.if_else(over, pa.array(["O", "tie", "X"]).take(columns.column(signs)), pa.scalar(None, pa.string()))


def text_column(texts: Sequence[str], encode: Encode = str) -> pa.Array:
    """Texts as a column, each ``encoded`` first; half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD."""
    encoded = texts if encode is str else [*map(encode, texts)]
    try:
        return pa.array(encoded, type=pa.string())
    except UnicodeEncodeError:
        return pa.array([_SURROGATE.sub("\ufffd", text) for text in encoded], type=pa.string())


def position_column(game: Game, states: np.ndarray, encode: Encode = str) -> pa.Array:
    """The texts of states in any order; one that comes again is formatted once."""
    different, places = np.unique(states, return_inverse=True)
    return text_column(game.format_positions(different), encode).take(columns.column(places))


class MoveNames:
    """The names of move codes as columns, each asked for once."""

    def __init__(self, game: Game, encode: Encode = str) -> None:
        self._game, self._encode = game, encode
        self._names: dict[int, str] = {}

    def column(self, codes: np.ndarray) -> pa.Array:
        """The names of uint8[m] codes."""
        for code in np.flatnonzero(np.bincount(codes, minlength=256)).tolist():
            if code not in self._names:
                self._names[code] = self._game.format_move(code)
        names = [self._names.get(code, "") for code in range(256)]
        return text_column(names, self._encode).take(columns.column(codes))
