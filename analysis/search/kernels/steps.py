"""What every search does at a node, so that the searches themselves read like the textbook."""

from __future__ import annotations

from numba import types

from analysis.engine.kernels.raw import inlined, memory
from analysis.engine.kernels.types import int64
from analysis.search.kernels.layout import (
    ALPHA,
    BETA,
    CHILDREN,
    CODES,
    CUTOFFS,
    DEEPEST,
    EFFECTIVE,
    HISTORY,
    HORIZON,
    INSIDE,
    KILLERS,
    LEAST_PAYOFF,
    LEAVES,
    LIMIT,
    MOST,
    MOST_NODES,
    MOST_PAYOFF,
    MOVES,
    NATURAL,
    NODES,
    ORDER,
    OUTSIDE,
    ROWS,
    STACK,
    STRICT,
    UNKNOWN,
    VISIT,
    VISIT_ALPHA,
    VISIT_BETA,
    VISIT_CAPACITY,
    VISIT_COUNT,
    VISIT_MOVES,
    VISIT_PLIES,
    VISIT_PLY,
    VISIT_SIDE,
    VISIT_STATE,
    VISIT_VALUE,
    VISITS,
    BudgetSpentError,
)
from analysis.search.kernels.ordering import GREATEST_SCORE, GREATEST_SHIFT, rearrange

expand_signature = int64(int64, int64, int64, int64)
Expand = types.FunctionType(expand_signature)
"""``expand(lab, state, stop, at) -> moves``: writes the children of a state into the row at address ``at`` and their move
codes into the next; returns how many, negative where the second player moves. Where the game is over, or ``stop``, it
returns 0, with the payoff in the first place of the row and 1 in the second if the game is not over.
"""


@inlined
def row(lab, ply, which):
    """The address of one of the rows of a ply."""
    return memory(lab)[STACK] + 8 * memory(lab)[MOST] * (ROWS * ply + which)


@inlined
def enter(lab, state, ply, alpha, beta):
    """Count a node. Returns where its visit is recorded, or -1; pass that to `leave`."""
    memory(lab)[NODES] += 1
    if memory(lab)[NODES] > memory(lab)[MOST_NODES]:
        raise BudgetSpentError
    place = memory(lab)[VISIT_COUNT]
    if place >= memory(lab)[VISIT_CAPACITY] or ply > memory(lab)[VISIT_PLIES]:
        return -1
    memory(lab)[VISIT_COUNT] = place + 1
    visit = memory(memory(lab)[VISITS] + 8 * VISIT * place)
    visit[VISIT_PLY] = ply
    visit[VISIT_STATE] = state
    visit[VISIT_ALPHA] = alpha
    visit[VISIT_BETA] = beta
    visit[VISIT_VALUE] = UNKNOWN
    visit[VISIT_MOVES] = 0
    visit[VISIT_SIDE] = 0
    return place


@inlined
def leave(lab, place, value):
    """The value, recorded."""
    if place >= 0:
        memory(memory(lab)[VISITS] + 8 * VISIT * place)[VISIT_VALUE] = value
    return value


@inlined
def moves_of(expand, lab, state, ply, alpha, beta):
    """The moves of a node in the order asked for: how many, negative where the second player moves, 0 at a leaf."""
    moves = expand(lab, state, ply >= memory(lab)[LIMIT], row(lab, ply, CHILDREN))
    if moves != 0 and memory(lab)[ORDER] != NATURAL:
        whole = memory(lab)[INSIDE] and alpha == memory(lab)[ALPHA] and beta == memory(lab)[BETA]
        rearrange(lab, state, moves, row(lab, ply, CHILDREN), ply, whole)
    return moves


@inlined
def child(lab, ply, i):
    """The state after move ``i`` of the node at this ply."""
    return memory(row(lab, ply, CHILDREN))[i]


@inlined
def payoff(lab, state, ply):
    """The payoff of a leaf, which is counted."""
    value = memory(row(lab, ply, CHILDREN))[0]
    over = memory(row(lab, ply, CHILDREN))[1] == 0
    if over and (value < memory(lab)[LEAST_PAYOFF] or value > memory(lab)[MOST_PAYOFF]):
        memory(lab)[OUTSIDE] = state + 1
    memory(lab)[LEAVES] += 1
    memory(lab)[HORIZON] += memory(row(lab, ply, CHILDREN))[1]
    memory(lab)[DEEPEST] = max(memory(lab)[DEEPEST], ply)
    return value


@inlined
def seen(lab, place, moves):
    """Record that a child of so many has been visited."""
    if place >= 0:
        visit = memory(memory(lab)[VISITS] + 8 * VISIT * place)
        visit[VISIT_MOVES] = abs(moves)
        visit[VISIT_SIDE] = moves


@inlined
def cut(lab, place, ply, moves, i, alpha, beta):
    """Whether alpha >= beta after child ``i``, so that the rest need not be visited."""
    seen(lab, place, moves)
    if alpha < beta + memory(lab)[STRICT]:
        return False
    memory(lab)[CUTOFFS] += 1
    memory(lab)[EFFECTIVE] += i + 1 < abs(moves)
    if memory(lab)[KILLERS] != 0:
        learn(lab, ply, moves, memory(row(lab, ply, MOVES))[i])
    return True


@inlined
def learn(lab, ply, moves, code):
    """A move has cut: it becomes the ply's first killer, and gains 2**d in the history, d plies above the deepest."""
    killers = memory(memory(lab)[KILLERS] + 16 * ply)
    if killers[0] != code + 1:
        killers[1] = killers[0]
        killers[0] = code + 1
    scores = memory(memory(lab)[HISTORY] + (0 if moves > 0 else 8 * memory(lab)[CODES]))
    gain = 1 << max(0, min(GREATEST_SHIFT, memory(lab)[LIMIT] - ply))
    scores[code] = min(scores[code] + gain, GREATEST_SCORE)
