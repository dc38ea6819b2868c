"""NegaScout, also known as principal variation search: after the first child, ask of each whether it is better at all.

Reinefeld: "An improvement of the scout tree search algorithm", ICCA Journal 6(4), 1983. A child that may be better is
searched again, with the window from what it is known to be worth; fail-soft, without his shortcut near the leaves.
"""

from __future__ import annotations

from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.layout import INFINITY
from analysis.search.kernels.steps import Expand, better, child, cut, enter, leave, moves_of, narrowed, payoff


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def negascout(expand, lab, state, ply, alpha, beta):
    """The value of a node if it lies between alpha and beta, else a bound: at most alpha, or at least beta."""
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
