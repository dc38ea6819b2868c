"""Proof-number searches, in memory and depth first (df-pn): is the value at least a bound?"""

from __future__ import annotations

from ...engine.kernels.raw import memory
from ...engine.kernels.types import helper, int64, kernel
from ..kernels import layout
from ..kernels.layout import (
    HITS,
    NEVER,
    POOL,
    POOL_CAPACITY,
    POOL_COUNT,
    SLOT_HIGH,
    SLOT_LOW,
    UNKNOWN,
    RoomSpentError,
)  # fmt: skip
from ..kernels.steps import Expand, child, enter, leave, moves_of, payoff, row, seen
from ..kernels.transpositions import find, key, remember, usable

STATE, PARENT, PLY, MOVES, FIRST, PROOF, DISPROOF, WORDS = range(8)
"""Words of a node: FIRST is its first child, or -1; the others follow it."""


@helper
def node(lab, i):
    """Return the words of node ``i``."""
    return memory(memory(lab)[POOL] + 8 * WORDS * i)


@helper
def update(lab, i):
    """Set the proof and disproof number of an inner node from its children; return whether they changed."""
    words = node(lab, i)
    least_proof, least_disproof, proofs, disproofs = NEVER, NEVER, 0, 0
    for j in range(words[FIRST], words[FIRST] + abs(words[MOVES])):
        proof, disproof = node(lab, j)[PROOF], node(lab, j)[DISPROOF]
        least_proof, least_disproof = min(least_proof, proof), min(least_disproof, disproof)
        proofs = NEVER if NEVER in (proofs, proof) else min(NEVER - 1, proofs + proof)
        disproofs = NEVER if NEVER in (disproofs, disproof) else min(NEVER - 1, disproofs + disproof)
    before = words[PROOF], words[DISPROOF]
    words[PROOF] = least_proof if words[MOVES] > 0 else proofs
    words[DISPROOF] = disproofs if words[MOVES] > 0 else least_disproof
    return before[0] != words[PROOF] or before[1] != words[DISPROOF]


@helper
def most_proving(lab, i):
    """Return the most-proving node of the tree in memory: the leftmost of equals."""
    while node(lab, i)[FIRST] >= 0:
        word = PROOF if node(lab, i)[MOVES] > 0 else DISPROOF
        least = node(lab, i)[word]
        i = node(lab, i)[FIRST]
        while node(lab, i)[word] != least:
            i += 1
    return i


@helper
def make(expand, lab, state, parent, ply, bound):
    """Create a node and evaluate it."""
    i = memory(lab)[POOL_COUNT]
    if i == memory(lab)[POOL_CAPACITY]:
        raise RoomSpentError
    memory(lab)[POOL_COUNT] = i + 1
    place = enter(lab, state, ply, bound - 1, bound)
    words = node(lab, i)
    words[STATE], words[PARENT], words[PLY], words[FIRST] = state, parent, ply, -1
    words[MOVES] = moves_of(expand, lab, state, ply, 0, 0)
    words[PROOF] = words[DISPROOF] = 1
    if words[MOVES] == 0:
        proved = leave(lab, place, payoff(lab, state, ply)) >= bound
        words[PROOF] = 0 if proved else NEVER
        words[DISPROOF] = NEVER if proved else 0


@kernel(int64(Expand, int64, int64, int64))
def pns(expand, lab, root, bound):
    """Return 1 if the root's value is at least ``bound``, else 0, expanding the node that is easiest to prove or
    disprove.

    Allis, van der Meulen, van den Herik: "Proof-number search", Artificial Intelligence 66 (1994). Nodes are evaluated
    when created, and every node stays in memory. It searches the tree, without a table.
    """
    memory(lab)[POOL_COUNT] = 0
    make(expand, lab, root, -1, 0, bound)
    while node(lab, 0)[PROOF] > 0 and node(lab, 0)[DISPROOF] > 0:
        i = most_proving(lab, 0)
        state, ply, moves = node(lab, i)[STATE], node(lab, i)[PLY], abs(node(lab, i)[MOVES])
        node(lab, i)[FIRST] = memory(lab)[POOL_COUNT]
        moves_of(expand, lab, state, ply, 0, 0)
        for j in range(moves):
            make(expand, lab, child(lab, ply, j), i, ply + 1, bound)
        while i >= 0 and update(lab, i):
            i = node(lab, i)[PARENT]
    return node(lab, 0)[PROOF] == 0


@kernel(int64(Expand, int64, int64, int64, int64, int64, int64))
def dfpn_search(expand, lab, state, ply, bound, proof_end, disproof_end):
    """Search a node until its proof or disproof number reaches its limit.

    Returns the proof number and leaves the disproof number in the first place of the row `layout.DISPROOF` of this ply.
    """
    place = enter(lab, state, ply, bound - 1, bound)
    name = key(expand, lab, state)
    moves = moves_of(expand, lab, state, ply, 0, 0)
    if moves == 0:
        proved = leave(lab, place, payoff(lab, state, ply)) >= bound
        proof = 0 if proved else NEVER
        disproof = NEVER if proved else 0
        remember(lab, name, ply, proof, disproof, -1, 0)
        memory(row(lab, ply, layout.DISPROOF))[0] = disproof
        return proof
    proofs, disproofs = memory(row(lab, ply, layout.PROOF)), memory(row(lab, ply, layout.DISPROOF))
    for i in range(abs(moves)):
        slot = find(lab, key(expand, lab, child(lab, ply, i)))
        proofs[i], disproofs[i] = 1, 1
        if usable(lab, slot, ply + 1):
            memory(lab)[HITS] += 1
            proofs[i], disproofs[i] = memory(slot)[SLOT_LOW], memory(slot)[SLOT_HIGH]
    while True:
        # the node's numbers, the child to search next, and the runner-up's number
        chosen, least, second, total = 0, NEVER + 1, NEVER, 0
        for i in range(abs(moves)):
            key_number = proofs[i] if moves > 0 else disproofs[i]
            summed = disproofs[i] if moves > 0 else proofs[i]
            total = NEVER if NEVER in (total, summed) else min(NEVER - 1, total + summed)
            if key_number < least:
                chosen, least, second = i, key_number, min(second, least)
            else:
                second = min(second, key_number)
        proof, disproof = (least, total) if moves > 0 else (total, least)
        if proof >= proof_end or disproof >= disproof_end:
            break
        seen(lab, place, moves)
        if moves > 0:
            ends = min(proof_end, second + 1), disproof_end - disproof + disproofs[chosen]
        else:
            ends = proof_end - proof + proofs[chosen], min(disproof_end, second + 1)
        proofs[chosen] = dfpn_search(expand, lab, child(lab, ply, chosen), ply + 1, bound, ends[0], ends[1])
        disproofs[chosen] = memory(row(lab, ply + 1, layout.DISPROOF))[0]
    remember(lab, name, ply, proof, disproof, -1, 0)
    leave(lab, place, bound if proof == 0 else bound - 1 if disproof == 0 else UNKNOWN)
    disproofs[0] = disproof
    return proof


def dfpn(expand: object, address: int, root: int, bound: int) -> int:
    """Return 1 if the root's value is at least ``bound``, else 0, by depth-first proof-number search.

    Nagai: "Df-pn algorithm for searching AND/OR trees and its applications", PhD thesis, University of Tokyo (2002).
    The table holds the numbers; those of a node's children are also kept outside it during the search, so a small table
    costs time, not progress.
    """
    return dfpn_search(expand, address, root, 0, bound, NEVER, NEVER) == 0
