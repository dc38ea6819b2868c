"""Putting the moves of a node in order, in place."""

from __future__ import annotations

import numba

from analysis.engine.kernels.raw import inlined, memory
from analysis.search.kernels.keys import least_image, scatter
from analysis.search.kernels.layout import (
    BEST,
    BOTH_NODES,
    BY_HISTORY,
    CODES,
    HISTORY,
    KEYS,
    KILLER,
    KILLERS,
    KNOWN,
    LOWER_NODES,
    MOST,
    MOVES,
    ORDER,
    RANDOM,
    RANKED,
    RANKS,
    SEED,
    SOLVED,
    SOLVED_BITS,
    SOLVED_ROWS,
    UPPER_NODES,
    VALUE,
    WORST,
    UnknownStateError,
)

GREATEST_SHIFT, GREATEST_SCORE = 40, 1 << 60
"""A cutoff adds a power of two up to this one to its move's score, which ends there."""


@inlined
def known(lab, state):
    """The address of what is known of a solved state."""
    wanted = least_image(lab, state) + 1
    mask = (1 << memory(lab)[SOLVED_BITS]) - 1
    slot = scatter(wanted, 0) & mask
    while memory(memory(lab)[SOLVED] + 16 * slot)[0] != wanted:
        if memory(memory(lab)[SOLVED] + 16 * slot)[0] == 0:
            raise UnknownStateError
        slot = (slot + 1) & mask
    return memory(lab)[SOLVED_ROWS] + 8 * KNOWN * memory(memory(lab)[SOLVED] + 16 * slot)[1]


@numba.njit
def _place(lab, state, moves, child, code, ply, whole):
    """Where a move belongs: the least first."""
    order = memory(lab)[ORDER]
    side = 1 if moves > 0 else -1
    if order == RANKED:
        return memory(memory(lab)[RANKS])[code]
    if order == RANDOM:
        return scatter(scatter(state, memory(lab)[SEED]), code)
    if order == KILLER:
        killers = memory(memory(lab)[KILLERS] + 16 * ply)
        return 0 if killers[0] == code + 1 else 1 if killers[1] == code + 1 else 2
    if order == BY_HISTORY:
        return -memory(memory(lab)[HISTORY] + (0 if moves > 0 else 8 * memory(lab)[CODES]))[code]
    facts = memory(known(lab, child))
    if order == BEST:
        return -side * facts[VALUE]
    if order == WORST:
        return side * facts[VALUE]
    own = LOWER_NODES if side > 0 else UPPER_NODES
    other = UPPER_NODES if side > 0 else LOWER_NODES
    return facts[BOTH_NODES] - facts[other] if whole else facts[own]


@numba.njit
def rearrange(lab, state, moves, at, ply, whole):
    """Sort the children of a node, and their codes, by the order asked for; equal ones stay in natural order.

    ``whole`` says that the node has the window of the root: only then are both bounds of its value wanted.
    """
    most = memory(lab)[MOST]
    children, codes, places = memory(at), memory(at + 8 * most * MOVES), memory(at + 8 * most * KEYS)
    for i in range(abs(moves)):
        state_here, code, place = children[i], codes[i], _place(lab, state, moves, children[i], codes[i], ply, whole)
        j = i
        while j > 0 and places[j - 1] > place:
            children[j], codes[j], places[j] = children[j - 1], codes[j - 1], places[j - 1]
            j -= 1
        children[j], codes[j], places[j] = state_here, code, place


@numba.njit
def put_first(lab, moves, at, code):
    """Bring the move of this code, if there is one, to the front of a node's row; the others keep their order."""
    most = memory(lab)[MOST]
    children, codes = memory(at), memory(at + 8 * most * MOVES)
    for i in range(abs(moves)):
        if codes[i] == code:
            state = children[i]
            for j in range(i, 0, -1):
                children[j], codes[j] = children[j - 1], codes[j - 1]
            children[0], codes[0] = state, code
            return
