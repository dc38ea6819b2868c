"""Putting the moves of a node in order, in place."""

from __future__ import annotations

import numba

from analysis.engine.kernels.raw import inlined, memory
from analysis.search.kernels import layout
from analysis.search.kernels.keys import least_image, probe, scatter

GREATEST_SHIFT, GREATEST_SCORE = 40, 1 << 60
"""A cutoff adds a power of two up to this one to its move's score, which ends there."""


@inlined
def solved_row(lab, state):
    """The row of a solved state, or of its canonical image. Raises `UnknownStateError` where solving never met it."""
    mask = (1 << memory(lab)[layout.SOLVED_BITS]) - 1
    slot = memory(probe(memory(lab)[layout.SOLVED], 2, mask, least_image(lab, state)))
    if slot[0] == 0:
        raise layout.UnknownStateError
    return slot[1]


@numba.njit
def _place(lab, state, moves, child, code, ply, whole):
    """Where a move belongs: the least first."""
    order = memory(lab)[layout.ORDER]
    side = 1 if moves > 0 else -1
    if order == layout.RANKED:
        return memory(memory(lab)[layout.RANKS])[code]
    if order == layout.RANDOM:
        return scatter(scatter(state, memory(lab)[layout.SEED]), code)
    if order == layout.KILLER:
        killers = memory(memory(lab)[layout.KILLERS] + 16 * ply)
        return 0 if killers[0] == code + 1 else 1 if killers[1] == code + 1 else 2
    if order == layout.BY_HISTORY:
        return -memory(memory(lab)[layout.HISTORY] + (0 if moves > 0 else 8 * memory(lab)[layout.CODES]))[code]
    facts = memory(memory(lab)[layout.SOLVED_ROWS] + 8 * layout.KNOWN * solved_row(lab, child))
    if order == layout.BEST:
        return -side * facts[layout.VALUE]
    if order == layout.WORST:
        return side * facts[layout.VALUE]
    own = layout.LOWER_NODES if side > 0 else layout.UPPER_NODES
    other = layout.UPPER_NODES if side > 0 else layout.LOWER_NODES
    return facts[layout.BOTH_NODES] - facts[other] if whole else facts[own]


@numba.njit
def rearrange(lab, state, moves, at, ply, whole):
    """Sort the children of a node, and their codes, by the order asked for; equal ones stay in natural order.

    ``whole`` says that the node has the window of the root: only then are both bounds of its value wanted.
    """
    most = memory(lab)[layout.MOST]
    children, codes, places = memory(at), memory(at + 8 * most * layout.MOVES), memory(at + 8 * most * layout.KEYS)
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
    most = memory(lab)[layout.MOST]
    children, codes = memory(at), memory(at + 8 * most * layout.MOVES)
    for i in range(abs(moves)):
        if codes[i] == code:
            state = children[i]
            for j in range(i, 0, -1):
                children[j], codes[j] = children[j - 1], codes[j - 1]
            children[0], codes[0] = state, code
            return
