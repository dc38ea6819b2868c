"""Kernels over states: expand, canonical images, orbit sizes, duplicates."""

from __future__ import annotations

import numba
import numpy as np

from analysis.engine.kernels.borrow import borrowed
from analysis.engine.kernels.types import (
    IntegerFunction,
    Successors,
    ToMove,
    int8s,
    int16s,
    int64,
    int64_cube,
    int64s,
    kernel,
    uint8s,
    uint16s,
)

NO_MOVE, TOO_MANY_MOVES, BAD_CODE = -2, -3, -4
"""A kernel's answers where a state is neither over nor has a move, or its moves are not as the rules say; its row is
then in ``out[0]``."""

ROOM = 256
"""Entries that ``legal_moves`` may write without harm, whatever the rules say of their number."""


NO_PAYOFF = 32767
"""What a payoff that does not fit an int16 becomes: the one int16 that is no payoff."""


@numba.njit(inline="always")
def as_payoff(number):
    """A payoff as the tables hold it."""
    return number if -32768 <= number < NO_PAYOFF else NO_PAYOFF


@numba.njit(inline="always")
def image(state, tables, g, cells, planes):
    """The image of a state under element ``g`` of the group whose tables (see `Group.tables`) are given."""
    board = (np.int64(1) << cells) - 1
    shift = cells * planes
    result = (state >> shift) << shift
    for plane in range(planes):
        marks = (state >> (plane * cells)) & board
        moved = np.int64(0)
        for chunk in range(tables.shape[1]):
            moved |= tables[g, chunk, (marks >> (8 * chunk)) & 255]
        result |= moved << (plane * cells)
    return result


@numba.njit(inline="always")
def canonical(state, tables, cells, planes):
    """The least image of a state under the group."""
    least = state
    for g in range(1, tables.shape[0]):
        least = min(least, image(state, tables, g, cells, planes))
    return least


@numba.njit(inline="always")
def fault_in(n, moves, most):
    """What is wrong with ``n`` ascending moves, or 0."""
    if n == 0:
        return NO_MOVE
    if n > most:
        return TOO_MANY_MOVES
    return BAD_CODE if moves[0] < 0 or moves[n - 1] > 254 else 0


@kernel(int64(int64, int64_cube, int64, int64))
def canonical_state(state, tables, cells, planes):
    """`canonical` for one state, to be called from Python."""
    return canonical(state, tables, cells, planes)


@kernel(int64(Successors, int64s, int64, int64_cube, int64, int64, int64s))
def expand(successors, states, most, tables, cells, planes, out):
    """Write the canonical children of all states into ``out``, duplicates included; return how many, or a fault such as
    `NO_MOVE`.
    """
    own_moves, own_children = np.empty(ROOM, np.int64), np.empty(ROOM, np.int64)
    moves, children = borrowed(own_moves), borrowed(own_children)
    total = 0
    for i in range(len(states)):
        n = successors(states[i], moves, children)
        if n >= 0:
            fault = fault_in(n, moves, most)
            if fault < 0:
                out[0] = i
                return fault
        for j in range(n):
            out[total] = canonical(children[j], tables, cells, planes)
            total += 1
    return total + 0 * (len(own_moves) + len(own_children))  # keeps what was borrowed alive until here


@kernel(int64(Successors, int64s, int64, int64_cube, int64, int64, int64s, uint8s, int64s))
def expand_moves(successors, states, most, tables, cells, planes, rows, codes, out):
    """Like `expand` for states without fault, and for each child also its parent's row and the move code."""
    own_moves, own_children = np.empty(most, np.int64), np.empty(most, np.int64)
    moves, children = borrowed(own_moves), borrowed(own_children)
    total = 0
    for i in range(len(states)):
        n = successors(states[i], moves, children)
        for j in range(n):
            rows[total] = i
            codes[total] = moves[j]
            out[total] = canonical(children[j], tables, cells, planes)
            total += 1
    return total + 0 * (len(own_moves) + len(own_children))  # keeps what was borrowed alive until here


@kernel(
    int64(Successors, ToMove, int64s, int64, int64_cube, int64, int64, uint8s, int8s, int16s, uint8s, int64s, int64s)
)
def expand_tiers(tiered, to_move, states, most, tables, cells, planes, branching, movers, payoffs, codes, tiers, out):
    """Like `expand_moves`, with the tier of each child instead of its parent's row; and, per state, what `table.link`
    writes. Returns how many children there are, or a fault.
    """
    own_moves, own_children = np.empty(ROOM + most, np.int64), np.empty(ROOM, np.int64)
    moves, children = borrowed(own_moves), borrowed(own_children)
    total = 0
    for i in range(len(states)):
        n = tiered(states[i], moves, children)
        if n >= 0:
            fault = fault_in(n, moves, most)
            if fault < 0:
                out[0] = i
                return fault
        movers[i] = to_move(states[i])
        branching[i] = max(n, 0)
        payoffs[i] = as_payoff(children[0]) if n < 0 else 0
        for j in range(n):
            codes[total] = moves[j]
            tiers[total] = moves[most + j]
            out[total] = canonical(children[j], tables, cells, planes)
            total += 1
    return total + 0 * (len(own_moves) + len(own_children))  # keeps what was borrowed alive until here


@kernel(numba.void(IntegerFunction, int64s, int64s))
def apply(function, states, out):
    """``out[i] = function(states[i])``."""
    for i in range(len(states)):
        out[i] = function(states[i])


@kernel(int64(int64s))
def drop_repeats(values):
    """Move the distinct values of a sorted array to its front; return how many there are."""
    if len(values) == 0:
        return 0
    kept = 1
    for i in range(1, len(values)):
        if values[i] != values[i - 1]:
            values[kept] = values[i]
            kept += 1
    return kept


@kernel(numba.void(int64s, int64_cube, int64, int64, uint16s))
def orbit_sizes(states, tables, cells, planes, out):
    """The orbit size of each state: the order of the group over the number of elements that fix the state."""
    order = tables.shape[0]
    for i in range(len(states)):
        fixing = 1
        for g in range(1, order):
            if image(states[i], tables, g, cells, planes) == states[i]:
                fixing += 1
        out[i] = order // fixing
