"""Blocks cut to what fits memory once it is spelled."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from analysis.exports.parts.part import Block, BlockMoves, Part

MOST_MOVES = 1 << 16
"""Moves whose texts are in memory at a time, unless a single class has more."""


def small_blocks(part: Part) -> Iterator[Block]:
    """The blocks of a part with their moves, cut to `MOST_MOVES`: a move becomes some 150 bytes of text."""
    for block in part.blocks(moves=True):
        assert block.moves is not None
        first = first_moves(block)
        low = 0
        while low < len(block):
            high = max(low + 1, int(np.searchsorted(first, first[low] + MOST_MOVES, side="right")) - 1)
            moves = _slice(block.moves, int(first[low]), int(first[high]), low)
            texts = None if block.texts is None else block.texts.slice(low, high - low)
            yield Block(block.game, block.tier, block.table.slice(low, high - low), moves, texts)
            low = high


def _slice(moves: BlockMoves, low: int, high: int, first_row: int) -> BlockMoves:
    arrays = {field.name: getattr(moves, field.name)[low:high] for field in dataclasses.fields(moves)}
    return BlockMoves(**{**arrays, "rows": arrays["rows"] - first_row})


def first_moves(block: Block, chosen: np.ndarray | None = None) -> np.ndarray:
    """Where the moves of each row begin among all, or among the ``chosen`` ones (bool[m]): int32[n + 1]."""
    assert block.moves is not None
    rows = block.moves.rows if chosen is None else block.moves.rows[chosen]
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(block)))]).astype(np.int32)


def move_texts(block: Block) -> dict[int, str]:
    """The name of each move code that occurs in a block with its moves."""
    assert block.moves is not None
    return {code: block.game.format_move(code) for code in np.unique(block.moves.codes).tolist()}
