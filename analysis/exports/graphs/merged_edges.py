"""Edges between classes: one for each pair, with all the moves that lead across (symmetric siblings)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from analysis.engine.columns import NEVER
from analysis.exports.parts.blocks import move_texts
from analysis.exports.parts.part import Block


class Edge(NamedTuple):
    """All moves that lead from one class to another."""

    row: int  # of the block, the class that is left
    source: int  # the canonical states
    target: int
    codes: tuple[int, ...]  # of the moves, ascending
    names: tuple[str, ...]  # as people write them, in the order of the codes
    value: int  # of the class after it
    remoteness_plies: int | None  # likewise; None for a draw
    optimal: bool  # whether the moves keep the value


def merged_edges(block: Block) -> Iterator[Edge]:
    """The edges that leave the classes of a block with moves, by row and then by the least code; those alone that
    lead to classes of the part.

    >>> import analysis
    >>> from analysis.exports.parts.part import Part
    >>> part = Part(analysis.solve("tictactoe"), depth=1)
    >>> [(edge.codes, edge.value) for edge in merged_edges(next(part.blocks(moves=True)))]
    [((0, 2, 6, 8), 0), ((1, 3, 5, 7), 0), ((4,), 0)]
    """
    moves = block.moves
    assert moves is not None
    kept = np.flatnonzero(moves.inside)
    order, bounds = _groups(moves.rows[kept], moves.children[kept])
    order = kept[order]
    first = order[bounds[:-1]]
    names = move_texts(block)
    codes = moves.codes[order].tolist()
    fields = (
        moves.rows[first].tolist(),
        block.states[moves.rows[first]].tolist(),
        moves.children[first].tolist(),
        bounds[:-1].tolist(),
        bounds[1:].tolist(),
        moves.values[first].tolist(),
        moves.remoteness[first].tolist(),
        moves.optimal[first].tolist(),
    )
    for row, source, target, low, high, value, remoteness, optimal in zip(*fields, strict=True):
        across = tuple(codes[low:high])
        plies = None if remoteness == NEVER else remoteness
        yield Edge(row, source, target, across, tuple(names[code] for code in across), value, plies, optimal)


def _groups(rows: np.ndarray, children: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moves that are ordered by row and code, ordered anew so that those of one pair (row, child) follow one another,
    pairs by row and least code: the new order int64[m], and where each pair begins and the last ends, int64[pairs + 1].
    """
    by_pair = np.lexsort((children, rows))
    new = np.ones(len(by_pair), dtype=bool)
    new[1:] = (np.diff(rows[by_pair]) != 0) | (np.diff(children[by_pair]) != 0)
    leaders = by_pair[new]  # the least code of each pair, since the sort is stable
    leader_of = np.empty(len(by_pair), dtype=np.int64)
    leader_of[by_pair] = np.repeat(leaders, np.diff(np.append(np.flatnonzero(new), len(by_pair))))
    order = np.argsort(leader_of, kind="stable")
    starts = np.flatnonzero(leader_of == np.arange(len(order)))
    sizes = np.bincount(leader_of, minlength=len(order))[starts] if len(order) else starts
    return order, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
