"""Kernels of retrograde analysis: a tier whose moves may stay within it, labelled backward from what is decided.

Every state is undecided at first. Where a child is lost for its opponent the mover wins; where all children are won by
the opponent the mover loses: ``left`` counts those that are not, yet. States are decided in the order of their
remoteness, so the first winning child found is the fastest and the last losing one the slowest. A state whose remoteness
was known before its turn comes (from children in later tiers) waits in a bucket: a linked list for each remoteness.
"""

from __future__ import annotations

import numba
import numpy as np

from analysis.kernels.types import int8s, int16s, int64, int64s, kernel, uint8s, uint16s, uint32s

UNDECIDED = np.int16(2)
"""The value of a state that is not decided yet; what is left at the end is a tie or a draw."""
NEVER = np.uint16(65535)
"""No remoteness."""
GREATEST = 65534
"""The greatest remoteness that the tables hold."""
TOO_FAR = -1
"""An answer: some remoteness exceeds `GREATEST`."""
NOBODY = -1
"""The end of a linked list."""


@kernel(
    int64(uint8s, int8s, int16s, uint8s, int16s, uint16s, int16s, uint16s, uint8s, uint8s, uint16s, uint16s, uint16s)
)
def survey(branching, movers, payoffs, inside, child_values, child_remoteness,
           values, remoteness, left, inner, fastest, slowest, ties):  # fmt: skip
    """What the children in later tiers decide of a chunk of states, and how many are in their own tier (``inner``).

    ``inside`` and the ``child_`` arrays have an entry for each move. Returns the greatest remoteness seen.
    """
    k = 0
    greatest = 0
    for i in range(len(branching)):
        left[i] = branching[i]
        inner[i] = 0
        fastest[i] = ties[i] = NEVER
        slowest[i] = 0
        if branching[i] == 0:
            values[i] = payoffs[i]
            remoteness[i] = 0
            continue
        values[i] = UNDECIDED
        remoteness[i] = NEVER
        for j in range(k, k + np.int64(branching[i])):
            if inside[j]:
                inner[i] += 1
                continue
            plies = child_remoteness[j]
            if plies != NEVER:
                greatest = max(greatest, np.int64(plies))
            if child_values[j] == 0:
                ties[i] = min(ties[i], plies)
            elif child_values[j] == movers[i]:
                fastest[i] = min(fastest[i], plies)
            else:
                slowest[i] = max(slowest[i], plies)
                left[i] -= 1
        k += np.int64(branching[i])
    return greatest


@kernel(numba.void(uint32s, int64s))
def count_parents(rows, first):
    """Add, for each edge, one to the entry after its child's: sums of these are where parents begin."""
    for j in range(len(rows)):
        first[np.int64(rows[j]) + 1] += 1


@kernel(numba.void(int64, uint8s, uint32s, int64s, uint32s))
def note_parents(begin, inner, rows, cursor, parents):
    """Write the parents of a chunk's children, states ``begin`` on, at each child's cursor."""
    k = 0
    for i in range(len(inner)):
        for j in range(k, k + np.int64(inner[i])):
            row = rows[j]
            parents[cursor[row]] = begin + i
            cursor[row] += 1
        k += np.int64(inner[i])


@kernel(int64(uint8s, int8s, int16s, uint16s, uint8s, uint16s, uint16s, int64s, uint32s, uint32s, int64s, int64s))
def decide(branching, movers, values, remoteness, left, fastest, slowest, first, parents, queue, chain, heads):
    """Decide every won and lost state. ``heads`` [plies] and ``chain`` [n] become the buckets, ``queue`` [n] the states
    in the order they are decided. Returns how many are, or `TOO_FAR`.
    """
    waiting = 0
    heads[:] = NOBODY
    for s in range(len(branching)):
        bucket = -1
        if branching[s] == 0:
            bucket = 0 if values[s] != 0 else -1
        elif fastest[s] != NEVER:
            bucket = np.int64(fastest[s]) + 1
        elif left[s] == 0:
            bucket = np.int64(slowest[s]) + 1
        if bucket >= 0:
            chain[s] = heads[bucket]
            heads[bucket] = s
            waiting += 1
    begin = end = plies = 0
    while waiting > 0 or begin < end:
        s = heads[plies] if plies < len(heads) else NOBODY
        if s != NOBODY and plies > GREATEST:
            return TOO_FAR
        while s != NOBODY:
            waiting -= 1
            if branching[s] == 0 or values[s] == UNDECIDED:
                if branching[s] != 0:
                    values[s] = -movers[s] if left[s] == 0 else movers[s]
                    remoteness[s] = plies
                queue[end] = s
                end += 1
            s = chain[s]
        level = end
        for i in range(begin, level):
            child = np.int64(queue[i])
            for e in range(first[child], first[child + 1]):
                s = np.int64(parents[e])
                if values[s] != UNDECIDED:
                    continue
                if movers[s] == values[child]:
                    values[s] = movers[s]
                else:
                    left[s] -= 1
                    slowest[s] = max(slowest[s], np.uint16(plies))
                    if left[s] > 0:
                        continue
                    if slowest[s] > plies:  # a child in a later tier holds out longer
                        chain[s] = heads[np.int64(slowest[s]) + 1]
                        heads[np.int64(slowest[s]) + 1] = s
                        waiting += 1
                        continue
                    values[s] = -movers[s]
                if plies == GREATEST:
                    return TOO_FAR
                remoteness[s] = plies + 1
                queue[end] = s
                end += 1
        begin = level
        plies += 1
    return end


@kernel(int64(uint8s, int16s, uint16s, uint16s, int64s, uint32s, uint32s, int64s, int64s))
def tie(branching, values, remoteness, ties, first, parents, queue, chain, heads):
    """Give every state that is still undecided the value 0, and the ties among them (both players hurry to a level end)
    their remoteness; the others are draws. Returns how many ties there are, or `TOO_FAR`.
    """
    waiting = 0
    heads[:] = NOBODY
    for s in range(len(branching)):
        if values[s] == UNDECIDED:
            values[s] = 0
        bucket = -1
        if branching[s] == 0:
            bucket = 0 if values[s] == 0 else -1
        elif values[s] == 0 and ties[s] != NEVER:
            bucket = np.int64(ties[s]) + 1
        if bucket >= 0:
            chain[s] = heads[bucket]
            heads[bucket] = s
            waiting += 1
    begin = end = plies = 0
    while waiting > 0 or begin < end:
        s = heads[plies] if plies < len(heads) else NOBODY
        if s != NOBODY and plies > GREATEST:
            return TOO_FAR
        while s != NOBODY:
            waiting -= 1
            if branching[s] == 0 or remoteness[s] == NEVER:
                remoteness[s] = plies
                queue[end] = s
                end += 1
            s = chain[s]
        level = end
        for i in range(begin, level):
            child = np.int64(queue[i])
            for e in range(first[child], first[child + 1]):
                s = np.int64(parents[e])
                if values[s] == 0 and remoteness[s] == NEVER:
                    if plies == GREATEST:
                        return TOO_FAR
                    remoteness[s] = plies + 1
                    queue[end] = s
                    end += 1
        begin = level
        plies += 1
    return end
