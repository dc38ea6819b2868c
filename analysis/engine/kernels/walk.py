"""Depth-first walk along optimal paths in lexicographic order, some paths at a time."""

from __future__ import annotations

import numba
import numpy as np

from analysis.engine.kernels.borrow import borrowed
from analysis.engine.kernels.hash_table import EMPTY, LOW, MISSING, ONE, settle, splitmix64
from analysis.engine.kernels.states import canonical
from analysis.engine.kernels.types import (
    Successors,
    int16s,
    int64,
    int64_cube,
    int64_table,
    int64s,
    kernel,
    uint8_table,
    uint8s,
    uint16s,
    uint64s,
)

ENTER, DONE = -1, -2
"""Values of ``depth[0]``: before the root is entered, and after the last path."""


@numba.njit(inline="always")
def lookup(state, slots, bits, seed):
    """The row of a canonical state, or `MISSING`."""
    h = splitmix64(state, seed)
    shift = np.uint64(64 - bits)
    entry = settle(slots[np.int64(h >> shift)], h, slots, shift, (np.int64(1) << bits) - 1)
    if entry == EMPTY:
        return np.int64(MISSING)
    return np.int64((entry & LOW) - ONE)


@kernel(
    int64(
        Successors, Successors, int64, int64_cube, int64, int64, uint64s, int64, int64, int16s, uint16s, int64,
        int64_cube, int64_table, int64s, int64s, int64s, uint8_table, int64s,
    )
)  # fmt: skip
def walk(successors, reduced, most, tables, cells, planes, slots, bits, seed, values, remoteness, shortest,
         children_at, codes_at, counts, cursors, depth, paths, lengths):  # fmt: skip
    """Write the next paths into ``paths`` [capacity, plies] and ``lengths``; return how many.

    ``reduced`` gives the children in the same order as ``successors``, made canonical by the rules or not at all. The
    walk stands at ``depth[0]`` moves below its root; ``children_at`` [plies + 1, most + 1, 2], states and their rows in
    the table, ``codes_at`` and ``counts`` hold the moves that lead on at each depth, ``cursors`` the next one to take.
    ``children_at[-1, -1]`` is the root; ``depth[0]`` is `ENTER` before it, and `DONE` after the last path. Returns
    `MISSING` if a state is not in the table.
    """
    own_moves, own_children, own_least = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64)
    moves, children, least = borrowed(own_moves), borrowed(own_children), borrowed(own_least)
    last = children_at.shape[0] - 1
    written = 0
    d = depth[0]
    while written < len(lengths) and d != DONE:
        if d == ENTER:
            state, own, d = children_at[last, most, 0], children_at[last, most, 1], 0
        elif cursors[d] < counts[d]:
            state, own = children_at[d, cursors[d], 0], children_at[d, cursors[d], 1]
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
        kept = 0
        for j in range(n):
            row = lookup(canonical(least[j], tables, cells, planes), slots, bits, seed)
            if row == MISSING:
                return MISSING
            if values[row] == values[own] and (not shortest or np.int64(remoteness[row]) + 1 == remoteness[own]):
                children_at[d, kept, 0] = children[j]
                children_at[d, kept, 1] = row
                codes_at[d, kept] = moves[j]
                kept += 1
        counts[d] = kept
        cursors[d] = 0
    depth[0] = d
    return written + 0 * (len(own_moves) + len(own_children) + len(own_least))  # keeps what was borrowed alive


@kernel(int64(uint8_table, int64s, int64, int64, uint8s))
def spell(paths, lengths, count, joined, out):
    """Write paths as text, one a line, with ``-`` between codes if ``joined``; return how many bytes."""
    at = 0
    for i in range(count):
        for level in range(lengths[i]):
            if joined and level > 0:
                out[at] = 45
                at += 1
            code = np.int64(paths[i, level])
            if code > 99:
                out[at] = 48 + code // 100
                at += 1
            if code > 9:
                out[at] = 48 + code // 10 % 10
                at += 1
            out[at] = 48 + code % 10
            at += 1
        out[at] = 10
        at += 1
    return at
