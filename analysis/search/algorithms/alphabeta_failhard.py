"""Alpha-beta, fail-hard: a node starts from the window and forgets by how much it fell short of it.

Knuth, Moore: "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), procedure F2. As there, the
value of a leaf is not clipped to the window.
"""

from __future__ import annotations

from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.steps import Expand, child, cut, enter, leave, moves_of, narrowed, payoff


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def alphabeta_failhard(expand, lab, state, ply, alpha, beta):
    """The value of a node if it lies between alpha and beta, else a bound: at most alpha, or at least beta."""
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
