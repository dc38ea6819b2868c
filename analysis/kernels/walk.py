"""Depth-first walk along optimal paths in lexicographic order, some paths at a time."""

from __future__ import annotations

import numba
import numpy as np

from analysis.kernels.borrow import borrowed
from analysis.kernels.states import canonical
from analysis.kernels.table import EMPTY, HALF, LOW, MISSING, ONE, splitmix64
from analysis.kernels.types import (
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

FIRST_SLOT, BITS, SEED, FIRST_ROW = range(4)
"""Columns of ``layout``: where each tier's table begins, its bits and seed, and where its rows begin."""


@numba.njit(inline="always")
def lookup(state, slots, layout, tier):
    """The row of a canonical state of a tier, counted through all tiers, or `MISSING`."""
    bits = layout[tier, BITS]
    h = splitmix64(state, layout[tier, SEED])
    slot = np.int64(h >> np.uint64(64 - bits))
    mask = (np.int64(1) << bits) - 1
    entry = slots[layout[tier, FIRST_SLOT] + slot]
    while entry >> HALF != h & LOW and entry != EMPTY:
        slot = (slot + 1) & mask
        entry = slots[layout[tier, FIRST_SLOT] + slot]
    if entry == EMPTY:
        return np.int64(MISSING)
    return layout[tier, FIRST_ROW] + np.int64((entry & LOW) - ONE)


@kernel(
    int64(
        Successors, int64, int64_cube, int64, int64, uint64s, int64_table, int16s, uint16s, int64,
        int64_table, int64_table, int64s, int64s, int64s, uint8_table, int64s,
    )
)  # fmt: skip
def walk(successors, most, tables, cells, planes, slots, layout, values, remoteness, shortest,
         child_states, child_codes, counts, cursors, depth, paths, lengths):  # fmt: skip
    """Write the next paths into ``paths`` [capacity, plies] and ``lengths``; return how many.

    The walk stands at ``depth[0]`` moves below its root; ``child_states``, ``child_codes`` [plies + 1, most + 1] and
    ``counts`` hold the moves that lead on at each depth, ``cursors`` the next one to take. ``child_states[-1, -1]``
    is the root; ``depth[0]`` is `ENTER` before it, and `DONE` after the last path. Returns `MISSING` if a state is in
    no tier.
    """
    own_moves, own_children = np.empty(most, np.int64), np.empty(most, np.int64)
    moves, children = borrowed(own_moves), borrowed(own_children)
    last = child_states.shape[0] - 1
    written = 0
    d = depth[0]
    while written < len(lengths) and d != DONE:
        if d == ENTER:
            state, d = child_states[last, most], 0
        elif cursors[d] < counts[d]:
            state = child_states[d, cursors[d]]
            cursors[d] += 1
            d += 1
        else:
            d = d - 1 if d > 0 else DONE
            continue
        n = successors(state, moves, children)
        if n < 0:
            for level in range(d):
                paths[written, level] = child_codes[level, cursors[level] - 1]
            lengths[written] = d
            written += 1
            d = d - 1 if d > 0 else DONE
            continue
        own = lookup(canonical(state, tables, cells, planes), slots, layout, d)
        kept = 0
        for j in range(n):
            row = lookup(canonical(children[j], tables, cells, planes), slots, layout, d + 1)
            if row == MISSING or own == MISSING:
                return MISSING
            if values[row] == values[own] and (not shortest or np.int64(remoteness[row]) + 1 == remoteness[own]):
                child_states[d, kept] = children[j]
                child_codes[d, kept] = moves[j]
                kept += 1
        counts[d] = kept
        cursors[d] = 0
    depth[0] = d
    return written + 0 * (len(own_moves) + len(own_children))  # keeps what was borrowed alive until here


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
