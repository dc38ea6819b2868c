"""Alpha-beta with a transposition table of both bounds.

Plaat, Schaeffer, Pijls, de Bruin: "Best-first fixed-depth minimax algorithms", Artificial Intelligence 87 (1996),
AlphaBetaWithMemory. A node whose bounds are known narrows its window to them.
"""

from __future__ import annotations

from analysis.engine.kernels.raw import memory
from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.keys import key
from analysis.search.kernels.layout import INFINITY, SLOT_HIGH, SLOT_LOW
from analysis.search.kernels.steps import Expand, child, cut, enter, moves_of, leave, payoff
from analysis.search.kernels.transpositions import find, hit, remember, usable
from analysis.search.workspace import Workspace


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def alphabeta_table(expand, lab, state, ply, alpha, beta):
    """The value of a node if it lies between alpha and beta, else a bound: at most alpha, or at least beta."""
    place = enter(lab, state, ply, alpha, beta)
    name, low, high = key(lab, state), -INFINITY, INFINITY
    slot = find(lab, name)
    if usable(lab, slot, ply):
        low, high = memory(slot)[SLOT_LOW], memory(slot)[SLOT_HIGH]
        if low == high or low >= beta or high <= alpha:
            hit(lab)
            return leave(lab, place, low if low == high or low >= beta else high)
    alpha, beta = max(alpha, low), min(beta, high)
    low_end, high_end = alpha, beta
    moves = moves_of(expand, lab, state, ply, alpha, beta)
    if moves == 0:
        best = payoff(lab, state, ply)
        remember(lab, name, ply, best, best, -1)
        return leave(lab, place, best)
    best = -INFINITY if moves > 0 else INFINITY
    for i in range(abs(moves)):
        value = alphabeta_table(expand, lab, child(lab, ply, i), ply + 1, alpha, beta)
        if moves > 0:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if cut(lab, place, ply, moves, i, alpha, beta):
            break
    if best < high_end:  # not cut at the upper end: no more than this
        high = best
    if best > low_end:
        low = best
    remember(lab, name, ply, low, high, -1)
    return leave(lab, place, best)


def run(workspace: Workspace) -> int:
    """The value of the root, or a bound."""
    window = workspace.window
    return alphabeta_table(workspace.expand, workspace.address, workspace.root, 0, window.alpha, window.beta)
