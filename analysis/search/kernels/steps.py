"""The steps of every search at a node, so that the searches themselves read like the textbook."""

from __future__ import annotations

import numba

from ...engine.kernels.raw import inlined, memory
from ...engine.kernels.types import helper, int64
from . import layout
from .layout import CHILDREN, MOVES
from .transpositions import least_image, probe, scatter

expand_signature = int64(int64, int64, int64, int64)
Expand = numba.types.FunctionType(expand_signature)
"""``expand(lab, state, stop, at) -> moves``: writes the children of a state into the row at address ``at`` and their
move codes into the next; returns their number, negative if the second player moves. If the game is over, or at a
``stop``, it returns 0, with the payoff in the first place of the row and 1 in the second if the game is not over. See
also `layout.REDUCE`.
"""

GREATEST_SHIFT, GREATEST_SCORE = 40, 1 << 60
"""A cutoff adds at most 2**shift to its move's score, which is capped."""


@helper
def row(lab, ply, number):
    """Return the address of one of the rows of a ply."""
    return memory(lab)[layout.STACK] + 8 * memory(lab)[layout.MOST] * (layout.ROWS * ply + number)


@helper
def solved_row(expand, lab, state):
    """Return the row of a solved state or its canonical image. Raises `UnknownStateError` if solving missed it."""
    mask = (1 << memory(lab)[layout.SOLVED_BITS]) - 1
    slot = memory(probe(memory(lab)[layout.SOLVED], 2, mask, least_image(expand, lab, state)))
    if slot[0] == 0:
        raise layout.UnknownStateError
    return slot[1]


@helper
def _place(lab, state, moves, code, ply):
    """Return the sort key of a move, ascending, in an order that needs no solved states."""
    order = memory(lab)[layout.ORDER]
    if order == layout.RANKED:
        return memory(memory(lab)[layout.RANKS])[code]
    if order == layout.RANDOM:
        return scatter(scatter(state, memory(lab)[layout.SEED]), code)
    if order == layout.KILLER:
        killers = memory(memory(lab)[layout.KILLERS] + 16 * ply)
        return 0 if killers[0] == code + 1 else 1 if killers[1] == code + 1 else 2
    return -memory(memory(lab)[layout.HISTORY] + (0 if moves > 0 else 8 * memory(lab)[layout.CODES]))[code]


@helper
def _solved_place(expand, lab, moves, child, whole):
    """Return the sort key of a move to a solved state, ascending."""
    order = memory(lab)[layout.ORDER]
    side = 1 if moves > 0 else -1
    facts = memory(memory(lab)[layout.SOLVED_ROWS] + 8 * layout.KNOWN * solved_row(expand, lab, child))
    if order == layout.BEST:
        return -side * facts[layout.VALUE]
    if order == layout.WORST:
        return side * facts[layout.VALUE]
    mover_nodes = layout.LOWER_NODES if side > 0 else layout.UPPER_NODES
    opponent_nodes = layout.UPPER_NODES if side > 0 else layout.LOWER_NODES
    return facts[layout.BOTH_NODES] - facts[opponent_nodes] if whole else facts[mover_nodes]


@helper
def rearrange(expand, lab, state, moves, at, ply, whole):
    """Sort the children of a node, with their codes, in the requested order; ties stay in natural order.

    ``whole`` says that the node has the window of the root: only then are both bounds of its value wanted.
    """
    most = memory(lab)[layout.MOST]
    children, codes, places = memory(at), memory(at + 8 * most * layout.MOVES), memory(at + 8 * most * layout.KEYS)
    solved = memory(lab)[layout.ORDER] >= layout.BEST
    for i in range(abs(moves)):
        state_here, code = children[i], codes[i]
        place = _solved_place(expand, lab, moves, state_here, whole) if solved else _place(lab, state, moves, code, ply)
        j = i
        while j > 0 and places[j - 1] > place:
            children[j], codes[j], places[j] = children[j - 1], codes[j - 1], places[j - 1]
            j -= 1
        children[j], codes[j], places[j] = state_here, code, place


@helper
def put_first(lab, moves, at, code):
    """Bring the move of this code, if any, to the front of a node's row; the others keep their order."""
    most = memory(lab)[layout.MOST]
    children, codes = memory(at), memory(at + 8 * most * layout.MOVES)
    for i in range(abs(moves)):
        if codes[i] == code:
            state = children[i]
            for j in range(i, 0, -1):
                children[j], codes[j] = children[j - 1], codes[j - 1]
            children[0], codes[0] = state, code
            return


