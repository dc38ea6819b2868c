"""Iterative deepening: alpha-beta with a table to depth 1, 2, 3 ..., each time the last best move first.

Slate, Atkin: "Chess 4.5", 1977. Bounds hold for one depth; best moves are used at any.
"""

from __future__ import annotations

from analysis.engine.kernels.raw import memory
from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.keys import key
from analysis.search.kernels.layout import CHILDREN, HORIZON, INFINITY, MOVES, SLOT_HIGH, SLOT_LOW
from analysis.search.kernels.ordering import put_first
from analysis.search.kernels.steps import Expand, child, cut, enter, moves_of, leave, payoff, row
from analysis.search.kernels.transpositions import best_move, find, hit, mark_short, remember, short, usable
from analysis.search.workspace import Workspace


@kernel(int64(Expand, int64, int64, int64, int64, int64))
def best_move_first(expand, lab, state, ply, alpha, beta):
    """`alphabeta_table`, with the best move that the table remembers first."""
    place = enter(lab, state, ply, alpha, beta)
    name, low, high = key(lab, state), -INFINITY, INFINITY
    slot, horizon = find(lab, name), memory(lab)[HORIZON]
    if usable(lab, slot, ply):
        memory(lab)[HORIZON] += short(slot)  # what rests on these bounds rests on a horizon too
        low, high = memory(slot)[SLOT_LOW], memory(slot)[SLOT_HIGH]
        if low == high or low >= beta or high <= alpha:
            hit(lab)
            return leave(lab, place, low if low == high or low >= beta else high)
    alpha, beta = max(alpha, low), min(beta, high)
    low_end, high_end = alpha, beta
    move = best_move(slot)
    moves = moves_of(expand, lab, state, ply, alpha, beta)
    if moves == 0:
        best = payoff(lab, state, ply)
        remember(lab, name, ply, best, best, -1)
        if memory(lab)[HORIZON] != horizon:
            mark_short(lab, name)
        return leave(lab, place, best)
    put_first(lab, moves, row(lab, ply, CHILDREN), move)
    best = -INFINITY if moves > 0 else INFINITY
    for i in range(abs(moves)):
        value = best_move_first(expand, lab, child(lab, ply, i), ply + 1, alpha, beta)
        if i == 0 or (value > best if moves > 0 else value < best):
            best, move = value, memory(row(lab, ply, MOVES))[i]
        if moves > 0:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if cut(lab, place, ply, moves, i, alpha, beta):
            break
    if best < high_end:
        high = best
    if best > low_end:
        low = best
    remember(lab, name, ply, low, high, move)
    if memory(lab)[HORIZON] != horizon:
        mark_short(lab, name)
    return leave(lab, place, best)


def run(workspace: Workspace) -> int:
    """The value of the root at the depth asked for, or where no leaf is short of the end."""
    window, most, value = workspace.window, workspace.depth, 0
    for depth in range(min(1, most), most + 1):
        workspace.set_depth(depth)
        value = workspace.search_pass(best_move_first, window.alpha, window.beta)
        if workspace.horizon == 0:
            break
    return value
