"""Depth-first proof-number search (df-pn): is the value at least a bound? The table holds the numbers.

Nagai: "Df-pn algorithm for searching AND/OR trees and its applications", PhD thesis, University of Tokyo (2002). The
numbers of a node's children are also kept beside it while it is searched, so a small table costs time, not progress.
"""

from __future__ import annotations

from analysis.engine.kernels.raw import memory
from analysis.engine.kernels.types import int64, kernel
from analysis.search.kernels.layout import DISPROOF, HITS, NEVER, PROOF, SLOT_HIGH, SLOT_LOW, UNKNOWN
from analysis.search.kernels.steps import Expand, child, enter, leave, moves_of, payoff, row, seen
from analysis.search.kernels.transpositions import find, holds, key, remember


@kernel(int64(Expand, int64, int64, int64, int64, int64, int64))
def search(expand, lab, state, ply, bound, proof_end, disproof_end):
    """Search a node until its proof or its disproof number reaches its end; both are left in the row of its parent.

    Returns the proof number; the disproof number is in the first place of the row `DISPROOF` of this ply.
    """
    place = enter(lab, state, ply, bound - 1, bound)
    name = key(lab, state)
    moves = moves_of(expand, lab, state, ply, 0, 0)
    if moves == 0:
        proved = leave(lab, place, payoff(lab, state, ply)) >= bound
        proof = 0 if proved else NEVER
        disproof = NEVER if proved else 0
        remember(lab, name, ply, proof, disproof, -1)
        memory(row(lab, ply, DISPROOF))[0] = disproof
        return proof
    proofs, disproofs = memory(row(lab, ply, PROOF)), memory(row(lab, ply, DISPROOF))
    for i in range(abs(moves)):
        slot = find(lab, key(lab, child(lab, ply, i)))
        proofs[i], disproofs[i] = 1, 1
        if holds(lab, slot, ply + 1, bound):
            memory(lab)[HITS] += 1
            proofs[i], disproofs[i] = memory(slot)[SLOT_LOW], memory(slot)[SLOT_HIGH]
    while True:
        # the node's numbers, the child to search next and the second best of what it is chosen by
        chosen, least, second, total = 0, NEVER + 1, NEVER, 0
        for i in range(abs(moves)):
            one = proofs[i] if moves > 0 else disproofs[i]
            other = disproofs[i] if moves > 0 else proofs[i]
            total = NEVER if NEVER in (total, other) else min(NEVER - 1, total + other)
            if one < least:
                chosen, least, second = i, one, min(second, least)
            else:
                second = min(second, one)
        proof, disproof = (least, total) if moves > 0 else (total, least)
        if proof >= proof_end or disproof >= disproof_end:
            break
        seen(lab, place, moves)
        if moves > 0:
            ends = min(proof_end, second + 1), disproof_end - disproof + disproofs[chosen]
        else:
            ends = proof_end - proof + proofs[chosen], min(disproof_end, second + 1)
        proofs[chosen] = search(expand, lab, child(lab, ply, chosen), ply + 1, bound, ends[0], ends[1])
        disproofs[chosen] = memory(row(lab, ply + 1, DISPROOF))[0]
    remember(lab, name, ply, proof, disproof, -1)
    leave(lab, place, bound if proof == 0 else bound - 1 if disproof == 0 else UNKNOWN)
    disproofs[0] = disproof
    return proof


def prove(expand: object, address: int, root: int, bound: int) -> int:
    """1 if the value of the root is at least ``bound``, else 0."""
    return search(expand, address, root, 0, bound, NEVER, NEVER) == 0
