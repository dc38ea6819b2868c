"""Depth-first searches, each a textbook loop: minimax, alpha-beta in two forms and NegaScout; with a transposition
table, minimax, alpha-beta, iterative deepening and MTD(f).
"""

from __future__ import annotations

from ...engine.kernels.raw import memory
from ...engine.kernels.types import int64, kernel
from ..kernels.layout import (
    CHILDREN,
    DEEPENING,
    HITS,
    HORIZON,
    INFINITY,
    LIMIT,
    MOVES,
    SHORT_HIGH,
    SHORT_LOW,
    SLOT_HIGH,
    SLOT_LOW,
    SLOT_NOTES,
)
from ..kernels.steps import (
    Expand,
    better,
    child,
    cut,
    enter,
    leave,
    moves_of,
    narrowed,
    payoff,
    put_first,
    row,
    seen,
)  # fmt: skip
from ..kernels.transpositions import answer, best_move, find, key, lasting, remember, usable
from ..workspace import Workspace

LOOKING_AHEAD = 3
"""Children are looked up before they are searched if at least this many plies are left to the horizon."""


@kernel(int64(Expand, int64, int64, int64))
def minimax(expand, lab, state, ply):
    """Return the value of a node by visiting the whole tree below it."""
    place = enter(lab, state, ply, -INFINITY, INFINITY)
    moves = moves_of(expand, lab, state, ply, -INFINITY, INFINITY)
    if moves == 0:
        return leave(lab, place, payoff(lab, state, ply))
    best = -INFINITY if moves > 0 else INFINITY
    for i in range(abs(moves)):
        value = minimax(expand, lab, child(lab, ply, i), ply + 1)
        best = better(moves, best, value)
        seen(lab, place, moves)
    return leave(lab, place, best)


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def alphabeta(expand, lab, state, ply, alpha, beta):
    """Fail-soft alpha-beta: return a node's value if it lies between alpha and beta, else a bound outside of them.

    Knuth, Moore: "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975); fail-soft by Fishburn (1983).
    """
    place = enter(lab, state, ply, alpha, beta)
    moves = moves_of(expand, lab, state, ply, alpha, beta)
    if moves == 0:
        return leave(lab, place, payoff(lab, state, ply))
    best = -INFINITY if moves > 0 else INFINITY
    for i in range(abs(moves)):
        value = alphabeta(expand, lab, child(lab, ply, i), ply + 1, alpha, beta)
        best = better(moves, best, value)
        alpha, beta = narrowed(moves, alpha, beta, best)
        if cut(lab, place, ply, moves, i, alpha, beta):
            break
    return leave(lab, place, best)


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def alphabeta_failhard(expand, lab, state, ply, alpha, beta):
    """Fail-hard alpha-beta: a node starts from the window and forgets how far its value lies outside of it.

    Knuth and Moore (1975), procedure F2. As there, the value of a leaf is not clipped to the window.
    """
    place = enter(lab, state, ply, alpha, beta)
    moves = moves_of(expand, lab, state, ply, alpha, beta)
    if moves == 0:
        return leave(lab, place, payoff(lab, state, ply))
    for i in range(abs(moves)):
        value = alphabeta_failhard(expand, lab, child(lab, ply, i), ply + 1, alpha, beta)
        alpha, beta = narrowed(moves, alpha, beta, value)
        if cut(lab, place, ply, moves, i, alpha, beta):
            break
    return leave(lab, place, alpha if moves > 0 else beta)


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def negascout(expand, lab, state, ply, alpha, beta):
    """NegaScout, or principal variation search: after the first child, only ask whether another is better.

    Reinefeld: "An improvement of the scout tree search algorithm", ICCA Journal 6(4), 1983. A child that may be better
    is searched again, from its known bound; fail-soft, without his shortcut near leaves.
    """
    place = enter(lab, state, ply, alpha, beta)
    moves = moves_of(expand, lab, state, ply, alpha, beta)
    if moves == 0:
        return leave(lab, place, payoff(lab, state, ply))
    best = -INFINITY if moves > 0 else INFINITY
    for i in range(abs(moves)):
        state_after = child(lab, ply, i)
        if i == 0:
            value = negascout(expand, lab, state_after, ply + 1, alpha, beta)
        elif moves > 0:
            value = negascout(expand, lab, state_after, ply + 1, alpha, alpha + 1)
            if alpha < value < beta:
                value = negascout(expand, lab, state_after, ply + 1, value, beta)
        else:
            value = negascout(expand, lab, state_after, ply + 1, beta - 1, beta)
            if alpha < value < beta:
                value = negascout(expand, lab, state_after, ply + 1, alpha, value)
        best = better(moves, best, value)
        alpha, beta = narrowed(moves, alpha, beta, best)
        if cut(lab, place, ply, moves, i, alpha, beta):
            break
    return leave(lab, place, best)