@helper
def enter(lab, state, ply, alpha, beta):
    """Count a node. Returns where its visit is recorded, or -1, to be passed to `leave`."""
    memory(lab)[layout.NODES] += 1
    if memory(lab)[layout.NODES] > memory(lab)[layout.MOST_NODES]:
        raise layout.BudgetSpentError
    place = memory(lab)[layout.VISIT_COUNT]
    if place >= memory(lab)[layout.VISIT_CAPACITY] or ply > memory(lab)[layout.VISIT_PLIES]:
        return -1
    memory(lab)[layout.VISIT_COUNT] = place + 1
    visit = memory(memory(lab)[layout.VISITS] + 8 * layout.VISIT * place)
    visit[layout.VISIT_PLY] = ply
    visit[layout.VISIT_STATE] = state
    visit[layout.VISIT_ALPHA] = alpha
    visit[layout.VISIT_BETA] = beta
    visit[layout.VISIT_VALUE] = layout.UNKNOWN
    visit[layout.VISIT_MOVES] = 0
    return place


@inlined
def leave(lab, place, value):
    """Record and return the value."""
    if place >= 0:
        memory(memory(lab)[layout.VISITS] + 8 * layout.VISIT * place)[layout.VISIT_VALUE] = value
    return value


@helper
def moves_of(expand, lab, state, ply, alpha, beta):
    """List the moves of a node in order; return their number, negative if the second player moves, 0 at a leaf."""
    moves = expand(lab, state, ply >= memory(lab)[layout.LIMIT], row(lab, ply, CHILDREN))
    if moves != 0 and memory(lab)[layout.ORDER] != layout.NATURAL:
        whole = memory(lab)[layout.INSIDE] and alpha == memory(lab)[layout.ALPHA] and beta == memory(lab)[layout.BETA]
        rearrange(expand, lab, state, moves, row(lab, ply, CHILDREN), ply, whole)
    return moves


@helper
def child(lab, ply, i):
    """Return the state after move ``i`` of the node at this ply."""
    return memory(row(lab, ply, CHILDREN))[i]


@helper
def payoff(lab, state, ply):
    """Return the payoff or the evaluation of a leaf, and count it."""
    value = memory(row(lab, ply, CHILDREN))[0]
    open_end = value == 0 and memory(row(lab, ply, CHILDREN))[1] != 0  # the value of an unfinished position
    if not open_end and (value < memory(lab)[layout.LEAST_PAYOFF] or value > memory(lab)[layout.MOST_PAYOFF]):
        memory(lab)[layout.OUTSIDE] = state + 1
    memory(lab)[layout.LEAVES] += 1
    memory(lab)[layout.HORIZON] += memory(row(lab, ply, CHILDREN))[1]
    memory(lab)[layout.DEEPEST] = max(memory(lab)[layout.DEEPEST], ply)
    return value


@inlined
def seen(lab, place, moves):
    """Record that a child has been visited."""
    if place >= 0:
        memory(memory(lab)[layout.VISITS] + 8 * layout.VISIT * place)[layout.VISIT_MOVES] = abs(moves)


@inlined
def better(moves, best, value):
    """Return the better of two values for the side to move."""
    return max(best, value) if moves > 0 else min(best, value)


@inlined
def narrowed(moves, alpha, beta, value):
    """Return the window left once the side to move has a child of this value."""
    return (max(alpha, value), beta) if moves > 0 else (alpha, min(beta, value))


@inlined
def cut(lab, place, ply, moves, i, alpha, beta):
    """Return whether alpha >= beta after child ``i``, so that the rest need not be visited."""
    seen(lab, place, moves)
    if alpha < beta + memory(lab)[layout.STRICT]:
        return False
    memory(lab)[layout.CUTOFFS] += 1
    memory(lab)[layout.EFFECTIVE] += i + 1 < abs(moves)
    if memory(lab)[layout.KILLERS] == 0:
        return True
    # the move becomes the ply's first killer, and gains 2**d in the history, d plies above the deepest
    code = memory(row(lab, ply, MOVES))[i]
    killers = memory(memory(lab)[layout.KILLERS] + 16 * ply)
    if killers[0] != code + 1:
        killers[1] = killers[0]
        killers[0] = code + 1
    scores = memory(memory(lab)[layout.HISTORY] + (0 if moves > 0 else 8 * memory(lab)[layout.CODES]))
    gain = 1 << max(0, min(GREATEST_SHIFT, memory(lab)[layout.LIMIT] - ply))
    scores[code] = min(scores[code] + gain, GREATEST_SCORE)
    return True
