"""Depth-first searches, each a textbook loop: minimax, alpha-beta in two forms and NegaScout; with a transposition
table, minimax, alpha-beta, iterative deepening and MTD(f).
"""

from __future__ import annotations

from analysis.engine.kernels.raw import memory
from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.layout import CHILDREN, DEEPENING, HITS, HORIZON, INFINITY, MOVES, SLOT_HIGH, SLOT_LOW
from analysis.search.kernels.steps import (
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
from analysis.search.kernels.transpositions import best_move, find, key, mark_short, remember, short, usable
from analysis.search.workspace import Workspace


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
    """Fail-hard alpha-beta: a node starts from the window and forgets by how much it fell short of it.

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
    """NegaScout, or principal variation search: after the first child, only ask whether each is better.

    Reinefeld: "An improvement of the scout tree search algorithm", ICCA Journal 6(4), 1983. A child that may be better
    is searched again, from its known bound on; fail-soft, without his shortcut near leaves.
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
        remember(lab, name, ply, best, best, -1)
        return leave(lab, place, best)
    best = -INFINITY if moves > 0 else INFINITY
    for i in range(abs(moves)):
        value = minimax_memo(expand, lab, child(lab, ply, i), ply + 1)
        best = better(moves, best, value)
        seen(lab, place, moves)
    remember(lab, name, ply, best, best, -1)
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
        memory(lab)[HORIZON] += short(slot)  # values from these bounds depend on a horizon too
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
    remember(lab, name, ply, low, high, move if deepening else -1)
    if deepening and memory(lab)[HORIZON] != horizon:
        mark_short(lab, name)
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