@kernel(int64(Expand, int64, int64, int64))
def minimax_memo(expand, lab, state, ply):
    """Return the value of a node; a position met before is answered by the table."""
    place = enter(lab, state, ply, -INFINITY, INFINITY)
    name = key(expand, lab, state)
    slot = find(lab, name)
    if usable(lab, slot, ply):
        memory(lab)[HITS] += 1
        return leave(lab, place, memory(slot)[SLOT_LOW])
    moves = moves_of(expand, lab, state, ply, -INFINITY, INFINITY)
    if moves == 0:
        best = payoff(lab, state, ply)
        remember(lab, name, ply, best, best, -1, 0)
        return leave(lab, place, best)
    best = -INFINITY if moves > 0 else INFINITY
    for i in range(abs(moves)):
        value = minimax_memo(expand, lab, child(lab, ply, i), ply + 1)
        best = better(moves, best, value)
        seen(lab, place, moves)
    remember(lab, name, ply, best, best, -1, 0)
    return leave(lab, place, best)


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def alphabeta_table(expand, lab, state, ply, alpha, beta):
    """Alpha-beta with a table of both bounds, which narrow the window of a node.

    Plaat, Schaeffer, Pijls, de Bruin: "Best-first fixed-depth minimax algorithms", Artificial Intelligence 87 (1996),
    AlphaBetaWithMemory. When the search is repeated to greater depths, the best move in the table comes first; see
    `iterative`.
    """
    place = enter(lab, state, ply, alpha, beta)
    name, low, high = key(expand, lab, state), -INFINITY, INFINITY
    slot, horizon, deepening = find(lab, name), memory(lab)[HORIZON], memory(lab)[DEEPENING]
    if usable(lab, slot, ply):
        memory(lab)[HORIZON] += (
            memory(slot)[SLOT_NOTES] & SHORT_LOW
        ) != 0  # values from these bounds depend on a horizon too
        low, high = memory(slot)[SLOT_LOW], memory(slot)[SLOT_HIGH]
        if low == high or low >= beta or high <= alpha:
            memory(lab)[HITS] += 1
            return leave(lab, place, low if low == high or low >= beta else high)
    alpha, beta = max(alpha, low), min(beta, high)
    low_end, high_end = alpha, beta
    moves = moves_of(expand, lab, state, ply, alpha, beta)
    best, move = -INFINITY if moves > 0 else INFINITY, -1
    if moves == 0:
        best = low = high = payoff(lab, state, ply)
    elif deepening:
        put_first(lab, moves, row(lab, ply, CHILDREN), best_move(slot))
    for i in range(abs(moves)):
        value = alphabeta_table(expand, lab, child(lab, ply, i), ply + 1, alpha, beta)
        if i == 0 or (value > best if moves > 0 else value < best):
            best, move = value, memory(row(lab, ply, MOVES))[i]
        alpha, beta = narrowed(moves, alpha, beta, best)
        if cut(lab, place, ply, moves, i, alpha, beta):
            break
    if best < high_end:  # no cut at the upper end: an upper bound
        high = best
    if best > low_end:
        low = best
    marks = SHORT_LOW if deepening and memory(lab)[HORIZON] != horizon else 0
    remember(lab, name, ply, low, high, move if deepening else -1, marks)
    return leave(lab, place, best)


