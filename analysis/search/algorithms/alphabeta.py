"""Alpha-beta, fail-soft: the value returned may lie outside the window, and is then a bound.

Knuth, Moore: "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975); fail-soft by Fishburn (1983).
"""

from __future__ import annotations

from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.layout import INFINITY
from analysis.search.kernels.steps import Expand, better, child, cut, enter, leave, moves_of, narrowed, payoff


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def alphabeta(expand, lab, state, ply, alpha, beta):
    """The value of a node if it lies between alpha and beta, else a bound: at most alpha, or at least beta."""
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
