"""Walk along optimal paths depth first, in lexicographic order, some paths at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import MISSING
from . import types as t
from .hash_table import EMPTY, LOW, ONE, HashTable, settle, splitmix64, table_type
from .raw import borrowed, keep_alive
from .states import ROOM, canonical
from .types import inlined, kernel, tuple_of

ENTER, DONE = -1, -2
"""Values of ``depth[0]``: before the root is entered, and after the last path."""


@inlined
def lookup(state, slots, bits, seed):
    """Return the row of a canonical state, or `MISSING`."""
    h = splitmix64(state, seed)
    shift = np.uint64(64 - bits)
    entry = settle(slots[np.int64(h >> shift)], h, slots, shift, (np.int64(1) << bits) - 1)
    if entry == EMPTY:
        return np.int64(MISSING)
    return np.int64((entry & LOW) - ONE)


class SolvedStates(NamedTuple):
    """The states that a walk may reach, and their worths, which decide which moves are optimal."""

    table: HashTable
    values: np.ndarray  # int16[n]
    remoteness: np.ndarray  # uint16[n]


class Trail(NamedTuple):
    """The place of a walk: at each depth, the moves that lead on."""

    children: np.ndarray
    """int64[plies + 1, most + 1, 2], states and their rows in the table; the last of all is the root."""
    codes: np.ndarray  # int64[plies + 1, most + 1]
    counts: np.ndarray  # int64[plies + 1]
    cursors: np.ndarray  # int64[plies + 1], the next one to take
    depth: np.ndarray  # int64[1], moves below the root; `ENTER` before it, and `DONE` after the last path

    @classmethod
    def begin(cls, root: int, row: int, plies: int, most: int) -> Trail:
        """Return the trail before the first path from a root, of at most ``plies`` plies, each with at most ``most``
        moves.
        """
        shape = (plies + 1, most + 1)
        children, codes = np.zeros((*shape, 2), dtype=np.int64), np.zeros(shape, dtype=np.int64)
        children[-1, -1] = root, row
        counts, cursors = np.zeros((2, plies + 1), dtype=np.int64)
        return cls(children, codes, counts, cursors, np.array([ENTER], dtype=np.int64))


solved_type = tuple_of(SolvedStates, table_type, t.int16s, t.uint16s)
trail_type = tuple_of(Trail, t.int64_cube, t.int64_table, t.int64s, t.int64s, t.int64s)


@kernel(
    t.int64(
        t.Successors, t.Successors, t.int64, t.board_type, solved_type, t.int64, trail_type, t.uint16_table, t.int64s
    )
)
def walk(successors, reduced, most, board, solved, shortest, trail, paths, lengths):
    """Write the next paths into ``paths`` [capacity, plies] and ``lengths``; return how many, or `MISSING` if a state
    is not in the table. ``reduced`` gives the children in the same order as ``successors``, made canonical by the rules
    or not at all.
    """
    tables, permuted = board
    (slots, seed, bits), values, remoteness = solved
    children_at, codes_at, counts, cursors, depth = trail
    buffers = np.empty((3, ROOM), np.int64)
    lent = borrowed(buffers)
    moves, children, least = lent[0], lent[1], lent[2]
    last = children_at.shape[0] - 1
    written = 0
    d = depth[0]
    while written < len(lengths) and d != DONE:
        if d == ENTER:
            state, above, d = children_at[last, most, 0], children_at[last, most, 1], 0
        elif cursors[d] < counts[d]:
            state, above = children_at[d, cursors[d], 0], children_at[d, cursors[d], 1]
            cursors[d] += 1
            d += 1
        else:
            d = d - 1 if d > 0 else DONE
            continue
        n = reduced(state, moves, least)
        if n < 0:
            for level in range(d):
                paths[written, level] = codes_at[level, cursors[level] - 1]
            lengths[written] = d
            written += 1
            d = d - 1 if d > 0 else DONE
            continue
        successors(state, moves, children)
        leads = 0
        for j in range(n):
            row = lookup(canonical(least[j], tables, permuted), slots, bits, seed)
            if row == MISSING:
                return MISSING
            if values[row] == values[above] and (not shortest or np.int64(remoteness[row]) + 1 == remoteness[above]):
                children_at[d, leads, 0] = children[j]
                children_at[d, leads, 1] = row
                codes_at[d, leads] = moves[j]
                leads += 1
        counts[d] = leads
        cursors[d] = 0
    depth[0] = d
    return keep_alive(written, buffers)


@kernel(t.int64(t.uint16_table, t.int64s, t.int64, t.int64, t.uint8s))
def spell(paths, lengths, count, joined, out):
    """Write paths as text, one per line, with ``-`` between codes if ``joined``; return how many bytes: at
    most six a code, and one a path.
    """
    at = 0
    for i in range(count):
        for level in range(lengths[i]):
            if joined and level > 0:
                out[at] = 45
                at += 1
            code = np.int64(paths[i, level])
            power = 1
            while 10 * power <= code:
                power *= 10
            while power > 0:
                out[at] = 48 + code // power % 10
                at += 1
                power //= 10
        out[at] = 10
        at += 1
    return at