@kernel(int64(Expand, int64, int64, int64, int64))
def bounded(expand, lab, state, ply, bound):
    """Return a lower bound of a node's value that is at least ``bound``, or an upper bound below it, by alpha-beta with
    a null window and a table. HORIZON rises if the bound rests on the horizon; if not, it holds at greater depths too.

    A cut rests on one child alone. A child whose answer in the table cuts comes first (enhanced transposition cutoff:
    Plaat, Schaeffer, Pijls, de Bruin, "Exploiting graph properties of game trees", AAAI 1996).
    """
    place, horizon = enter(lab, state, ply, bound - 1, bound), memory(lab)[HORIZON]
    if ply >= memory(lab)[LIMIT]:
        moves_of(expand, lab, state, ply, bound - 1, bound)
        return leave(lab, place, payoff(lab, state, ply))
    name = key(expand, lab, state)
    slot = find(lab, name)
    decided, value, rests = answer(lab, slot, ply, bound)
    if decided:
        memory(lab)[HITS] += 1
        memory(lab)[HORIZON] += rests
        return leave(lab, place, value)
    moves = moves_of(expand, lab, state, ply, bound - 1, bound)
    if moves == 0:
        return leave(lab, place, payoff(lab, state, ply))
    low, high, marks = lasting(lab, slot, ply)  # the slot may soon hold something else
    put_first(lab, moves, row(lab, ply, CHILDREN), best_move(slot))
    ahead = False
    if memory(lab)[LIMIT] - ply >= LOOKING_AHEAD:
        for i in range(abs(moves)):
            if answer(lab, find(lab, key(expand, lab, child(lab, ply, i))), ply + 1, bound)[0] * moves > 0:
                put_first(lab, moves, row(lab, ply, CHILDREN), memory(row(lab, ply, MOVES))[i])
                ahead = True
                break
    best, move = -INFINITY if moves > 0 else INFINITY, -1
    for i in range(abs(moves)):
        before = memory(lab)[HORIZON]
        value = bounded(expand, lab, child(lab, ply, i), ply + 1, bound)
        if i == 0 or (value > best if moves > 0 else value < best):
            best, move = value, memory(row(lab, ply, MOVES))[i]
        if (value >= bound) == (moves > 0):
            memory(lab)[HORIZON] -= before - horizon
            if not ahead:  # the order learns from cuts that took a search
                cut(lab, place, ply, moves, i, bound, bound)
            break
        seen(lab, place, moves)
    if memory(lab)[DEEPENING] == 2 and (best > 0 if best >= bound else best < 0):
        memory(lab)[HORIZON] = horizon  # a forced line to the end
    rests = memory(lab)[HORIZON] != horizon
    if best >= bound:
        low, marks = best, marks & SHORT_HIGH | rests * SHORT_LOW
    else:
        high, marks = best, marks & SHORT_LOW | rests * SHORT_HIGH
    remember(lab, name, ply, low, high, move, marks)
    return leave(lab, place, best)


def iterative(workspace: Workspace) -> int:
    """Return the root's value at the depth asked for, or at the first depth where every leaf is an end, by iterative
    deepening.

    Alpha-beta with a table to depth 1, 2, 3 ..., each time with the last best move first (Slate, Atkin: "Chess 4.5",
    1977). Bounds hold for one depth; best moves are used at any.
    """
    value = 0
    for depth in range(min(1, workspace.plies), workspace.plies + 1):
        workspace.set_depth(depth)
        value = workspace.search_pass(alphabeta_table)
        if workspace.horizon == 0:
            break
    return value


def mtdf(workspace: Workspace) -> int:
    """MTD(f): null windows only, the first at 0, each placed by the last result; the table remembers the rest.

    Plaat, Schaeffer, Pijls, de Bruin (1996). First at +infinity it would visit what SSS* does, at -infinity DUAL*.
    """
    value, low, high = workspace.problem.place(0), -INFINITY, INFINITY
    while low < high:
        beta = value + 1 if value == low else value
        value = workspace.search_pass(alphabeta_table, (beta - 1, beta))
        if value < beta:
            high = value
        else:
            low = value
    return value
