"""Minimax with memo: every call that meets a position again is answered by the table."""

from __future__ import annotations

from analysis.engine.kernels.raw import memory
from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.layout import HITS, INFINITY, SLOT_LOW
from analysis.search.kernels.steps import Expand, better, child, enter, leave, moves_of, payoff, seen
from analysis.search.kernels.transpositions import find, key, remember, usable


@kernel(int64(Expand, int64, int64, int64))
def minimax_memo(expand, lab, state, ply):
    """The value of a node."""
    place = enter(lab, state, ply, -INFINITY, INFINITY)
    name = key(lab, state)
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
