"""Depth-first searches of the tree, each a textbook loop: minimax, alpha-beta in two forms, NegaScout."""

from __future__ import annotations

from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.layout import INFINITY
from analysis.search.kernels.steps import Expand, better, child, cut, enter, leave, moves_of, narrowed, payoff, seen


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
