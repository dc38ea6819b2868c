"""Alpha-beta with a transposition table of both bounds.

Plaat, Schaeffer, Pijls, de Bruin: "Best-first fixed-depth minimax algorithms", Artificial Intelligence 87 (1996),
AlphaBetaWithMemory. A node whose bounds are known narrows its window to them. Where the search is repeated to greater
depths, the best move that the table remembers comes first; see `iterative`.
"""

from __future__ import annotations

from analysis.engine.kernels.raw import memory
from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.layout import CHILDREN, DEEPENING, HITS, HORIZON, INFINITY, MOVES, SLOT_HIGH, SLOT_LOW
from analysis.search.kernels.steps import Expand, child, cut, enter, leave, moves_of, narrowed, payoff, put_first, row
from analysis.search.kernels.transpositions import best_move, find, key, mark_short, remember, short, usable


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def alphabeta_table(expand, lab, state, ply, alpha, beta):
    """The value of a node if it lies between alpha and beta, else a bound: at most alpha, or at least beta."""
    place = enter(lab, state, ply, alpha, beta)
    name, low, high = key(lab, state), -INFINITY, INFINITY
    slot, horizon, deepening = find(lab, name), memory(lab)[HORIZON], memory(lab)[DEEPENING]
    if usable(lab, slot, ply):
        memory(lab)[HORIZON] += short(slot)  # what rests on these bounds rests on a horizon too
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
    if best < high_end:  # not cut at the upper end: no more than this
        high = best
    if best > low_end:
        low = best
    remember(lab, name, ply, low, high, move if deepening else -1)
    if deepening and memory(lab)[HORIZON] != horizon:
        mark_short(lab, name)
    return leave(lab, place, best)
