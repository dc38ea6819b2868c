"""Minimax: every node of the game tree."""

from __future__ import annotations

from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.layout import INFINITY
from analysis.search.kernels.steps import Expand, better, child, enter, leave, moves_of, payoff, seen


@kernel(int64(Expand, int64, int64, int64))
def minimax(expand, lab, state, ply):
    """The value of a node."""
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
